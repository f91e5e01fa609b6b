// Finds the branch conditions that dominate an access and bound an expression that differs between
// work-items: `if (x < width && y < height)`, or `if (x >= width) return;`.
//
// If a launch has more work-items than elements, only these guards make its accesses disjoint.
#pragma once

#include "abi/assumptions.h"

#include <vector>

namespace llvm {
class DominatorTree;
class Instruction;
} // namespace llvm

namespace lockstep::compiler {

class LaunchExpressions;

// `both` also collects lower bounds. Callers that need an exact value use them to prove that
// unsigned expressions do not wrap.
enum class GuardedEnds { upper, both };

std::vector<Guard> guards_of(const llvm::Instruction &access, const llvm::DominatorTree &dominators,
                             LaunchExpressions &sums, GuardedEnds ends = GuardedEnds::upper);

} // namespace lockstep::compiler
