#include "compiler/lanes/ids/values_of_phis.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

// What a branch says of a value: its low bits are those of a number.
struct KnownValue {
  const llvm::Value *value;
  llvm::KnownBits bits;
};

// What a condition with this result says of a value.
std::optional<KnownValue> known_value(const llvm::Value &condition, bool result) {
  llvm::CmpPredicate predicate;
  const llvm::Value *compared = nullptr, *value = nullptr;
  const llvm::APInt *number = nullptr, *mask = nullptr;
  if (!match(&condition, m_ICmp(predicate, m_Value(compared), m_APInt(number))) ||
      predicate != (result ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE))
    return std::nullopt;
  value = compared;
  if (match(compared, m_And(m_Value(value), m_APInt(mask)))) {
    if (!mask->isMask() || !number->isSubsetOf(*mask))
      return std::nullopt;
    return KnownValue{value, llvm::KnownBits::makeConstant(number->trunc(mask->countr_one()))
                                 .anyext(mask->getBitWidth())};
  }
  if (match(compared, m_Trunc(m_Value(value))))
    return KnownValue{value, llvm::KnownBits::makeConstant(*number).anyext(
                                 value->getType()->getScalarSizeInBits())};
  return KnownValue{value, llvm::KnownBits::makeConstant(*number)};
}

std::optional<KnownValue> known_on_edge(const llvm::BasicBlock &from, const llvm::BasicBlock &to) {
  const llvm::BasicBlock *before = &from, *behind = &to;
  for (unsigned depth = 0; before && depth != limits::search_depth; ++depth) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (!branch)
      return std::nullopt;
    if (branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1))
      if (auto known = known_value(*branch->getCondition(), branch->getSuccessor(0) == behind))
        return known;
    behind = before;
    before = before->getSinglePredecessor();
  }
  return std::nullopt;
}

llvm::KnownBits bits_of(const llvm::BinaryOperator &operation, const llvm::KnownBits &one,
                        const llvm::KnownBits &other) {
  switch (operation.getOpcode()) {
  case llvm::Instruction::Add:
    return llvm::KnownBits::add(one, other);
  case llvm::Instruction::Sub:
    return llvm::KnownBits::sub(one, other);
  case llvm::Instruction::Mul:
    return llvm::KnownBits::mul(one, other);
  case llvm::Instruction::Shl:
    return llvm::KnownBits::shl(one, other);
  case llvm::Instruction::LShr:
    return llvm::KnownBits::lshr(one, other);
  case llvm::Instruction::AShr:
    return llvm::KnownBits::ashr(one, other);
  case llvm::Instruction::Or:
    return one | other;
  case llvm::Instruction::And:
    return one & other;
  default:
    return llvm::KnownBits(one.getBitWidth());
  }
}

// The bits of `value` if `known` holds; nullopt if it is not arithmetic with constants.
std::optional<llvm::KnownBits> bits_if(const llvm::Value &value, const KnownValue &known,
                                       unsigned depth = 0) {
  const llvm::APInt *number = nullptr;
  if (&value == known.value)
    return known.bits;
  if (match(&value, m_APInt(number)))
    return llvm::KnownBits::makeConstant(*number);
  auto *operation = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!operation || depth == limits::search_depth ||
      !llvm::isa<llvm::BinaryOperator, llvm::TruncInst, llvm::ZExtInst, llvm::SExtInst>(operation))
    return std::nullopt;
  const auto one = bits_if(*operation->getOperand(0), known, depth + 1);
  if (!one)
    return std::nullopt;
  const unsigned bits = value.getType()->getScalarSizeInBits();
  if (llvm::isa<llvm::TruncInst>(operation))
    return one->trunc(bits);
  if (llvm::isa<llvm::CastInst>(operation))
    return llvm::isa<llvm::SExtInst>(operation) ? one->sext(bits) : one->zext(bits);
  const auto other = bits_if(*operation->getOperand(1), known, depth + 1);
  if (!other)
    return std::nullopt;
  return bits_of(llvm::cast<llvm::BinaryOperator>(*operation), *one, *other);
}

// Copies the arithmetic of bits_if to `builder`. Flags may not hold on all paths.
llvm::Value *copy_arithmetic(llvm::IRBuilder<> &builder, llvm::Value &value,
                             const KnownValue &known) {
  auto *operation = llvm::dyn_cast<llvm::Instruction>(&value);
  if (&value == known.value || !operation)
    return &value;
  llvm::Instruction *copy = operation->clone();
  copy->dropPoisonGeneratingFlags();
  for (llvm::Use &operand : copy->operands())
    operand.set(copy_arithmetic(builder, *operand, known));
  return builder.Insert(copy);
}

} // namespace

bool restore_values_of_phis(llvm::Function &function, const llvm::DominatorTree &dominators) {
  bool changed = false;
  for (llvm::BasicBlock &block : function)
    for (llvm::PHINode &phi : llvm::make_early_inc_range(block.phis())) {
      if (!phi.getType()->isIntegerTy() || phi.getNumIncomingValues() != 2)
        continue;
      const unsigned of_constant = llvm::isa<llvm::ConstantInt>(phi.getIncomingValue(1)) ? 1 : 0;
      auto *constant = llvm::dyn_cast<llvm::ConstantInt>(phi.getIncomingValue(of_constant));
      auto *value = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValue(1 - of_constant));
      if (!constant || !value)
        continue;
      const auto known = known_on_edge(*phi.getIncomingBlock(of_constant), block);
      if (!known)
        continue;
      const auto bits = bits_if(*value, *known);
      if (!bits || !bits->isConstant() || bits->getConstant() != constant->getValue() ||
          !dominators.dominates(known->value, &phi))
        continue;
      llvm::IRBuilder<> builder(&block, block.getFirstInsertionPt());
      phi.replaceAllUsesWith(copy_arithmetic(builder, *value, *known));
      phi.eraseFromParent();
      changed = true;
    }
  return changed;
}

} // namespace lockstep::compiler
