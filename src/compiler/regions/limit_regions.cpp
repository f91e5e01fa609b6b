// Selects the coroutine form for a kernel if loops between its barriers would multiply its code.
//
// Requires: the kernel after linearization, in loop form.
// Ensures: sets the attribute of the coroutine form (form.h) if the barrier regions together hold
// more than `limit` instructions and more than four times those of the kernel. Nothing else
// changes.
//
// A block that several group operations reach is copied for each of them (barrier_regions.h). In an
// interpreter with a barrier in each operation, or in a linearized loop with gotos between
// barriers, each region holds nearly all of the code. The coroutine form has each block once. The
// pass skips kernels that only the loop form supports: one call runs several work-groups or a part
// of one, or the kernel updates privatized arguments.
#include "compiler/regions/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/work_item/arguments/privatized_reductions.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

class RegionSizes {
public:
  explicit RegionSizes(const llvm::Function &function) {
    for (const llvm::BasicBlock &block : function)
      starts_[&block] = run_from(block.begin());
    all_ = reached(function.getEntryBlock().begin());
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        if (is_group_operation(instruction))
          all_ += reached(std::next(instruction.getIterator()));
  }

  // The number of instructions of all regions together.
  uint64_t all() const { return all_; }

private:
  struct Run { // up to the next group operation or the end of the block
    uint64_t instructions;
    bool meets_operation;
  };

  static Run run_from(llvm::BasicBlock::const_iterator first) {
    const auto end = first->getParent()->end();
    const auto last =
        std::find_if(first, end, [](const llvm::Instruction &i) { return is_group_operation(i); });
    return {uint64_t(std::distance(first, last)), last != end};
  }

  uint64_t reached(llvm::BasicBlock::const_iterator first) const {
    const Run begin = run_from(first);
    uint64_t instructions = begin.instructions;
    if (begin.meets_operation)
      return instructions;
    llvm::SmallPtrSet<const llvm::BasicBlock *, 32> seen;
    llvm::SmallVector<const llvm::BasicBlock *> open(llvm::successors(first->getParent()));
    while (!open.empty()) {
      const llvm::BasicBlock *block = open.pop_back_val();
      if (!seen.insert(block).second)
        continue;
      const Run run = starts_.at(block);
      instructions += run.instructions;
      if (!run.meets_operation)
        open.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
    return instructions;
  }

  llvm::DenseMap<const llvm::BasicBlock *, Run> starts_;
  uint64_t all_ = 0;
};

bool needs_loop_form(const llvm::Function &kernel) {
  return !coalesced_groups(kernel).empty() || calls_per_group(kernel) != std::array{1U, 1U, 1U} ||
         first_dimension(kernel) != 0 || lane_dimension(kernel) != 0 ||
         !privatized_reductions(*kernel.getParent()).empty();
}

} // namespace

llvm::PreservedAnalyses LimitRegionsPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &) {
  if (is_resumable(function) || needs_loop_form(function))
    return llvm::PreservedAnalyses::all();
  const uint64_t all = RegionSizes(function).all();
  if (all <= limit_ || all <= limits::code_growth * function.getInstructionCount())
    return llvm::PreservedAnalyses::all();
  set_resumable(function);
  remark(function.getEntryBlock().front(), "barriers",
         "work-items are suspended at barriers: loops between them would repeat most of the code "
         "for each barrier");
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
