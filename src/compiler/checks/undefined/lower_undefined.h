// Lowers the shadow-access placeholders of track-undefined to loads and stores of shadow memory,
// and drops reports that can never fire.
//
// Requires: one work-item's kernel after scalar optimization, with the calls of track-undefined
//   (undefined_calls.h).
// Ensures: of these calls only __lockstep_check_choice is left, behind a branch. The shadow of
//   local memory follows it, where the launch has reserved room. For other memory, the launch gives
//   the distance to the shadow (memory_check_abi.h), if there is one. Arguments and members through
//   which nothing is written and whose memory the launch knows to be defined are not queried
//   (Specialization::defined_arguments, defined_members). used_members.h records these members in
//   the module. Accesses to shadow memory have `nosanitize`.
// Why here: the origin of a pointer is known only when pointers are in registers and structures are
//   split. Folding shows which values are always defined. The pass must precede the detection of
//   wait loops, which treats unknown calls as having any effect.
#pragma once

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace lockstep::compiler {

class LowerUndefinedPass : public llvm::PassInfoMixin<LowerUndefinedPass> {
public:
  // As in Specialization.
  explicit LowerUndefinedPass(uint64_t defined_arguments = 0, uint64_t defined_members = 0)
      : defined_arguments_(defined_arguments), defined_members_(defined_members) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const uint64_t defined_arguments_, defined_members_;
};

} // namespace lockstep::compiler
