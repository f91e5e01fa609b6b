// Says where it is written down which bits of global and local memory are undefined, and tells only of what is.
//
// Takes:      one work-item's kernel after scalar optimisation, with the calls of track-undefined (undefined_calls.h).
// Guarantees: of these, only __lockstep_check_choice is left, behind a branch. Beside local memory lie planes, as the
//             launch has made room for them; beside memory of an argument or of another pointer where the launch says
//             (memory_check_abi.h), if at all: nothing is asked of arguments of which all is defined, as the launch knows
//             beforehand (Specialisation::defined_arguments; members of the function object: defined_members), and by which nothing is
//             written. By which members that is so stands in the module (used_members.h). Accesses to these planes have
//             `nosanitize`.
// Why here:   where a pointer comes from is clear only when pointers are in registers and structures taken apart; and what
//             is always defined, so that nothing needs to be asked, when values are folded. Before waits are looked for,
//             to which unknown calls would mean anything.
#pragma once

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace lockstep::compiler {

class LowerUndefinedPass : public llvm::PassInfoMixin<LowerUndefinedPass> {
public:
  // As those of Specialisation.
  explicit LowerUndefinedPass(uint64_t defined_arguments = 0, uint64_t defined_members = 0)
      : defined_arguments_(defined_arguments), defined_members_(defined_members) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const uint64_t defined_arguments_, defined_members_;
};

} // namespace lockstep::compiler
