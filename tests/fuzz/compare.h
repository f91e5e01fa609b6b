// Takes one seed from generation to a verdict.
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
  illegal = 3, // generator error: the interpreter found a race, a divergent barrier or
               // too long a run
  crash = 4,   // the process died; only the supervisor can detect this
  hang = 5,
  unusable = 6, // no such platform, or invalid options
  slow = 7,     // the compiler takes very long; only the supervisor can detect this
};
const char *name(Verdict verdict);

struct Report {
  Verdict verdict = Verdict::same;
  std::string sentence; // the first difference, or the problem
};

// A part of a program that the reducer can remove. The order depends only on the program:
// statements first, outer ones before inner ones, then expressions.
struct Part {
  Stmt *stmt = nullptr;
  Expr *expr = nullptr;
};
std::vector<Part> parts(Program &program);
void cut(Program &program, const std::vector<int> &numbers);

// The line that compare() prints when the kernel has been launched; run_child.h says why.
inline constexpr char runs[] = "@ runs";

Report compare(const Program &program, OpenClDevice &device);

} // namespace lockstep::fuzz
