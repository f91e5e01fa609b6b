#include "compiler/regions/private_variables.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

// Collects the blocks that use `pointer` or an address derived from it; false if the address
// escapes.
bool collect_users(const llvm::Value &pointer,
                   llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &blocks,
                   llvm::SmallPtrSetImpl<const llvm::Value *> &seen) {
  if (!seen.insert(&pointer).second)
    return true;
  for (const llvm::Use &use : pointer.uses()) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    if (llvm::isa<llvm::LifetimeIntrinsic>(user))
      continue;
    blocks.insert(user->getParent());
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user))
      blocks.insert(phi->getIncomingBlock(use));
    if (llvm::isa<llvm::GetElementPtrInst, llvm::BitCastInst, llvm::AddrSpaceCastInst,
                  llvm::PHINode, llvm::SelectInst>(user)) {
      if (!collect_users(*user, blocks, seen))
        return false;
      continue;
    }
    bool is_address = llvm::isa<llvm::LoadInst, llvm::MemIntrinsic, llvm::ICmpInst>(user);
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user))
      is_address = store->getValueOperand() != use.get();
    if (!is_address)
      return false;
  }
  return true;
}

} // namespace

bool lives_across_operations(const llvm::AllocaInst &variable, const BarrierRegions &regions) {
  if (regions.regions().size() == 1)
    return false;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> blocks;
  llvm::SmallPtrSet<const llvm::Value *, 16> seen;
  if (!collect_users(variable, blocks, seen))
    return true;
  unsigned users = 0;
  for (unsigned index = 0; index != regions.regions().size(); ++index) {
    const BarrierRegion &region = regions.regions()[index];
    bool uses = llvm::any_of(region.blocks,
                             [&](llvm::BasicBlock *block) { return blocks.contains(block); }) ||
                (region.operation && blocks.contains(region.operation->getParent()));
    if (uses && (++users > 1 || regions.is_in_cycle(index)))
      return true;
  }
  return false;
}

} // namespace lockstep::compiler
