// Gives loops that all lanes go through together, but for the last round, a copy without masks.
//
// Input:  the kernel before linearise: loops simplified, LCSSA form.
// Output: the same, with some loops twice.
//
// `for (i = get_global_id(0); i < n; i += get_global_size(0))` is left by some lanes one round
// before the others, in the last sub-group that finds work. For that one round each access would be
// masked and each lane compared with n in every round. Instead:
//
//     if (all lanes are here)
//       do body; while (all lanes go on);      // no masks: one lane's index tells about all
//       those that do not go on leave
//     the loop as it was, for those that are left
//
// "All lanes" are two primitives: linearise answers the first from the block's mask and gives no
// masks to what only all lanes together enter; packetise answers the second.
//
// Only small innermost loops that go on while an index whose lanes are known distances apart is
// below a limit that is the same for all: where lanes part at what they computed, the copy would be
// left at once.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class FullLoopsPass : public llvm::PassInfoMixin<FullLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
