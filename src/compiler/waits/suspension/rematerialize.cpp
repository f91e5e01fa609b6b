#include "compiler/waits/suspension/rematerialize.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Limit of instructions per value: a resumption executes all of them, and a suspension without them
// moves the value through memory twice.
constexpr unsigned most_instructions = limits::recomputed_code * limits::code_growth;

bool is_quick(const llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) // of the launch's structs
    return load->isSimple() && load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
  if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return binary->getType()->isIntOrIntVectorTy() &&
           (!binary->isIntDivRem() || llvm::isa<llvm::Constant>(binary->getOperand(1)));
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return llvm::isa<llvm::MinMaxIntrinsic>(intrinsic);
  return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst, llvm::SelectInst,
                   llvm::InsertElementInst, llvm::ShuffleVectorInst, llvm::FreezeInst>(instruction);
}

// The instructions that compute a value, and the values they start from, which the frame has to
// keep.
struct Recipe {
  llvm::SmallPtrSet<const llvm::Instruction *, 16> steps, kept;

  void add(const llvm::Instruction &instruction) {
    if (steps.size() > most_instructions || llvm::isa<llvm::AllocaInst>(instruction))
      return; // each function can compute a variable's address
    if (!is_quick(instruction)) {
      kept.insert(&instruction);
      return;
    }
    if (steps.insert(&instruction).second)
      for (const llvm::Use &use : instruction.operands())
        if (auto *operand = llvm::dyn_cast<llvm::Instruction>(use.get()))
          add(*operand);
  }
};

} // namespace

bool is_cheap_to_rematerialize(llvm::Instruction &instruction) {
  if (!is_quick(instruction))
    return false;
  Recipe recipe;
  recipe.add(instruction);
  if (recipe.steps.size() > most_instructions || recipe.kept.size() > 1)
    return false;
  const llvm::DataLayout &layout = instruction.getModule()->getDataLayout();
  for (const llvm::Instruction *kept : recipe.kept)
    if (kept->getType()->isTokenTy() ||
        layout.getTypeStoreSize(kept->getType()) > layout.getTypeStoreSize(instruction.getType()))
      return false;
  return true;
}

} // namespace lockstep::compiler
