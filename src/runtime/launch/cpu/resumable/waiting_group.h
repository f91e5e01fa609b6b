// One work-group in the coroutine form: one coroutine for each of its sub-groups, or one for all of
// them (abi/resumable_abi.h).
//
// Implements the rules of abi/resumable_abi.h for one group: which sub-groups may be resumed, when
// its barrier opens, and when polling it is useless. The scheduler (resumable_run.h) decides which
// thread polls it and when. A group belongs to one thread at a time.
#pragma once

#include "driver/compile.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::runtime {

// Head of the slot. The frames, their noted waits and the group's local memory follow
// (GroupLayout).
struct WaitingGroup {
  compiler::GroupInfo info;
  const compiler::ResumableCode *code;
  uint64_t number; // in the order of work-group IDs
  uint32_t sub_groups;
  uint32_t live;                      // sub-groups that are not done
  uint32_t at_barrier;                // number of those at a barrier
  uint32_t first_frame, frame_stride; // bytes
  bool meets_between_waits;           // barriers opened while it was polled
  uint16_t polled_by;                 // one plus the sub-group whose wait stands for all; 0: none

  compiler::SubGroupFrame &frame(uint64_t sub_group) {
    return *reinterpret_cast<compiler::SubGroupFrame *>(reinterpret_cast<std::byte *>(this) +
                                                        first_frame + sub_group * frame_stride);
  }
  const compiler::SubGroupFrame &frame(uint64_t sub_group) const {
    return const_cast<WaitingGroup *>(this)->frame(sub_group);
  }
  uint64_t items() const { return info.local_size[0] * info.local_size[1] * info.local_size[2]; }
};

// The wait of a sub-group or group that waits for one value in memory only.
struct PureWait {
  const void *address = nullptr;
  uint64_t value = 0; // the value that was seen, or the value that it is compared with
  uint32_t size = 0;
  compiler::EndsBy ends_by = compiler::EndsBy::difference;
};

// A PureWait of one of several sub-groups, which other threads can compare without taking the
// group. Address and size are stored in one word. The value may belong to another wait, which only
// has the effect of polling at another time.
class PublishedWait {
public:
  void note(const PureWait &wait) {
    place_.store(reinterpret_cast<uintptr_t>(wait.address) << 8 | wait.size << 4 |
                     static_cast<uint32_t>(wait.ends_by),
                 std::memory_order_relaxed);
    value_.store(wait.value, std::memory_order_relaxed);
  }
  PureWait wait() const {
    const uint64_t place = place_.load(std::memory_order_relaxed);
    return {reinterpret_cast<const void *>(place >> 8), value_.load(std::memory_order_relaxed),
            uint32_t(place >> 4 & 0xf), compiler::EndsBy(place & 0xf)};
  }

private:
  std::atomic<uint64_t> place_, value_; // user-space addresses have 56 bits at most
};

// Offsets of a group's data in its slot; equal for all groups of a launch.
class GroupLayout {
public:
  // `edge` may be null.
  GroupLayout(const compiler::KernelCode &inner, const compiler::KernelCode *edge, uint64_t items,
              uint64_t local_memory_bytes, uint64_t local_shadow_bytes = 0);

  std::size_t bytes() const { return bytes_; }
  std::size_t alignment() const { return alignment_; }
  uint64_t coroutines() const { return coroutines_; } // number per group
  // Makes a group in a slot; the caller sets `info` except its local memory.
  WaitingGroup &make(void *slot, const compiler::KernelCode &code,
                     const compiler::GroupInfo &info) const;
  // Makes the next group in the slot of a group that is done and had the same code. `id` must be
  // set already. Used for groups that rarely wait.
  static void make_again(WaitingGroup &group) {
    group.live = 1;
    group.at_barrier = 0;
    group.meets_between_waits = false;
    group.polled_by = 0;
    begin(group.frame(0));
  }
  // The group leaves its next addition to a counter to the launch, or makes it itself. It stops before
  // it takes a lock, or does not.
  static void set_requests(WaitingGroup &group, bool requests) {
    group.frame(0).update.state =
        requests ? compiler::UpdateRequest::may_request : compiler::UpdateRequest::direct;
  }

  // Returns the group's wait in `to`, if it is one wait for memory. That is so if only one
  // sub-group waits; or if an iteration of all, through barriers, changed nothing and read one
  // address. The latter is a wait by a broadcast: until that value changes, the next iteration will
  // be the same. Otherwise size is 0, and value is the number of waits that were noted in the slot;
  // 0: unknown. (An output parameter: a returned struct would be copied right after its members
  // were stored, which stalls store forwarding.)
  void get_pure_wait(WaitingGroup &group, PureWait &to) const;
  // Whether none of the noted waits has ended. Another thread may have taken the group meanwhile.
  bool all_go_on(const WaitingGroup &group, uint64_t noted) const;

