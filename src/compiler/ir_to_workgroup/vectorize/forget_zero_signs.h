// fmin and fmax need not tell a negative zero from a positive one.
//
// libclc's are llvm.minimumnum and llvm.maximumnum, for which -0 is less than +0. x86 has no instruction that knows that, so LLVM
// puts the operands in order by their signs first: of six instructions for a vector three. OpenCL C (6.15.2) says which argument
// is returned where one is less, and if one is no number; of zeros it says nothing, and IEEE 754-2008's minNum, on which it
// builds, leaves it open.
//
// Input:  any function.
// Output: such calls have the flag `nsz`. Late, so that no other pass takes it for a permission to change signs of zeros before.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ForgetZeroSignsPass : public llvm::PassInfoMixin<ForgetZeroSignsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
