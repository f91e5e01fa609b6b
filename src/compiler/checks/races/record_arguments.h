// Marks the arguments of functions that a group or sub-group calls collectively: most of them must
// be uniform (OpenCL C 6.15.8, 6.15.11, 6.15.16, 6.15.19).
//
// Requires: a module before its builtins are linked.
// Ensures: a __lockstep_record_argument precedes such a call for each of these arguments that is not
//   constant. The event of an async copy goes through __lockstep_record_copy, which replaces event 0
//   by a unique number. A __lockstep_record_awaited precedes a wait for each event of its list.
// Why here: the device library ignores events and scopes, and once a collective is inlined, its
//   argument is just part of a computation.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

#include <span>

namespace lockstep::compiler {

struct RecordedArgument {
  llvm::StringLiteral function;
  unsigned operand;
  llvm::StringLiteral name; // as in the specification
  bool of_sub_group = false;
};

// Indexed by the operand of __lockstep_record_argument.
std::span<const RecordedArgument> recorded_arguments();

class RecordArgumentsPass : public llvm::PassInfoMixin<RecordArgumentsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
