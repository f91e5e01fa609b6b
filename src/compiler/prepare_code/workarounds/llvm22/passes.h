// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

#include "llvm/IR/Instruction.h"

#include <functional>
#include <utility>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace lockstep::compiler {

// Clamps integers that overflow a half before LLVM converts them.
class ClampConversionsToHalfPass : public RequiredPass<ClampConversionsToHalfPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Keeps masked loads from moving across stores.
class KeepMaskedLoadsPass : public RequiredPass<KeepMaskedLoadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Puts variables into a coroutine's frame if their addresses live across a suspension.
class KeepVariablesInFramesPass : public RequiredPass<KeepVariablesInFramesPass> {
public:
  using InstructionPredicate = std::function<bool(llvm::Instruction &)>;

  // `is_rematerialized`: the rematerialization predicate that CoroSplitPass also gets.
  explicit KeepVariablesInFramesPass(InstructionPredicate is_rematerialized)
      : is_rematerialized_(std::move(is_rematerialized)) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  InstructionPredicate is_rematerialized_;
};

// Keeps sub-group operations on their side of branches that leave a loop.
class PinConvergentCallsPass : public RequiredPass<PinConvergentCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Removes the pins of pin-convergent-calls.
class UnpinConvergentCallsPass : public RequiredPass<UnpinConvergentCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Compares vectors of pointers with a common scalar base as integers.
class CompareAddressesPass : public RequiredPass<CompareAddressesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Replaces `x & 3` by shifts while LLVM vectorizes loops.
class HideLowMasksPass : public RequiredPass<HideLowMasksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Hoists loop-invariant integer divisions out of loops before LLVM vectorizes the loops.
class HoistInvariantDivisionsPass : public RequiredPass<HoistInvariantDivisionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Keeps vector loads and constants out of the three-input logic instructions of AVX-512.
class KeepLoadsOutOfLogicPass : public RequiredPass<KeepLoadsOutOfLogicPass> {
public:
  explicit KeepLoadsOutOfLogicPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Keeps loads of 8 and 16 bits from being merged into the lower part of a register.
class KeepLoadsOutOfMergesPass : public RequiredPass<KeepLoadsOutOfMergesPass> {
public:
  explicit KeepLoadsOutOfMergesPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Separates integer extensions from the floating-point vectors whose bits they extend.
class HideFloatBitsPass : public RequiredPass<HideFloatBitsPass> {
public:
  explicit HideFloatBitsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Hides constant masks whose active lanes are all in the lower half from the code generator.
class HideHalfMasksPass : public RequiredPass<HideHalfMasksPass> {
public:
  explicit HideHalfMasksPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Carries masks between blocks as integers if LLVM would carry each lane in a register of its own.
class CarryMasksAsBitsPass : public RequiredPass<CarryMasksAsBitsPass> {
public:
  explicit CarryMasksAsBitsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Hides from AArch64's code generator that bytes are looked up in a vector of another length.
class HideByteLookupsPass : public RequiredPass<HideByteLookupsPass> {
public:
  explicit HideByteLookupsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Hides from AArch64's code generator that a mask is the lowest bits of a shuffle's result.
class HideMaskTruncationsPass : public RequiredPass<HideMaskTruncationsPass> {
public:
  explicit HideMaskTruncationsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Writes maximumNumber and minimumNumber of long vectors as instructions of AArch64.
class LowerMaximumNumbersPass : public RequiredPass<LowerMaximumNumbersPass> {
public:
  explicit LowerMaximumNumbersPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Separates shuffles of 64 bytes from the operations that compute the bytes.
class IsolateByteShufflesPass : public RequiredPass<IsolateByteShufflesPass> {
public:
  explicit IsolateByteShufflesPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Shuffles masks of more than 64 elements as bytes.
class ShuffleMasksAsBytesPass : public RequiredPass<ShuffleMasksAsBytesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Replaces the extension of a mask of 64 lanes by a select.
class SelectByMasksPass : public RequiredPass<SelectByMasksPass> {
public:
  explicit SelectByMasksPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

// Breaks long sums that loop strength reduction would reassociate in every possible way.
class BreakLongSumsPass : public RequiredPass<BreakLongSumsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Computes with floats what the processor cannot compute with halves.
class WidenHalfOperationsPass : public RequiredPass<WidenHalfOperationsPass> {
public:
  explicit WidenHalfOperationsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
