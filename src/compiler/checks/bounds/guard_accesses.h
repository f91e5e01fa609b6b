// Keeps the accesses of a checked kernel within bounds. An access out of bounds is reported to the
// checker and not executed; a load that is not executed gives 0.
//
// The passes compare an offset with the size of the object that the pointer is based on. The size
// of a variable is known here. The size of an argument's memory comes from the launch. Other
// pointers (members of a SYCL function object, pointers in memory) are looked up by address at run
// time (memory_check_abi.h). Each work-item has its own comparison: lanes within bounds continue.
//
// Pass guard-own-accesses
// Requires: one work-item's kernel, inlined.
// Ensures: accesses to private variables and constant tables are within bounds.
// Why here: scalar optimization would unroll a loop that runs one iteration too far and then delete
//   the invalid access. It also removes the comparisons that always hold.
//
// Pass guard-accesses
// Requires: the kernel before the stage `checks`.
// Ensures: accesses to global, local and generic memory are within bounds, including pointers that
//   may be private. Accesses that the launch proves in bounds are not compared
//   (in_bounds_accesses.h). Where an access is out of bounds, its shadow memory counts as defined.
//   Group copies out of bounds copy nothing. `sanitize_thread` stays for instrument-accesses.
// Why here: earlier there are more accesses, and wait loops are detected in loops as written.
//   Later, packetize merges accesses into wide ones whose bytes are unknown.
#pragma once

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace lockstep::compiler {

class GuardAccessesPass : public llvm::PassInfoMixin<GuardAccessesPass> {
public:
  explicit GuardAccessesPass(uint64_t failed_assumptions = 0) : refused_(failed_assumptions) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  uint64_t refused_;
};

class GuardOwnAccessesPass : public llvm::PassInfoMixin<GuardOwnAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
