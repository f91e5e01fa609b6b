// Gives code whose position is a quotient and a remainder of a linear id a version for whole rows.
//
//     row = get_global_id(0) / n     column = get_global_id(0) % n
//
// Nothing is known of `n`, so that each lane would divide, and access memory by gathers. If `n` is a
// multiple of the number of lanes, all lanes of a sub-group have one row, and their columns follow
// each other:
//
//   first work-item and n are multiples?  ─ yes ─>  row = first / n, column = first % n + lane
//             └ no ─>  the code as it was
//
// With barriers, rows are those of whole work-groups, so that barriers stay uniform.
//
// Requires: the kernel of one work-item, with a known local size of whole sub-groups.
// Ensures: two versions of all code behind the first block that leads to each such division. The
// condition is the same for all work-items of a group. `first` is computed with
// `local_id - lane` as the local id, which lane-ids replaces by that of the first lane.
//
// Position: after choose-sub-group-size, which decides on the lanes; before lane-ids.
#include "compiler/lanes/ids/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "kernel_ir/form.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;
using llvm::BasicBlock;
using llvm::BinaryOperator;
using llvm::Instruction;
using llvm::Value;

bool is_local_id(const Value &value) {
  return called_primitive(value) == Primitive::local_id;
}

Value *emit_local_id(llvm::IRBuilder<> &builder) {
  auto callee = declare_primitive(*builder.GetInsertBlock()->getModule(), Primitive::local_id,
                                  builder.getInt64Ty(), {builder.getInt32Ty()});
  llvm::CallInst *id = builder.CreateCall(callee, builder.getInt32(0));
  id->setDoesNotThrow();
  id->setDoesNotAccessMemory();
  return id;
}

bool is_signed(const BinaryOperator &division) {
  return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

bool is_remainder(const BinaryOperator &division) {
  return division.getOpcode() == Instruction::URem || division.getOpcode() == Instruction::SRem;
}

// guard-integer-division replaces a divisor that would trap.
Value *divisor_of(const BinaryOperator &division) {
  Value *divisor = division.getOperand(1), *own = nullptr;
  return match(divisor, m_Select(m_Value(), m_One(), m_Value(own))) ? own : divisor;
}

// A linear id: a sum of the local id and of numbers that are the same for the whole group.
struct LinearId {
  Value *start = nullptr;   // before the loop; without a loop, the id itself
  Value *step = nullptr;    // of a loop over parts of rows
  Value *bound = nullptr;   // of a loop that may wrap: the id is below it
  unsigned signed_bits = 0; // of the narrowest signed division; 0: there is none
};

class Splitter {
public:
  Splitter(llvm::Function &function, llvm::DominatorTree &dominators, const llvm::LoopInfo &loops,
           IndexExpressions &expressions)
      : function_(function), dominators_(dominators), loops_(loops), expressions_(expressions),
        size_(specialized_local_size(function)), lanes_(sub_group_size(function)),
        entry_(function.getContext()) {}

  bool run();

private:
  bool find_row();
  void find_divisions();
  bool is_never_whole(const BinaryOperator &division) const;
  bool is_row_of(Value &value, unsigned signed_bits, unsigned depth = 0);
  bool is_linear(const Value &sum) const;
  std::optional<LinearId> in_loop(llvm::PHINode &phi, unsigned signed_bits, unsigned depth);
  bool is_same_in_group(const Value &value, unsigned depth = 0) const;
  uint64_t distance_to_last(const Value &sum) const;
  void find_split();
  bool can_split() const;
  bool can_be_computed(const Value &value, unsigned depth = 0) const;
  Value *compute(llvm::IRBuilder<> &builder, Value &value) const;
  Value *first_of(llvm::IRBuilder<> &builder, Value &sum, Value *local_id) const;
  Value *condition(llvm::IRBuilder<> &builder) const;
  void duplicate(Value *condition);
  void simplify();
  void simplify(BinaryOperator &division);
  Value *first_in_loop(llvm::PHINode &phi, const LinearId &id);
  Value *first(Value &value);
  template <class T> T *copy_of(T *value) const {
    auto found = copies_.find(value);
    return found == copies_.end() ? value : llvm::cast<T>(static_cast<Value *>(found->second));
  }

  llvm::Function &function_;
  llvm::DominatorTree &dominators_; // without the copy
  const llvm::LoopInfo &loops_;
  IndexExpressions &expressions_;
  const std::array<uint32_t, 3> size_;
  const uint32_t lanes_;
  uint32_t row_ = 0; // work-items
  llvm::SmallSetVector<BinaryOperator *, 8> divisions_;
  llvm::MapVector<Value *, LinearId> ids_;
  Instruction *split_ = nullptr; // where the versions begin
  llvm::ValueToValueMapTy copies_;
  // In the copy: where it begins, and there the number of the work-item in its part of a row, and
  // the local id of the part's first one, or null with a row for each group.
  llvm::IRBuilder<> entry_;
  Value *place_ = nullptr, *local_id_ = nullptr;
  llvm::DenseMap<Value *, Value *> first_;            // in the copy, of values of the original code
  llvm::SmallPtrSet<BinaryOperator *, 8> simplified_; // original divisions
  llvm::SmallVector<BinaryOperator *, 8> replaced_;   // their copies
};

// Sets the number of work-items that a row must have. Returns false if there is none.
bool Splitter::find_row() {
  bool has_barrier = false;
  for (const Instruction &instruction : llvm::instructions(function_)) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call)
      continue;
    if (called_primitive(instruction) == Primitive::barrier)
      has_barrier = true;
    else if (call->isConvergent() ||
             (!call->doesNotAccessMemory() && !llvm::isa<llvm::IntrinsicInst>(call)))
      return false;
  }
  row_ = has_barrier ? size_[0] : lanes_;
  return llvm::isPowerOf2_32(row_) && (!has_barrier || size_[1] * size_[2] == 1);
}

