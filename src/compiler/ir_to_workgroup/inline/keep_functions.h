// Decides which functions of a large kernel stay functions.
//
// Input:  a module with one kernel, builtins linked, nothing inlined; no recursion.
// Output: the same; functions that are not to be inlined have the attribute "lockstep-kept-function".
//
// Everything that is called may be inlined into one function, which is what later stages like best and what small
// kernels get. But the size of that function is a product: a hash function of 300 lines that is called 20 times by one
// that is called 20 times is 120,000 lines, and compiling takes minutes. So above `limit` instructions the functions are
// simplified by themselves first, once instead of in each copy, and then those that are worth it are kept: the fewest
// and largest for which all that has to be compiled is below the limit, or as little as it gets.
//
// What work-items do together needs them all in one control-flow graph. Inlined whatever their size are functions that
// reach, themselves or through others, a barrier, a sub-group operation, or an access that a loop might wait for; beside
// fences that is any load of memory that others see. Where accesses are checked, functions that make any to such memory are
// inlined as well, since each has to know whose it is.
//
// The decision depends on nothing but the IR and the limit, so the same kernel becomes the same code everywhere.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class KeepFunctionsPass : public llvm::PassInfoMixin<KeepFunctionsPass> {
public:
  // Instructions, as the front end writes them; 0: all functions that can be are kept. `optimise` as in
  // WorkGroupOptions, `checks` as CodeOptions::check.
  explicit KeepFunctionsPass(uint64_t limit, bool optimise = true, bool checks = false)
      : limit_(limit), optimise_(optimise), checks_(checks) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  uint64_t limit_;
  bool optimise_, checks_;
};

} // namespace lockstep::compiler
