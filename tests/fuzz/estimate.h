// Floating-point whose result is known within an error only: maths functions, and, with fast
// mathematics, sums and products that the compiler may regroup. Nothing else in a program depends
// on such a number: it is stored, and compared with what is computed here in a wider type, within
// the error that the specification allows for each step (OpenCL C 7.4) and that steps hand on.
//
// Every function is asked where it is continuous and flat enough for that, by guards in its text.
#pragma once

#include "value.h"

#include <span>
#include <string>
#include <vector>

namespace lockstep::fuzz {

// One function, with its operands in front of it, or a leaf: an exact number, between -8 and 8.
struct EstimateStep {
  int function = -1; // a row of the table
  int leaf = -1;
};
using Estimate = std::vector<EstimateStep>;

int estimate_function_count(); // without the later ones
// Functions that the table got later, with so many operands, of this type.
std::vector<int> later_functions(int operands, Type type);
int operands_of(int function);
bool is_arithmetic(int function);

struct PrintedEstimate {
  std::string declarations; // of variables that the expression writes to; often none
  std::string expression;
};
// As an expression of `type`; `leaves`: their text.
PrintedEstimate print(const Estimate &estimate, Type type, const std::vector<std::string> &leaves);

struct Bounded {
  Value value;
  std::vector<double> errors; // of each lane; infinite: anything is right
};
Bounded evaluate(const Estimate &estimate, Type type, bool fast, std::span<const Value> leaves);

} // namespace lockstep::fuzz
