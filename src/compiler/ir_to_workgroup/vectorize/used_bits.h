// Takes sums of ids apart of which only some bits are used.
//
//     tid = local_id(1) * 16 + local_id(0)     x = tid % 16        y = tid / 16
//     tid = (ly << 4) | lx                     x = tid & 15        y = tid >> 4
//                                              x = lx              y = ly
//
// That is how kernels distribute what they copy into local memory. LLVM drops the other summand only where the sum has no second
// use; and a lane shape cannot be told from the low bits of a sum of which it knows distances alone, so what is the
// same for all lanes, or differs by 1, would be gathered and scattered.
//
// Input:  the kernel of one work-item after scalar optimisation; ranges of local ids are known where the local size is.
// Output: `and` with a constant, and shifts to the right by one, of a sum whose summands have no bits in common: of those
//         summands only that have bits that are used.
//
// Before restore-casts, which makes sums that may carry of what is still known to be disjoint.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class UsedBitsPass : public llvm::PassInfoMixin<UsedBitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
