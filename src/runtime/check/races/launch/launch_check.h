// The race check of one launch. Compiled code reports each access (abi/check_abi.h). The check
// looks up which earlier accesses conflict with it, and reports those that are not ordered before
// it.
//
// Two accesses conflict if they are by different work-items, at least one writes, and not both are
// atomic (API 3.3.1). Barriers order accesses within a group (checked_group.h). In kernels that
// synchronize by atomics or fences, vector clocks order them (checked_atomics.cpp). shadow.h stores
// the earlier accesses.
#pragma once

#include "abi/check_abi.h"
#include "abi/launch_abi.h"
#include "platform/linux/short_lock.h"
#include "runtime/check/commands/touched_memory.h"
#include "runtime/check/races/clocks/synchronization.h"
#include "runtime/check/races/launch/checked_group.h"
#include "runtime/check/races/launch/launch_records.h"
#include "runtime/check/races/shadow/quick_check.h"
#include "runtime/check/report/findings.h"
#include "runtime/graph/node_memory.h"
#include "runtime/memory/access.h"
#include "support/result.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lockstep::compiler {
struct KernelInfo;
}

namespace lockstep::runtime {

class LaunchCheck {
public:
  // `accesses`: memory given to the launch, for reports. Kernel, launch and accesses must outlive
  // this object.
  LaunchCheck(const compiler::KernelInfo &kernel, const compiler::LaunchInfo &launch,
              std::span<const runtime::Access> accesses = {});
  ~LaunchCheck();
  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }

  // Properties of the compiled code of the groups. Called before the first group begins.
  void set_sub_group_size(uint32_t work_items) { sub_group_size_ = work_items; }
  void set_local_memory(bool has_some) { has_local_memory_ = has_some; }
  // One thread runs all groups of the launch in sequence, so that the check needs no locks.
  void set_alone(bool is_alone) { is_alone_ = is_alone; }
  void set_workers(unsigned workers) { // threads that may run its groups
    workers_ = workers;
    set_alone(workers == 1);
  }

  // Sets check_hooks, also for launches that are not checked.
  static void set_hooks();

  struct Access { // by one instruction
    CheckedGroup &group;
    const compiler::CheckSite &site;
    uint16_t place;
    unsigned memory;       // checked_global or checked_local
    uintptr_t address = 0; // only of an atomic
    // The work-item's clock for that memory, if it was merged for this atomic beforehand
    // (settled()).
    const Clock *settled = nullptr;
  };
  // The group has ended; the next one may use the same GroupInfo.
  void leave(const compiler::GroupInfo &group);
  void leave_last(const compiler::GroupInfo &group) { // no group follows
    leave(group);
    give_back(group);
  }
  void give_back(const compiler::GroupInfo &group); // after leave()
  // Prefetches state of a group that resumes soon; fetch_items() is the second step.
  static void fetch(const compiler::GroupInfo &group) {
    if (const auto *known = static_cast<const CheckedGroup *>(group.check))
      known->fetch();
  }
  static void fetch_items(const compiler::GroupInfo &group) {
    if (const auto *known = static_cast<const CheckedGroup *>(group.check)) {
      known->items.fetch();
      known->lines.fetch();
    }
  }
  // The group stops: an access by its code, or by the checker for it, has faulted.
  void faulted(const compiler::GroupInfo &group) noexcept;
  // The group stops: some of its work-items wait for others that never arrive.
  void diverged(const compiler::GroupInfo &group);

  // False: accesses of work-items are not compared.
  bool compares() const { return compares_; }
  // False: only commands are compared.
  bool watches_groups() const { return compares_ || meets_; }
  // Whether accesses are recorded for the order of commands.
  bool looks_at_commands() const { return touched_ != nullptr; }
  void touch(compiler::CheckSite &site, const void *address, int64_t stride, uint64_t lanes) {
    if (touched_)
      touched_->touch(site, address, stride, lanes);
  }
  void touch(compiler::CheckSite &site, const void *address, const compiler::CopyShape &shape);
  // For code that runs with these arguments; `origin` is what argument `number` points to.
  uint64_t touch_plane(const void *arguments, uint32_t number, compiler::TouchWay way,
                       uint32_t unit, const void *origin);
  // Records the must-access set from the launch assumptions (abi/assumptions.h). Compiled code
  // does not mark these accesses.
  void touch_what_is_certain(const compiler::Assumptions &assumptions);
  std::vector<ReachedBytes> touched() const;
  void name_places() { touched_->name_places(); }
  std::vector<ReachedBytes> take_touched(uint64_t &looked_at) { // TouchedMemory::take
    return touched_->take(looked_at);
  }

