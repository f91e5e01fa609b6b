// Allocates memory for waiting work-groups: frames of their sub-groups, and their local memory.
//
// Requires: `LOCKSTEP_WAITING_MEMORY`, if it is set, is the limit in MiB. Else it is a quarter of
// the memory.
// Ensures: all launches together stay below the limit. A barrier of too many groups is an error of
// its launch and does not end the process.
//
// Slabs come from the system, and a limited number is kept for later launches. A launch divides
// them into slots of its own size (GroupSlots). A worker with many groups gets slabs of huge pages,
// because a page fault costs as much as a few groups.
#pragma once

#include "platform/linux/huge_pages.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::runtime {

class WaitingMemory {
public:
  static constexpr std::size_t slab_bytes = std::size_t{256} << 10;
  static constexpr std::size_t large_slab_bytes = huge_page_size;
  static WaitingMemory &instance();

  // Returns zeroed or reused pages; null: beyond the limit, or the system has no memory.
  void *allocate(std::size_t bytes);
  void free(void *memory, std::size_t bytes);

  uint64_t used() const;
  uint64_t limit() const;         // LOCKSTEP_WAITING_MEMORY in MiB, else a quarter of the memory
  void set_limit(uint64_t bytes); // for tests
};

// The slots of one worker in one launch. Not thread-safe.
class GroupSlots {
public:
  GroupSlots(std::size_t slot_bytes, std::size_t alignment);
  ~GroupSlots();
  GroupSlots(const GroupSlots &) = delete;
  GroupSlots &operator=(const GroupSlots &) = delete;

  // Allocates slabs if necessary. Returns how many of `wanted` take() calls will succeed.
  std::size_t ensure(std::size_t wanted);
  void *take();
  void give_back(void *slot);
  void take_free_ones_of(GroupSlots &other);
  bool has_free() const { return first_free_ || next_ != end_; }

private:
  struct Free {
    Free *next;
  };
  struct Slab {
    void *memory;
    std::size_t bytes;
  };
  bool add_slab();

  const std::size_t slot_bytes_;
  std::size_t free_count_ = 0;
  Free *first_free_ = nullptr;
  std::byte *next_ = nullptr, *end_ = nullptr; // unused part of the last slab
  std::vector<Slab> slabs_;
};

} // namespace lockstep::runtime
