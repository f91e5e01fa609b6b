// Lets a function that is called do for all lanes what LLVM would do for one after the other, in line.
//
// A vector operation that the processor lacks (`fma` without FMA, halves without F16C, any division of integers) is taken
// apart by the code generator: an extraction, a call or an instruction, an insertion, for each lane. That is right for one
// register. A kernel of 64 lanes with a hundred of them has thousands of calls in line, and passes for machine code take
// time by their square: two-address instructions look at all uses of an argument register, register allocation at all
// places where registers are lost. Such a kernel compiled for a minute and now takes seconds, at the same speed.
//
// Input:  any module of vector code. Of gathers and scatters that the processor lacks, packetize leaves those beyond a
//         number.
// Output: no gather or scatter of many lanes that is not legal is left. In a function with more than `most_lanes_in_line`
//         lanes of such work, internal functions do it for all lanes, one for each operation and type (kept functions, not
//         to be inlined); halves are converted by vectors of integers there. The same results. Vectors of few lanes stay.
//
// The last pass, as others would look into vectors that are only passed on.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
class TargetTransformInfo;
} // namespace llvm

namespace lockstep::compiler {

// Vectors of at least so many lanes, beyond so many lanes of work in a function.
inline constexpr unsigned fewest_outlined_lanes = 16, most_lanes_in_line = 512;

class OutlineLaneCodePass : public llvm::PassInfoMixin<OutlineLaneCodePass> {
public:
  explicit OutlineLaneCodePass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
