// Makes program-scope variables (OpenCL C 6.7.1) one object for all kernels of a program.
//
// Requires: kernel IR of a whole program.
// Ensures: every writable global in the global address space is an external declaration
// `lockstep.variable.<n>`, where n counts such globals in module order. Each kernel is compiled
// from its own copy of the program. extract_program_variables provides the definitions, which are
// compiled once. variable_names.h records the names in the source.
//
// Position: first, while module order is that of the program.
#pragma once

#include "llvm/IR/PassManager.h"

#include <string>
#include <vector>

namespace lockstep::compiler {

class ShareProgramVariablesPass : public llvm::PassInfoMixin<ShareProgramVariablesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

struct SharedVariable {
  std::string name; // in the source
  uint64_t size;
};
std::string shared_variable_symbol(size_t index);

// Reduces the module to the variables, defined and visible under the new names. Returns them in the
// order of their numbers.
std::vector<SharedVariable> extract_program_variables(llvm::Module &module);

} // namespace lockstep::compiler