  // Memory for records or epochs (StampOwners) is exhausted: from then on nothing is compared.
  void give_up() noexcept;
  bool has_given_up() const { return has_given_up_.load(std::memory_order_relaxed); }
  // Requires has_given_up(). Without memory the result is an error, which makes the launch fail.
  // Without epochs a note says that the rest of the launch is not checked.
  Result<void> given_up() const;

  // These throw std::bad_alloc.
  CheckedGroup &enter(const compiler::GroupInfo &group, uint64_t intervals);
  void access(const Access &access, const void *address, int64_t stride, uint64_t lanes,
              uint64_t first_item);
  void access_by_one(const Access &access, const void *address, int64_t stride, uint64_t lane,
                     uint64_t first_item);
  // Accesses to consecutive words of global memory; lane 0 is `item` and has `address`. Returns the
  // remaining lanes.
  uint64_t visit_runs(CheckedGroup &group, uint16_t place, uintptr_t address, uint64_t lanes,
                      uint32_t item) const;
  // The same as the first step of such an access.
  uint64_t access_by_rows(const compiler::GroupInfo &group, const compiler::CheckSite &site,
                          uint16_t place, const void *address, uint64_t lanes, uint64_t first_item,
                          uint64_t intervals);
  // Fast path for locks (hand_over.h). Returns false if it does not apply.
  template <bool takes>
  bool hand_over(const compiler::GroupInfo &group, const compiler::CheckSite &site, uint16_t place,
                 void *address, uint64_t lanes, uint64_t first_item, uint64_t intervals,
                 uint32_t operand, uint64_t &was);
  bool write_as_taken(const compiler::GroupInfo &group, uint16_t place, const void *address,
                      int64_t stride, uint64_t lanes, uint64_t first_item, uint64_t intervals);
  bool look(const compiler::GroupInfo &group, const compiler::CheckSite &site, uint16_t place,
            void *address, uint64_t lanes, uint64_t first_item, uint64_t intervals, uint64_t &was);
  // Throws only before it has made the access.
  uint64_t atomic(const Access &access, void *address, uint64_t lanes, uint64_t first_item,
                  uint64_t operand, uint64_t expected);
  void fence(const Access &access, uint64_t lanes, uint64_t first_item);
  void sub_group_barrier(CheckedGroup &group, compiler::CheckSite &site, uint64_t lanes,
                         uint64_t first_item);
  void look_for_others_of_sub_group(CheckedGroup &group, compiler::CheckSite &site, uint64_t lanes,
                                    uint64_t first_item) const;
  void copy(const Access &access, const void *address, const compiler::CopyShape &shape,
            uint64_t intervals);
  // Packets of a pipe, from the ticket `first` on (device_lib/pipes.cl).
  void packets(const Access &access, const void *pipe, uint64_t first, uint64_t count,
               uint32_t item);
  void argument(const Access &access, const void *value, int64_t stride, uint64_t lanes,
                uint64_t first_item);
  void arrive(CheckedGroup &group, uint16_t place, uint64_t lanes, uint64_t first_item,
              uint64_t intervals);
  void choose(CheckedGroup &group, uint16_t place, uint64_t chosen, uint64_t lanes,
              uint64_t first_item);

private:
  Error no_memory() const; // also reported as a finding
  void no_numbers() const; // reports a note

  struct Sharing { // a record that is compared with an access
    const AccessRecord &record;
    const Access &access;
    uint32_t item;
  };

  struct LockedPage {
    ShadowPage *page = nullptr;
    ~LockedPage() {
      if (page)
        page->unlock();
    }
  };

