#include "compiler/work_item/work_item_target.h"

#include "compiler/analysis/bypassed_blocks.h"
#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/function_families.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Checks of undefined values and of bounds of private memory are in the kernel while it is
// optimized; other checks are inserted later.
bool has_checks(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (const llvm::Function *callee = call->getCalledFunction();
            callee &&
            (is_of(FunctionFamily::check, *callee) || is_of(FunctionFamily::undefined, *callee)))
          return true;
  return false;
}

bool has_group_operation(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (is_group_operation(instruction))
        return true;
  return false;
}

// Work-items may leave this loop for the one around it, or come to a block of it again, while others
// go on. All meet at its next barrier, which must stay one call.
bool lets_work_items_meet(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  if (!has_group_operation(loop))
    return false;
  const bool is_counted = loop.getExitingBlock() && evolution.getSmallConstantTripCount(&loop) != 0;
  return (loop.getParentLoop() && !is_counted) ||
         (loop.isInnermost() && can_bypass(loop.getBlocks(), *loop.getHeader()));
}

// Costs are LLVM's defaults: those of the CPU describe scalar code, which this code will not be.
class WorkItemTarget final : public llvm::TargetTransformInfoImplCRTPBase<WorkItemTarget> {
  using CostKind = llvm::TargetTransformInfo::TargetCostKind;

public:
  explicit WorkItemTarget(const llvm::Function &function)
      : TargetTransformInfoImplCRTPBase(function.getDataLayout()),
        is_checked_(function.hasFnAttribute(llvm::Attribute::SanitizeThread)) {}
  bool hasBranchDivergence(const llvm::Function *) const override { return true; }

  // Vector elements become vectors over the lanes, so an extraction is free. A load of which
  // several elements are used stays one load. Split into loads of its elements, it could no longer
  // be recognized when lanes are formed. Checked kernels load single elements: other work-items may
  // write those that the kernel does not use.
  using TargetTransformInfoImplCRTPBase::getVectorInstrCost;
  llvm::InstructionCost getVectorInstrCost(unsigned, llvm::Type *, CostKind, unsigned,
                                           const llvm::Value *,
                                           const llvm::Value *) const override {
    return is_checked_ ? 1 : 0;
  }
  llvm::InstructionCost getMemoryOpCost(unsigned, llvm::Type *type, llvm::Align, unsigned, CostKind,
                                        llvm::TargetTransformInfo::OperandValueInfo,
                                        const llvm::Instruction *) const override {
    return type->isVectorTy() && !is_checked_ ? 2 : 1;
  }

  // LLVM unrolls short loops so that private arrays become registers. Raises the threshold if such
  // a loop already contains checks (bounds of private arrays, undefined values): most of them
  // disappear then.
  //
  // At zero, LLVM does not take the first iteration out of a loop, either.
  void getUnrollingPreferences(llvm::Loop *loop, llvm::ScalarEvolution &evolution,
                               llvm::TargetTransformInfo::UnrollingPreferences &preferences,
                               llvm::OptimizationRemarkEmitter *) const override {
    const unsigned iterations = is_checked_ ? evolution.getSmallConstantTripCount(loop) : 0;
    if (iterations != 0 && iterations <= limits::lanes_in_line && has_checks(*loop))
      preferences.Threshold *= limits::code_growth;
    if (lets_work_items_meet(*loop, evolution))
      preferences.Threshold = 0;
  }

private:
  bool is_checked_;
};

} // namespace

llvm::TargetIRAnalysis work_item_target() {
  return llvm::TargetIRAnalysis([](const llvm::Function &function) {
    return llvm::TargetTransformInfo(std::make_unique<WorkItemTarget>(function));
  });
}

} // namespace lockstep::compiler
