// Inserts calls that report accesses to shared memory to the checker.
//
// Requires: one work-item's kernel, inlined, with its waits marked.
// Ensures: a __lockstep_check_access precedes each load, store or copy of global, local or generic
//   memory that may conflict with another access (disjoint_accesses.h). A remark says why a
//   conflict is not excluded. Assumptions about the launch for other accesses are in the module's
//   metadata (assumptions.h). If the kernel synchronizes by atomics or fences, these become calls
//   of __lockstep_check_atomic, _load and _fence, which perform the access. Values that
//   record-arguments has marked are reported by __lockstep_check_access unless they are uniform. If
//   commands are compared (CodeOptions::check_commands), accesses to global memory are marked
//   (footprint_marks.h) or reported. `sanitize_thread` is removed.
// Why here: earlier there are more accesses, most of which optimization removes. Later, packetize
//   merges accesses into wide ones with gaps, so that the bytes of a work-item are unknown. The
//   detection of waits must see the original kernel.
#pragma once

#include "abi/assumptions.h"

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace lockstep::compiler {

struct CheckedKinds {
  bool races = true;     // compare work-items with each other
  bool commands = false; // compare commands with each other
};

class InstrumentAccessesPass : public llvm::PassInfoMixin<InstrumentAccessesPass> {
public:
  explicit InstrumentAccessesPass(uint64_t failed_assumptions = 0, CheckedKinds wanted = {})
      : failed_(failed_assumptions), wanted_(wanted) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  uint64_t failed_;
  CheckedKinds wanted_;
};

// All assumptions that the passes of a checked kernel make about its launch.
Assumptions all_assumptions(const llvm::Module &module);

} // namespace lockstep::compiler
