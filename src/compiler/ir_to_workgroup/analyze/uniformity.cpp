#include "compiler/ir_to_workgroup/analyze/uniformity.h"

#include "compiler/ir_to_workgroup/specialisation_attributes.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/ADT/GenericUniformityImpl.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace lockstep::compiler {

namespace {

// LLVM's uniformity analysis asks its target where divergence comes from; this target is the work-group.
class DivergenceSources final : public llvm::TargetTransformInfoImplBase {
public:
  DivergenceSources(const llvm::DataLayout &layout, UniformityLevel level, std::array<uint32_t, 3> local_size,
                    uint32_t sub_group_size)
      : TargetTransformInfoImplBase(layout), level_(level), local_size_(local_size),
        sub_group_size_(sub_group_size) {}

  bool hasBranchDivergence(const llvm::Function *) const override { return true; }

  llvm::InstructionUniformity getInstructionUniformity(const llvm::Value *value) const override {
    bool divergent = llvm::isa<llvm::AllocaInst>(value); // each work-item has its own
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(value))
      divergent = load->isAtomic() || load->isVolatile();
    else if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::VAArgInst>(value))
      divergent = true;
    else if (auto *call = llvm::dyn_cast<llvm::CallBase>(value))
      divergent = is_divergent_call(*call);
    return divergent ? llvm::InstructionUniformity::NeverUniform : llvm::InstructionUniformity::Default;
  }

private:
  bool is_divergent_call(const llvm::CallBase &call) const {
    auto primitive = called_primitive(call);
    if (primitive == Primitive::local_id)
      return !is_uniform_local_id(llvm::cast<llvm::CallInst>(call));
    if (primitive && is_group_operation(*primitive))
      return false;
    return !call.doesNotAccessMemory();
  }

  // A sub-group is `sub_group_size_` work-items with consecutive linear ids, so it stays in one row (or one plane) of
  // the group when the row (the plane) is a whole number of sub-groups.
  bool is_uniform_local_id(const llvm::CallInst &call) const {
    if (level_ == UniformityLevel::work_group)
      return false;
    if (sub_group_size_ == 1)
      return true;
    auto dimension = constant_dimension(call);
    if (!dimension || *dimension == 0 || *dimension > 2 || !local_size_[0])
      return false;
    uint64_t stride = local_size_[0];
    if (*dimension == 2)
      stride *= local_size_[1];
    return stride % sub_group_size_ == 0;
  }

  UniformityLevel level_;
  std::array<uint32_t, 3> local_size_;
  uint32_t sub_group_size_;
};

} // namespace

Uniformity::Uniformity(llvm::Function &function, const llvm::DominatorTree &dominators, UniformityLevel level,
                       std::array<uint32_t, 3> local_size, uint32_t sub_group_size)
    : sources_(std::make_unique<llvm::TargetTransformInfo>(std::make_unique<const DivergenceSources>(
          function.getParent()->getDataLayout(), level, local_size, sub_group_size))),
      cycles_(std::make_unique<llvm::CycleInfo>()) {
  cycles_->compute(function);
  info_ = std::make_unique<llvm::UniformityInfo>(dominators, *cycles_, sources_.get());
  info_->compute();
}

bool Uniformity::is_uniform_everywhere(const llvm::Value &value) const {
  if (!is_uniform(value))
    return false;
  for (const llvm::Use &use : value.uses())
    if (!is_uniform_use(use))
      return false;
  return true;
}

llvm::PreservedAnalyses UniformityPrinterPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &analyses) {
  Uniformity uniformity(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function), level_,
                        specialised_local_size(function), sub_group_size(function));
  llvm::outs() << "uniformity in the " << (level_ == UniformityLevel::work_group ? "work-group" : "sub-group")
               << " of " << function.getName() << '\n';
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    bool uniform = instruction.isTerminator() ? uniformity.has_uniform_branch(*instruction.getParent())
                                              : uniformity.is_uniform_everywhere(instruction);
    llvm::outs() << (uniform ? "uniform  " : "divergent") << instruction << '\n';
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