  struct Visit { // an access to shadow cells
    const Access &access;
    AccessRecord record; // the record of the access
    QuickCheck quick;
    uint32_t word = 0; // the record as a word of the current page
    void enter(ShadowPage &page) {
      page.use_words();
      if (quick.is_write)
        page.begin_writes();
      word = *RecordWord::of(record, page.context_of(record.stamp, record.site));
    }
    // Sets the items that read together; before the record is stored.
    void set_items(uint64_t lanes, uint64_t first_item);
    void set_item(uint32_t item) {
      record.item = record.last_item = uint16_t(item);
      word = (word & ~RecordWord::run_and_item_mask) | item;
    }
  };

  LaunchRecords &known_records() const { return *records_.load(std::memory_order_relaxed); }
  uint32_t group_of(Stamp stamp) const { return known_records().owners.of(stamp); }
  uint32_t sub_group_of(uint32_t item) const { return item / sub_group_size_; }
  void go_on(CheckedGroup &group) { // begins a new epoch
    group.released.clear();
    const Stamp before = group.now;
    group.now = known_records().owners.after(before, group.number, group.stamps);
    if (group.now != before + 1) {
      group.earlier = std::exchange(group.run, group.now);
      group.earlier_end = before + 1;
    }
  }
  // Called before accesses of these lanes are recorded.
  void go_on_after_release(CheckedGroup &group, uint64_t lanes, uint64_t first_item) {
    if (group.released.has_some(lanes, first_item))
      go_on(group);
  }
  void has_released(CheckedGroup &group, uint32_t item) {
    group.released_there.clear();
    if (!group.released.may_add(item))
      go_on(group);
    else
      group.released.add(item);
  }
  void pass_barriers(CheckedGroup &group, uint64_t intervals);

  // visit_memory.cpp
  QuickCheck quick_check_of(const Access &access, uint32_t item) const;
  static AccessRecord record_of(const Access &access, uint32_t item);
  Visit visit_of(const Access &access, uint32_t item) const;
  void visit_one(const Access &access, uintptr_t address, uint32_t item);
  void visit_by_one(const Access &access, uintptr_t address, uint32_t item);
  ShadowPage &page_at(Visit &visited, uintptr_t address, ShadowPage *&locked);
  void visit_places(Visit &visited, const uintptr_t *addresses, uint64_t lanes, ShadowPage *&page);
  void visit_sixteen(Visit &visited, const uintptr_t *addresses, uint32_t lanes, ShadowPage *&page);
  uint64_t visit_alone(const Access &access, const uintptr_t *addresses, uint64_t lanes,
                       uint64_t first_item);
  void note_alone(const Visit &visited, ShadowPage &page) const;
  static bool have_barriers_only(const Access &access) { // as ordering
    return access.site.synchronizes == compiler::CheckSite::by_nothing_else;
  }
  bool is_read_together(const Access &access, uint64_t lanes, uint64_t first_item) const;
  void visit_row(Visit &visited, uintptr_t address, uint64_t lanes, ShadowPage *&page);

  // visit_rows.cpp
  static constexpr unsigned run_granule = 4;
  struct RunsBefore;
  bool is_covered(CheckedGroup &group, const ShadowRun &before, const ShadowRun &now,
                  uint64_t granules) const;
  unsigned pass_runs(CheckedGroup &group, uint16_t place, ShadowPage &page, uintptr_t address,
                     unsigned many, uint32_t item) const;
  ShadowPage &page_at_hand(CheckedGroup &group, uintptr_t address) const;
  bool visit_one_as_run(const Access &access, ShadowPage &page, uintptr_t address,
                        uint32_t item) const;

  // visit_memory.cpp
  void visit(Visit &visited, uintptr_t address, uint64_t size, ShadowPage *&page);
  void visit_strided(Visit &visited, uintptr_t address, const compiler::CopyShape &shape,
                     ShadowPage *&page);
  void visit_granule(const Visit &visited, ShadowPage &page, std::size_t index, uintptr_t address);

