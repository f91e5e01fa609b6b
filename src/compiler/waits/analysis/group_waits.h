// Decides whether a kernel that waits may be suspended as a whole work-group: one coroutine in loop
// form, which is suspended in the middle of a loop over sub-groups.
//
// In nearly all kernels that wait, one work-item of a group waits, or all wait for the same value:
//
//     if (get_local_id(0) == 0) { while (!flag) ; ... }      while (!flag) ;
//     barrier(...);                                          mine = results[...];
//
// The other sub-groups are held back meanwhile. That is correct if no work-item waits for them:
// - No branch that diverges around the wait leads other work-items to a visible effect before a
//   barrier or their end (wait_lanes.h, applied to the group).
// - Earlier work is complete. The wait, with the divergent branches around it, is a barrier region.
//   Before the wait, only the waiting work-item has visible effects in it.
// - At most one work-item takes a lock: values read under it would wrongly count as uniform.
// - No work-item waits in local memory, which only its own group could change.
//
// Suspending the whole group also requires that one work-item waits or all do, for reports; that
// all work-items reach each barrier; and that the local size is known, for the size of the frame. A
// waiting loop with barriers only reads one address and combines what its work-items read (`while
// (!work_group_any(*flag >= goal))`). The group is suspended once, after an iteration of all.
#pragma once

#include "compiler/waits/analysis/waits.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class PostDominatorTree;
} // namespace llvm

namespace lockstep::compiler {

class Uniformity;

class GroupWaits {
public:
  GroupWaits(llvm::Function &function, const std::vector<Wait> &waits,
             const llvm::DominatorTree &dominators, const llvm::PostDominatorTree &post_dominators,
             const llvm::LoopInfo &loops);

  // Null if the group may be suspended as a whole.
  const char *why_not() const { return why_not_; }

  // `are_apart`: one work-item of the group waits there. `barrier`: where the others are meanwhile;
  // null if they run to their end.
  struct Others {
    bool are_apart = false;
    const llvm::Instruction *barrier = nullptr;
    bool is_collective = false; // all make one iteration, then the group waits
  };
  Others others_at(const llvm::Loop &wait) const;

  // Inserts barriers around the waits, unless the other work-items have no work before or after a
  // wait.
  void isolate() const;

private:
  struct Place { // a wait and the bounds of its region
    const llvm::Loop *wait = nullptr;
    llvm::BasicBlock *begin = nullptr, *end = nullptr;
    Others others;
  };

  const char *find_reason(const std::vector<Wait> &waits);
  const char *find_place(const Wait &wait);
  void find_divergent_blocks(const Uniformity &uniformity);
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
  // Blocks that not all work-items of a group may reach.
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> of_one_item_;
  llvm::SmallVector<Place, 2> places_;
  const char *why_not_ = nullptr;
};

} // namespace lockstep::compiler
