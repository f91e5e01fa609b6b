// Interface between machine code and the launch for the coroutine form: a kernel whose work-groups
// may wait for each other becomes a coroutine per sub-group, and the launch resumes the coroutines.
// A group that waits as a whole (analysis/group_waits.h) is one coroutine:
// ResumableCode::is_of_group. It counts as a single sub-group and has no barriers.
//
// Life of a sub-group. The launch gives it a frame (ResumableCode::frame_size bytes, aligned to
// ResumableCode::frame_alignment, contents undefined) and calls `start`, then `resume` with the
// same frame. Each call runs to the next suspension and returns the reason. Any thread may resume.
// After Step::done the frame may be reused. GroupInfo and local memory must not move until the
// group is done; LaunchInfo and its arguments must not move until the launch is done.
//
// Barriers. A sub-group that returns Step::at_barrier is resumed after every sub-group of its group
// has returned it or is done. Sub-groups are resumed in order of their number: sub-group 0 does
// what is done once for the group (an async copy) right after the barrier.
//
// Waits. A sub-group that returns Step::waiting has read `SubGroupFrame::wait`, the last access of
// the iteration, and would repeat its loop. It may be resumed at any time. If `is_pure` is set,
// only memory can end the loop: resuming before the value at `address` changes is useless. If an
// iteration makes several accesses, `SubGroupFrame::on_seen` reports all of them. The code records
// the values that end a pure wait, if it knows them (a ticket, a count).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

struct LaunchInfo;
struct GroupInfo;

// before_lock: a whole group is about to take the lock at UpdateRequest::address. It stops there if
// UpdateRequest::state is may_request, and the launch resumes it soon.
enum class Step : uint32_t { done = 0, at_barrier = 1, waiting = 2, updates = 3, before_lock = 4 };

// The values that end a wait: any other than `seen`, or those that compare so with
// WaitRecord::wanted.
enum class EndsBy : uint32_t {
  difference,
  equal,
  not_equal,
  less, // unsigned
  at_most,
  greater,
  at_least,
  signed_less,
  signed_at_most,
  signed_greater,
  signed_at_least,
};

// The value that a waiting sub-group read. Machine code writes it before it suspends.
struct WaitRecord {
  const void *address; // the memory that the loop reads
  uint64_t seen;       // the value that kept the loop waiting, zero-extended
  // Size of the value in bytes (1, 2, 4, 8), and bit fields for the functions below.
  uint32_t which;
  // 1: not yet a dead wait. This is the loop's first iteration, its state differs from the previous
  // one (a counter that may end it), or memory was written.
  uint32_t changed;
  uint64_t wanted = 0; // zero-extended

  uint32_t size() const { return which & 0xf; }
  EndsBy ends_by() const { return EndsBy(which >> ends_by_shift & 0xf); } // at pure sites
  uint32_t access() const { // index into ResumableCode::accesses plus one; 0: not known
    return which >> access_shift & most_accesses;
  }
  // In the coroutine of a whole group: the number of the sub-group that read the value, plus one;
  // 0: there is only one.
  uint32_t sub_group() const { return which >> sub_group_shift; }

  static constexpr uint32_t ends_by_shift = 4, access_shift = 8, most_accesses = 0xfff;
  static constexpr uint32_t sub_group_shift = 20, most_sub_groups = 0xffe;
};

// An atomic addition that a whole group leaves to the launch, which makes it together with those of
// other groups. If `state` is may_request, the code writes the other members and returns
// Step::updates. The launch makes the addition and resumes the group at once.
//
// An addition that is the last effect of a whole group, and whose result is not used, is left to the
// launch without a suspension: the code writes `left` and returns Step::done or Step::waiting. The
// launch makes it before the worker does anything that may depend on it (PendingAddition of
// waiting_group.h).
struct UpdateRequest {
  enum State : uint32_t {
    direct = 0,      // the code makes its additions itself
    may_request = 1, // the launch makes the next one, and the group stops before a lock
    left = 2,        // the launch makes the addition
  };
  uint32_t state; // set by the launch
  uint32_t size;  // 4 or 8 bytes
  void *address;
  uint64_t value; // to add, modulo 2^(8 size); then the old value
};

struct SubGroupFrame;
using OnSeen = void (*)(SubGroupFrame *, const void *address, uint64_t seen,
                        uint32_t which); // as in WaitRecord

// The head of each frame; the coroutine owns the rest.
struct SubGroupFrame {
  void *reserved[2]; // owned by the coroutine
  uint32_t site;     // where it is suspended: index into ResumableCode::sites
  Step step;         // what the last call of start or resume returned
  WaitRecord wait;
  // The launch sets this before start. If not null, machine code calls it for each access of a
  // waiting loop, in each iteration and for each lane that makes the access. Pure sites may omit
  // the call: their one access is in `wait`. Loops with many stores track whether these change
  // memory only in iterations that begin with this set; otherwise they report a change.
  OnSeen on_seen;
  // A hint: the last address written by an atomic or volatile access, or beside a fence, since the
  // launch reset this to null. Work-items that wait for this address may continue. Updates whose
  // result is used count only if there is no other write: taking the next ticket ends no wait,
  // returning the last one does.
  const void *wrote;
  UpdateRequest update;
};

// A source location whose value decides the end of a loop.
struct SeenAccess {
  std::string file; // empty: not known
  uint32_t line = 0, column = 0;
};

// A barrier or a wait in the source.
struct SuspensionSite {
  enum class Kind : uint32_t { barrier, wait };
  Kind kind = Kind::barrier;
  std::string file; // empty: not known
  uint32_t line = 0, column = 0;
  bool is_pure = false; // a wait that only memory can end
  // Wait of a whole group. 0: all of its work-items wait here. Otherwise the work-items of one
  // sub-group wait here, and the others reach their end (1) or the barrier at site `others` - 2.
  uint32_t others = 0;
  // Wait: its loop does something that is not compared. Each iteration then reports a change, and
  // the launch is never considered deadlocked.
  bool is_never_compared = false;
};

// Lanes of a sub-group are suspended together. At a barrier all its work-items have arrived (the
// last sub-group of a group may have fewer than the sub-group size). In a wait the lanes in the
// loop wait; any other lanes are held back until the wait ends.
using StartSubGroup = Step (*)(const LaunchInfo *, const GroupInfo *, SubGroupFrame *frame,
                               uint64_t sub_group);
using ResumeSubGroup = Step (*)(SubGroupFrame *frame);

struct ResumableCode {
  StartSubGroup start = nullptr;
  ResumeSubGroup resume = nullptr;
  uint64_t frame_size = 0, frame_alignment = 16;
  bool is_of_group = false;        // one coroutine for the work-group
  bool may_batch_updates = false;  // it may return Step::updates
  bool stops_before_locks = false; // it may return Step::before_lock
  std::vector<SuspensionSite> sites;
  std::vector<SeenAccess> accesses;
};

} // namespace lockstep::compiler
