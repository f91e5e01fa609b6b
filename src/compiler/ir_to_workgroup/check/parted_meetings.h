// Group operations (barriers, copies, collectives) of which it is not known that all work-items of a group get there, and
// the branches that send work-items to different ones.
//
// Only those are looked at when the kernel runs. A branch that is the same for the whole group parts nobody; another one
// does until its ways join again.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class BranchInst;
class ConstantInt;
class Function;
class Instruction;
class SwitchInst;
} // namespace llvm

namespace lockstep::compiler {

class Uniformity;

// Some ways of a switch that lead to the same operations, which no other way of it leads to.
struct PartedWays {
  llvm::SwitchInst *choice;
  llvm::SmallVector<llvm::ConstantInt *> values; // by which it goes there
  bool are_others = false;                       // by all but these
};

struct PartedMeetings {
  llvm::SmallVector<llvm::Instruction *> operations;
  // To one operation, or to another: lane_flow.h takes it that all lanes go one way, so that who arrives does not tell.
  llvm::SmallVector<llvm::BranchInst *> choices;
  // Those of a switch, which branches take the place of: each of these may part any of the operations from the others.
  llvm::SmallVector<PartedWays> ways;
};

// `group`: at UniformityLevel::work_group.
PartedMeetings find_parted_meetings(llvm::Function &function, const Uniformity &group);

} // namespace lockstep::compiler
