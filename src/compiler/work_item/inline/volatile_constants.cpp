// Drops `volatile` from private variables that are written once, before they are read.
//
// CLBlast writes `volatile int tid = get_local_id(0) + 16 * get_local_id(1);` to keep a GPU's
// compiler from rematerializing the value. Here each lane would store and load it separately, and
// the loaded value would be unknown: all accesses addressed by it would become gathers and
// scatters.
//
// No other thread sees private memory. Variables with several writes do not change, for loops that
// are meant to take time.
//
// Requires: any function.
// Ensures: accesses of such variables are not volatile, if the variable's address has no other use.
//
// Position: after inlining, before the last SROA promotes variables to values.
#include "compiler/work_item/inline/passes.h"

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
