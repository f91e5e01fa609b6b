// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Replaces calls of printf by calls of the primitive __lockstep_printf.
class LowerPrintfPass : public RequiredPass<LowerPrintfPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Allocates the scratch memory of work-group collectives.
class PlaceGroupScratchPass : public RequiredPass<PlaceGroupScratchPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Drops `noalias` from pointers through which other work-items may write the same object.
class DropNoaliasPass : public RequiredPass<DropNoaliasPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Drops the program's requests to unroll loops where lanes are faster without.
class DropUnrollHintsPass : public RequiredPass<DropUnrollHintsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Counts the iterations of loops that have the same number in all work-items.
class ConstantTripCountsPass : public RequiredPass<ConstantTripCountsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Replaces loops that update a location by compare-and-swap by the atomic update that they are.
class UpdateLoopsPass : public RequiredPass<UpdateLoopsPass> {
public:
  // `exactly`: see InstrumentationNeeds::exact_updates.
  explicit UpdateLoopsPass(bool exactly = false) : exactly_(exactly) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  bool exactly_;
};

// Replaces phis of equal expressions, which LLVM made of one expression, by that expression.
class MergeEqualValuesPass : public RequiredPass<MergeEqualValuesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Makes irreducible control flow reducible.
class MakeReduciblePass : public RequiredPass<MakeReduciblePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
