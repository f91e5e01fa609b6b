// The border between machine code and the launch for the resumable form: a kernel whose work-groups
// may wait for each other is compiled to a coroutine per sub-group, and the launch resumes them.
//
// Where a group waits as a whole (ir_to_workgroup/analyze/group_waits.h) it is one coroutine:
// ResumableCode::is_of_group. All below holds for it with a single sub-group that has all
// work-items, and knows no barriers.
//
// Life of a sub-group. The launch gives it a frame (ResumableCode::frame_size bytes, aligned to
// ResumableCode::frame_alignment, contents undefined) and calls `start`; from then on it calls
// `resume` with the same frame. Each call runs the sub-group to its next suspension and says why it
// stopped. After Step::done the frame may be used again. A sub-group may be resumed by another
// thread than before. GroupInfo and the group's local memory must stay where they are until all its
// sub-groups are done; LaunchInfo and its arguments until the launch is.
//
// Barriers. A sub-group that says Step::at_barrier must not be resumed before every sub-group of
// its work-group said so or is done; they must then be resumed in order of their number, sub-group
// 0 first, since what is done once for the group (an async copy) is done by sub-group 0 right after
// the barrier.
//
// Waits. A sub-group that says Step::waiting has read `SubGroupFrame::wait` and would go round its
// loop again. It may be resumed at any time; to resume it before the value at `address` changes is
// useless if `is_pure` is set (nothing but memory can end the loop), and never wrong. `wait` holds the
// last access of the round. A round may make several, to other places too (a scan of flags, lanes
// that poll one each): whoever must know all of them sets `SubGroupFrame::on_seen` before it resumes.
// Where the code can say which values end a pure wait (a ticket, a count that is reached), it does:
// of a thousand who watch one counter for their own number each, one is worth a resumption.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

struct LaunchInfo;
struct GroupInfo;

enum class Step : uint32_t { done = 0, at_barrier = 1, waiting = 2 };

// Which values end a wait: another one than was seen, or those that compare so with
// WaitRecord::wanted.
enum class EndsBy : uint32_t {
  difference,
  equal,
  not_equal,
  less, // of unsigned numbers
  at_most,
  greater,
  at_least,
  signed_less,
  signed_at_most,
  signed_greater,
  signed_at_least,
};

// What a waiting sub-group saw. Machine code writes it before it suspends.
struct WaitRecord {
  const void *address; // what the loop reads
  uint64_t seen;       // the value that did not let it go on, zero-extended
  uint32_t which;      // size of the value in bytes (1, 2, 4, 8), and bits for what follows
  uint32_t changed; // 1: the first round of this loop, or this round's state differs from the last
                    // (a counter that may end it), or memory was written: no dead wait yet
  uint64_t wanted = 0; // zero-extended

  uint32_t size() const { return which & 0xf; }
  EndsBy ends_by() const { return EndsBy(which >> ends_by_shift & 0xf); } // at pure sites
  uint32_t access() const { // index into ResumableCode::accesses plus one; 0: not known
    return which >> access_shift & most_accesses;
  }
  // Of a group's coroutine, which of its sub-groups looked, plus one; 0: there is only one.
  uint32_t sub_group() const { return which >> sub_group_shift; }

  static constexpr uint32_t ends_by_shift = 4, access_shift = 8, most_accesses = 0xfff;
  static constexpr uint32_t sub_group_shift = 20, most_sub_groups = 0xffe;
};

struct SubGroupFrame;
using OnSeen = void (*)(SubGroupFrame *, const void *address, uint64_t seen,
                        uint32_t which); // as in WaitRecord

// The head of each frame; the rest is the coroutine's.
struct SubGroupFrame {
  void *reserved[2]; // the coroutine's own
  uint32_t site;     // where it is suspended: index into ResumableCode::sites
  Step step;         // what the last call of start or resume returned
  WaitRecord wait;
  // The launch's, set before start. If not null: machine code calls it for each access of a loop
  // that waits, in each round and for each lane that makes it; at pure sites, whose one access is in
  // `wait`, it need not. Loops with many stores find out whether these change anything only in
  // rounds that begin with it set; all others say that they do.
  OnSeen on_seen;
  // What it last wrote by an atomic or volatile access, or beside a fence, since somebody set this to
  // null: whoever waits for it may go on. Updates whose result is used count only if there is nothing else: to take the
  // next ticket ends nobody's wait, to give back the last one does. A hint.
  const void *wrote;
};

// What the end of a loop depends on, in the source.
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
  // Of a wait of a whole group: 0 if all of its work-items wait here; else those of one sub-group do,
  // and the others come to their end (1) or to the barrier whose site this is, less two.
  uint32_t others = 0;
  // Of a wait: its loop does something that is not compared, so each round says that it changed
  // something, and the launch is never taken for dead.
  bool is_never_compared = false;
};

// Lanes of a sub-group are always together: at a barrier all its work-items (fewer than the
// sub-group size in the last sub-group of a group) have arrived; in a wait those in the loop wait
// and the others, if there are any, are held back until it ends.
using StartSubGroup = Step (*)(const LaunchInfo *, const GroupInfo *, SubGroupFrame *frame,
                               uint64_t sub_group);
using ResumeSubGroup = Step (*)(SubGroupFrame *frame);

struct ResumableCode {
  StartSubGroup start = nullptr;
  ResumeSubGroup resume = nullptr;
  uint64_t frame_size = 0, frame_alignment = 16;
  bool is_of_group = false; // one coroutine for the work-group
  std::vector<SuspensionSite> sites;
  std::vector<SeenAccess> accesses;
};

} // namespace lockstep::compiler
