// Makes arithmetic with a number from memory, the same for all lanes, arithmetic of vectors, where that saves an instruction.
//
//     float3 to = (box->low - origin) * reciprocal;     // `box` and `origin` are those of the sub-group
//
// What is the same for all lanes is computed once, and its result is broadcast where lanes need it: `vsubss`, then `vbroadcastss` of a
// register, a shuffle, of which a core does one or two in a cycle. A broadcast from memory needs none, and can be part of
// the instruction: `vaddps` with an operand in memory for all lanes.
//
// Input:  the function of a work-group after all optimisation.
// Output: the broadcast of a sum, difference or product that nobody else uses, in a loop, of a load that nobody else uses and a number
//         that stays the same in the loop: the same of two broadcasts, the second one outside of the loop. `a - b` becomes
//         `a + -b`, which is the same number, so that the load can be the operand in memory.
//
// Last: InstCombine makes the scalar form of the one of vectors.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class BroadcastOperandsPass : public llvm::PassInfoMixin<BroadcastOperandsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
