// Tells the checker of each access to memory that work-items share.
//
// Takes:      one work-item's kernel, inlined, with its waits marked.
// Guarantees: before each load, store or copy of global, local or generic memory that may meet another
//             (apart_accesses.h) stands a __lockstep_check_access, and a remark says why that is not known; what the
//             launch must be for the others is in the module's metadata (suppositions.h). In a
//             kernel that synchronises by atomics or fences, those are calls of __lockstep_check_atomic, _load and
//             _fence, which make the access themselves. What tell-arguments has noted is told by
//             __lockstep_check_access, if it may differ between work-items. Where commands are looked at
//             (CodeOptions::check_commands), what accesses to global memory touch is marked (touch_marks.h), or told of as well.
//             `sanitize_thread` is gone.
// Why here:   earlier there are too many accesses, most of which optimisation removes; later, packetize makes wide ones
//             of them, with gaps, of which nobody can say who touched what. Waits are looked for in what the kernel has.
#pragma once

#include "compiler/suppositions.h"

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace lockstep::compiler {

struct CheckedKinds {
  bool races = true;     // work-items are compared with each other
  bool commands = false; // with those of other commands
};

class InstrumentAccessesPass : public llvm::PassInfoMixin<InstrumentAccessesPass> {
public:
  explicit InstrumentAccessesPass(uint64_t refused_suppositions = 0, CheckedKinds wanted = {})
      : refused_(refused_suppositions), wanted_(wanted) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  uint64_t refused_;
  CheckedKinds wanted_;
};

// What the passes of a checked kernel suppose of its launch.
Suppositions all_suppositions(const llvm::Module &module);

} // namespace lockstep::compiler
