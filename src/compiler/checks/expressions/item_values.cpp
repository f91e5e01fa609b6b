#include "compiler/checks/expressions/item_values.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/expressions/evaluate.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace lockstep::compiler {

ItemValues::ItemValues(const llvm::Function &function, const llvm::LoopInfo &loops)
    : function_(function), expressions_(function, loops) {
  set_size();
  if (items_)
    find_present();
}

ItemValues::ItemValues(const llvm::Function &function, const llvm::LoopInfo &loops,
                       const llvm::Loop &loop, const LoopState &state)
    : function_(function), expressions_(function, loops), assumed_(state) {
  for (const llvm::Loop *each = &loop; each; each = each->getParentLoop())
    for (const llvm::PHINode &phi : each->getHeader()->phis())
      if (!assumed_.contains(&phi))
        unknown_.insert(&phi);
  set_size();
  if (items_)
    find_present();
}

void ItemValues::set_size() {
  const auto size = specialized_local_size(function_);
  const size_t items = size_t{size[0]} * size[1] * size[2];
  if (items > max_work_group_size)
    return;
  std::copy(size.begin(), size.end(), size_.begin());
  items_ = items;
}

std::array<uint64_t, 3> ItemValues::id_of(size_t item) const {
  return {item % size_[0], item / size_[0] % size_[1], item / size_[0] / size_[1]};
}

const ItemValues::Column *ItemValues::of(const llvm::Value *value) {
  if (items_ == 0 || !value->getType()->isIntegerTy() ||
      value->getType()->getIntegerBitWidth() > 64)
    return nullptr;
  if (auto found = known_.find(value); found != known_.end())
    return found->second ? &*found->second : nullptr;
  known_[value] = std::nullopt; // Ends recursion through cycles of phis.
  std::optional<Column> column;
  if (const auto assumed = assumed_.find(value); assumed != assumed_.end())
    column = Column(items_, assumed->second);
  else if (unknown_.contains(value))
    return nullptr;
  else if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(value))
    column = Column(items_, number->getZExtValue());
  else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(value))
    column = of_join(*phi);
  else if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(value))
    column = compute(*instruction);
  auto &place = known_[value] = std::move(column);
  return place ? &*place : nullptr;
}

std::optional<ItemValues::Column> ItemValues::compute(const llvm::Instruction &instruction) {
  if (called_primitive(instruction) == Primitive::local_id) {
    const auto dimension = constant_dimension(llvm::cast<llvm::CallInst>(instruction));
    if (!dimension || *dimension > 2)
      return std::nullopt;
    Column ids(items_);
    for (size_t item = 0; item != items_; ++item)
      ids[item] = id_of(item)[*dimension];
    return ids;
  }
  if (!is_computable(instruction))
    return std::nullopt;
  const unsigned count = operands_of(instruction);
  for (unsigned i = 0; i != count; ++i)
    if (!of(instruction.getOperand(i)))
      return std::nullopt;
  llvm::SmallVector<Column> columns; // Copies, since a growing DenseMap moves its columns.
  for (unsigned i = 0; i != count; ++i)
    columns.push_back(*of(instruction.getOperand(i)));
  Column results(items_);
  for (size_t item = 0; item != items_; ++item) {
    llvm::SmallVector<llvm::APInt, 3> operands;
    for (unsigned i = 0; i != count; ++i)
      operands.emplace_back(instruction.getOperand(i)->getType()->getIntegerBitWidth(),
                            columns[i][item], /*isSigned=*/false, /*implicitTrunc=*/true);
    const auto result = evaluate(instruction, operands);
    if (!result)
      return std::nullopt;
    results[item] = result->getZExtValue();
  }
  return results;
}

// All incoming values are equal, or each work-item has only one of them.
std::optional<ItemValues::Column> ItemValues::of_join(const llvm::PHINode &phi) {
  Column all(items_);
  llvm::BitVector has_value(static_cast<unsigned>(items_));
  for (unsigned edge = 0; edge != phi.getNumIncomingValues(); ++edge) {
    const Column *side = of(phi.getIncomingValue(edge));
    if (!side)
      return std::nullopt;
    const Column values = *side;
    const llvm::BitVector present = present_on_edge(phi.getIncomingBlock(edge), phi.getParent());
    for (unsigned item : present.set_bits()) {
      if (has_value[item] && all[item] != values[item])
        return std::nullopt;
      has_value.set(item);
      all[item] = values[item];
    }
  }
  return all;
}

