// Replaces phis of a value and of the constant that it has on the other path.
//
// GVN turns `if (i != 0) f(a[i]); b[i] = ...` into accesses of a[i] and b[phi(i, 0)], since i is 0 on
// the other path. Lane shapes do not propagate through such a phi: the accesses would be gathers and
// scatters.
#pragma once

namespace llvm {
class DominatorTree;
class Function;
} // namespace llvm

namespace lockstep::compiler {

// A phi becomes its value if that is arithmetic with constants and one value, which a branch on the
// other path compares with a constant. Returns whether the function changed.
bool restore_values_of_phis(llvm::Function &function, const llvm::DominatorTree &dominators);

} // namespace lockstep::compiler
