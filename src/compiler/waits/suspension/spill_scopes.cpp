#include "compiler/waits/suspension/spill_scopes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"

#include <optional>

namespace lockstep::compiler {

namespace {

bool is_of_kept_value(const llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->getName().contains(".reload") &&
           load->getPointerOperand()->getName().contains(".reload.addr");
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store && store->getPointerOperand()->getName().contains(".spill.addr");
}

// The place of a kept value, as its distance from the frame.
std::optional<int64_t> place_of(const llvm::Value &pointer, const llvm::DataLayout &layout) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
  const llvm::Value *frame =
      pointer.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return llvm::isa<llvm::Argument>(frame) ? std::optional(offset.getSExtValue()) : std::nullopt;
}

} // namespace

void forward_kept_values(llvm::Function &function) {
  const llvm::DataLayout &layout = function.getDataLayout();
  llvm::DenseMap<int64_t, llvm::StoreInst *> stores; // null: there are several
  llvm::SmallVector<llvm::LoadInst *> loads;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!is_of_kept_value(instruction))
      continue;
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      loads.push_back(load);
    } else {
      auto &store = llvm::cast<llvm::StoreInst>(instruction);
      if (const auto place = place_of(*store.getPointerOperand(), layout))
        if (auto [known, is_new] = stores.try_emplace(*place, &store); !is_new)
          known->second = nullptr;
    }
  }
  const llvm::DominatorTree dominators(function);
  for (llvm::LoadInst *load : loads) {
    const auto place = place_of(*load->getPointerOperand(), layout);
    llvm::StoreInst *store = place ? stores.lookup(*place) : nullptr;
    if (!store || store->getValueOperand()->getType() != load->getType() ||
        !dominators.dominates(store, load))
      continue;
    load->replaceAllUsesWith(store->getValueOperand());
    load->eraseFromParent();
  }
}

void add_spill_scopes(llvm::Function &function) {
  llvm::MDBuilder metadata(function.getContext());
  llvm::MDNode *domain = metadata.createAnonymousAliasScopeDomain("lockstep.frame");
  llvm::MDNode *kept = llvm::MDNode::get(
      function.getContext(), {metadata.createAnonymousAliasScope(domain, "lockstep.kept")});
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!instruction.mayReadOrWriteMemory())
      continue;
    unsigned kind = is_of_kept_value(instruction) ? llvm::LLVMContext::MD_alias_scope
                                                  : llvm::LLVMContext::MD_noalias;
    instruction.setMetadata(kind, llvm::MDNode::concatenate(instruction.getMetadata(kind), kept));
  }
}

} // namespace lockstep::compiler
