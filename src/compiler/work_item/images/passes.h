// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Lowers types of images, samplers, pipes and reservations to addresses and integers.
class LowerImageTypesPass : public RequiredPass<LowerImageTypesPass> {
public:
  explicit LowerImageTypesPass(bool is_checked = false) : is_checked_(is_checked) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  bool is_checked_;
};

// Replaces calls that access images by code that is specialized for the known formats and samplers.
class SpecializeImagesPass : public RequiredPass<SpecializeImagesPass> {
public:
  explicit SpecializeImagesPass(bool keeps_functions = true) : keeps_functions_(keeps_functions) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  bool keeps_functions_;
};

// Merges consecutive bounds checks of image accesses into one check of the outermost texels.
class MergeBoundsChecksPass : public RequiredPass<MergeBoundsChecksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
