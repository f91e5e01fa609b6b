// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "compiler/options/code_options.h"
#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Chooses the dimension in which the lanes of a sub-group follow each other.
class ChooseLaneDimensionPass : public RequiredPass<ChooseLaneDimensionPass> {
public:
  // `required`: the value of reqd_sub_group_size, 0 if not given.
  ChooseLaneDimensionPass(const CodeOptions &options, uint32_t required)
      : options_(options), required_(required) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  CodeOptions options_;
  uint32_t required_;
};

// Numbers the work-groups of one dimension in rows, as those of a launch of two dimensions.
class GroupsInRowsPass : public RequiredPass<GroupsInRowsPass> {
public:
  explicit GroupsInRowsPass(const CodeOptions &options) : options_(options) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  CodeOptions options_;
};

// Coalesces consecutive work-groups when the kernel cannot observe the boundary between them.
class CoalesceIndistinctGroupsPass : public RequiredPass<CoalesceIndistinctGroupsPass> {
public:
  explicit CoalesceIndistinctGroupsPass(const CodeOptions &options) : options_(options) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  CodeOptions options_;
};

// Chooses the traversal order of work-groups.
class ChooseTraversalOrderPass : public RequiredPass<ChooseTraversalOrderPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Coalesces several neighboring work-groups into one call of the work-group function.
class CoalesceWorkGroupsPass : public RequiredPass<CoalesceWorkGroupsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Splits the loop of a sum of products into blocks, between which the rows of a group take turns.
class BlockProductsPass : public RequiredPass<BlockProductsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
