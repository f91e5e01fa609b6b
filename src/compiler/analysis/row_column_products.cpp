#include "compiler/analysis/row_column_products.h"

#include "abi/address_spaces.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

using Values = llvm::SmallPtrSet<const llvm::Value *, 32>;

// The values that are computed from ids of dimension 0, or from those of the others.
Values values_of_ids(const llvm::Function &function, bool of_rows) {
  Values found;
  llvm::SmallVector<const llvm::Value *> open;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    const auto primitive = called_primitive(instruction);
    if (primitive != Primitive::local_id && primitive != Primitive::group_id)
      continue;
    const auto dimension = constant_dimension(llvm::cast<llvm::CallInst>(instruction));
    if (!dimension || (*dimension != 0) == of_rows) {
      found.insert(&instruction);
      open.push_back(&instruction);
    }
  }
  while (!open.empty())
    for (const llvm::User *user : open.pop_back_val()->users())
      if (!user->getType()->isVoidTy() && found.insert(user).second)
        open.push_back(user);
  return found;
}

// The value before casts of integers.
const llvm::Value *without_casts(const llvm::Value *value) {
  while (auto *cast = llvm::dyn_cast_or_null<llvm::CastInst>(value))
    value = cast->getOperand(0);
  return value;
}

class Products {
public:
  Products(const llvm::Function &function, IndexExpressions &expressions)
      : expressions_(expressions), of_columns_(values_of_ids(function, /*of_rows=*/false)),
        of_rows_(values_of_ids(function, /*of_rows=*/true)) {}

  // Whether each iteration adds products to the phi, and does nothing else with it.
  bool are_added_to(const llvm::PHINode &phi, const llvm::Loop &loop) {
    const llvm::BasicBlock *latch = loop.getLoopLatch();
    if (!latch)
      return false;
    const llvm::Value *sum = &phi;
    do {
      const llvm::Instruction *added = only_user(*sum, loop);
      if (!added)
        return false;
      Factors factors;
      if (is_multiply_add(*added) && added->getOperand(2) == sum) {
        find_factors(*added->getOperand(0), loop, factors);
        find_factors(*added->getOperand(1), loop, factors);
      } else if (added->getOpcode() == llvm::Instruction::FAdd ||
                 added->getOpcode() == llvm::Instruction::Add) {
        find_factors(*added->getOperand(added->getOperand(0) == sum ? 1 : 0), loop, factors);
      } else {
        return false;
      }
      if (!factors.of_row || !factors.of_column || factors.others)
        return false;
      sum = added;
    } while (sum != phi.getIncomingValueForBlock(latch));
    return true;
  }

private:
  // What a summand is computed from, beside values from before the loop.
  struct Factors {
    bool of_row = false, of_column = false, others = false;
  };

  static bool is_multiply_add(const llvm::Instruction &instruction) {
    auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return intrinsic && (intrinsic->getIntrinsicID() == llvm::Intrinsic::fmuladd ||
                         intrinsic->getIntrinsicID() == llvm::Intrinsic::fma);
  }
  static const llvm::Instruction *only_user(const llvm::Value &value, const llvm::Loop &loop) {
    const llvm::Instruction *found = nullptr;
    for (const llvm::User *user : value.users())
      if (auto *instruction = llvm::cast<llvm::Instruction>(user);
          instruction != found && loop.contains(instruction)) {
        if (found)
          return nullptr;
        found = instruction;
      }
    return found;
  }
  void find_factors(const llvm::Value &value, const llvm::Loop &loop, Factors &factors,
                    unsigned depth = 0) {
    if (loop.isLoopInvariant(&value))
      return;
    auto &instruction = llvm::cast<llvm::Instruction>(value);
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      (is_of_row(*load)      ? factors.of_row
       : is_of_column(*load) ? factors.of_column
                             : factors.others) = true;
      return;
    }
    if (depth == limits::search_depth ||
        !(llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst>(instruction) ||
          is_multiply_add(instruction))) {
      factors.others = true;
      return;
    }
    for (const llvm::Use &operand : instruction.operands())
      if (!llvm::isa<llvm::Function>(operand))
        find_factors(*operand, loop, factors, depth + 1);
  }
  // A tile in local memory belongs to rows of its own.
  bool is_of_row(const llvm::LoadInst &load) const {
    const llvm::Value *pointer = load.getPointerOperand();
    return !of_columns_.contains(pointer) &&
           (of_rows_.contains(pointer) || load.getPointerAddressSpace() == local_space);
  }
  bool is_of_column(const llvm::LoadInst &load) {
    const llvm::Value *pointer = load.getPointerOperand();
    if (!of_columns_.contains(pointer) || of_rows_.contains(pointer))
      return false;
    const auto size = load.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue();
    bool are_neighbors = false;
    for (const IndexExpression::Term &term : expressions_.of(*pointer, Depth::address).terms) {
      const llvm::Value *value = without_casts(term.symbol.value);
      if (value && called_primitive(*value) == Primitive::local_id)
        are_neighbors = uint64_t(term.coefficient) == size;
      else if (!value ||
               (of_columns_.contains(value) && called_primitive(*value) != Primitive::group_id))
        return false;
    }
    return are_neighbors;
  }

  IndexExpressions &expressions_;
  Values of_columns_, of_rows_;
};

} // namespace

unsigned bits_of_row_column_products(const llvm::Function &function,
                                     IndexExpressions &expressions) {
  if (expressions.loops().empty())
    return 0;
  Products products(function, expressions);
  unsigned bits = 0;
  for (const llvm::Loop *loop : expressions.loops().getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    const llvm::PHINode *sum = nullptr;
    for (const llvm::PHINode &phi : loop->getHeader()->phis()) {
      if (phi.getType()->isPtrOrPtrVectorTy() || expressions.induction(phi))
        continue;
      if (sum || !products.are_added_to(phi, *loop))
        return 0;
      sum = &phi;
    }
    if (sum)
      bits = std::max(bits, sum->getType()->getScalarSizeInBits());
  }
  return bits;
}

} // namespace lockstep::compiler