  void visit_packets(const Access &access, uintptr_t address, uint64_t size, uint32_t item);
  void forget(uintptr_t address, uint64_t size);

  // compare_accesses.cpp
  bool races(const Sharing &sharing) const; // requires that they conflict
  bool is_ordered(const Sharing &sharing) const;
  bool is_ordered_in_sub_group(const Sharing &sharing) const;
  bool is_ordered_with_copy(const Sharing &sharing) const;
  bool was_passed_over(Stamp awaited, Stamp began) const;
  void compare(const Visit &visited, ShadowPage &page, std::size_t index, uintptr_t address);
  bool conflicts(const Access &access, const AccessRecord &before, const AccessRecord &now) const;
  bool is_replaced(const Access &access, const AccessRecord &before, const AccessRecord &now) const;
  void add(const Visit &visited, ShadowPage &page, std::size_t index);
  bool add_beside(const Visit &visited, ShadowPage &page, std::size_t index);
  bool make_two(const Visit &visited, ShadowPage &page, std::size_t index) const;
  bool is_stood_for(const Access &access, const std::vector<AccessRecord> &kept,
                    const AccessRecord &record) const;
  void prune(const Visit &visited, ShadowPage &page, std::size_t index) const;

  // hand_over.h
  CheckedGroup *group_at_hand(const compiler::GroupInfo &group, uint64_t lanes,
                              uint64_t intervals) const;
  // The same for a group whose state is behind `intervals`; throws std::bad_alloc.
  CheckedGroup *enter_at_hand(const compiler::GroupInfo &group, uint64_t lanes, uint64_t intervals);
  static uint32_t context_at_hand(CheckedGroup &group, uint16_t place, uintptr_t address);
  static bool go_on_with(const CheckedGroup &group, uint32_t item, const Clock &known,
                         Clock &carried);
  bool take(const Access &access, Synchronization &object, uint32_t item);
  bool give(const Access &access, Synchronization &object, uint32_t item);
  template <bool takes>
  bool hand_over_at(const Access &access, void *address, Synchronization &object, uint32_t item,
                    uint32_t operand, uint64_t &was);
  template <bool takes>
  bool hand_over_among_others(CheckedGroup &group, const compiler::CheckSite &site, uint16_t place,
                              void *address, uint32_t item, uint32_t operand, uint64_t &was);

  // group_operations.cpp
  void end_arrival(CheckedGroup &group);
  void end_wait(CheckedGroup &group);
  static std::string wait_text(const RecordedCopy &copy); // why a wait did not cover the copy
  void await_event(const Access &access, uint64_t first_item, ItemValue event) const;
  void differs(const Access &access, ItemValue one, ItemValue other) const;
  void end_copies(CheckedGroup &group);

  // checked_atomics.cpp
  uint64_t locked_atomic(const Access &access, void *address, uint64_t lanes, uint64_t first_item,
                         uint64_t operand, uint64_t expected);
  uint64_t settled_atomic(Access access, void *address, uint64_t lanes, uint64_t first_item,
                          uint64_t operand, uint64_t expected);
  void plain_atomic(const Access &access, uintptr_t address, uint32_t item, Synchronization &object,
                    bool has_failed);
  void visit_atomic(const Access &access, uintptr_t address, uint64_t lanes, uint64_t first_item,
                    Synchronization &object, bool has_failed);
  void acquire(const Access &access, compiler::CheckOrder order, uint64_t lanes,
               uint64_t first_item, const Synchronization::Carried &carried_for_device,
               const Synchronization::Within &within, uintptr_t address);
  static std::optional<Clock> settled(const Access &access, uint64_t lanes, uint64_t first_item);
  static Clock::Entry own_entry(const CheckedGroup &group, unsigned memory, uint32_t item);
  void share_clocks(CheckedGroup &group, uint64_t lanes, uint64_t first_item);
  static void leave(const Access &access, unsigned memory, uint32_t item, const Clock &known,
                    const Clock::Entry &entry, bool is_now, Clock &clock, bool replaces);
  uint16_t leave_all(const Access &access, compiler::CheckOrder order, uint32_t number,
                     const ItemClocks *item, unsigned reach, Synchronization::Carried &carried,
                     bool replaces, bool is_head);
  bool leave_everywhere(const Access &access, compiler::CheckOrder order, uint32_t number,
                        Synchronization::Carried &for_device, Synchronization::Within &within,
                        bool replaces, bool is_head, uint16_t &carries);
  uint16_t release_as_head(const Access &access, compiler::CheckOrder order, uint32_t item,
                           Synchronization &object, bool replaces);
  uint16_t release_plainly(const Access &access, compiler::CheckOrder order, uint32_t item,
                           Synchronization &object, bool replaces);
  uint16_t release(const Access &access, compiler::CheckOrder order, uint32_t item,
                   Synchronization &object, bool replaces);
  // Whether there are accesses to that memory that the atomic may order.
  bool orders(const Access &access, compiler::CheckOrder order, unsigned memory) const;

