#include "compiler/checks/expressions/loop_states.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/expressions/evaluate.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace lockstep::compiler {

bool LoopStates::pass(const llvm::BasicBlock *from, const llvm::BasicBlock *to,
                      std::optional<std::size_t> &state) const {
  if (to != loop->getHeader())
    return true;
  if (!loop->contains(from))
    state = 0;
  else if (state && *state + 1 != states.size())
    ++*state;
  else if (state && !after_last)
    return false;
  else if (state)
    state = after_last;
  return true;
}

namespace {

constexpr std::size_t few_states = limits::search_depth, many_states = limits::search_steps;
constexpr unsigned most_low_bits = llvm::ConstantLog2<few_states>();

bool is_integer(const llvm::Value &value) {
  return value.getType()->isIntegerTy() && value.getType()->getIntegerBitWidth() <= 64;
}

// The value in an iteration whose variables have these values.
std::optional<llvm::APInt> value_in(const llvm::Value &value, const LoopState &state,
                                    unsigned depth = 0) {
  if (!is_integer(value) || depth == limits::search_depth)
    return std::nullopt;
  const unsigned bits = value.getType()->getIntegerBitWidth();
  if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return number->getValue();
  if (const auto known = state.find(&value); known != state.end())
    return llvm::APInt(bits, known->second);
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || !is_computable(*instruction))
    return std::nullopt;
  llvm::SmallVector<llvm::APInt, 3> operands;
  const unsigned count = operands_of(*instruction);
  for (unsigned i = 0; i != count; ++i) {
    auto operand = value_in(*instruction->getOperand(i), state, depth + 1);
    if (!operand)
      return std::nullopt;
    operands.push_back(std::move(*operand));
  }
  return evaluate(*instruction, operands);
}

// The lowest bits of the value, from those of the variables.
std::optional<uint64_t> low_bits_in(const llvm::Value &value, const LoopState &low,
                                    unsigned depth = 0) {
  if (!is_integer(value) || value.getType()->getIntegerBitWidth() < most_low_bits ||
      depth == limits::search_depth)
    return std::nullopt;
  const auto masked = [](uint64_t bits) {
    return bits & llvm::maskTrailingOnes<uint64_t>(most_low_bits);
  };
  if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return masked(number->getZExtValue());
  if (const auto known = low.find(&value); known != low.end())
    return known->second;
  if (llvm::isa<llvm::TruncInst, llvm::ZExtInst, llvm::SExtInst, llvm::FreezeInst>(value))
    return low_bits_in(*llvm::cast<llvm::Instruction>(value).getOperand(0), low, depth + 1);
  auto *instruction = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  const auto one = instruction ? low_bits_in(*instruction->getOperand(0), low, depth + 1)
                               : std::nullopt,
             other = one ? low_bits_in(*instruction->getOperand(1), low, depth + 1) : std::nullopt;
  if (!other)
    return std::nullopt;
  switch (instruction->getOpcode()) {
  case llvm::Instruction::Add:
    return masked(*one + *other);
  case llvm::Instruction::Sub:
    return masked(*one - *other);
  case llvm::Instruction::Mul:
    return masked(*one * *other);
  case llvm::Instruction::And:
    return *one & *other;
  case llvm::Instruction::Or:
    return *one | *other;
  case llvm::Instruction::Xor:
    return *one ^ *other;
  default:
    return std::nullopt;
  }
}

class States {
public:
  explicit States(const llvm::Loop &loop)
      : loop_(loop), latch_(loop.getLoopLatch()), before_(loop.getLoopPredecessor()) {}

  std::optional<LoopStates> find(std::size_t most_states) {
    most_states_ = most_states;
    masks_.clear();
    if (!latch_ || !before_)
      return std::nullopt;
    Iteration first;
    for (const llvm::PHINode &phi : loop_.getHeader()->phis()) {
      auto *start = llvm::dyn_cast<llvm::ConstantInt>(phi.getIncomingValueForBlock(before_));
      if (!start || !is_integer(phi))
        continue;
      first.exact[&phi] = start->getZExtValue();
      if (const auto low = low_bits_in(*start, LoopState()))
        first.low[&phi] = *low;
    }
    find_masks(first.low);
    if (masks_.empty())
      first.low.clear();
    while (!first.exact.empty() || !first.low.empty()) {
      iterations_ = {first};
      after_last_ = std::nullopt;
      if (iterate(first))
        return result();
    }
    return std::nullopt;
  }

private:
  struct Iteration {
    LoopState exact, low; // low: the lowest bits of variables
  };

