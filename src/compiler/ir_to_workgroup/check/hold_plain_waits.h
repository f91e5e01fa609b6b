// Keeps waits on plain variables, so that they can be told of.
//
// Takes:      the kernel of one work-item, in SSA form.
// Guarantees: ordinary loads of memory that others have, at a place that stays the same, are volatile and have the metadata
//             `lockstep.check.plain` if nothing else can end a loop that writes nothing others see. To write there
//             meanwhile is a data race, and instrument-accesses still takes them for plain.
// Why here:   scalar optimisation reads such a variable once, before the loop, and then drops the loop or makes an endless one
//             of it: the checker would see neither the wait nor its place. mark-waits makes a wait of it, so that
//             the group which writes can run, and the launch ends with a report if there is none.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

inline constexpr char plain_wait_metadata[] = "lockstep.check.plain";

class HoldPlainWaitsPass : public llvm::PassInfoMixin<HoldPlainWaitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
