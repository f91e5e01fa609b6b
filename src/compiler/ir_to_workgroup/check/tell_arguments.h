// Notes what work-items give to the functions that a group, or a sub-group, calls together: most of it must be the same for
// all of them (OpenCL C 6.15.8, 6.15.11, 6.15.16, 6.15.19).
//
// Takes:      a module before its builtins are linked.
// Guarantees: before such a call stands a __lockstep_tell_argument for each of these arguments that is no constant. An async
//             copy's event goes through __lockstep_tell_copy, which makes a number of its own of the event 0, and before
//             a wait stands a __lockstep_tell_awaited for each event of its list.
// Why here:   the device library does not look at events and scopes, and a collective's argument is part of what is
//             computed when it is inlined.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

#include <span>

namespace lockstep::compiler {

struct ToldArgument {
  llvm::StringLiteral function;
  unsigned operand;
  llvm::StringLiteral name; // as in the specification
  bool of_sub_group = false;
};

// __lockstep_tell_argument has an index into these.
std::span<const ToldArgument> told_arguments();

class TellArgumentsPass : public llvm::PassInfoMixin<TellArgumentsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
