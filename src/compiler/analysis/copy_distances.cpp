#include "compiler/analysis/copy_distances.h"

#include "kernel_ir/primitives.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace lockstep::compiler {

namespace {

// True for a mask of at least 32 bits that only re-extends a narrow integer, possibly multiplied by
// a power of two.
bool is_mask_of_number(const llvm::APInt &mask, uint64_t distance) {
  return mask.isShiftedMask() && mask.popcount() >= 32 &&
         distance % (uint64_t{1} << mask.countr_zero()) == 0;
}

} // namespace

std::optional<int64_t> CopyDistances::of(const llvm::Value &value) {
  if (!repeated_.contains(&value))
    return 0;
  return of_terms(expressions_.of(value, depth()));
}

std::optional<int64_t> CopyDistances::of_terms(const IndexExpression &expression) {
  uint64_t sum = 0;
  for (const IndexExpression::Term &term : expression.terms) {
    const auto distance = of_symbol(term.symbol);
    if (!distance)
      return std::nullopt;
    sum += uint64_t(term.coefficient) * uint64_t(*distance);
  }
  return llvm::SignExtend64(sum, expression.bits);
}

// Copies of a value in a loop may belong to different iterations, if the copies leave it at
// different times.
bool CopyDistances::runs_alike(const llvm::Value &value) const {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || wraps_ == Wraps::are_ignored)
    return true;
  llvm::SmallVector<llvm::BasicBlock *> exiting;
  for (const llvm::Loop *loop = expressions_.loops().getLoopFor(instruction->getParent()); loop;
       loop = loop->getParentLoop())
    loop->getExitingBlocks(exiting);
  return llvm::none_of(exiting, [&](const llvm::BasicBlock *block) {
    return llvm::any_of(block->getTerminator()->operands(),
                        [&](const llvm::Use &use) { return repeated_.contains(use.get()); });
  });
}

std::optional<int64_t> CopyDistances::of_symbol(const IndexSymbol &symbol) {
  if (!symbol.value)
    return 0;
  const llvm::Value &value = *symbol.value;
  if (!runs_alike(value))
    return std::nullopt;
  if (!repeated_.contains(&value))
    return 0;
  auto known = known_.find(&value);
  if (known == known_.end()) {
    known_[&value] = std::nullopt; // while it is visited
    const auto distance = of_repeated(value);
    known = known_.insert_or_assign(&value, distance).first;
  }
  // An extension of equal values is equal; others may wrap.
  return symbol.extension == Extension::none || known->second == 0 ? known->second : std::nullopt;
}

std::optional<int64_t> CopyDistances::of_repeated(const llvm::Value &value) {
  using namespace llvm::PatternMatch;
  if (const auto id = called_primitive(value);
      id == Primitive::local_id || id == Primitive::group_id)
    return step_;
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&value))
    return of_phi(*phi);
  // A frozen poison value may be any number, also the one at this distance.
  if (llvm::isa<llvm::AddrSpaceCastInst, llvm::TruncInst, llvm::FreezeInst>(value))
    return of(*llvm::cast<llvm::UnaryInstruction>(value).getOperand(0));
  const llvm::Value *masked = nullptr;
  const llvm::APInt *mask = nullptr;
  if (wraps_ == Wraps::are_ignored && match(&value, m_And(m_Value(masked), m_APInt(mask))))
    if (const auto distance = of(*masked);
        distance && is_mask_of_number(*mask, uint64_t(*distance)))
      return distance;
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  if (operation && llvm::all_of(operation->operands(),
                                [&](const llvm::Use &operand) { return of(*operand) == 0; }))
    return 0;
  return std::nullopt;
}

// The copies of an induction variable keep the distance of their starts.
std::optional<int64_t> CopyDistances::of_phi(const llvm::PHINode &phi) {
  if (const auto induction = expressions_.induction(phi, depth()))
    return of_terms(induction->step) == 0 ? of(*induction->start) : std::nullopt;
  return wraps_ == Wraps::are_ignored ? of_incoming_values(phi) : std::nullopt;
}

// Holds only if all copies come along the same edge.
std::optional<int64_t> CopyDistances::of_incoming_values(const llvm::PHINode &phi) {
  std::optional<int64_t> common;
  for (const llvm::Use &incoming : phi.incoming_values()) {
    const auto distance = of(*incoming);
    if (!distance || (common && common != distance))
      return std::nullopt;
    common = distance;
  }
  return common;
}

llvm::SmallPtrSet<const llvm::Value *, 32> values_of_group(llvm::Function &function,
                                                           unsigned dimension) {
  llvm::SmallPtrSet<const llvm::Value *, 32> values;
  llvm::SmallVector<const llvm::Value *> open;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == Primitive::group_id &&
        constant_dimension(llvm::cast<llvm::CallInst>(instruction)) == dimension &&
        values.insert(&instruction).second)
      open.push_back(&instruction);
  while (!open.empty())
    for (const llvm::User *user : open.pop_back_val()->users())
      if (values.insert(user).second)
        open.push_back(user);
  return values;
}

} // namespace lockstep::compiler
