// Lanes one after the other wherever no lane needs another one, for kernels that would compile for too long in lanes.
//
// A kernel that requires its lanes, or sees its sub-groups, cannot be given fewer of them when its machine code would take
// too long to make (workgroup_to_code/cpu/code_cost.h). But only sub-group and group operations show how its lanes run: what
// lies between those may as well be the code of one work-item in a loop over the lanes, which costs what it costs with one
// lane, and has jumps where lanes have masks.
//
// Input:  the kernel as canonicalise-flow leaves it, with no function for lanes beside it (lane-functions).
// Output: the largest parts of the control flow that hold nothing that lanes do together, and have one way in and one way
//         out, are functions, as those of serialise-loops are; inline-serial-loops puts them back.
//         What they can compute of ids and addresses, they are not given.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SerialiseRegionsPass : public llvm::PassInfoMixin<SerialiseRegionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
