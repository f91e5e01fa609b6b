// Loads of a row by each work-item become loads of rows.
//
//     for (k = 0; k < n; k++) sum += a[row * n + k];
//
// Lanes are rows here, so each round gathers a column: an element from each of 16 lines of memory, and the same lines in the
// next 15 rounds. Where rows are a power of two long, these lines meet in a few ways of the cache. In 16 rounds at once each
// lane's row is one load, and the vectors are turned in registers (tiles.h, for rounds in place of sub-groups).
//
// Input:  the function of a work-group with its loops over sub-groups. Innermost loops of one block that write nothing, and
//         gather of all lanes what lies beside that of the round before.
// Output: as many rounds at once as elements are in 64 bytes, or lanes in a vector, and such loads; what is left of the
//         rounds gathers as before. A row is read as far as the loop reads it, no further.
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