// Whether the value is the same for all work-items of a group.
bool Splitter::is_same_in_group(const Value &value, unsigned depth) const {
  auto *instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction)
    return true;
  if (is_local_id(value) || depth == limits::search_depth || llvm::isa<llvm::PHINode>(value) ||
      (called_primitive(value) && !is_of_work_item(*called_primitive(value))))
    return false;
  // Other memory may change between the loads of two work-items.
  if (instruction->mayReadFromMemory() && (instruction->getParent() != &function_.getEntryBlock() ||
                                           instruction->isAtomic() || instruction->isVolatile()))
    return false;
  return llvm::all_of(instruction->operands(),
                      [&](const llvm::Use &use) { return is_same_in_group(*use, depth + 1); });
}

// A sum in which the next work-item has the next number.
bool Splitter::is_linear(const Value &sum) const {
  if (!sum.getType()->isIntegerTy(32) && !sum.getType()->isIntegerTy(64))
    return false;
  bool has_local_id = false;
  for (const IndexExpression::Term &term : expressions_.of(sum).terms) {
    const Value *value = term.symbol.value;
    if (auto *narrow = llvm::dyn_cast_or_null<llvm::TruncInst>(value))
      value = narrow->getOperand(0);
    if (!value || !is_local_id(*value)) {
      if (!value || !is_same_in_group(*value))
        return false;
      continue;
    }
    const auto dimension = constant_dimension(*llvm::cast<llvm::CallInst>(value));
    if (dimension == 0u && term.coefficient == 1)
      has_local_id = true;
    else if (dimension == 0u || term.coefficient <= 0 || term.coefficient % row_ != 0)
      return false;
  }
  return has_local_id;
}

// Whether the low bits of `wide` are those of the phi. LLVM may have a wide phi of the same loop
// beside it.
bool has_low_bits_of(Value &wide, const llvm::PHINode &phi) {
  const unsigned bits = phi.getType()->getIntegerBitWidth();
  Value *from = nullptr;
  if (match(&wide, m_ZExtOrSExt(m_Specific(&phi))))
    return true;
  if (!match(&wide, m_AShr(m_Shl(m_Value(from), m_SpecificInt(bits)), m_SpecificInt(bits))) &&
      !match(&wide, m_And(m_Value(from), m_SpecificInt(UINT32_MAX))))
    return false;
  auto *other = llvm::dyn_cast<llvm::PHINode>(from);
  return bits == 32 && wide.getType()->isIntegerTy(64) && other &&
         other->getParent() == phi.getParent() &&
         llvm::all_of(phi.blocks(), [&](const BasicBlock *block) {
           return match(phi.getIncomingValueForBlock(block),
                        m_Trunc(m_Specific(other->getIncomingValueForBlock(block))));
         });
}