  // Prefetches the data that are accessed first; the group may be null.
  void prefetch(const WaitingGroup *group) const {
    if (!group)
      return;
    __builtin_prefetch(group);
    __builtin_prefetch(&group->info.check);
    __builtin_prefetch(reinterpret_cast<const std::byte *>(group) + sizeof(WaitingGroup) - 1);
    __builtin_prefetch(reinterpret_cast<const std::byte *>(group) + first_frame_);
    __builtin_prefetch(reinterpret_cast<const std::byte *>(group) + first_frame_ +
                       sizeof(compiler::SubGroupFrame) - 1);
  }

private:
  static void begin(compiler::SubGroupFrame &frame) {
    frame.wait = {};
    frame.on_seen = nullptr;
    frame.wrote = nullptr;
    frame.update.state = compiler::UpdateRequest::direct;
  }

  PublishedWait *noted_in(const WaitingGroup &group) const {
    return reinterpret_cast<PublishedWait *>(
        const_cast<std::byte *>(reinterpret_cast<const std::byte *>(&group)) + noted_);
  }

  std::size_t first_frame_ = 0, noted_ = 0, local_memory_ = 0, bytes_ = 0, alignment_ = 64;
  uint64_t local_memory_bytes_, local_shadow_bytes_, coroutines_ = 1;
};

// updates: it has requested an addition; before_lock: it is about to take a lock
// (compiler::UpdateRequest).
enum class GroupState { waits, done, diverged, updates, before_lock };

struct PollResult {
  GroupState state = GroupState::waits;
  bool has_changed = false;  // e.g. a polled value, or a counter of the loop
  bool has_advanced = false; // a sub-group left a wait or a barrier for good
};

// The first and the last address that advancing sub-groups of a group wrote, and that others may
// wait for; as far as known.
using Written = std::array<const void *, 2>;

// A read whose value made a sub-group wait.
struct SeenValue {
  const void *address = nullptr;
  uint64_t value = 0;            // zero-extended
  uint32_t size = 0, access = 0; // as in compiler::WaitRecord
};

class SeenObserver {
public:
  virtual ~SeenObserver() = default;
  virtual void see(const WaitingGroup &group, uint32_t sub_group, const SeenValue &seen) = 0;
};

// Runs the group until all of its sub-groups wait or are done. `diverged`: some of its work-items
// are at a barrier that the others can no longer reach.
PollResult start_group(const compiler::LaunchInfo &launch, WaitingGroup &group);
// The same for a group that is one coroutine.
inline GroupState state_of_whole_group(WaitingGroup &group) {
  const compiler::Step step = group.frame(0).step;
  if (step != compiler::Step::done)
    return step == compiler::Step::updates       ? GroupState::updates
           : step == compiler::Step::before_lock ? GroupState::before_lock
                                                 : GroupState::waits;
  group.live = 0;
  return GroupState::done;
}
inline GroupState start_whole_group(const compiler::LaunchInfo &launch, WaitingGroup &group) {
  compiler::SubGroupFrame &frame = group.frame(0);
  frame.step = group.code->start(&launch, &group.info, &frame, 0);
  return state_of_whole_group(group);
}

// Makes the additions that groups have requested, those to one address by one atomic operation. Each
// group gets the value that it would have read if the groups had added in this order.
void make_updates(std::span<WaitingGroup *const> groups);
// The sum of additions to one address that groups have left to the launch (UpdateRequest::left).
//
// A worker makes it before one of its groups waits, and before it does anything else than to start
// groups: until then, only these groups hold back the addition, as slower groups would. A group
// that starts meanwhile may read the counter without the sum, which is a value of the past.
class PendingAddition {
public:
  void take_from(WaitingGroup &group) {
    compiler::UpdateRequest &request = group.frame(0).update;
    if (request.state == compiler::UpdateRequest::left)
      take(request);
  }
  void make();

private:
  void take(compiler::UpdateRequest &request);

  void *address_ = nullptr; // null: none
  uint32_t size_ = 0;
  uint64_t value_ = 0;
};

// Resumes a group after its addition.
GroupState resume_whole_group(WaitingGroup &group);

// The same for a group that waited. A pure wait is not resumed if memory does not end it. `written`
// may be null.
PollResult poll_group(WaitingGroup &group, Written *written = nullptr);

// Resumes every waiting sub-group; `observer`, if not null, receives all reads. If an iteration
// through barriers brings all sub-groups back to their waits, with the same values and no changes,
// it does not count as an advance: that is a wait by a broadcast.
PollResult poll_group_truly(WaitingGroup &group, SeenObserver *observer = nullptr);

// Whether the value in memory does not end the wait. False for values that one load cannot read.
bool goes_on(const PureWait &wait);

// Writes the pure waits of a group that is not being polled to `to`, as far as they fit; returns
// their number.
std::size_t get_pure_waits(WaitingGroup &group, std::span<PureWait> to);

} // namespace lockstep::runtime
