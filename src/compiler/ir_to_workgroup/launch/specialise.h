// Writes on the kernel what it is compiled for.
//
// Input:  the kernel after inline-kernel.
// Output: the attributes "lockstep-local-size", "lockstep-neighbour-groups" and "lockstep-image-arguments" (specialisation_attributes.h), where the
//         Specialisation says something.
//
// A pass of its own, so that specialising is a stage like any other and its passes can be tested on attributes alone.
#pragma once

#include "compiler/compile.h"

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SpecialisePass : public llvm::PassInfoMixin<SpecialisePass> {
public:
  explicit SpecialisePass(const Specialisation &specialisation) : specialisation_(specialisation) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  Specialisation specialisation_;
};

} // namespace lockstep::compiler
