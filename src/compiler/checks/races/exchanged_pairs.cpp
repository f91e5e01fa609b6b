#include "compiler/checks/races/exchanged_pairs.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/expressions/expression_terms.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

namespace lockstep::compiler {

using namespace llvm::PatternMatch;

namespace {

// Products of such an index and a small scale do not wrap in 64 bits.
constexpr unsigned most_index_bits = 48;
constexpr int64_t largest_scale = int64_t{1} << 14;

enum class Extension { none, zero, sign, several };

// The low bits of a value. Indices with different low bits are different, however they are
// extended.
struct LowBits {
  const llvm::Value *value = nullptr;
  unsigned bits = 0;
  Extension extension = Extension::none; // how the given value extends them
};

LowBits low_bits(const llvm::Value *value) {
  LowBits result{value, value->getType()->getScalarSizeInBits()};
  auto narrow = [&result](unsigned bits, Extension extension) {
    if (bits >= result.bits)
      return;
    result.bits = bits;
    if (extension != Extension::none && result.extension != extension)
      result.extension = result.extension == Extension::none ? extension : Extension::several;
  };
  while (true) {
    llvm::Value *inner = nullptr;
    const llvm::APInt *mask = nullptr;
    if (match(result.value, m_ZExt(m_Value(inner))))
      narrow(inner->getType()->getScalarSizeInBits(), Extension::zero);
    else if (match(result.value, m_SExt(m_Value(inner))))
      narrow(inner->getType()->getScalarSizeInBits(), Extension::sign);
    else if (match(result.value, m_And(m_Value(inner), m_LowBitMask(mask))))
      narrow(mask->countr_one(), Extension::zero);
    else if (!match(result.value, m_Trunc(m_Value(inner))))
      return result;
    result.value = inner;
  }
}

bool is_same(const llvm::Value *one, const llvm::Value *other, unsigned bits) {
  const LowBits a = low_bits(one), b = low_bits(other);
  if (a.bits < bits || b.bits < bits)
    return a.value == b.value && a.bits == b.bits && a.extension == b.extension &&
           a.extension != Extension::several;
  const llvm::APInt *first = nullptr, *second = nullptr;
  return a.value == b.value || (match(a.value, m_APInt(first)) && match(b.value, m_APInt(second)) &&
                                first->trunc(bits) == second->trunc(bits));
}

struct Element { // element `index` of `scale` bytes, and a number of bytes that all work-items add
  LowBits index{};
  int64_t scale = 0, fixed = 0;
  LaunchExpressions::Sum added{};
};

class Pairs {
public:
  Pairs(const llvm::DominatorTree &dominators, LaunchExpressions &sums)
      : dominators_(dominators), sums_(sums) {}

