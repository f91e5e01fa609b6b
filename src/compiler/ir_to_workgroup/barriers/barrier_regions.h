// Barrier regions: what one work-item can execute between two group operations.
//
// The classical way, loop fission, asks where a barrier stands in the source (in a loop? in a
// branch?) and cuts loops there; every new shape of control flow needs a new case, and the cases
// are where implementations go wrong. Here a region belongs to a group operation (and one to the
// kernel's entry): all blocks that can be reached after it without passing another one. A work-item
// that starts the region runs through it to the next group operation or to the end of the kernel;
// which one that is, all work-items of a group agree on, since OpenCL demands that they meet the
// same barriers. So any control flow is right: loops, branches, nests, early returns of the whole
// group. (Karrenberg and Hack call it continuation-based synchronisation; LLVM coroutines split the
// same way.)
//
// The price: a block that can be reached from two operations without passing a third (a loop
// header) is in two regions and gets compiled twice.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

#include <vector>

namespace llvm {
class BasicBlock;
class Instruction;
} // namespace llvm

namespace lockstep::compiler {

struct BarrierRegion {
  llvm::Instruction *operation =
      nullptr; // the group operation before the region; null: the kernel's entry
  llvm::SmallVector<llvm::BasicBlock *>
      blocks;                             // the first is the entry; none holds a group operation
  llvm::SmallVector<unsigned> successors; // regions whose operation is reached next
  bool reaches_end = false;               // the kernel can end in this region
};

class BarrierRegions {
public:
  // `function` as isolate-group-operations leaves it. regions()[0] is the entry's.
  explicit BarrierRegions(llvm::Function &function);

  const std::vector<BarrierRegion> &regions() const { return regions_; }
  // True if a work-item can be in region `index` twice.
  bool is_in_cycle(unsigned index) const;
  // The region that starts after the group operation in `block`.
  unsigned region_after(const llvm::BasicBlock &block) const;

private:
  std::vector<BarrierRegion> regions_;
};

class BarrierRegionsPrinterPass : public llvm::PassInfoMixin<BarrierRegionsPrinterPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
