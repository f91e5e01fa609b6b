// One seed from generation to verdict.
#pragma once

#include "generate.h"
#include "run_opencl.h"

#include <string>
#include <vector>

namespace lockstep::fuzz {

enum class Verdict {
  same = 0,
  differs = 1,
  problem = 2, // an OpenCL call failed
  illegal = 3, // the generator's fault: the interpreter found a race, a divergent barrier or too
               // long a run
  crash = 4,   // the process died; only the supervisor can tell
  hang = 5,
  unusable = 6, // no such platform, or options that make no sense
};
const char *name(Verdict verdict);

struct Report {
  Verdict verdict = Verdict::same;
  std::string sentence; // the first difference, or the problem
};

// Everything in a program that the reducer can leave out, in an order that depends on nothing but
// the program: statements, outer ones first, then expressions.
struct Part {
  Stmt *stmt = nullptr;
  Expr *expr = nullptr;
};
std::vector<Part> parts(Program &program);
void cut(Program &program, const std::vector<int> &numbers);

Report compare(const Program &program, OpenClDevice &device);

} // namespace lockstep::fuzz
