// Conditions that everybody fulfils who makes an access: `if (x < width && y < height)`, or `if (x >= width) return;`.
//
// A launch with more work-items than there are elements has its places apart only because of these.
#pragma once

#include "compiler/suppositions.h"

#include <vector>

namespace llvm {
class DominatorTree;
class Instruction;
} // namespace llvm

namespace lockstep::compiler {

class LaunchSums;

// `both`: with what sums are not below, too. For who takes what must fit exactly: what has no sign is not negative then.
enum class GuardedEnds { upper, both };

std::vector<Guard> guards_of(const llvm::Instruction &access, const llvm::DominatorTree &dominators,
                             LaunchSums &sums, GuardedEnds ends = GuardedEnds::upper);

} // namespace lockstep::compiler
