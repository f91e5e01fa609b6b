// How the launch computes how many of its work-groups are one row of a kernel that divides a linear
// id (compiler/group_shape/groups_in_rows.cpp).
#pragma once

#include "support/fields.h"

#include <cstdint>
#include <vector>

namespace lockstep::compiler {

// An unsigned integer in the argument block.
struct ArgumentNumber {
  uint32_t argument = 0;
  uint32_t offset = 0; // bytes; in function attributes from the beginning of the argument
  uint32_t size = 0;   // bytes
  bool operator==(const ArgumentNumber &) const = default;
};

// The product of `factors` by `divisor`, rounded down.
struct RowOfGroups {
  std::vector<ArgumentNumber> factors; // empty: the code has no rows
  uint64_t divisor = 1;
  bool is_exact = false; // there are rows only if the divisor leaves no remainder
  bool operator==(const RowOfGroups &) const = default;
};

void visit_fields(auto &visit, FieldsOf<ArgumentNumber> auto &number) {
  visit(number.argument, number.offset, number.size);
}
void visit_fields(auto &visit, FieldsOf<RowOfGroups> auto &row) {
  visit(row.factors, row.divisor, row.is_exact);
}

} // namespace lockstep::compiler
