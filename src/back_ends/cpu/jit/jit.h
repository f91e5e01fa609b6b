// Loads object files as functions of this process, with ORC and JITLink: no linker, no file on
// disk.
//
// The process has one execution session. A program is a dylib with its program-scope variables.
// Each kernel's code is a separate dylib that links against the program's, so that it can be
// unloaded alone.
#pragma once

#include "abi/launch_abi.h"
#include "abi/resumable_abi.h"
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
// The address of one of these variables.
Result<void *> find_variable(LoadedCode &variables, const std::string &symbol);

struct LoadedKernel {
  WorkGroupFunction function = nullptr; // the loop form
  StartSubGroup start = nullptr;        // the coroutine form
  ResumeSubGroup resume = nullptr;
  std::shared_ptr<LoadedCode> code;
};

// Loads an object that defines `workgroup_symbol`, or `start_symbol` and `resume_symbol`. `program`
// resolves its variables and must outlive the result.
Result<LoadedKernel> load_kernel(const std::string &object, bool is_resumable, LoadedCode &program);

} // namespace lockstep::compiler
