// Collective operations of a sub-group or a work-group: reductions, scans, votes, shuffles. In a
// sub-group those work-items take part that are at the same statement in the same iteration of all
// enclosing loops.
#pragma once

#include "value.h"

#include <optional>
#include <string>
#include <vector>

namespace lockstep::fuzz {

enum class TogetherKind : uint8_t {
  reduce,
  inclusive,
  exclusive,
  any, // of a predicate: int
  all,
  first, // the first active lane's value; in a group, that of a work-item with a computed number
  // Sub-groups only.
  cluster, // reduction over 4 adjacent lanes, or all if there are fewer
  shuffle, // from a computed lane; 0 where that one does not take part
  elect,   // int
  count,   // number of lanes with a true predicate: uint
};

struct Together {
  bool of_group = false;
  TogetherKind kind = TogetherKind::reduce;
  uint8_t operation = 0; // add, mul, min, max, and, or, xor
};
inline constexpr int together_operations = 7;

// The value that a work-item contributes, and the number that it passes (first, shuffle).
struct Offer {
  Value value;
  uint64_t number = 0;
};

// Returns the result for each participant; `offers` in the order of lanes (or of the group's
// items).
std::vector<Value> compute(const Together &what, Type result,
                           const std::vector<std::optional<Offer>> &offers, uint32_t width);

// Prints a statement that assigns the result to `target`. `number`: an expression, or empty.
std::string print(const Together &what, Type type, const std::string &target,
                  const std::string &value, const std::string &number, uint32_t width);

} // namespace lockstep::fuzz
