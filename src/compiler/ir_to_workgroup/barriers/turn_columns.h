// Rows that work-items go along, each its own, are loaded and stored as rows.
//
//     for (k = 0; k < n; k++) sum += a[row * n + k];
//
// Lanes are rows here, so each round gathers a column: an element from each of 16 lines of memory, and the same lines in the
// next 15 rounds. Where rows are a power of two long, these lines meet in a few ways of the cache. In 16 rounds at once each
// lane's row is one load, and the vectors are turned in registers (tiles.h, for rounds in place of sub-groups).
//
// Input:  the function of a work-group with its loops over sub-groups. Innermost loops of one block that gather of all lanes what
//         lies beside that of the round before, or scatter so. What scatters has no other access beside those.
// Output: as many rounds at once as elements are in 64 bytes, or lanes in a vector, and such loads and stores; what is left of
//         the rounds gathers as before. A row is read as far as the loop reads it, no further.
//
// All loads of the rounds at once come before their stores. So if a store of one may be what a later one loads, which without
// `restrict` is asked before the loop, the loop runs as it was. So it does if an index of 32 bits without a sign wraps in some
// lane.
//
// After jam-sub-groups, which chooses what is done at once by the loop as it was.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class TurnColumnsPass : public llvm::PassInfoMixin<TurnColumnsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
