// Floating-point expressions whose result is known within an error only: math functions and, with
// fast math, sums and products that the compiler may regroup.
//
// No other part of a program depends on such a number. It is stored and compared with a value
// computed here in a wider type. The tolerance is the error that the specification allows for each
// step (OpenCL C 7.4), propagated through the later steps. Guards in the text keep the arguments of
// every function where it is continuous and flat enough.
#pragma once

#include "value.h"

#include <span>
#include <string>
#include <vector>

namespace lockstep::fuzz {

// A function, preceded by its operands, or a leaf: an exact number between -8 and 8.
struct EstimateStep {
  int function = -1; // a row of the table
  int leaf = -1;
};
using Estimate = std::vector<EstimateStep>;

int estimate_function_count(); // without the later additions
// The functions that were added later, with this number of operands, of this type.
std::vector<int> later_functions(int operands, Type type);
int operands_of(int function);
bool is_arithmetic(int function);

struct PrintedEstimate {
  std::string declarations; // of variables that the expression writes to; often empty
  std::string expression;
};
// Prints an expression of `type`. `leaves`: the text of the leaves.
PrintedEstimate print(const Estimate &estimate, Type type, const std::vector<std::string> &leaves);

struct Bounded {
  Value value;
  std::vector<double> errors; // of each lane; infinite: any value is right
};
Bounded evaluate(const Estimate &estimate, Type type, bool fast, std::span<const Value> leaves);

} // namespace lockstep::fuzz
