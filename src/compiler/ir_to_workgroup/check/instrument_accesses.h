// Tells the checker of each access to memory that work-items share.
//
// Takes:      one work-item's kernel, inlined, with its waits marked.
// Guarantees: before each load, store or copy of global, local or generic memory stands a __lockstep_check_access; in a
//             kernel that synchronises by atomics or fences, those are calls of __lockstep_check_atomic, _load and
//             _fence, which make the access themselves. `sanitize_thread` is gone.
// Why here:   earlier there are too many accesses, most of which optimisation removes; later, packetize makes wide ones
//             of them, with gaps, of which nobody can say who touched what. Waits are looked for in what the kernel has.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class InstrumentAccessesPass : public llvm::PassInfoMixin<InstrumentAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