  // race_report.cpp
  void report(const Sharing &sharing, uintptr_t address) const;
  int32_t argument_of(const Access &access, uintptr_t address) const; // -1: none
  std::string memory_text(const Access &access, uintptr_t address) const;
  std::string memory_of_sycl(const compiler::CheckSite &site, uintptr_t address) const;
  std::string captured_name(const Access &access, uintptr_t address) const;
  std::string group_text(uint32_t number) const;
  std::string item_text(uint32_t group, uint32_t item) const;
  FindingPlace place_of(uint16_t place, std::string what, uint32_t group) const;
  FindingPlace place_of(uint16_t place, std::string what, uint32_t group, uint64_t item) const;

  // missing_edge.cpp: what would have ordered the accesses
  std::vector<std::string> missing_edge(const Sharing &sharing) const;
  std::vector<std::string> edge_of_copy(const Sharing &sharing) const;
  std::vector<std::string> edge_in_group(const Sharing &sharing) const;
  std::vector<std::string> weak_edge(const Sharing &sharing) const;
  std::string acquired_edge(const Sharing &sharing) const;
  std::string relaxed_read(const CheckedGroup &group) const;
  std::string why_it_is_weak(const Sharing &sharing, const AtomicRead &read,
                             std::size_t written) const;
  std::string object_text(const CheckedGroup &group, uint16_t place, uintptr_t address) const;

  const compiler::KernelInfo &kernel_;
  const compiler::LaunchInfo &launch_;
  const std::span<const runtime::Access> accesses_;
  const uint64_t number_; // unique in this process
  uint32_t sub_group_size_ = 1;
  bool has_local_memory_ = true;
  bool is_alone_ = false;
  unsigned workers_ = 2;
  // The launch's number if any site uses the fast path (hand_over.h). Otherwise none_at_hand, which
  // differs from that of an unused group, too.
  static constexpr uint64_t none_at_hand = ~uint64_t(0);
  std::atomic<uint64_t> number_at_hand_ = none_at_hand;
  const bool compares_;
  const bool names_both_; // CheckOptions
  const bool meets_; // checks which work-items reach group operations, and with which arguments
  std::unique_ptr<TouchedMemory> touched_; // null: the order of commands is not checked
  LaunchRecords &records();                // borrows them on first use; throws std::bad_alloc
  std::unique_ptr<LaunchRecords> own_records_;
  std::atomic<LaunchRecords *> records_ = nullptr; // set from the first group on
  std::atomic<bool> has_given_up_ = false;
  mutable std::atomic<bool> has_said_so_ = false;
  // Freed to have memory for the report of exhaustion
  std::array<std::unique_ptr<std::byte[]>, 8> reserve_;

  CheckedGroup &new_group(const compiler::GroupInfo &info);

  std::mutex records_lock_;
  // Per wait that did not cover all copies in progress, by its epoch: epochs of the other copies. A
  // clock says only up to which wait the copies of a group have ended.
  mutable ShortLock passed_over_lock_;
  std::unordered_map<Stamp, std::vector<Stamp>> passed_over_;
};

// Minimum row length for runs (visit_rows.cpp); for tests.
void remember_rows_from(unsigned granules);

} // namespace lockstep::runtime
