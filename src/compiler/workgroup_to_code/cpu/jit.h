// Object files become functions of this process, through ORC and JITLink: no linker, no file on
// disk.
//
// One execution session for the process. A program is a dylib with its program-scope variables;
// each kernel's code is a dylib of its own that sees the program's, so that it can be thrown away
// alone.
#pragma once

#include "compiler/launch_abi.h"
#include "compiler/resumable_abi.h"
#include "support/result.h"

#include <memory>
#include <string>

namespace llvm::orc {
class JITDylib;
}

namespace lockstep::compiler {

// Machine code in memory; unloaded with the last reference.
class LoadedCode {
public:
  ~LoadedCode();
  llvm::orc::JITDylib *dylib = nullptr;
};

// Loads an object that defines program-scope variables. `object` may be empty: no variables.
Result<std::shared_ptr<LoadedCode>> load_variables(const std::string &object);
// The address of one of them.
Result<void *> find_variable(LoadedCode &variables, const std::string &symbol);

struct LoadedKernel {
  WorkGroupFunction function = nullptr; // the looped form
  StartSubGroup start = nullptr;        // the resumable form
  ResumeSubGroup resume = nullptr;
  std::shared_ptr<LoadedCode> code;
};

// Loads an object that defines `workgroup_symbol`, or `start_symbol` and `resume_symbol`; `program`
// resolves its variables and must outlive the result.
Result<LoadedKernel> load_kernel(const std::string &object, bool is_resumable, LoadedCode &program);

} // namespace lockstep::compiler
