#include "compiler/checks/expressions/expression_terms.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/IR/Instruction.h"

#include <algorithm>
#include <utility>

namespace lockstep::compiler::sum_terms {

// A sum may be the difference of two.
static constexpr size_t most_terms = 2 * limits::sum_terms;

Sum constant(int64_t value) {
  return value ? Sum{{{}, value}} : Sum{};
}

Sum atom(LaunchNumber number, uint32_t index, uint32_t shift) {
  return {{{LaunchAtom{number, index, shift}}, 1}};
}

bool add_to(Sum &sum, const Sum &other, int64_t times) {
  for (const auto &[atoms, factor] : other) {
    int64_t scaled = 0;
    int64_t &mine = sum[atoms];
    if (__builtin_mul_overflow(factor, times, &scaled) ||
        __builtin_add_overflow(mine, scaled, &mine))
      return false;
    if (mine == 0)
      sum.erase(atoms);
  }
  return sum.size() <= most_terms;
}

std::optional<Sum> product(const Sum &one, const Sum &other) {
  Sum result;
  for (const auto &[atoms, factor] : one)
    for (const auto &[more, times] : other) {
      std::vector<LaunchAtom> all = atoms;
      all.insert(all.end(), more.begin(), more.end());
      std::sort(all.begin(), all.end());
      int64_t both = 0;
      if (all.size() > limits::search_depth || __builtin_mul_overflow(factor, times, &both) ||
          !add_to(result, {{all, both}}, 1))
        return std::nullopt;
    }
  return result;
}

std::optional<Result> combine(const std::optional<Result> &one, const std::optional<Result> &other,
                              unsigned opcode) {
  if (!one || !other)
    return std::nullopt;
  Result result{one->sum, one->fitting};
  result.fitting.insert(result.fitting.end(), other->fitting.begin(), other->fitting.end());
  if (opcode == llvm::Instruction::Mul) {
    auto both = product(one->sum, other->sum);
    if (!both)
      return std::nullopt;
    result.sum = std::move(*both);
  } else if (!add_to(result.sum, other->sum, opcode == llvm::Instruction::Sub ? -1 : 1)) {
    return std::nullopt;
  }
  return result;
}

std::optional<Sum> divided(const Sum &sum, unsigned shift) {
  Sum result;
  for (const auto &[atoms, factor] : sum) {
    if (factor & ((int64_t{1} << shift) - 1))
      return std::nullopt;
    result[atoms] = factor >> shift;
  }
  return result;
}

Sum without(const Sum &sum, LaunchAtom argument) {
  Sum result;
  for (const auto &[atoms, factor] : sum)
    if (std::none_of(atoms.begin(), atoms.end(), [&](const LaunchAtom &each) {
          return each.number == argument.number && each.index == argument.index &&
                 each.byte == argument.byte;
        }))
      result[atoms] = factor;
  return result;
}

void assume_fits(Result &result, unsigned bits, bool is_signed) {
  if (result.sum.size() > 1 || (!result.sum.empty() && !result.sum.begin()->first.empty()))
    result.fitting.push_back({to_list(result.sum), bits, is_signed});
}

bool is_of_launch(const Sum &sum) {
  return std::all_of(sum.begin(), sum.end(), [](const auto &term) {
    return std::none_of(term.first.begin(), term.first.end(),
                        [](const LaunchAtom &each) { return each.differs(); });
  });
}

bool has_no_negative(const Sum &sum) {
  return std::all_of(sum.begin(), sum.end(), [](const auto &term) { return term.second > 0; });
}

} // namespace lockstep::compiler::sum_terms