// What is added to the phi in each iteration; null if it changes in another way.
Value *step_of(const llvm::PHINode &phi, Value &next) {
  Value *one = nullptr, *other = nullptr;
  if (match(&next, m_c_Add(m_Specific(&phi), m_Value(other))))
    return other;
  if (!match(&next, m_Trunc(m_Add(m_Value(one), m_Value(other)))))
    return nullptr;
  if (has_low_bits_of(*one, phi))
    return other;
  return has_low_bits_of(*other, phi) ? one : nullptr;
}

// The value that the phi, or the one of its next iteration, must be below for another iteration.
Value *bound_of(const llvm::Loop &loop, const llvm::PHINode &phi, const Value &next) {
  for (BasicBlock *block : {loop.getHeader(), loop.getLoopLatch()}) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || !loop.isLoopExiting(block))
      continue;
    auto *compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (!compare)
      continue;
    auto predicate = compare->getPredicate();
    if (!loop.contains(branch->getSuccessor(0)))
      predicate = llvm::ICmpInst::getInversePredicate(predicate);
    for (unsigned side : {0u, 1u}) {
      const Value *id = compare->getOperand(side);
      if ((id == &phi || id == &next) &&
          (side == 0 ? predicate : llvm::ICmpInst::getSwappedPredicate(predicate)) ==
              (compare->isSigned() ? llvm::ICmpInst::ICMP_SLT : llvm::ICmpInst::ICMP_ULT))
        return compare->getOperand(1 - side);
    }
  }
  return nullptr;
}

// A loop that steps over whole parts of rows.
std::optional<LinearId> Splitter::in_loop(llvm::PHINode &phi, unsigned signed_bits,
                                          unsigned depth) {
  const llvm::Loop *loop = loops_.getLoopFor(phi.getParent());
  if (row_ != lanes_ || !loop || loop->getHeader() != phi.getParent() ||
      !loop->getLoopPreheader() || !loop->getLoopLatch())
    return std::nullopt;
  Value *next = phi.getIncomingValueForBlock(loop->getLoopLatch());
  LinearId id{.start = phi.getIncomingValueForBlock(loop->getLoopPreheader()),
              .step = step_of(phi, *next)};
  if (!id.step || !is_same_in_group(*id.step))
    return std::nullopt;
  if (signed_bits != 0) {
    auto *sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(next);
    if (signed_bits < phi.getType()->getIntegerBitWidth())
      return std::nullopt;
    if (!sum || !sum->hasNoSignedWrap()) {
      id.bound = bound_of(*loop, phi, *next);
      if (!id.bound || !is_same_in_group(*id.bound))
        return std::nullopt;
      --signed_bits; // a sum of two such numbers does not wrap
    }
  }
  if (!is_row_of(*id.start, signed_bits, depth + 1))
    return std::nullopt;
  return id;
}

// The operand of `(value << 32) >> 32`, an extension of its lower half; null if it is another value.
Value *value_before_shifts(const Value &value) {
  Value *from = nullptr;
  const uint64_t half = value.getType()->getIntegerBitWidth() / 2;
  return match(&value, m_AShr(m_Shl(m_Value(from), m_SpecificInt(half)), m_SpecificInt(half)))
             ? from
             : nullptr;
}

// The integer that is converted to `value`; null if it is no conversion.
Value *converted(const Value &value) {
  auto *cast = llvm::dyn_cast<llvm::CastInst>(&value);
  return cast && cast->isIntegerCast() ? cast->getOperand(0) : value_before_shifts(value);
}

// Whether the value is a linear id, or its place in a row. Records the ids. `signed_bits`:
// width of a signed division, for which the value must not be negative; 0: there is none.
bool Splitter::is_row_of(Value &value, unsigned signed_bits, unsigned depth) {
  const unsigned bits = value.getType()->getIntegerBitWidth();
  if (depth == limits::search_depth)
    return false;
  signed_bits = std::min(signed_bits, bits);
  if (Value *from = converted(value)) {
    // A number that is known to fit keeps its sign.
    auto *narrow = llvm::dyn_cast<llvm::TruncInst>(&value);
    if (signed_bits != 0 && narrow && narrow->hasNoSignedWrap())
      signed_bits = from->getType()->getIntegerBitWidth();
    if (from == value_before_shifts(value))
      signed_bits = std::min(signed_bits, bits / 2);
    return is_row_of(*from, signed_bits, depth + 1);
  }
  if (auto *division = llvm::dyn_cast<BinaryOperator>(&value); division && is_remainder(*division))
    return divisions_.contains(division) &&
           (signed_bits == 0 || (signed_bits == bits &&
                                 (is_signed(*division) ||
                                  llvm::isKnownNonNegative(division, function_.getDataLayout()))));
  std::optional<LinearId> id;
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&value))
    id = in_loop(*phi, signed_bits, depth);
  else if (is_linear(value))
    id = LinearId{.start = &value};
  if (!id)
    return false;
  LinearId &known = ids_.insert({&value, *id}).first->second;
  if (signed_bits != 0 && (known.signed_bits == 0 || known.signed_bits > signed_bits))
    known.signed_bits = signed_bits;
  return true;
}

