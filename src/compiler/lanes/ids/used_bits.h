// Simplifies sums of ids of which only some bits are used.
//
//   tid = local_id(1) * 16 + local_id(0)     x = tid % 16        y = tid / 16
//   tid = (ly << 4) | lx                     x = tid & 15        y = tid >> 4
//                                            x = lx              y = ly
//
// Kernels distribute their copies into local memory in this way. LLVM drops the unused summand only
// if the sum has no other use. Lane shapes cannot be derived from the low bits of a sum of which
// only distances are known. Without this pass, uniform or consecutive accesses would become gathers
// and scatters.
//
// Input:  the kernel of one work-item after scalar optimization. Where the local size is known, the
//         ranges of local ids are known.
// Output: where a sum's summands have no bits in common, `and` with a constant and `lshr` by a
//         constant apply only to the summands that have used bits.
//
// Runs before restore-casts, which replaces disjoint ors by sums that may carry.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class UsedBitsPass : public llvm::PassInfoMixin<UsedBitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