  std::optional<ExchangedPairs> find(llvm::ArrayRef<const SharedAccess *> accesses) {
    std::vector<Element> elements;
    for (const SharedAccess *each : accesses) {
      auto element = element_of(*each);
      if (!element)
        return std::nullopt;
      elements.push_back(std::move(*element));
    }
    for (const Element &each : elements)
      for (unsigned own : {0u, 1u})
        if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(each.index.value);
            operation && is_of_launch(operation->getOperand(1 - own), limits::search_depth)) {
          own_ = low_bits(operation->getOperand(own));
          step_ = operation->getOperand(1 - own);
          bits_ = each.index.bits;
          if (own_.bits >= bits_ && are_pairs(accesses, elements))
            return result(elements.front());
        }
    return std::nullopt;
  }

private:
  std::optional<Element> element_of(const SharedAccess &access) {
    Element element;
    const llvm::DataLayout &layout = access.instruction->getModule()->getDataLayout();
    const llvm::Value *pointer = access.pointer;
    while (!llvm::isa<llvm::Argument, llvm::GlobalVariable>(pointer) && !member_of(*pointer)) {
      if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer)) {
        pointer = cast->getPointerOperand();
        continue;
      }
      auto *step = llvm::dyn_cast<llvm::GEPOperator>(pointer);
      llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variable;
      llvm::APInt fixed(64, 0);
      if (!step || step->getType()->isVectorTy() ||
          !step->collectOffset(layout, 64, variable, fixed))
        return std::nullopt;
      element.fixed += fixed.getSExtValue();
      for (const auto &[index, scale] : variable)
        if (!add(element, index, scale.getSExtValue()))
          return std::nullopt;
      pointer = step->getPointerOperand();
    }
    const auto size = static_cast<int64_t>(access.size);
    if (!element.index.value || size < 1 || size > element.scale || element.fixed < 0 ||
        element.fixed % element.scale + size > element.scale)
      return std::nullopt;
    return element;
  }

  bool add(Element &element, const llvm::Value *index, int64_t scale) {
    if (auto number = sums_.of(index); number && sum_terms::is_of_launch(number->sum)) {
      if (const unsigned bits = index->getType()->getIntegerBitWidth(); bits < 64)
        sum_terms::assume_fits(*number, bits, /*is_signed=*/true);
      append(fitting_, number->fitting);
      return sum_terms::add_to(element.added, number->sum, scale);
    }
    if (element.index.value || scale < 1 || scale > largest_scale)
      return false;
    // LLVM merges the extension of an index with its multiplication.
    llvm::Value *inner = nullptr;
    const llvm::APInt *left = nullptr, *right = nullptr;
    if (match(index, m_AShr(m_Shl(m_Value(inner), m_APInt(left)), m_APInt(right))) &&
        left->ult(64) && left->uge(*right) && left->getBitWidth() == 64) {
      const auto multiplied = static_cast<unsigned>((*left - *right).getZExtValue());
      if (multiplied > most_index_bits || scale << multiplied > largest_scale)
        return false;
      element.index = low_bits(inner);
      element.index.bits =
          std::min(element.index.bits, static_cast<unsigned>(64 - left->getZExtValue()));
      element.scale = scale << multiplied;
      return true;
    }
    element.index = low_bits(index);
    element.scale = scale;
    return true;
  }

  // True if the value is computed from launch parameters alone.
  bool is_of_launch(llvm::Value *value, unsigned depth) {
    if (auto sum = sums_.of(value)) {
      append(fitting_, sum->fitting);
      return sum_terms::is_of_launch(sum->sum);
    }
    auto *operation = llvm::dyn_cast<llvm::Instruction>(value);
    return depth && operation && llvm::isa<llvm::BinaryOperator, llvm::CastInst>(operation) &&
           llvm::all_of(operation->operands(), [&](llvm::Use &each) {
             return each->getType()->isIntegerTy() && is_of_launch(each, depth - 1);
           });
  }

  bool is_own(const LowBits &index) const {
    return index.value == own_.value && index.bits == bits_;
  }

  // The operation that makes the partner's index of the own one; 0: another index.
  unsigned partner(const LowBits &index) const {
    auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(index.value);
    if (!operation || index.bits != bits_)
      return 0;
    for (unsigned own : {0u, 1u}) {
      const LowBits before = low_bits(operation->getOperand(own));
      if (before.value == own_.value && before.bits >= bits_ &&
          is_same(operation->getOperand(1 - own), step_, bits_) &&
          (own == 0 || operation->isCommutative()))
        return operation->getOpcode();
    }
    return 0;
  }

  bool are_pairs(llvm::ArrayRef<const SharedAccess *> accesses, llvm::ArrayRef<Element> elements) {
    auto is_partner_by_xor = [this](const Element &each) {
      return partner(each.index) == llvm::Instruction::Xor;
    };
    for (const Element &each : elements)
      if (each.scale != elements.front().scale || each.added != elements.front().added ||
          each.fixed / each.scale != elements.front().fixed / each.scale ||
          !(is_own(each.index) || partner(each.index)))
        return false;
    if (llvm::all_of(elements, is_partner_by_xor))
      return true; // different i have different i ^ j
    return llvm::all_of(llvm::zip(accesses, elements), [&](const auto &pair) {
      return is_guarded(*std::get<0>(pair)->instruction, elements);
    });
  }

  // A condition that holds selects one of the two work-items whose elements form a pair.
  bool is_guarded(const llvm::Instruction &access, llvm::ArrayRef<Element> elements) {
    const llvm::BasicBlock *block = access.getParent();
    const auto *node = dominators_.getNode(block);
    for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
      auto *branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
      if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        continue;
      for (unsigned side : {0u, 1u})
        if (dominators_.dominates(
                llvm::BasicBlockEdge(node->getBlock(), branch->getSuccessor(side)), block) &&
            selects_one(branch->getCondition(), side == 0, elements))
          return true;
    }
    return false;
  }

  bool selects_one(llvm::Value *condition, bool holds, llvm::ArrayRef<Element> elements) {
    llvm::Value *one = nullptr, *other = nullptr;
    if (match(condition, m_Not(m_Value(one))))
      return selects_one(one, !holds, elements);
    if (holds ? match(condition, m_LogicalAnd(m_Value(one), m_Value(other)))
              : match(condition, m_LogicalOr(m_Value(one), m_Value(other))))
      return selects_one(one, holds, elements) || selects_one(other, holds, elements);
    auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
    if (!comparison || !comparison->getOperand(0)->getType()->isIntegerTy())
      return false;
    const auto predicate = holds ? comparison->getPredicate() : comparison->getInversePredicate();
    if (comparison->isEquality())
      return llvm::all_of(elements, [&](const Element &each) {
        return is_own(each.index) || tests_bits(*comparison, predicate, partner(each.index));
      });
    return llvm::ICmpInst::isStrictPredicate(predicate) && orders(*comparison) &&
           llvm::all_of(elements, [this](const Element &each) {
             return is_own(each.index) || partner(each.index) == llvm::Instruction::Xor;
           });
  }

  // Compares `i` with `i ^ j`: of two work-items with these numbers exchanged, one passes at most.
  bool orders(const llvm::ICmpInst &comparison) const {
    const LowBits one = low_bits(comparison.getOperand(0)),
                  other = low_bits(comparison.getOperand(1));
    return one.extension == other.extension && one.extension != Extension::several &&
           ((is_own(one) && partner(other) == llvm::Instruction::Xor) ||
            (is_own(other) && partner(one) == llvm::Instruction::Xor));
  }

  // Compares `i & j`. All work-items that pass have the same bits there; the operation gives their
  // partners other ones, unless `j` is 0.
  bool tests_bits(const llvm::ICmpInst &comparison, llvm::ICmpInst::Predicate predicate,
                  unsigned operation) {
    auto *masked = llvm::dyn_cast<llvm::BinaryOperator>(comparison.getOperand(0));
    llvm::Value *bits = comparison.getOperand(1);
    if (!masked || masked->getOpcode() != llvm::Instruction::And)
      return false;
    for (unsigned own : {0u, 1u}) {
      llvm::Value *mask = masked->getOperand(1 - own);
      const LowBits index = low_bits(masked->getOperand(own));
      if (index.value != own_.value || index.bits < bits_ || !is_same(mask, step_, bits_) ||
          masked->getType()->getScalarSizeInBits() < bits_)
        continue;
      const bool is_equal = predicate == llvm::ICmpInst::ICMP_EQ, are_clear = match(bits, m_Zero());
      if (operation == llvm::Instruction::Xor && is_equal &&
          is_of_launch(bits, limits::search_depth))
        return true;
      if (is_equal && are_clear)
        return operation == llvm::Instruction::Add || operation == llvm::Instruction::Or;
      if (is_equal && bits == mask)
        return operation == llvm::Instruction::Sub;
      // A single bit is set, or not.
      return (is_equal ? is_of_launch(bits, limits::search_depth) : are_clear || bits == mask) &&
             llvm::isKnownToBeAPowerOfTwo(mask, comparison.getModule()->getDataLayout()) &&
             (operation == llvm::Instruction::Xor || operation == llvm::Instruction::Add ||
              operation == llvm::Instruction::Sub);
    }
    return false;
  }

  std::optional<ExchangedPairs> result(const Element &first) {
    auto own = sums_.of(own_.value);
    if (!own)
      return std::nullopt;
    ExchangedPairs pairs{.fitting = fitting_};
    sum_terms::assume_fits(*own, std::min(bits_, most_index_bits), /*is_signed=*/true);
    append(pairs.fitting, own->fitting);
    if (bits_ > most_index_bits) {
      auto step = sums_.of(step_);
      if (!step)
        return std::nullopt;
      sum_terms::assume_fits(*step, most_index_bits, /*is_signed=*/true);
      append(pairs.fitting, step->fitting);
    }
    LaunchExpressions::Sum offset;
    if (!sum_terms::add_to(offset, own->sum, first.scale))
      return std::nullopt;
    pairs.offset = to_list(offset);
    pairs.size = first.scale;
    return pairs;
  }

  const llvm::DominatorTree &dominators_;
  LaunchExpressions &sums_;
  LowBits own_{};               // i
  llvm::Value *step_ = nullptr; // j
  unsigned bits_ = 0;           // how many low bits of both count
  std::vector<FittingSum> fitting_;
};

} // namespace

std::optional<ExchangedPairs> exchanged_pairs(llvm::ArrayRef<const SharedAccess *> accesses,
                                              const llvm::DominatorTree &dominators,
                                              LaunchExpressions &sums) {
  return Pairs(dominators, sums).find(accesses);
}

} // namespace lockstep::compiler