const ItemValues::Offset *ItemValues::offset_of(const llvm::Value *pointer) {
  if (auto found = offsets_.find(pointer); found != offsets_.end())
    return found->second ? &*found->second : nullptr;
  auto offset = compute_offset(pointer);
  auto &place = offsets_[pointer] = std::move(offset);
  return place ? &*place : nullptr;
}

std::optional<ItemValues::Offset> ItemValues::compute_offset(const llvm::Value *pointer) {
  if (items_ == 0)
    return std::nullopt;
  IndexExpression address = expressions_.of(*pointer);
  auto *base = llvm::find_if(address.terms, [](const IndexExpression::Term &term) {
    return term.symbol.value->getType()->isPointerTy();
  });
  if (base == address.terms.end() || base->coefficient != 1)
    return std::nullopt;
  Offset sum{Column(items_)};
  if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(base->symbol.value)) {
    const Offset *inner = offset_of(cast->getPointerOperand());
    if (!inner)
      return std::nullopt;
    sum = *inner;
  } else if (!llvm::isa<llvm::Argument, llvm::GlobalVariable>(base->symbol.value)) {
    return std::nullopt;
  }
  address.terms.erase(base);
  add(address, 1, sum);
  return sum;
}

void ItemValues::add(const IndexExpression &expression, uint64_t factor, Offset &sum) {
  for (uint64_t &each : sum.column)
    each += factor * uint64_t(expression.constant);
  for (const IndexExpression::Term &term : expression.terms)
    add_symbol(term.symbol, factor * uint64_t(term.coefficient), sum);
}

namespace {

// Strips a mask of low bits; `kept` is the number of bits left, all without a mask.
const llvm::Value &without_mask(const llvm::Value &value, unsigned &kept) {
  using namespace llvm::PatternMatch;
  const llvm::Value *masked = nullptr;
  const llvm::APInt *mask = nullptr;
  if (!match(&value, m_And(m_Value(masked), m_LowBitMask(mask))))
    return value;
  kept = std::min(kept, mask->countr_one());
  return *masked;
}

} // namespace

// A narrow sum that may wrap, a truncation or a mask differs from a wider sum by a multiple of
// 2^bits. Each iteration of a loop adds a multiple of the coefficients of the step. Sums of 64 bits
// wrap as the address does.
void ItemValues::add_symbol(const IndexSymbol &symbol, uint64_t scale, Offset &sum) {
  auto add_any = [&sum](uint64_t multiple) {
    sum.modulus = std::gcd(sum.modulus, std::min(multiple, -multiple));
  };
  auto add_wraps = [&](unsigned width) {
    if (width < 64 && scale << width >> width == scale)
      add_any(scale << width);
    else
      add_any(uint64_t(1) << 62); // 2^62 is a multiple of every smaller power of two
  };
  const llvm::Value &value = *symbol.value;
  const unsigned bits = value.getType()->isIntegerTy() ? value.getType()->getIntegerBitWidth() : 64;
  if (const Column *column = of(&value)) {
    for (size_t item = 0; item != items_; ++item)
      sum.column[item] += scale * (symbol.extension == Extension::sign
                                       ? uint64_t(llvm::SignExtend64((*column)[item], bits))
                                       : (*column)[item]);
    return;
  }
  constexpr unsigned no_wrap = ~0U;
  auto add_modulo = [&](const IndexExpression &wider, unsigned width) {
    if (width != no_wrap)
      add_wraps(width);
    ++nesting_;
    add(wider, scale, sum);
    --nesting_;
  };
  if (nesting_ == limits::search_depth) { // such as a cycle in code that never runs
    add_wraps(bits);
    return add_any(scale);
  }
  unsigned kept = bits;
  if (const llvm::Value &unmasked = without_mask(value, kept); &unmasked != &value)
    return add_modulo(expressions_.of(unmasked), kept);
  if (auto *truncation = llvm::dyn_cast<llvm::TruncInst>(&value))
    return add_modulo(expressions_.of(*truncation->getOperand(0)), bits);
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&value); phi && phi->getType()->isIntegerTy())
    if (const auto moving = moving_by(*phi)) {
      add_any(scale * uint64_t(moving->step.constant));
      for (const IndexExpression::Term &term : moving->step.terms)
        add_any(scale * uint64_t(term.coefficient));
      // No loop has the 2^44 iterations after which such an address would wrap.
      constexpr int64_t small = int64_t{1} << 16;
      const auto distance = static_cast<int64_t>(scale * uint64_t(moving->step.constant));
      const bool may_wrap = moving->bits < 64 || !moving->step.terms.empty() ||
                            distance <= -small || distance >= small;
      return add_modulo(expressions_.of(*moving->start), may_wrap ? moving->bits : no_wrap);
    }
  const IndexExpression &narrow = expressions_.of(value);
  if (narrow.terms.size() != 1 || narrow.terms[0].symbol.value != &value)
    return add_modulo(narrow, bits);
  if (bits == 64)
    add_wraps(bits);
  add_any(scale);
}