  // Instructions of the loop that use nothing but the lowest bits of a value.
  void find_masks(const LoopState &low) {
    using namespace llvm::PatternMatch;
    for (const llvm::BasicBlock *block : loop_.blocks())
      for (const llvm::Instruction &each : *block) {
        const llvm::APInt *mask = nullptr;
        const bool is_masked = (match(&each, m_And(m_Value(), m_LowBitMask(mask))) &&
                                mask->countr_one() <= most_low_bits) ||
                               (llvm::isa<llvm::TruncInst>(each) && is_integer(each) &&
                                each.getType()->getIntegerBitWidth() <= most_low_bits);
        if (is_masked && low_bits_in(*each.getOperand(0), low))
          masks_.push_back(&each);
      }
  }

  // Returns false if it has removed variables from `first`.
  bool iterate(Iteration &first) {
    while (iterations_.size() <= most_states_) {
      const Iteration &last = iterations_.back();
      if (ends(last.exact))
        return true;
      Iteration next;
      llvm::SmallVector<const llvm::Value *> unknown;
      for (const auto &[phi, value] : last.exact)
        if (const auto known = value_in(next_of(phi), last.exact))
          next.exact[phi] = known->getZExtValue();
        else
          unknown.push_back(phi);
      for (const llvm::Value *phi : unknown)
        first.exact.erase(phi);
      bool is_known = unknown.empty();
      unknown.clear();
      for (const auto &[phi, value] : last.low)
        if (const auto known = low_bits_in(next_of(phi), last.low))
          next.low[phi] = *known;
        else
          unknown.push_back(phi);
      for (const llvm::Value *phi : unknown)
        first.low.erase(phi);
      if (!is_known || !unknown.empty())
        return false;
      const auto same =
          std::find_if(iterations_.begin(), iterations_.end(), [&next](const Iteration &each) {
            return are_equal(each.exact, next.exact) && are_equal(each.low, next.low);
          });
      if (same != iterations_.end()) {
        after_last_ = std::size_t(same - iterations_.begin());
        return true;
      }
      iterations_.push_back(std::move(next));
    }
    remove_counters(first);
    return false;
  }

  // Variables that have another value in each iteration; all, if there are none of these.
  void remove_counters(Iteration &first) const {
    llvm::SmallVector<const llvm::Value *> counters;
    for (const auto &[phi, value] : first.exact) {
      std::vector<uint64_t> values;
      for (const Iteration &each : iterations_)
        values.push_back(each.exact.lookup(phi));
      std::sort(values.begin(), values.end());
      if (std::adjacent_find(values.begin(), values.end()) == values.end())
        counters.push_back(phi);
    }
    for (const llvm::Value *phi : counters)
      first.exact.erase(phi);
    if (counters.empty())
      first = Iteration();
  }

  const llvm::Value &next_of(const llvm::Value *phi) const {
    return *llvm::cast<llvm::PHINode>(phi)->getIncomingValueForBlock(latch_);
  }
  static bool are_equal(const LoopState &one, const LoopState &other) {
    return one.size() == other.size() && llvm::all_of(one, [&other](const auto &each) {
             const auto found = other.find(each.first);
             return found != other.end() && found->second == each.second;
           });
  }
  // Whether the loop ends in that iteration. It may also end in others.
  bool ends(const LoopState &state) const {
    for (const auto *block : {static_cast<const llvm::BasicBlock *>(loop_.getHeader()), latch_}) {
      auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      const auto condition = branch && branch->isConditional()
                                 ? value_in(*branch->getCondition(), state)
                                 : std::nullopt;
      if (condition && !loop_.contains(branch->getSuccessor(condition->isZero())))
        return true;
    }
    return false;
  }

  std::optional<LoopStates> result() const {
    LoopStates found{&loop_, {}, after_last_};
    for (const Iteration &each : iterations_) {
      LoopState &state = found.states.emplace_back(each.exact);
      for (const llvm::Instruction *mask : masks_) {
        const auto low = low_bits_in(*mask->getOperand(0), each.low);
        if (!low)
          continue;
        const unsigned bits =
            llvm::isa<llvm::TruncInst>(mask)
                ? mask->getType()->getIntegerBitWidth()
                : llvm::cast<llvm::ConstantInt>(mask->getOperand(1))->getValue().countr_one();
        state[mask] = *low & llvm::maskTrailingOnes<uint64_t>(bits);
      }
    }
    return found.states.size() < 2 ? std::nullopt : std::optional(std::move(found));
  }

  const llvm::Loop &loop_;
  const llvm::BasicBlock *const latch_, *const before_;
  std::size_t most_states_ = 0;
  std::vector<const llvm::Instruction *> masks_;
  std::vector<Iteration> iterations_;
  std::optional<std::size_t> after_last_;
};

} // namespace

std::vector<LoopStates> find_loop_states(const llvm::LoopInfo &loops) {
  std::vector<LoopStates> all;
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    States states(*loop);
    if (auto few = states.find(few_states))
      all.push_back(std::move(*few));
    if (auto many = states.find(many_states); many && many->states.size() > few_states)
      all.push_back(std::move(*many));
  }
  return all;
}

} // namespace lockstep::compiler