// From the first work-item of a group to its last one.
uint64_t Splitter::distance_to_last(const Value &sum) const {
  uint64_t distance = 0;
  for (const IndexExpression::Term &term : expressions_.of(sum).terms) {
    const Value *value = term.symbol.value;
    if (auto *narrow = llvm::dyn_cast<llvm::TruncInst>(value))
      value = narrow->getOperand(0);
    if (is_local_id(*value))
      distance += uint64_t(term.coefficient) *
                  (size_[*constant_dimension(*llvm::cast<llvm::CallInst>(value))] - 1);
  }
  return distance;
}

// In `(x + 1) % n` and `(x + n - 1) % n`, the first work-item is a multiple only if `n` is not.
bool Splitter::is_never_whole(const BinaryOperator &division) const {
  const IndexExpression &sum = expressions_.of(*division.getOperand(0));
  return sum.constant % row_ != 0 &&
         llvm::all_of(sum.terms, [&](const IndexExpression::Term &term) {
           const Value *value = term.symbol.value;
           if (auto *narrow = llvm::dyn_cast_or_null<llvm::TruncInst>(value))
             value = narrow->getOperand(0);
           return term.coefficient % row_ == 0 ||
                  (value && (is_local_id(*value) || value == divisor_of(division) ||
                             value == converted(*divisor_of(division))));
         });
}

void Splitter::find_divisions() {
  for (BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function_))
    for (Instruction &instruction : *block) {
      auto *division = llvm::dyn_cast<BinaryOperator>(&instruction);
      if (!division || !division->isIntDivRem() || !division->getType()->isIntegerTy() ||
          !is_same_in_group(*divisor_of(*division)) || is_never_whole(*division))
        continue;
      auto *constant = llvm::dyn_cast<llvm::ConstantInt>(divisor_of(*division));
      if (constant &&
          (!constant->getValue().isStrictlyPositive() || constant->getValue().urem(row_) != 0))
        continue;
      const unsigned bits = division->getType()->getIntegerBitWidth();
      if (is_row_of(*division->getOperand(0), is_signed(*division) ? bits : 0))
        divisions_.insert(division);
    }
}

// Whether a value that is the same for the group can be computed at the split.
bool Splitter::can_be_computed(const Value &value, unsigned depth) const {
  auto *instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || dominators_.dominates(instruction, split_))
    return true;
  return depth != limits::search_depth && !instruction->mayReadOrWriteMemory() &&
         !llvm::isa<llvm::PHINode>(instruction) &&
         llvm::isSafeToSpeculativelyExecute(instruction) &&
         llvm::all_of(instruction->operands(),
                      [&](const llvm::Use &use) { return can_be_computed(*use, depth + 1); });
}

void Splitter::find_split() {
  BasicBlock *block = divisions_.front()->getParent();
  for (BinaryOperator *division : divisions_)
    block = dominators_.findNearestCommonDominator(block, division->getParent());
  while (loops_.getLoopFor(block))
    block = dominators_.getNode(block)->getIDom()->getBlock();
  split_ = &*llvm::find_if(*block, [&](Instruction &instruction) {
    return instruction.isTerminator() || llvm::is_contained(divisions_, &instruction);
  });
}

bool Splitter::can_split() const {
  size_t instructions = 0;
  for (const BasicBlock &block : function_)
    if (dominators_.dominates(split_->getParent(), &block))
      instructions += block.size();
  return instructions <= limits::repeated_code / limits::code_growth &&
         llvm::all_of(ids_,
                      [&](const auto &id) {
                        const auto &[start, step, bound, bits] = id.second;
                        return can_be_computed(*start) && (!step || can_be_computed(*step)) &&
                               (!bound || can_be_computed(*bound));
                      }) &&
         llvm::all_of(divisions_, [&](const BinaryOperator *division) {
           return can_be_computed(*divisor_of(*division));
         });
}

