#include "compiler/analysis/bypassed_blocks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/CFG.h"

namespace lockstep::compiler {

// Removes blocks without predecessors until there are none. The blocks that are left have a cycle.
bool can_bypass(llvm::ArrayRef<llvm::BasicBlock *> cycle, const llvm::BasicBlock &block) {
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> edges_in;
  for (const llvm::BasicBlock *each : cycle)
    if (each != &block)
      edges_in[each] = 0;
  auto for_next = [&](const llvm::BasicBlock &from, auto act) {
    for (const llvm::BasicBlock *to : llvm::successors(&from))
      if (const auto found = edges_in.find(to); found != edges_in.end())
        act(*found);
  };
  for (const llvm::BasicBlock *from : cycle)
    if (from != &block)
      for_next(*from, [](auto &to) { ++to.second; });
  llvm::SmallVector<const llvm::BasicBlock *> removable;
  for (const auto &[each, count] : edges_in)
    if (count == 0)
      removable.push_back(each);
  for (size_t removed = 0; removed != removable.size(); ++removed)
    for_next(*removable[removed], [&](auto &to) {
      if (--to.second == 0)
        removable.push_back(to.first);
    });
  return removable.size() != edges_in.size();
}

} // namespace lockstep::compiler
