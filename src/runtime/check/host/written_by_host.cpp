#include "runtime/check/host/written_by_host.h"

#include "platform/linux/leaked.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <sys/random.h>

namespace lockstep::runtime {

namespace {

constexpr std::size_t line_size = 64, four = 4, fours_of_line = line_size / four;
constexpr uint32_t all_defined = ~uint32_t{0};

using Line = std::array<uint32_t, fours_of_line>;

Line draw() {
  Line line{};
  if (getrandom(line.data(), line_size, 0) != ssize_t(line_size)) {
    std::random_device random;
    for (uint32_t &each : line)
      each = random();
  }
  return line;
}

const Line &drawn() {
  return leaked([] { return draw(); });
}

std::size_t place_in_line(const std::byte *address) {
  return reinterpret_cast<uintptr_t>(address) % line_size;
}

// The program may write concurrently, and no order is required. A value that is read too early
// counts as unwritten, as for a kernel that reads it unordered.
uint32_t read(const std::byte *address) {
  return std::atomic_ref(*const_cast<uint32_t *>(reinterpret_cast<const uint32_t *>(address)))
      .load(std::memory_order_relaxed);
}

void define(std::byte *shadow) {
  std::atomic_ref(*reinterpret_cast<uint32_t *>(shadow))
      .store(all_defined, std::memory_order_relaxed);
}

// `begin` to `end` is the memory's part of one line, except for its last few bytes.
bool record_line(const std::byte *begin, const std::byte *end, std::byte *shadow,
                 bool is_one_enough) {
  std::array<bool, fours_of_line> is_open{};
  unsigned open = 0, unwritten = 0;
  std::size_t place = 0;
  for (const std::byte *at = begin; at != end; at += four, ++place) {
    const uint32_t defined = read(shadow + (at - begin));
    if (defined == all_defined)
      continue;
    ++open;
    is_open[place] = defined != 0 || read(at) != drawn()[place_in_line(at) / four];
    unwritten += !is_open[place];
  }
  const bool none_is = unwritten == 1 && !is_one_enough;
  if (open == (none_is ? 0 : unwritten))
    return false;
  place = 0;
  for (const std::byte *at = begin; at != end; at += four, ++place)
    if (is_open[place] || none_is)
      define(shadow + (at - begin));
  return true;
}

} // namespace

void make_unwritten(std::span<std::byte> memory) {
  const auto *bytes = reinterpret_cast<const std::byte *>(drawn().data());
  for (std::size_t done = 0; done != memory.size();) {
    const std::size_t place = place_in_line(memory.data() + done),
                      count = std::min(line_size - place, memory.size() - done);
    std::memcpy(memory.data() + done, bytes + place, count);
    done += count;
  }
}

bool record_written(std::span<const std::byte> memory, std::size_t begin, std::size_t end,
                    std::byte *shadow) {
  const std::size_t rest = memory.size() % four, whole = memory.size() - rest;
  begin -= std::min(begin, place_in_line(memory.data() + begin));
  bool is_any = false;
  for (std::size_t at = begin; at < std::min(end, whole);) {
    const std::size_t next = std::min(at + line_size - place_in_line(memory.data() + at), whole);
    is_any |= record_line(memory.data() + at, memory.data() + next, shadow + at,
                          memory.size() <= line_size);
    at = next;
  }
  if (end > whole) // less than four bytes: always count as written
    std::memset(shadow + whole, 0xff, rest);
  return is_any;
}

} // namespace lockstep::runtime
