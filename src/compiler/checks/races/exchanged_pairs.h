// Recognises work-items that each access both elements of a pair of their own: butterflies, as in
// bitonic sorts and Fourier transforms.
//
//   l = i ^ j; if (l > i) { ... a[i], a[l] ... }             the smaller element's work-item
//   if ((i & j) == 0) { ... a[i], a[i + j] (or i | j) ... }  that of the element without the bits
//
// Requires: the accesses of one kernel to one object, before they are instrumented. `j` is the same
// for all work-items of the launch.
//
// Ensures: if all `i` are different, no two work-items access the same byte, whatever `j` is. The
// launch verifies the rest: that the `i` are different and fit into their bits.
#pragma once

#include "compiler/checks/expressions/launch_expressions.h"
#include "compiler/checks/races/disjoint_accesses.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::compiler {

struct ExchangedPairs {
  LaunchSum offset{}; // in bytes, of the element that the work-item's own index selects
  int64_t size = 0;   // of an element
  std::vector<FittingSum> fitting{};
};

// Nullopt: the accesses are not of this kind.
std::optional<ExchangedPairs> exchanged_pairs(llvm::ArrayRef<const SharedAccess *> accesses,
                                              const llvm::DominatorTree &dominators,
                                              LaunchExpressions &sums);

} // namespace lockstep::compiler
