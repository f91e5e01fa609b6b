// Arithmetic on LaunchExpressions::Sum, a sum of products (launch_expressions.h).
//
// A function returns nullopt or false if the result has more than 32 terms, if a term has more than
// 4 factors, or if a coefficient overflows.
#pragma once

#include "compiler/checks/expressions/launch_expressions.h"

#include <cstdint>
#include <optional>

namespace lockstep::compiler::sum_terms {

using Sum = LaunchExpressions::Sum;
using Result = LaunchExpressions::Result;

Sum constant(int64_t value);
Sum atom(LaunchNumber number, uint32_t index, uint32_t shift = 0);
bool add_to(Sum &sum, const Sum &other, int64_t times);
std::optional<Sum> product(const Sum &one, const Sum &other);
// `opcode`: Add, Sub or Mul.
std::optional<Result> combine(const std::optional<Result> &one, const std::optional<Result> &other,
                              unsigned opcode);
// Divides by 2^shift; nullopt if a coefficient is not a multiple of 2^shift.
std::optional<Sum> divided(const Sum &sum, unsigned shift);
// Removes the terms that have `argument` as a factor: they are 0 if the argument is 0.
Sum without(const Sum &sum, LaunchAtom argument);
// Unless the sum is a constant, adds the requirement that it fits into `bits`.
void assume_fits(Result &result, unsigned bits, bool is_signed);
bool is_of_launch(const Sum &sum); // true if the sum is uniform across work-items
// Relies on launch parameters and ids being non-negative: only coefficients are examined.
bool has_no_negative(const Sum &sum);

} // namespace lockstep::compiler::sum_terms
