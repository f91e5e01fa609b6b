// Keeps wait loops on plain variables, so that they can be reported.
//
// Requires: the kernel of one work-item, in SSA form.
// Ensures: a plain load becomes volatile and gets the metadata `lockstep.check.plain` if it reads
//   shared memory at an address that is invariant in a loop, only such loads can end the loop, and
//   the loop writes nothing that other work-items can see. A concurrent write there is a data race;
//   instrument-accesses still treats the load as plain.
// Why here: scalar optimization would hoist the load and then delete the loop or make it infinite,
//   so that the checker would not see the wait. mark-waits makes it a wait: the work-group that
//   writes can run, and the launch ends with a report if there is none.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PinPlainWaitsPass : public llvm::PassInfoMixin<PinPlainWaitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
