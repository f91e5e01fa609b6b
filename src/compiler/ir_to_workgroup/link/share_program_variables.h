// Makes program-scope variables (OpenCL C 6.7.1) one object for all kernels of a program.
//
// Input:  kernel IR of a whole program.
// Output: every writable global in the global address space is an external declaration
//         `lockstep.variable.<n>`, n counting such globals in module order. Each kernel is compiled
//         from a copy of the program of its own; the definitions come from
//         extract_program_variables, compiled once. Names in the source are kept (variable_names.h).
//
// First of all, while module order is that of the program.
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
  std::string name; // before it got the other one
  uint64_t size;
};
std::string shared_variable_symbol(size_t index);

// The other half: leaves only the variables, defined and visible under those names. They are
// returned in the order of their numbers.
std::vector<SharedVariable> extract_program_variables(llvm::Module &module);

} // namespace lockstep::compiler
