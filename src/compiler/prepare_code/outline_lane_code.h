// Outlines vector operations that the target would scalarize.
//
// The code generator scalarizes a vector operation that the processor lacks (`fma` without FMA,
// halves without F16C, any division of integers): an extraction, a call or an instruction, an
// insertion, for each lane. That is right for one register. A kernel of 64 lanes with a hundred
// such operations has thousands of calls inline. Some passes of the code generator take quadratic
// time then: two-address instructions examine all uses of an argument register, register allocation
// all points where registers are clobbered. Such a kernel compiled for a minute and now takes
// seconds, at the same speed.
//
// Requires: any module of vector code. Of gathers and scatters that the processor lacks, packetize
// leaves those beyond a limit.
// Ensures: no illegal gather or scatter of many lanes is left. If a function has more than
// `most_lanes_in_line` lanes of operations that the processor lacks, internal functions execute
// them, one for each operation and type. They are out-of-line functions, not to be inlined, and
// convert halves by integer vectors. Results do not change. Vectors of few lanes stay.
//
// Position: last, as other passes would look into vectors that are only passed on.
#pragma once

#include "compiler/analysis/cost/thresholds.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
class TargetTransformInfo;
} // namespace llvm

namespace lockstep::compiler {

// Limits: the fewest lanes of a vector that is outlined; the most lanes of such work that stay
// inline.
inline constexpr unsigned fewest_outlined_lanes = limits::lanes_in_line,
                          most_lanes_in_line = limits::lanes_in_line * limits::words_in_line;

class OutlineLaneCodePass : public llvm::PassInfoMixin<OutlineLaneCodePass> {
public:
  explicit OutlineLaneCodePass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
