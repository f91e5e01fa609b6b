#include "compiler/work_item/work_item_target.h"

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
  // Sets it to zero for inner loops with a barrier, unless they have one exit after a constant
  // number of iterations. Work-items may leave such a loop for the one around it while others
  // remain, and all meet at the barrier. It must stay one call: LLVM would also take the first
  // iteration out of the loop.
  void getUnrollingPreferences(llvm::Loop *loop, llvm::ScalarEvolution &evolution,
                               llvm::TargetTransformInfo::UnrollingPreferences &preferences,
                               llvm::OptimizationRemarkEmitter *) const override {
    const unsigned iterations = is_checked_ ? evolution.getSmallConstantTripCount(loop) : 0;
    if (iterations != 0 && iterations <= limits::lanes_in_line && has_checks(*loop))
      preferences.Threshold *= limits::code_growth;
    if (loop->getParentLoop() && has_group_operation(*loop) &&
        !(loop->getExitingBlock() && evolution.getSmallConstantTripCount(loop) != 0))
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
