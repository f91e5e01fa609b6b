#include "runtime/launch/cpu/resumable/waiting_memory.h"

#include "platform/linux/fork.h"
#include "platform/linux/leaked.h"
#include "platform/linux/topology.h"
#include "support/environment.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <mutex>
#include <sys/mman.h>

namespace lockstep::runtime {
namespace {

constexpr std::size_t most_bytes_kept = std::size_t{16} << 20; // for slabs of each size
constexpr std::size_t slabs_before_large_ones = 8;             // for one worker in one launch
constexpr std::size_t page_bytes = 4096;

constinit std::atomic<uint64_t> used_bytes{0};
const ForkHook reset([] { used_bytes = 0; });

std::atomic<uint64_t> &limit_bytes() {
  return leaked([] {
    auto requested = environment_number("WAITING_MEMORY");
    return new std::atomic<uint64_t>(requested && *requested > 0 ? uint64_t(*requested) << 20
                                                                 : topology().memory_bytes / 4);
  });
}

struct KeptSlabs {
  std::mutex mutex;
  std::vector<void *> slabs;
};
KeptSlabs *kept(std::size_t bytes) {
  struct All {
    KeptSlabs small, large;
  };
  auto &[small, large] = leaked<AfterFork::make_again>([] { return new All; });
  return bytes == WaitingMemory::slab_bytes         ? &small
         : bytes == WaitingMemory::large_slab_bytes ? &large
                                                    : nullptr;
}

void *map(std::size_t bytes) {
  if (bytes == WaitingMemory::large_slab_bytes)
    return map_huge_pages(bytes);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace

WaitingMemory &WaitingMemory::instance() {
  static constinit WaitingMemory memory;
  return memory;
}

uint64_t WaitingMemory::used() const {
  return used_bytes.load(std::memory_order_relaxed);
}

uint64_t WaitingMemory::limit() const {
  return limit_bytes().load(std::memory_order_relaxed);
}

void WaitingMemory::set_limit(uint64_t bytes) {
  limit_bytes().store(bytes, std::memory_order_relaxed);
}

void *WaitingMemory::allocate(std::size_t bytes) {
  if (used_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes > limit()) {
    used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
  }
  if (KeptSlabs *those = kept(bytes)) {
    std::lock_guard lock(those->mutex);
    if (!those->slabs.empty()) {
      void *slab = those->slabs.back();
      those->slabs.pop_back();
      return slab;
    }
  }
  if (void *memory = map(bytes))
    return memory;
  used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  return nullptr;
}

void WaitingMemory::free(void *memory, std::size_t bytes) {
  used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  if (KeptSlabs *those = kept(bytes)) {
    std::lock_guard lock(those->mutex);
    if ((those->slabs.size() + 1) * bytes <= most_bytes_kept)
      try {
        those->slabs.push_back(memory);
        return;
      } catch (const std::bad_alloc &) { // called by a destructor, so the slab is unmapped instead
      }
  }
  munmap(memory, bytes);
}

// ---- GroupSlots

GroupSlots::GroupSlots(std::size_t slot_bytes, std::size_t alignment)
    : slot_bytes_((slot_bytes + alignment - 1) / alignment * alignment) {
  assert(alignment <= page_bytes && slot_bytes_ >= sizeof(Free));
}

GroupSlots::~GroupSlots() {
  for (const Slab &slab : slabs_)
    WaitingMemory::instance().free(slab.memory, slab.bytes);
}

bool GroupSlots::add_slab() {
  const std::size_t own = (slot_bytes_ + page_bytes - 1) / page_bytes * page_bytes;
  const std::size_t usual = slabs_.size() < slabs_before_large_ones
                                ? WaitingMemory::slab_bytes
                                : WaitingMemory::large_slab_bytes;
  std::size_t bytes = std::max(usual, own);
  void *memory = WaitingMemory::instance().allocate(bytes);
  if (!memory && bytes == usual) { // close to the limit
    bytes = std::max(WaitingMemory::slab_bytes, own);
    memory = WaitingMemory::instance().allocate(bytes);
  }
  if (!memory)
    return false;
  slabs_.push_back({memory, bytes});
  while (next_ != end_) { // the rest of the previous slab
    give_back(next_);
    --free_count_; // already counted
    next_ += slot_bytes_;
  }
  next_ = static_cast<std::byte *>(memory);
  end_ = next_ + bytes / slot_bytes_ * slot_bytes_;
  free_count_ += bytes / slot_bytes_;
  return true;
}

std::size_t GroupSlots::ensure(std::size_t wanted) {
  while (free_count_ < wanted && add_slab())
    ;
  return std::min(wanted, free_count_);
}

void *GroupSlots::take() {
  assert(free_count_ > 0);
  --free_count_;
  if (first_free_) { // used before, so it may be in a cache
    Free *slot = first_free_;
    first_free_ = slot->next;
    return slot;
  }
  void *slot = next_;
  next_ += slot_bytes_;
  return slot;
}

void GroupSlots::give_back(void *slot) {
  auto *free = static_cast<Free *>(slot);
  free->next = first_free_;
  first_free_ = free;
  ++free_count_;
}

// The first owner keeps the slabs: all of them are freed together with the launch.
void GroupSlots::take_free_ones_of(GroupSlots &other) {
  while (other.free_count_ > 0)
    give_back(other.take());
}

} // namespace lockstep::runtime
