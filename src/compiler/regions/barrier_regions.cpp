#include "compiler/regions/barrier_regions.h"

#include "kernel_ir/primitives.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

namespace lockstep::compiler {

namespace {

bool holds_operation(const llvm::BasicBlock &block) {
  return is_group_operation(block.front());
}

} // namespace

BarrierRegions::BarrierRegions(llvm::Function &function) {
  regions_.push_back({nullptr, {&function.getEntryBlock()}, {}, false});
  for (llvm::BasicBlock &block : function)
    if (holds_operation(block))
      regions_.push_back({&block.front(), {block.getSingleSuccessor()}, {}, false});

  for (BarrierRegion &region : regions_) {
    llvm::SetVector<llvm::BasicBlock *> blocks;
    llvm::SetVector<unsigned> successors;
    llvm::SmallVector<llvm::BasicBlock *> open = {region.blocks.front()};
    while (!open.empty()) {
      llvm::BasicBlock *block = open.pop_back_val();
      if (holds_operation(*block)) {
        successors.insert(region_after(*block));
        continue;
      }
      if (!blocks.insert(block))
        continue;
      region.reaches_end |= llvm::isa<llvm::ReturnInst>(block->getTerminator());
      for (llvm::BasicBlock *next : llvm::reverse(llvm::successors(block)))
        open.push_back(next);
    }
    region.blocks.assign(blocks.begin(), blocks.end());
    region.successors.assign(successors.begin(), successors.end());
  }
}

unsigned BarrierRegions::region_after(const llvm::BasicBlock &block) const {
  for (unsigned index = 1; index != regions_.size(); ++index)
    if (regions_[index].operation->getParent() == &block)
      return index;
  llvm_unreachable("not a block of a group operation");
}

bool BarrierRegions::is_in_cycle(unsigned index) const {
  llvm::SmallVector<unsigned> open(regions_[index].successors);
  std::vector<bool> seen(regions_.size());
  while (!open.empty()) {
    unsigned next = open.pop_back_val();
    if (next == index)
      return true;
    if (seen[next])
      continue;
    seen[next] = true;
    open.append(regions_[next].successors);
  }
  return false;
}

llvm::PreservedAnalyses BarrierRegionsPrinterPass::run(llvm::Function &function,
                                                       llvm::FunctionAnalysisManager &) {
  BarrierRegions regions(function);
  for (unsigned index = 0; index != regions.regions().size(); ++index) {
    const BarrierRegion &region = regions.regions()[index];
    llvm::outs() << "region " << index << ':';
    for (llvm::BasicBlock *block : region.blocks) {
      llvm::outs() << ' ';
      block->printAsOperand(llvm::outs(), /*PrintType=*/false);
    }
    llvm::outs() << " ->";
    for (unsigned next : region.successors)
      llvm::outs() << ' ' << next;
    if (region.reaches_end)
      llvm::outs() << " end";
    llvm::outs() << (regions.is_in_cycle(index) ? " (repeats)\n" : "\n");
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
