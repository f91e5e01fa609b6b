// Keeps vector loads and constants out of the three-input logic instructions of AVX-512.
//
// LLVM 22's code generator selects one masked vpternlog with a memory operand for `select mask, (a
// ^ (b & (load ^ a))), a`, with its operands in the wrong order (in plain C as well). If the logic
// sees the load only through a freeze, the load stays a separate instruction, and the code is
// correct. A constant is a memory operand, too, and a freeze does not keep it out. In that case the
// logic is behind a fence, and the select is a separate instruction.
//
// Position: last, after LLVM's loop vectorizer, which also creates such loads.
//
// Upstream: llvm/llvm-project#157929, fixed in LLVM 23.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/target_model/target_model.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

// Whether the load's only user, through bitcasts, is an and, or, xor. Other loads are not folded
// into a logic instruction.
bool is_operand_of_logic(const llvm::LoadInst &load) {
  const llvm::Instruction *value = &load;
  while (value->hasOneUse()) {
    auto *user = llvm::cast<llvm::Instruction>(*value->user_begin());
    if (user->isBitwiseLogicOp())
      return user->getType()->isVectorTy();
    if (!llvm::isa<llvm::BitCastInst>(user))
      return false;
    value = user;
  }
  return false;
}

const llvm::Value *without_casts(const llvm::Value *value) {
  while (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(value))
    value = cast->getOperand(0);
  return value;
}

// The operands of a tree of logic instructions.
struct LogicOperands {
  bool has_constant = false; // a constant is read from memory
  bool has_value = false;    // the value that `collect` looks for
  unsigned operations = 0;
};

constexpr unsigned depth_of_logic = 5; // deeper trees are not combined

void collect(const llvm::Value *value, const llvm::Value *wanted, unsigned depth,
             LogicOperands &found) {
  value = without_casts(value);
  found.has_value |= value == wanted;
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(value))
    found.has_constant |= !constant->isNullValue() && !constant->isAllOnesValue();
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth == 0)
    return;
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
  bool takes_sign = call && call->getIntrinsicID() == llvm::Intrinsic::copysign;
  if (!instruction->isBitwiseLogicOp() && !takes_sign)
    return;
  found.operations += takes_sign ? 2 : 1;
  found.has_constant |= takes_sign; // the mask of the sign bit
  for (const llvm::Value *operand : instruction->operand_values())
    if (operand->getType()->isVectorTy())
      collect(operand, wanted, depth - 1, found);
}

bool has_mask(const llvm::SelectInst &select) {
  unsigned bits = select.getType()->getScalarSizeInBits(); // other elements have no masked logic
  return llvm::isa<llvm::FixedVectorType>(select.getCondition()->getType()) &&
         (bits == 32 || bits == 64);
}

// In `select mask, a logic (b logic constant), a`, returns the arm with the logic.
llvm::Use *logic_with_constant(llvm::SelectInst &select) {
  for (unsigned arm : {1u, 2u}) {
    LogicOperands found;
    collect(select.getOperand(arm), without_casts(select.getOperand(3 - arm)), depth_of_logic,
            found);
    if (found.operations > 1 && found.has_constant && found.has_value)
      return &select.getOperandUse(arm);
  }
  return nullptr;
}

// The code generator creates the same from `a logic (select mask, a logic constant, 0)`.
llvm::Use *logic_with_constant(llvm::BinaryOperator &logic) {
  for (unsigned side : {0u, 1u}) {
    auto *select = llvm::dyn_cast<llvm::SelectInst>(logic.getOperand(side));
    if (!select || !has_mask(*select))
      continue;
    for (unsigned arm : {1u, 2u}) {
      auto *other = llvm::dyn_cast<llvm::Constant>(select->getOperand(3 - arm));
      if (!other || !(other->isNullValue() || other->isAllOnesValue()))
        continue;
      LogicOperands found;
      collect(select->getOperand(arm), without_casts(logic.getOperand(1 - side)), depth_of_logic,
              found);
      if (found.operations > 0 && found.has_constant && found.has_value)
        return &select->getOperandUse(arm);
    }
  }
  return nullptr;
}

llvm::Use *logic_with_constant(llvm::Instruction &instruction) {
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
    return has_mask(*select) ? logic_with_constant(*select) : nullptr;
  auto *logic = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  return logic && logic->isBitwiseLogicOp() ? logic_with_constant(*logic) : nullptr;
}

// The fence intrinsic requires floats; it emits no instruction.
void fence(llvm::Use &use) {
  llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(use.getUser()));
  llvm::Value *value = use.get();
  auto *type = llvm::cast<llvm::FixedVectorType>(value->getType());
  llvm::Type *element =
      type->getScalarSizeInBits() == 32 ? builder.getFloatTy() : builder.getDoubleTy();
  llvm::Value *floats =
      builder.CreateBitCast(value, llvm::FixedVectorType::get(element, type->getNumElements()));
  floats =
      builder.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {floats->getType()}, {floats});
  use.set(builder.CreateBitCast(floats, type, "apart"));
}

} // namespace

llvm::PreservedAnalyses KeepLoadsOutOfLogicPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  if (!target_model(target_)->needs(Workaround::keep_loads_out_of_logic))
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::LoadInst *> loads;
  llvm::SmallVector<llvm::Use *> with_constants;
  bool has_masks = false; // without a vector select nothing is masked
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    has_masks |= select && select->getCondition()->getType()->isVectorTy();
    if (llvm::Use *use = logic_with_constant(instruction))
      with_constants.push_back(use);
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        load && load->getType()->isVectorTy() && is_operand_of_logic(*load))
      loads.push_back(load);
  }
  for (llvm::Use *use : with_constants)
    fence(*use);
  if (with_constants.empty() && (!has_masks || loads.empty()))
    return llvm::PreservedAnalyses::all();
  for (llvm::LoadInst *load : loads) {
    llvm::IRBuilder<> builder(load->getNextNode());
    auto *kept = llvm::cast<llvm::Instruction>(builder.CreateFreeze(load, "kept"));
    load->replaceUsesWithIf(kept, [&](const llvm::Use &use) { return use.getUser() != kept; });
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
