// Decides which functions of a large kernel are not inlined.
//
// Requires: a module with one kernel, builtins linked, nothing inlined; no recursion.
// Ensures: functions that must not be inlined have the attribute "lockstep-out-of-line".
//
// Later stages work best on one function, which is what small kernels get. But its size is a
// product: a hash function of 300 lines that is called 20 times by one that is called 20 times is
// 120,000 lines, which takes minutes to compile. So above `limit` instructions, the pass first
// simplifies each function, once instead of in each copy. Then it marks the fewest and largest
// functions for which the total code is below the limit, or as small as possible.
//
// Cooperating work-items must be in one control-flow graph. So a function is always inlined if it
// or a callee reaches a barrier, a sub-group operation, or an access that a loop might wait for.
// With fences, that is any load of memory that other work-items see. If accesses are checked,
// functions that access such memory are inlined as well, since each access must know its work-item.
//
// The decision depends only on the IR and the limit, so the same kernel yields the same code
// everywhere.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class KeepOutOfLinePass : public llvm::PassInfoMixin<KeepOutOfLinePass> {
public:
  // `limit`: instructions, as the front end emits them; 0: all functions stay out of line, if
  // possible. `optimize` is that of WorkGroupOptions, `checks` is CodeOptions::check.
  explicit KeepOutOfLinePass(uint64_t limit, bool optimize = true, bool checks = false)
      : limit_(limit), optimize_(optimize), checks_(checks) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  uint64_t limit_;
  bool optimize_, checks_;
};

} // namespace lockstep::compiler
