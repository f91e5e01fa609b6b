// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

#include <string_view>

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
// `library`: bitcode of the functions, for the kind of device (device_library.h).
class SpecializeImagesPass : public RequiredPass<SpecializeImagesPass> {
public:
  explicit SpecializeImagesPass(std::string_view library, bool keeps_functions = true)
      : library_(library), keeps_functions_(keeps_functions) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  std::string_view library_;
  bool keeps_functions_;
};

// Merges consecutive bounds checks of image accesses into one check of the outermost texels.
class MergeBoundsChecksPass : public RequiredPass<MergeBoundsChecksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
