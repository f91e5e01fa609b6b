#include "compiler/lanes/linearize/group_condition.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

bool is_local_id(const Value &value) {
  return called_primitive(value) == Primitive::local_id;
}

class GroupCondition {
public:
  GroupCondition(llvm::IRBuilderBase &builder, IndexExpressions &expressions,
                 const std::array<uint32_t, 3> &size)
      : builder_(builder), expressions_(expressions), size_(size) {}

  // Whether the condition can be emitted.
  bool is_possible(const Value &condition, bool expected, unsigned depth = 0) {
    const Value *one = nullptr, *other = nullptr;
    if (depth == limits::search_depth)
      return false;
    if (expected ? match(&condition, m_LogicalAnd(m_Value(one), m_Value(other)))
                 : match(&condition, m_LogicalOr(m_Value(one), m_Value(other))))
      return is_possible(*one, expected, depth + 1) && is_possible(*other, expected, depth + 1);
    auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&condition);
    return compare && compare->isRelational() && compare->getOperand(0)->getType()->isIntegerTy() &&
           (is_bounded(*compare, expected, 0) || is_bounded(*compare, expected, 1));
  }

  Value *emit(Value &condition, bool expected) {
    Value *one = nullptr, *other = nullptr;
    if (expected ? match(&condition, m_LogicalAnd(m_Value(one), m_Value(other)))
                 : match(&condition, m_LogicalOr(m_Value(one), m_Value(other)))) {
      // The second operand may be poison if the first one decides.
      Value *first = emit(*one, expected), *second = emit(*other, expected);
      return builder_.CreateAnd(first, builder_.CreateFreeze(second));
    }
    auto &compare = llvm::cast<llvm::ICmpInst>(condition);
    const unsigned sum = is_bounded(compare, expected, 0) ? 0 : 1;
    Value *least = at(*compare.getOperand(sum), false),
          *greatest = at(*compare.getOperand(sum), true);
    Value *holds = builder_.CreateICmp(
        expected ? compare.getPredicate() : compare.getInversePredicate(),
        sum == 0 ? greatest : compare.getOperand(0), sum == 0 ? compare.getOperand(1) : greatest);
    // Without this, the sum wraps within the group.
    Value *grows = builder_.CreateICmp(
        compare.isSigned() ? llvm::ICmpInst::ICMP_SLE : llvm::ICmpInst::ICMP_ULE, least, greatest);
    return builder_.CreateAnd(holds, grows);
  }

private:
  // Whether operand `sum` grows with local ids and is below the other one, which does not depend on
  // them.
  bool is_bounded(const llvm::ICmpInst &compare, bool expected, unsigned sum) {
    auto predicate = expected ? compare.getPredicate() : compare.getInversePredicate();
    if (sum == 1)
      predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
    return (llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate)) &&
           grows(*compare.getOperand(sum)) && !depends_on_local_id(*compare.getOperand(1 - sum));
  }

  bool grows(const Value &sum) {
    uint64_t most = 0; // greater than the least by this
    return expressions_.of(sum).bits >= 32 && add_growth(sum, most) && most < (uint64_t{1} << 30) &&
           can_be_copied(sum, 0);
  }

  // A sum in more bits grows by as much after truncation, or wraps.
  bool add_growth(const Value &sum, uint64_t &most, unsigned depth = 0) {
    const IndexExpression expression = expressions_.of(sum);
    for (const IndexExpression::Term &term : expression.terms) {
      const Value *value = term.symbol.value;
      if (!value)
        return false;
      if (auto *narrow = llvm::dyn_cast<llvm::TruncInst>(value))
        value = narrow->getOperand(0);
      if (!is_local_id(*value)) {
        if (!depends_on_local_id(*value))
          continue;
        if (value == term.symbol.value || term.coefficient != 1 || depth == limits::search_depth ||
            !add_growth(*value, most, depth + 1))
          return false;
        continue;
      }
      const auto dimension = constant_dimension(*llvm::cast<llvm::CallInst>(value));
      if (!dimension || *dimension > 2 || term.coefficient < 1 ||
          term.coefficient > int64_t{limits::repeated_code})
        return false;
      most += uint64_t(term.coefficient) * (size_[*dimension] - 1);
    }
    return true;
  }

  bool can_be_copied(const Value &value, unsigned depth) const {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!instruction || is_local_id(value) || !depends_on_local_id(value))
      return true;
    return depth != limits::search_depth &&
           llvm::isa<llvm::BinaryOperator, llvm::CastInst>(instruction) &&
           llvm::isSafeToSpeculativelyExecute(instruction) &&
           llvm::all_of(instruction->operands(),
                        [&](const llvm::Use &use) { return can_be_copied(*use, depth + 1); });
  }

  bool depends_on_local_id(const Value &value, unsigned depth = 0) const {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!instruction || member_of(*instruction))
      return false;
    // Memory may differ from work-item to work-item, even at one address.
    if (is_local_id(value) || depth == limits::search_depth || instruction->mayReadFromMemory() ||
        llvm::isa<llvm::PHINode>(instruction))
      return true;
    if (called_primitive(value) && !is_of_work_item(*called_primitive(value)))
      return true;
    return llvm::any_of(instruction->operands(),
                        [&](const llvm::Use &use) { return depends_on_local_id(*use, depth + 1); });
  }

  // The value of the work-item with the least or the greatest local ids.
  Value *at(Value &value, bool greatest) {
    if (is_local_id(value)) {
      const auto dimension = *constant_dimension(llvm::cast<llvm::CallInst>(value));
      return llvm::ConstantInt::get(value.getType(), greatest ? size_[dimension] - 1 : 0);
    }
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!instruction || !depends_on_local_id(value))
      return &value;
    llvm::SmallVector<Value *> operands;
    for (Value *operand : instruction->operand_values())
      operands.push_back(at(*operand, greatest));
    llvm::Instruction *copy = instruction->clone();
    for (auto [index, operand] : llvm::enumerate(operands))
      copy->setOperand(index, operand);
    return builder_.Insert(copy);
  }

  llvm::IRBuilderBase &builder_;
  IndexExpressions &expressions_;
  const std::array<uint32_t, 3> &size_;
};

} // namespace

Value *emit_for_all_work_items(llvm::IRBuilderBase &builder, Value &condition, bool expected,
                               IndexExpressions &expressions, const std::array<uint32_t, 3> &size) {
  GroupCondition group(builder, expressions, size);
  return group.is_possible(condition, expected) ? group.emit(condition, expected) : nullptr;
}

} // namespace lockstep::compiler
