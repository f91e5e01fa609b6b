// Whether a kernel that waits may stop as a whole work-group.
//
// In nearly all kernels that wait, one work-item of a group does, or all do for the same, and the
// others have nothing to do until it is over:
//
//     if (get_local_id(0) == 0) { while (!flag) ; ... }      while (!flag) ;
//     barrier(...);                                          mine = results[...];
//
// Then the group need not be a set of coroutines, one for each sub-group: it may keep the looped
// form, in which its sub-groups run one after the other between barriers, and be one coroutine that
// stops in the middle of such a loop. While it does, all the others are held back: those that have
// run to the next barrier, and those that have not begun. That is right if nobody waits for what
// these would do:
//   - no branch that parts work-items around the wait leads others to something visible before they
//     come to a barrier or their end (wait_lanes.h, asked of the group);
//   - what they do before the wait is done: the waiting loop, with the branches that part work-items
//     around it, is made a barrier region of its own. Between the region's begin and the wait, only
//     the one work-item that waits may do something visible;
//   - no two of its work-items take a lock: what they read under it would be taken for uniform;
//   - nobody waits in local memory, which only others of the group could change.
// And it is possible if one work-item waits or all do, so that a report can tell who; if barriers, the kernel's and those that are put in, stand where all
// work-items of a group agree to come, whenever they look; the loop that waits meets none; and the
// local size is known, so that what is kept for each sub-group has a place in the group's frame. In
// doubt a kernel stops by sub-groups.
#pragma once

#include "compiler/ir_to_workgroup/analyze/waits.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class PostDominatorTree;
} // namespace llvm

namespace lockstep::compiler {

class GroupWaits {
public:
  GroupWaits(llvm::Function &function, const std::vector<Wait> &waits,
             const llvm::DominatorTree &dominators, const llvm::PostDominatorTree &post_dominators,
             const llvm::LoopInfo &loops);

  // Null if the group may stop as a whole.
  const char *why_not() const { return why_not_; }

  // Whether one work-item of the group waits there, and the barrier that the others come to
  // meanwhile; null: they come to their end.
  struct Others {
    bool are_apart = false;
    const llvm::Instruction *barrier = nullptr;
  };
  Others others_at(const llvm::Loop &wait) const;

  // Puts barriers around the waits, where others have something to do before or after one.
  void isolate() const;

private:
  struct Place { // where a wait's region begins, and where it ends
    const llvm::Loop *wait = nullptr;
    llvm::BasicBlock *begin = nullptr, *end = nullptr;
    Others others;
  };

  const char *find_reason(const std::vector<Wait> &waits);
  const char *find_place(const llvm::Loop &wait);
  void find_parted_blocks();
  const llvm::BasicBlock *begin_of_one_item(const llvm::Loop &wait,
                                            const llvm::BasicBlock &begin) const;
  bool is_early_visible(const llvm::Loop &wait, const llvm::BasicBlock &begin,
                        const llvm::BasicBlock *own) const;
  const llvm::Instruction *barrier_behind(const llvm::BasicBlock &block) const;
  enum class Direction { before, behind };
  bool has_work(llvm::BasicBlock &block, Direction direction) const;

  llvm::Function &function_;
  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &post_dominators_;
  const llvm::LoopInfo &loops_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> parted_; // to which not all of a group may come
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> of_one_item_;
  llvm::SmallVector<Place, 2> places_;
  const char *why_not_ = nullptr;
};

} // namespace lockstep::compiler
