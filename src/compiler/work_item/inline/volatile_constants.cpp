#include "compiler/work_item/inline/volatile_constants.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

struct Accesses {
  llvm::StoreInst *store = nullptr; // the only one
  llvm::SmallVector<llvm::LoadInst *> loads;
};

// Returns nullopt if the variable has other uses, or is not of single-value type.
std::optional<Accesses> accesses_of(llvm::AllocaInst &variable) {
  Accesses accesses;
  llvm::Type *type = variable.getAllocatedType();
  if (!type->isSingleValueType())
    return std::nullopt;
  for (llvm::User *user : variable.users()) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->getType() != type || load->isAtomic())
        return std::nullopt;
      accesses.loads.push_back(load);
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (accesses.store || store->getValueOperand() == &variable || store->isAtomic() ||
          store->getValueOperand()->getType() != type)
        return std::nullopt;
      accesses.store = store;
    } else if (auto *mark = llvm::dyn_cast<llvm::IntrinsicInst>(user);
               !mark || !mark->isLifetimeStartOrEnd()) {
      return std::nullopt;
    }
  }
  return accesses.store ? std::optional(accesses) : std::nullopt;
}

} // namespace

llvm::PreservedAnalyses VolatileConstantsPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &analyses) {
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    const auto accesses = variable ? accesses_of(*variable) : std::nullopt;
    if (!accesses || !accesses->store->isVolatile())
      continue;
    const auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    if (!llvm::all_of(accesses->loads, [&](const llvm::LoadInst *load) {
          return dominators.dominates(accesses->store, load);
        }))
      continue;
    accesses->store->setVolatile(false);
    for (llvm::LoadInst *load : accesses->loads)
      load->setVolatile(false);
    changed = true;
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