// The phi of an induction variable, or one that changes by `(phi & mask) + step`.
std::optional<ItemValues::Moving> ItemValues::moving_by(const llvm::PHINode &phi) {
  unsigned bits = phi.getType()->getIntegerBitWidth();
  if (auto induction = expressions_.induction(phi))
    return Moving{induction->start, std::move(induction->step), bits};
  for (unsigned side = 0; phi.getNumIncomingValues() == 2 && side != 2; ++side) {
    IndexExpression next = expressions_.of(*phi.getIncomingValue(side));
    if (next.terms.size() == 1 && next.terms[0].coefficient == 1 &&
        &without_mask(*next.terms[0].symbol.value, bits) == &phi) {
      next.terms.clear();
      return Moving{phi.getIncomingValue(1 - side), std::move(next), bits};
    }
  }
  return std::nullopt;
}

// ---- control flow

const llvm::BitVector &ItemValues::at(const llvm::BasicBlock *block) {
  return present_.try_emplace(block, static_cast<unsigned>(items_)).first->second;
}

llvm::BitVector ItemValues::present_on_edge(const llvm::BasicBlock *from,
                                            const llvm::BasicBlock *to) {
  llvm::BitVector present = at(from);
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
  auto *choice = llvm::dyn_cast<llvm::SwitchInst>(from->getTerminator());
  const Column *decides = branch && branch->isConditional() ? of(branch->getCondition())
                          : choice                          ? of(choice->getCondition())
                                                            : nullptr;
  if (!decides)
    return present;
  std::map<uint64_t, const llvm::BasicBlock *> cases;
  if (choice)
    for (const auto &each : choice->cases())
      cases[each.getCaseValue()->getZExtValue()] = each.getCaseSuccessor();
  auto successor_of = [&](uint64_t value) -> const llvm::BasicBlock * {
    if (branch)
      return branch->getSuccessor(value == 0);
    const auto found = cases.find(value);
    return found == cases.end() ? choice->getDefaultDest() : found->second;
  };
  for (unsigned item = 0; item != items_; ++item)
    if (present[item] && successor_of((*decides)[item]) != to)
      present.reset(item);
  return present;
}

// A work-item is present in a block if a path from the entry leads there, all of whose known
// conditions it satisfies. The sets grow until they are closed; the values of phis are used only
// from then on, since they depend on the sets.
void ItemValues::find_present() {
  for (const llvm::BasicBlock &block : function_)
    for (const llvm::PHINode &phi : block.phis())
      if (!assumed_.contains(&phi))
        known_[&phi] = std::nullopt;
  llvm::SetVector<const llvm::BasicBlock *> changed;
  const llvm::BasicBlock *entry = &function_.getEntryBlock();
  present_[entry] = llvm::BitVector(static_cast<unsigned>(items_), true);
  changed.insert(entry);
  while (!changed.empty()) {
    const llvm::BasicBlock *from = changed.pop_back_val();
    for (const llvm::BasicBlock *to : llvm::successors(from)) {
      const llvm::BitVector on_edge = present_on_edge(from, to);
      auto &present = present_.try_emplace(to, static_cast<unsigned>(items_)).first->second;
      if (on_edge.test(present)) { // some of them are new
        present |= on_edge;
        changed.insert(to);
      }
    }
  }
  known_.clear();
}

} // namespace lockstep::compiler