Value *Splitter::compute(llvm::IRBuilder<> &builder, Value &value) const {
  auto *instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || dominators_.dominates(instruction, split_))
    return &value;
  Instruction *copy = instruction->clone();
  copy->dropPoisonGeneratingFlags();
  for (llvm::Use &operand : copy->operands())
    operand.set(compute(builder, *operand));
  return builder.Insert(copy);
}

// The sum with another local id in dimension 0; null: for the first work-item of the group.
Value *Splitter::first_of(llvm::IRBuilder<> &builder, Value &sum, Value *local_id) const {
  return emit_sum(builder, expressions_.of(sum), 1, [&](const IndexSymbol &symbol) -> Value * {
    auto *value = const_cast<Value *>(symbol.value), *id = value;
    if (auto *narrow = llvm::dyn_cast<llvm::TruncInst>(value))
      id = narrow->getOperand(0);
    if (!is_local_id(*id))
      return compute(builder, *value);
    if (!local_id)
      return llvm::Constant::getNullValue(value->getType());
    return constant_dimension(*llvm::cast<llvm::CallInst>(id)) == 0u
               ? builder.CreateTrunc(local_id, value->getType())
               : value;
  });
}

// Whether all rows are whole; the same for all work-items of a group.
Value *Splitter::condition(llvm::IRBuilder<> &builder) const {
  Value *all = builder.getTrue();
  auto require = [&](Value *one) { all = builder.CreateAnd(all, one, "rows.are.whole"); };
  auto require_whole = [&](Value *number) {
    auto *rest = builder.CreateAnd(number, llvm::ConstantInt::get(number->getType(), row_ - 1));
    require(builder.CreateIsNull(rest));
  };
  llvm::SmallPtrSet<const Value *, 8> known;
  for (const BinaryOperator *division : divisions_) {
    Value *divisor = divisor_of(*division);
    if (llvm::isa<llvm::Constant>(divisor) || !known.insert(divisor).second)
      continue;
    divisor = compute(builder, *divisor);
    require_whole(divisor);
    require(builder.CreateICmp(is_signed(*division) ? llvm::ICmpInst::ICMP_SGT
                                                    : llvm::ICmpInst::ICMP_NE,
                               divisor, llvm::Constant::getNullValue(divisor->getType())));
  }
  auto require_below = [&](Value *number, uint64_t limit) { // and not negative
    require(builder.CreateICmpULT(number, llvm::ConstantInt::get(number->getType(), limit)));
  };
  for (const auto &[value, id] : ids_) {
    if (id.step) {
      const unsigned bits = value->getType()->getIntegerBitWidth();
      Value *step = compute(builder, *id.step);
      require_whole(step);
      if (id.signed_bits != 0)
        require_below(step, uint64_t{1} << (id.bound ? bits - 2 : bits - 1));
      if (id.bound)
        require_below(compute(builder, *id.bound), uint64_t{1} << (bits - 2));
      continue;
    }
    Value *first = first_of(builder, *id.start, nullptr);
    require_whole(first);
    if (id.signed_bits != 0) // a negative number would be divided towards zero
      require_below(first, (uint64_t{1} << (id.signed_bits - 1)) - distance_to_last(*id.start));
  }
  return builder.CreateFreeze(all);
}

// Makes a copy of the code behind the split, which is the version for whole rows.
void Splitter::duplicate(Value *condition) {
  BasicBlock *from = split_->getParent(), *rest = llvm::SplitBlock(from, split_, &dominators_);
  rest->setName(from->getName() + ".any.rows");
  llvm::SmallVector<BasicBlock *> blocks, copies;
  dominators_.getDescendants(rest, blocks);
  for (BasicBlock *block : blocks) {
    copies.push_back(llvm::CloneBasicBlock(block, copies_, ".whole.rows", &function_));
    copies_[block] = copies.back();
    copies.back()->moveBefore(rest);
  }
  llvm::remapInstructionsInBlocks(copies, copies_);
  for (BasicBlock *block : blocks)
    for (BasicBlock *next : llvm::successors(block))
      if (!copies_.count(next))
        for (llvm::PHINode &phi : next->phis())
          phi.addIncoming(copy_of(phi.getIncomingValueForBlock(block)), copy_of(block));
  Instruction *jump = from->getTerminator();
  llvm::IRBuilder<> builder(jump);
  builder.CreateCondBr(condition, copy_of(rest), rest);
  jump->eraseFromParent();
}

