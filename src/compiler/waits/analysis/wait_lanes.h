// Decides whether a kernel that waits may run in lanes.
//
// Lanes run in lock step: while one lane waits, the others of its sub-group are held back. That is
// correct if all lanes wait for the same value. It is also correct if the lanes held back have no
// visible effects before their end or before a convergence point, such as a barrier, that the
// waiting lane has to reach too:
//
//     if (get_local_id(0) == 0) { while (!flag) ; ... }
//     barrier(...);
//
// Otherwise each work-item must be a sub-group of its own. Each branch that may diverge around a
// wait is examined: only one of its edges may lead to the wait, and the other must be silent in
// this sense. Code that at most one lane can enter (`id == uniform`) cannot diverge further.
//
// A loop that writes memory as it waits is only for one lane, or for one lane at a time: a lock
// that the holder releases before its serialized region ends (serial_regions.h). Afterwards the
// lane is silent or takes the same lock again, so no work-item can observe that it was held back.
//
// group_waits.h applies the same check to a whole work-group: sub-groups that are not resumed while
// one of them waits are held back like lanes.
#pragma once

#include "compiler/waits/analysis/serial_regions.h"
#include "compiler/waits/analysis/waits.h"

namespace llvm {
class Instruction;
class PostDominatorTree;
} // namespace llvm

namespace lockstep::compiler {

// The work-items that a waiting one holds back: the other lanes of its sub-group, or all other
// work-items of its group.
enum class HeldBack { sub_group, work_group };

// Adds to `turns` the regions that lanes must then execute one at a time.
bool may_wait_in_lanes(llvm::Function &function, const std::vector<Wait> &waits,
                       const llvm::DominatorTree &dominators,
                       const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
                       std::vector<SerialRegion> &serial_regions,
                       HeldBack held_back = HeldBack::sub_group);

// The blocks that at most one work-item of a group, or lane of a sub-group, enters at a time.
llvm::SmallPtrSet<const llvm::BasicBlock *, 8>
blocks_entered_by_one(llvm::Function &function, const llvm::DominatorTree &dominators,
                      const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
                      HeldBack of);

// True if another work-item may observe the effect of the instruction.
bool is_visible_to_others(const llvm::Instruction &instruction);

} // namespace lockstep::compiler
