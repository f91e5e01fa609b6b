// Arithmetic of the sums of products that launch_sums.h makes of values. Nothing, or false: it has more terms or factors than are
// kept, or a factor overflows.
#pragma once

#include "compiler/ir_to_workgroup/check/launch_sums.h"

#include <cstdint>
#include <optional>

namespace lockstep::compiler::sum_terms {

using Sum = LaunchSums::Sum;
using Result = LaunchSums::Result;

Sum constant(int64_t value);
Sum atom(LaunchNumber number, uint32_t index, uint32_t shift = 0);
bool add_to(Sum &sum, const Sum &other, int64_t times);
std::optional<Sum> product(const Sum &one, const Sum &other);
// By the opcode of an addition, a subtraction or a multiplication.
std::optional<Result> combine(const std::optional<Result> &one, const std::optional<Result> &other,
                              unsigned opcode);
// By a power of two; nothing if a term has a rest.
std::optional<Sum> divided(const Sum &sum, unsigned shift);
// Without what is 0 when this argument is.
Sum without(const Sum &sum, LaunchAtom argument);
// What is no constant is to fit into so many bits.
void suppose_fits(Result &result, unsigned bits, bool is_signed);
bool is_of_launch(const Sum &sum); // the same for all work-items
// What the launch knows, and ids, are no negative numbers.
bool has_no_negative(const Sum &sum);

} // namespace lockstep::compiler::sum_terms