Value *Splitter::first_in_loop(llvm::PHINode &phi, const LinearId &id) {
  auto *copy = copy_of(&phi);
  llvm::IRBuilder<> header(copy);
  llvm::PHINode *first = header.CreatePHI(phi.getType(), 2, "first.in.row");
  const llvm::Loop *loop = loops_.getLoopFor(phi.getParent());
  BasicBlock *latch = copy_of(loop->getLoopLatch());
  llvm::IRBuilder<> end(latch->getTerminator());
  Value *next = end.CreateAdd(first, entry_.CreateTrunc(compute(entry_, *id.step), phi.getType()));
  for (unsigned index : {0u, 1u})
    first->addIncoming(copy->getIncomingBlock(index) == latch ? next : this->first(*id.start),
                       copy->getIncomingBlock(index));
  return first;
}

// The value that the first work-item of a part of a row has in the copy. It may be computed from
// that of another id or remainder, which a loop starts with.
Value *Splitter::first(Value &value) {
  if (Value *known = first_.lookup(&value))
    return known;
  if (auto found = ids_.find(&value); found != ids_.end()) {
    const LinearId &id = found->second;
    return first_[&value] = id.step ? first_in_loop(llvm::cast<llvm::PHINode>(value), id)
                                    : first_of(entry_, value, local_id_);
  }
  if (auto *division = llvm::dyn_cast<BinaryOperator>(&value);
      division && divisions_.contains(division)) {
    simplify(*division);
    return first_.at(division);
  }
  Value *from = first(*converted(value));
  // Without a local id, it may be a constant or an argument.
  auto *definition = llvm::dyn_cast<Instruction>(from);
  llvm::IRBuilder<> builder(definition ? &**definition->getInsertionPointAfterDef()
                                       : &*entry_.GetInsertPoint());
  if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&value))
    return first_[&value] = builder.CreateCast(cast->getOpcode(), from, cast->getType());
  const unsigned half = value.getType()->getIntegerBitWidth() / 2;
  return first_[&value] = builder.CreateAShr(builder.CreateShl(from, half), half);
}

// Divides for the first work-item.
void Splitter::simplify(BinaryOperator &division) {
  if (!simplified_.insert(&division).second)
    return;
  BinaryOperator *copy = copy_of(&division);
  llvm::IRBuilder<> builder(copy);
  Value *result = builder.CreateBinOp(copy->getOpcode(), first(*division.getOperand(0)),
                                      copy_of(divisor_of(division)), copy->getName());
  if (is_remainder(division)) {
    first_[&division] = result;
    result = builder.CreateAdd(result, builder.CreateZExtOrTrunc(place_, result->getType()), "",
                               /*HasNUW=*/true, /*HasNSW=*/true);
  }
  copy->replaceAllUsesWith(result); // also in the table of copies
  replaced_.push_back(copy);
}

void Splitter::simplify() {
  entry_.SetInsertPoint(&*copy_of(split_->getParent())->getFirstNonPHIOrDbg());
  place_ = emit_local_id(entry_);
  if (row_ == lanes_) {
    Value *lane = emit_lane(entry_);
    local_id_ = entry_.CreateSub(place_, lane);
    place_ = lane;
  }
  for (BinaryOperator *division : divisions_)
    simplify(*division);
  for (BinaryOperator *division : replaced_) // not before: entry_ may be in front of one
    division->eraseFromParent();
}

bool Splitter::run() {
  if (!find_row())
    return false;
  find_divisions();
  if (divisions_.empty())
    return false;
  find_split();
  if (!can_split())
    return false;
  remark(*divisions_.front(), "lanes",
         "if rows are whole numbers of " + llvm::Twine(row_) +
             " work-items, this is computed once for them");
  llvm::IRBuilder<> builder(split_);
  duplicate(condition(builder));
  simplify();
  return true;
}

} // namespace

llvm::PreservedAnalyses SplitLinearIdsPass::run_in_lanes(llvm::Function &function,
                                                         llvm::FunctionAnalysisManager &analyses) {
  if (specialized_local_size(function)[0] % sub_group_size(function) != 0 ||
      specialized_local_size(function)[0] == 0 || is_resumable(function) ||
      function.hasFnAttribute(lane_function))
    return llvm::PreservedAnalyses::all();
  Splitter splitter(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                    analyses.getResult<llvm::LoopAnalysis>(function),
                    analyses.getResult<IndexExpressionsAnalysis>(function));
  return splitter.run() ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
