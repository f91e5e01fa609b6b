// Barrier regions: the code that a work-item can execute between two group operations.
//
// Loop fission, the classical method, inspects where a barrier is in the source (in a loop, in a
// branch) and splits loops there. Each new shape of control flow needs a new case. Here a region
// belongs to a group operation, and one region belongs to the kernel's entry. A region holds all
// blocks that are reachable after its operation without passing another group operation. A
// work-item that starts the region runs to the next group operation or to the end of the kernel.
// OpenCL requires that all work-items of a group reach the same barriers, so all of them agree on
// which one is next. So any control flow is correct: loops, branches, nests, early returns of the
// whole group. (Karrenberg and Hack call this continuation-based synchronization; LLVM's coroutines
// split in the same way.)
//
// The cost: a block that is reachable from two operations without passing a third (a loop header)
// is in two regions and is compiled twice.
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
  // The group operation before the region; null: the kernel's entry.
  llvm::Instruction *operation = nullptr;
  // The first block is the entry; no block holds a group operation.
  llvm::SmallVector<llvm::BasicBlock *> blocks;
  llvm::SmallVector<unsigned> successors; // regions whose operation can be reached next
  bool reaches_end = false;               // the kernel can end in this region
};

class BarrierRegions {
public:
  // Requires a function in the form that isolate-group-operations produces. regions()[0] is the
  // entry's region.
  explicit BarrierRegions(llvm::Function &function);

  const std::vector<BarrierRegion> &regions() const { return regions_; }
  // True if a work-item can execute region `index` twice.
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
