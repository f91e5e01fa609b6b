// Whether a kernel that waits may run in lanes.
//
// Lanes are in lock step: while one waits, the others of its sub-group are held back. That is wrong
// where one of them would have done what the first waits for, or something that another work-item
// waits for; then each work-item must be a sub-group of its own. It is right
//   - where all lanes wait for the same (the wait is uniform in the sub-group), and
//   - where those held back would do nothing that anybody can see before they come to a barrier, or
//     another operation that the waiting lane has to reach too, or to their end:
//         if (get_local_id(0) == 0) { while (!flag) ; ... }
//         barrier(...);
//     This is how a group waits for another one.
// So each branch that can part lanes around a wait is looked at: only one of its ways may lead to
// the wait, and the other must be silent. Code that one lane at most can enter (`id == uniform`)
// cannot part lanes any more. A loop that writes memory as it waits is for one lane only, or for
// one at a time: a lock whose holder gives it back before its turn ends (lane_turns.h), after which
// it is silent or comes to take the same lock again. Then nobody can tell that it was held back.
//
// The same question is asked of a whole work-group, for group_waits.h: sub-groups that are not
// resumed while one of them waits are held back as lanes are.
#pragma once

#include "compiler/ir_to_workgroup/analyze/lane_turns.h"
#include "compiler/ir_to_workgroup/analyze/waits.h"

namespace llvm {
class Instruction;
class PostDominatorTree;
} // namespace llvm

namespace lockstep::compiler {

// By one that waits: the other lanes of its sub-group, or all other work-items of its group.
enum class HeldBack { sub_group, work_group };

// Adds to `turns` what lanes must do one at a time then.
bool may_wait_in_lanes(llvm::Function &function, const std::vector<Wait> &waits,
                       const llvm::DominatorTree &dominators,
                       const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
                       std::vector<LaneTurn> &turns, HeldBack held_back = HeldBack::sub_group);

// Which at most one work-item of a group, or lane of a sub-group, enters at a time.
llvm::SmallPtrSet<const llvm::BasicBlock *, 8>
blocks_entered_by_one(llvm::Function &function, const llvm::DominatorTree &dominators,
                      const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
                      HeldBack of);

// Whether another work-item may see what an instruction does.
bool is_visible_to_others(const llvm::Instruction &instruction);

} // namespace lockstep::compiler
