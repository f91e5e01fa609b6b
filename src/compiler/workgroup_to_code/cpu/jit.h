// Object files become functions of this process, through ORC and JITLink: no linker, no file on
// disk.
//
// One execution session for the process. A program is a dylib with its program-scope variables;
// each kernel's code is a dylib of its own that sees the program's, so that it can be thrown away
// alone.
#pragma once

#include "compiler/launch_abi.h"
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

// Loads an object that defines `workgroup_symbol`; `program` resolves its variables and must
// outlive the result.
Result<std::pair<WorkGroupFunction, std::shared_ptr<LoadedCode>>>
load_kernel(const std::string &object, LoadedCode &program);

} // namespace lockstep::compiler
