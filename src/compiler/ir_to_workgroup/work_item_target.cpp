#include "compiler/ir_to_workgroup/work_item_target.h"

#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Costs are LLVM's defaults: those of the CPU speak of scalar code, which this will not be.
class WorkItemTarget final : public llvm::TargetTransformInfoImplCRTPBase<WorkItemTarget> {
public:
  explicit WorkItemTarget(const llvm::DataLayout &layout)
      : TargetTransformInfoImplCRTPBase(layout) {}
  bool hasBranchDivergence(const llvm::Function *) const override { return true; }
};

} // namespace

llvm::TargetIRAnalysis work_item_target() {
  return llvm::TargetIRAnalysis([](const llvm::Function &function) {
    return llvm::TargetTransformInfo(
        std::make_unique<WorkItemTarget>(function.getParent()->getDataLayout()));
  });
}

} // namespace lockstep::compiler
