// One work-group in the resumable form: a coroutine for each of its sub-groups, or one for all of
// them (compiler/resumable_abi.h).
//
// Here is what the rules of compiler/resumable_abi.h mean for one group: which of its sub-groups
// may be resumed, when its barrier opens, and when it is asked in vain. Who asks it and when is the
// scheduler's business (resumable_run.h). A group belongs to one thread at a time.
#pragma once

#include "compiler/compile.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::runtime {

// Head of the slot; behind it lie the frames, what they wait for, then the group's local memory
// (GroupLayout).
struct WaitingGroup {
  compiler::GroupInfo info;
  const compiler::ResumableCode *code;
  uint64_t number; // in the order of work-group ids
  uint32_t sub_groups;
  uint32_t live;                      // sub-groups that are not done
  uint32_t at_barrier;                // of those
  uint32_t first_frame, frame_stride; // bytes
  bool meets_between_waits;           // barriers opened while it was asked
  uint16_t polled_by;                 // the sub-group whose wait is that of all, plus one; 0: none

  compiler::SubGroupFrame &frame(uint64_t sub_group) {
    return *reinterpret_cast<compiler::SubGroupFrame *>(reinterpret_cast<std::byte *>(this) +
                                                        first_frame + sub_group * frame_stride);
  }
  const compiler::SubGroupFrame &frame(uint64_t sub_group) const {
    return const_cast<WaitingGroup *>(this)->frame(sub_group);
  }
  uint64_t items() const { return info.local_size[0] * info.local_size[1] * info.local_size[2]; }
};

// What somebody waits for who waits for memory only.
struct PureWait {
  const void *address = nullptr;
  uint64_t value = 0; // that was seen, or what it is compared with
  uint32_t size = 0;
  compiler::EndsBy ends_by = compiler::EndsBy::difference;
};

// The same for one of several sub-groups of a group, where it can be compared without taking the
// group: whoever compares may find it half written for another wait, which is no worse than to have
// come at another time, as long as address and size belong together.
class NotedWait {
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
  std::atomic<uint64_t> place_, value_; // programs' addresses have 56 bits at most
};

// Places of a group's parts in its slot; the same for all groups of a launch.
class GroupLayout {
public:
  // `edge` may be null.
  GroupLayout(const compiler::KernelCode &inner, const compiler::KernelCode *edge, uint64_t items,
              uint64_t local_memory_bytes, uint64_t local_planes = 0);

  std::size_t bytes() const { return bytes_; }
  std::size_t alignment() const { return alignment_; }
  uint64_t coroutines() const { return coroutines_; } // of a group
  // Begins a group's life in a slot; `info` but its local memory is set by the caller.
  WaitingGroup &make(void *slot, const compiler::KernelCode &code,
                     const compiler::GroupInfo &info) const;
  // The same in the slot of a group that is done and had the same code: the next one of many that
  // seldom wait. `id` is its own already.
  static void make_again(WaitingGroup &group) {
    group.live = 1;
    group.at_barrier = 0;
    group.meets_between_waits = false;
    group.polled_by = 0;
    begin(group.frame(0));
  }

  // What the group waits for, if that is memory only: of one sub-group if only one waits, or if a
  // round of all, through barriers, changed nothing and looked at one place: that is how a group waits
  // by a broadcast, and until that place changes the next round will be the same. Else size is 0, and
  // value the number of sub-groups whose waits were noted in the group's slot; 0: nobody knows.
  // (Not a result: that would be copied as a whole right after its parts were stored, which the
  // processor waits for.)
  void get_pure_wait(WaitingGroup &group, PureWait &to) const;
  // Whether none of the noted waits is over; somebody else may have taken the group meanwhile.
  bool all_go_on(const WaitingGroup &group, uint64_t noted) const;

  // The parts that are touched first; the group may be null.
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
  }

  NotedWait *noted_in(const WaitingGroup &group) const {
    return reinterpret_cast<NotedWait *>(
        const_cast<std::byte *>(reinterpret_cast<const std::byte *>(&group)) + noted_);
  }

  std::size_t first_frame_ = 0, noted_ = 0, local_memory_ = 0, bytes_ = 0, alignment_ = 64;
  uint64_t local_memory_bytes_, local_planes_, coroutines_ = 1;
};

enum class GroupState { waits, done, diverged };

struct Asked {
  GroupState state = GroupState::waits;
  bool has_changed = false;  // something did: a value that is waited for, a count of the loop
  bool has_advanced = false; // somebody got out of a wait or a barrier for good
};

// Where those of a group who advanced wrote what others may wait for, the first and the last of
// them, as far as known.
using Written = std::array<const void *, 2>;

// A read that did not let a sub-group go on.
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

// Runs the group until all of its sub-groups wait, or are done. `diverged`: some of its work-items
// are at a barrier that the others can no longer reach.
Asked start_group(const compiler::LaunchInfo &launch, WaitingGroup &group);
// The same for a group that is one coroutine.
inline GroupState start_whole_group(const compiler::LaunchInfo &launch, WaitingGroup &group) {
  compiler::SubGroupFrame &frame = group.frame(0);
  frame.step = group.code->start(&launch, &group.info, &frame, 0);
  if (frame.step != compiler::Step::done)
    return GroupState::waits;
  group.live = 0;
  return GroupState::done;
}

// The same for a group that waited. A pure wait whose memory holds nothing that ends it is not
// resumed. `written` is null if nobody wants to know.
Asked ask_group(WaitingGroup &group, Written *written = nullptr);

// Resumes whoever waits; `observer`, if there is one, hears of all that they read. A round through
// barriers that brings everybody back to where they waited, having seen the same and changed
// nothing, is no advance: that is how a group waits by a broadcast.
Asked ask_group_truly(WaitingGroup &group, SeenObserver *observer = nullptr);

// Whether memory holds nothing that ends the wait. True only for what can be compared in one load.
bool goes_on(const PureWait &wait);

// All that a group that is not asked just now waits for at pure sites, as far as there is room;
// returns how many.
std::size_t get_pure_waits(WaitingGroup &group, std::span<PureWait> to);

} // namespace lockstep::runtime
