#include "compiler/analysis/uniformity.h"

#include "compiler/analysis/divergent_exits.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/GenericUniformityImpl.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace lockstep::compiler {

namespace {

// Answers the queries of LLVM's uniformity analysis to its target: which instructions are sources
// of divergence at `level`.
class DivergenceSources final : public llvm::TargetTransformInfoImplBase {
public:
  DivergenceSources(const llvm::DataLayout &layout, UniformityLevel level,
                    const llvm::SmallPtrSetImpl<const llvm::Instruction *> &behind_loops)
      : TargetTransformInfoImplBase(layout), level_(level), behind_loops_(behind_loops) {}

  bool hasBranchDivergence(const llvm::Function *) const override { return true; }

  llvm::InstructionUniformity getInstructionUniformity(const llvm::Value *value) const override {
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(value);
        call && ((is_of_lanes() && is_sub_group_uniform(*call)) ||
                 (is_of_rows() && called_primitive(*call) == Primitive::all_lanes)))
      // all_lanes across rows: interleave-sub-groups checks all rows together.
      return llvm::InstructionUniformity::AlwaysUniform;
    if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
        instruction && behind_loops_.contains(instruction))
      return llvm::InstructionUniformity::NeverUniform;
    bool divergent = false;
    if (auto *alloca =
            llvm::dyn_cast<llvm::AllocaInst>(value)) // each work-item or each sub-group has its own
      divergent = level_ != UniformityLevel::sub_group || !alloca->hasMetadata(sub_group_variable);
    else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(value))
      divergent = !is_of_lanes() && level_ != UniformityLevel::group_at_once &&
                  (load->isAtomic() || load->isVolatile());
    else if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::VAArgInst>(value))
      divergent = true;
    else if (auto *call = llvm::dyn_cast<llvm::CallBase>(value))
      divergent = is_divergent_call(*call);
    else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(value))
      divergent = is_missing_somewhere(*phi);
    return divergent ? llvm::InstructionUniformity::NeverUniform
                     : llvm::InstructionUniformity::Default;
  }

private:
  // LLVM treats a phi of one value and poison as uniform. If the phi became a variable of the
  // work-group, sub-groups with poison would overwrite the value of the others.
  bool is_missing_somewhere(const llvm::PHINode &phi) const {
    return level_ == UniformityLevel::work_group &&
           llvm::any_of(phi.incoming_values(),
                        [](const llvm::Use &use) { return llvm::isa<llvm::UndefValue>(use); });
  }

  bool is_divergent_call(const llvm::CallBase &call) const {
    auto primitive = called_primitive(call);
    if (primitive == Primitive::lane)
      return !is_of_rows();
    if (primitive == Primitive::sub_group_id || primitive == Primitive::sub_group)
      return !is_of_lanes();
    if (primitive && is_sub_group_operation(*primitive)) // uniform ones are handled above
      return !is_of_lanes() || primitive != Primitive::sub_group_shuffle;
    if (primitive == Primitive::local_id)
      return is_divergent_id(constant_dimension(llvm::cast<llvm::CallInst>(call)));
    if (primitive == Primitive::active_lanes)
      return level_ != UniformityLevel::sub_group;
    if (primitive && is_group_operation(*primitive))
      return false;
    if (llvm::isa<llvm::IntrinsicInst>(call) && call.onlyReadsMemory())
      return false; // a masked load or gather is treated like a load
    return !call.doesNotAccessMemory();
  }

  bool is_divergent_id(std::optional<unsigned> dimension) const {
    if (level_ == UniformityLevel::sub_group)
      return false;
    if (level_ == UniformityLevel::work_group || level_ == UniformityLevel::group_at_once)
      return true;
    return !dimension || level_ == UniformityLevel::lanes || along_dimension(*dimension) == level_;
  }

  // The compared sub-groups differ in exactly one local id.
  bool is_of_rows() const {
    return level_ == UniformityLevel::along_x || level_ == UniformityLevel::along_y ||
           level_ == UniformityLevel::along_z;
  }

  bool is_of_lanes() const {
    return level_ == UniformityLevel::sub_group || level_ == UniformityLevel::lanes;
  }

  UniformityLevel level_;
  const llvm::SmallPtrSetImpl<const llvm::Instruction *> &behind_loops_; // see divergent_exits.h
};

} // namespace

Uniformity::Uniformity(llvm::Function &function, const llvm::DominatorTree &dominators,
                       UniformityLevel level)
    : sources_(
          std::make_unique<llvm::TargetTransformInfo>(std::make_unique<const DivergenceSources>(
              function.getParent()->getDataLayout(), level, behind_loops_))),
      cycles_(std::make_unique<llvm::CycleInfo>()) {
  cycles_->compute(function);
  size_t known;
  do { // exits that LLVM missed may make more branches divergent
    known = behind_loops_.size();
    info_ = std::make_unique<llvm::UniformityInfo>(dominators, *cycles_, sources_.get());
    info_->compute();
    find_differences_behind_loops(
        function, dominators,
        [&](const llvm::BasicBlock &block) { return info_->hasDivergentTerminator(block); },
        behind_loops_);
  } while (behind_loops_.size() != known);
}

bool Uniformity::is_uniform_everywhere(const llvm::Value &value) const {
  if (llvm::isa<llvm::Constant>(value)) // constants that are plain data have no use list
    return true;
  if (!is_uniform(value))
    return false;
  for (const llvm::Use &use : value.uses())
    if (!is_uniform_use(use))
      return false;
  return true;
}

llvm::PreservedAnalyses UniformityPrinterPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &analyses) {
  Uniformity uniformity(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                        level_);
  llvm::outs() << "uniformity in the "
               << (level_ == UniformityLevel::work_group ? "work-group" : "sub-group") << " of "
               << function.getName() << '\n';
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    bool uniform = instruction.isTerminator()
                       ? uniformity.has_uniform_branch(*instruction.getParent())
                       : uniformity.is_uniform_everywhere(instruction);
    llvm::outs() << (uniform ? "uniform  " : "divergent") << instruction << '\n';
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
