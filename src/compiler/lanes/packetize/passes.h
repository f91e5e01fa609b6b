// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

// Makes the lanes of a sub-group visible.
class LaneIdsPass : public LanePass<LaneIdsPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Replaces queries of the sub-group's size, id and lanes by values once the number of lanes is
// known.
class AnswerSubGroupQueriesPass : public RequiredPass<AnswerSubGroupQueriesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Rewrites each instruction so that one execution of the function does the work of a whole
// sub-group.
class PacketizePass : public RequiredPass<PacketizePass> {
public:
  explicit PacketizePass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Rewrites gathers and scatters to use 32-bit indices from one scalar base, if the program has
// such.
class NarrowGatherIndicesPass : public RequiredPass<NarrowGatherIndicesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
