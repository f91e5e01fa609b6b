#include "runtime/check/host/lent_memory.h"

#include "platform/linux/fork.h"
#include "platform/linux/leaked.h"
#include "runtime/check/host/closed_memory.h"
#include "runtime/check/report/findings.h"
#include "runtime/memory/allocations.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sys/mman.h>

namespace lockstep::runtime {

namespace {

constexpr std::size_t page_size = 4096;
// The allocator writes here when the program frees the memory, and holds its locks meanwhile.
constexpr std::size_t of_allocator = 64;

// Memory lent to buffers, by first byte; guarded by the mutex of ClosedMemory.
struct All {
  std::map<std::byte *, LentMemory *> by_begin;
  static All &instance();
};

constinit std::atomic<All *> newest{nullptr};

std::byte *round_up(std::byte *address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return address + ((page_size - at % page_size) % page_size);
}

Finding finding_of(std::string headline, std::size_t byte, std::size_t size) {
  Finding finding;
  finding.kind = "commands";
  finding.kernel = "host";
  finding.headline = std::move(headline);
  finding.explanation = {fmt::format(
      "byte {} of {} bytes, which are the buffer's until it ends: a host_accessor gives "
      "the program what is in it",
      byte, size)};
  return finding;
}

All &All::instance() {
  return leaked<AfterFork::make_again>([] {
    in_forked_child(LentMemory::show_all_to_child);
    newest = new All;
    return newest.load();
  });
}

} // namespace

// In a child of fork(), commands do not use the program's memory. If another thread held the mutex,
// the list may be inconsistent.
void LentMemory::show_all_to_child() {
  All *all = newest.exchange(nullptr);
  if (!all || !ClosedMemory::mutex().try_lock())
    return;
  for (const auto &[begin, lent] : all->by_begin)
    lent->protect(PROT_READ | PROT_WRITE);
}

LentMemory::LentMemory(std::byte *memory, std::size_t size)
    : memory_(memory), first_closed_(round_up(memory + of_allocator)), end_closed_(first_closed_),
      size_(size) {
  std::byte *end = memory + size;
  std::byte *last = end - reinterpret_cast<uintptr_t>(end) % page_size;
  end_closed_ = std::max(first_closed_, last);
  if (end_closed_ == first_closed_)
    first_closed_ = end_closed_ = end;
  head_.assign(memory, first_closed_);
  tail_.assign(end_closed_, end);
}

bool LentMemory::is_lendable(const void *memory) {
  return !Allocations::instance().find(memory);
}

std::unique_ptr<LentMemory> LentMemory::lend(void *memory, std::size_t size) {
  std::unique_ptr<LentMemory> lent(new LentMemory(static_cast<std::byte *>(memory), size));
  std::lock_guard lock(ClosedMemory::mutex());
  if (!All::instance().by_begin.emplace(lent->memory_, lent.get()).second) {
    lent->is_lent_ = false;
    return nullptr;
  }
  ClosedMemory::add(*lent, lent->first_closed_, lent->end_closed_, /*by_key=*/false,
                    ClosedMemory::ReportedCode::of_host_code);
  lent->protect(PROT_NONE);
  return lent;
}

LentMemory::~LentMemory() {
  LentMemory::show();
}

void LentMemory::protect(int rights) const {
  if (end_closed_ != first_closed_)
    mprotect(first_closed_, std::size_t(end_closed_ - first_closed_), rights);
}

void LentMemory::show() {
  if (!is_lent_)
    return;
  std::lock_guard lock(ClosedMemory::mutex());
  All::instance().by_begin.erase(memory_);
  is_lent_ = false;
  protect(PROT_READ | PROT_WRITE);
  ClosedMemory::remove(*this);
}

bool LentMemory::is_unchanged(std::size_t &byte) const {
  for (const auto &[begin, was] : {std::pair(memory_, &head_), std::pair(end_closed_, &tail_)}) {
    const auto differs = std::mismatch(was->begin(), was->end(), begin);
    if (differs.first == was->end())
      continue;
    byte = std::size_t(differs.second - memory_);
    return false;
  }
  return true;
}

void LentMemory::give_back() {
  std::size_t byte = 0;
  const bool was_lent = is_lent_;
  show();
  const bool is_changed = was_lent && !was_reported_ && !is_unchanged(byte);
  if (is_changed &&
      Findings::instance().is_first("lent memory", reinterpret_cast<uintptr_t>(memory_), size_))
    Findings::instance().report(finding_of(
        "the program has written memory that it has given to a buffer, before the buffer ended",
        byte, size_));
}

std::optional<ClosedMemory::Report> LentMemory::report_of(const ClosedMemory::HostAccess &access) {
  was_reported_ = true;
  const std::string headline =
      fmt::format("the program {}s memory that it has given to a buffer, before the buffer ends",
                  access.what());
  return ClosedMemory::Report{finding_of(headline, std::size_t(access.address - memory_), size_),
                              "of memory lent to a buffer"};
}

} // namespace lockstep::runtime
