#include "compiler/ir_to_workgroup/work_item_target.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// What follows undefined values, or keeps private memory within bounds, stands in the kernel while it is optimised; other checks come
// later.
bool has_checks(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (const llvm::Function *callee = call->getCalledFunction();
            callee && (callee->getName().starts_with("__lockstep_check_") ||
                       callee->getName().starts_with("__lockstep_undefined_")))
          return true;
  return false;
}

// Costs are LLVM's defaults: those of the CPU speak of scalar code, which this will not be.
class WorkItemTarget final : public llvm::TargetTransformInfoImplCRTPBase<WorkItemTarget> {
  using CostKind = llvm::TargetTransformInfo::TargetCostKind;

public:
  explicit WorkItemTarget(const llvm::Function &function)
      : TargetTransformInfoImplCRTPBase(function.getDataLayout()),
        is_checked_(function.hasFnAttribute(llvm::Attribute::SanitizeThread)) {}
  bool hasBranchDivergence(const llvm::Function *) const override { return true; }

  // Elements of a vector become vectors over the lanes, so taking one out is nothing, and a load of which several are used
  // stays one: as loads of its elements it could no longer be told from others when lanes are chosen. What is checked is
  // read by elements: others may write those that nobody asked for.
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

  // Short loops that LLVM unrolls, so that an array of the work-item's own comes into registers, it shall unroll as well where
  // there are checks in them already (bounds of private arrays, undefined values): most of these are gone then.
  void getUnrollingPreferences(llvm::Loop *loop, llvm::ScalarEvolution &evolution,
                               llvm::TargetTransformInfo::UnrollingPreferences &preferences,
                               llvm::OptimizationRemarkEmitter *) const override {
    constexpr unsigned most_rounds = 8, times_as_large = 8;
    const unsigned rounds = is_checked_ ? evolution.getSmallConstantTripCount(loop) : 0;
    if (rounds != 0 && rounds <= most_rounds && has_checks(*loop))
      preferences.Threshold *= times_as_large;
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
