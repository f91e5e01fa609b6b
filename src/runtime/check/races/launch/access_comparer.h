// Compares each access with the earlier ones to its shadow cells, records it there, and reports
// those that conflict with it and are not ordered before it.
//
// Two accesses conflict if they are by different work-items, at least one writes, and not both are
// atomic (API 3.3.1).
//
// Requires: the group's epoch and clocks are current (LaunchCheck, AtomicOrder).
//
// Ensures: the shadow represents the access: any later access that conflicts with it is compared
// with it, or with another one that is ordered after it. Fast paths have the same result as
// compare_accesses.cpp.
//
// Separate from AtomicOrder, because only this class reads and writes the shadow.
#pragma once

#include "platform/linux/short_lock.h"
#include "runtime/check/races/launch/launch_state.h"
#include "runtime/check/races/launch/race_reporter.h"
#include "runtime/check/races/shadow/quick_check.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lockstep::runtime {

class AccessComparer {
public:
  AccessComparer(LaunchState &state, const RaceReporter &reporter)
      : state_(state), reporter_(reporter) {}

  // These throw std::bad_alloc.
  void access(const CheckedAccess &access, const void *address, int64_t stride, uint64_t lanes,
              uint64_t first_item);
  void access_by_one(const CheckedAccess &access, const void *address, int64_t stride,
                     uint64_t lane, uint64_t first_item);
  // Accesses to consecutive words of global memory; lane 0 is `item` and has `address`. Returns the
  // remaining lanes.
  uint64_t visit_runs(CheckedGroup &group, uint16_t place, uintptr_t address, uint64_t lanes,
                      uint32_t item) const;
  // An atomic by one lane, and one by several that acts once.
  void visit_by_one(const CheckedAccess &access, uintptr_t address, uint32_t item);
  void visit_together(const CheckedAccess &access, uintptr_t address, uint64_t lanes,
                      uint64_t first_item);
  // A write in the critical section of a lock (hand_over.h). Returns false if it has changed
  // nothing.
  bool write_as_taken(CheckedGroup &group, uint16_t place, const void *address, int64_t stride,
                      uint64_t lanes, uint64_t first_item);
  void visit_copy(const CheckedAccess &access, uintptr_t address, const compiler::CopyShape &shape,
                  uint32_t item);
  // Packets of a pipe, from the ticket `first` on (device_lib/pipes.cl).
  void packets(const CheckedAccess &access, const void *pipe, uint64_t first, uint64_t count,
               uint32_t item);
  // The wait that began the epoch `awaited` did not cover the copy that began in `began`.
  void record_passed_over(Epoch awaited, Epoch began);

private:
  struct LockedPage {
    ShadowPage *page = nullptr;
    ~LockedPage() {
      if (page)
        page->unlock();
    }
  };

  struct Visit { // an access to shadow cells
    const CheckedAccess &access;
    AccessRecord record; // the record of the access
    QuickCheck quick;
    uint32_t word = 0; // the record as a word of the current page
    void enter(ShadowPage &page) {
      page.use_words();
      if (quick.is_write)
        page.begin_writes();
      word = *RecordWord::of(record, page.context_of(record.epoch, record.site));
    }
    // Sets the items that read together; before the record is stored.
    void set_items(uint64_t lanes, uint64_t first_item);
    void set_item(uint32_t item) {
      record.item = record.last_item = uint16_t(item);
      word = (word & ~RecordWord::run_and_item_mask) | item;
    }
  };

  // visit_memory.cpp
  QuickCheck quick_check_of(const CheckedAccess &access, uint32_t item) const;
  static AccessRecord record_of(const CheckedAccess &access, uint32_t item);
  Visit visit_of(const CheckedAccess &access, uint32_t item) const;
  void visit_one(const CheckedAccess &access, uintptr_t address, uint32_t item);
  ShadowPage &page_at(Visit &visited, uintptr_t address, ShadowPage *&locked);
  void visit_places(Visit &visited, const uintptr_t *addresses, uint64_t lanes, ShadowPage *&page);
  void visit_sixteen(Visit &visited, const uintptr_t *addresses, uint32_t lanes, ShadowPage *&page);
  uint64_t visit_alone(const CheckedAccess &access, const uintptr_t *addresses, uint64_t lanes,
                       uint64_t first_item);
  void record_alone(const Visit &visited, ShadowPage &page) const;
  static bool have_barriers_only(const CheckedAccess &access) { // as ordering
    return access.site.synchronizes == compiler::CheckSite::by_nothing_else;
  }
  bool is_read_together(const CheckedAccess &access, uint64_t lanes, uint64_t first_item) const;
  void visit_row(Visit &visited, uintptr_t address, uint64_t lanes, ShadowPage *&page);
  uint64_t pass_released(const Visit &visited, ShadowPage &page, std::size_t index, uint64_t lanes,
                         uint32_t first_item) const;
  void visit(Visit &visited, uintptr_t address, uint64_t size, ShadowPage *&page);
  void visit_strided(Visit &visited, uintptr_t address, const compiler::CopyShape &shape,
                     ShadowPage *&page);
  void visit_granule(const Visit &visited, ShadowPage &page, std::size_t index, uintptr_t address);
  void visit_packets(const CheckedAccess &access, uintptr_t address, uint64_t size, uint32_t item);
  void forget(uintptr_t address, uint64_t size);

  // visit_rows.cpp
  static constexpr unsigned run_granule = 4;
  struct RunsBefore;
  bool is_covered(CheckedGroup &group, const ShadowRun &before, const ShadowRun &now,
                  uint64_t granules) const;
  unsigned pass_runs(CheckedGroup &group, uint16_t place, ShadowPage &page, uintptr_t address,
                     unsigned many, uint32_t item) const;
  bool visit_one_as_run(const CheckedAccess &access, ShadowPage &page, uintptr_t address,
                        uint32_t item) const;

  // compare_accesses.cpp
  bool races(const AccessPair &pair) const; // requires that they conflict
  bool is_ordered(const AccessPair &pair) const;
  bool is_ordered_in_sub_group(const AccessPair &pair) const;
  bool is_ordered_with_copy(const AccessPair &pair) const;
  bool was_passed_over(Epoch awaited, Epoch began) const;
  void compare(const Visit &visited, ShadowPage &page, std::size_t index, uintptr_t address);
  bool conflicts(const CheckedAccess &access, const AccessRecord &before,
                 const AccessRecord &now) const;
  bool is_replaced(const CheckedAccess &access, const AccessRecord &before,
                   const AccessRecord &now) const;
  void add(const Visit &visited, ShadowPage &page, std::size_t index);
  bool add_beside(const Visit &visited, ShadowPage &page, std::size_t index);
  bool make_two(const Visit &visited, ShadowPage &page, std::size_t index) const;
  bool is_stood_for(const CheckedAccess &access, const std::vector<AccessRecord> &kept,
                    const AccessRecord &record) const;
  void prune(const Visit &visited, ShadowPage &page, std::size_t index) const;

  // hand_over.h
  static uint32_t context_at_hand(CheckedGroup &group, uint16_t place, uintptr_t address);

  LaunchState &state_;
  const RaceReporter &reporter_;
  // Per wait that did not cover all copies in progress, by its epoch: epochs of the other copies. A
  // clock says only up to which wait the copies of a group have ended.
  mutable ShortLock passed_over_lock_;
  std::unordered_map<Epoch, std::vector<Epoch>> passed_over_;
};

// Minimum row length for runs (visit_rows.cpp); for tests.
void remember_rows_from(unsigned granules);

} // namespace lockstep::runtime
