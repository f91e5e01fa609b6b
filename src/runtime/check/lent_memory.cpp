#include "runtime/check/lent_memory.h"

#include "runtime/check/check_options.h"
#include "runtime/check/findings.h"
#include "runtime/check/host_touch.h"
#include "runtime/memory/allocations.h"
#include "support/fork.h"
#include "support/leaked.h"

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
constexpr std::size_t of_allocator =
    64; // it writes there when the program frees the memory, and holds its locks

struct All {
  std::mutex mutex;
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

// In a child of fork() no command uses the program's memory. If another thread was in the list it may be half changed.
void LentMemory::show_all_to_child() {
  All *all = newest.exchange(nullptr);
  if (!all || !all->mutex.try_lock())
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

bool LentMemory::is_wanted(const void *memory) {
  return check_options().commands && !Allocations::instance().find(memory);
}

std::unique_ptr<LentMemory> LentMemory::lend(void *memory, std::size_t size) {
  std::unique_ptr<LentMemory> lent(new LentMemory(static_cast<std::byte *>(memory), size));
  All &all = All::instance();
  std::lock_guard lock(all.mutex);
  if (!all.by_begin.emplace(lent->memory_, lent.get()).second) {
    lent->is_lent_ = false;
    return nullptr;
  }
  lent->protect(PROT_NONE);
  return lent;
}

LentMemory::~LentMemory() {
  show();
}

void LentMemory::protect(int rights) const {
  if (end_closed_ != first_closed_)
    mprotect(first_closed_, std::size_t(end_closed_ - first_closed_), rights);
}

void LentMemory::show() {
  if (!is_lent_)
    return;
  All &all = All::instance();
  std::lock_guard lock(all.mutex);
  all.by_begin.erase(memory_);
  is_lent_ = false;
  protect(PROT_READ | PROT_WRITE);
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
  const bool is_changed = is_lent_ && !was_told_ && !is_unchanged(byte);
  show();
  if (is_changed &&
      Findings::instance().is_first("lent memory", reinterpret_cast<uintptr_t>(memory_), size_))
    Findings::instance().tell(finding_of(
        "the program has written memory that it has given to a buffer, before the buffer ended",
        byte, size_));
}

bool LentMemory::was_touched(void *address, bool writes, const void *code) {
  std::size_t byte = 0, size = 0;
  {
    All &all = All::instance();
    std::lock_guard lock(all.mutex);
    auto *at = static_cast<std::byte *>(address);
    const auto after = all.by_begin.upper_bound(at);
    if (after == all.by_begin.begin())
      return false;
    LentMemory &lent = *std::prev(after)->second;
    if (at < lent.first_closed_ || at >= lent.end_closed_)
      return false;
    byte = std::size_t(at - lent.memory_);
    size = lent.size_;
    lent.was_told_ = true;
    mprotect(at - reinterpret_cast<uintptr_t>(at) % page_size, page_size, PROT_READ | PROT_WRITE);
  }
  const char *what = writes ? "write" : "read";
  if (const auto place = first_touch(what, code, "of memory lent to a buffer")) {
    Finding finding = finding_of(
        fmt::format("the program {}s memory that it has given to a buffer, before the buffer ends",
                    what),
        byte, size);
    finding.places = {*place};
    Findings::instance().tell(finding);
  }
  return true;
}

} // namespace lockstep::runtime
