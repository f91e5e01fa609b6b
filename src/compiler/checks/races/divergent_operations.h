// Finds group operations (barriers, copies, collectives) that may not be reached by all work-items
// of a work-group, and the branches that send work-items to different ones.
//
// Only these are checked at run time. A branch that is uniform in the work-group is not divergent.
// A divergent branch affects the operations up to the point where its paths converge.
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

// Cases of a switch that lead to the same operations, which no other case leads to.
struct DivergentEdges {
  llvm::SwitchInst *choice;
  llvm::SmallVector<llvm::ConstantInt *> values; // the case values
  bool are_others = false;                       // `values` lists the cases that are not included
};

struct DivergentOperations {
  llvm::SmallVector<llvm::Instruction *> operations;
  // Branches to different operations. lane_flow.h assumes that all lanes take the same path, so the
  // arriving lanes do not show the divergence.
  llvm::SmallVector<llvm::BranchInst *> choices;
  // For switches, which become branches later: each may separate any of the operations from the
  // others.
  llvm::SmallVector<DivergentEdges> edges;
};

// `group`: uniformity at UniformityLevel::work_group.
DivergentOperations find_divergent_operations(llvm::Function &function, const Uniformity &group);

} // namespace lockstep::compiler
