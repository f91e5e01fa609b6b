// Compiles one kernel, or the program-scope variables, of a program to an object file.
//
// Fallbacks, in this order, if the first attempt fails: fewer lanes if the code generator would take
// too long; a processor with narrower vectors if LLVM crashes; and, in Program::make, one work-group
// a call if the code needs too much stack.
#pragma once

#include "back_ends/cpu/object_entry.h"
#include "compiler/options/code_options.h"
#include "compiler/work_item/link/share_program_variables.h"
#include "kernel_ir/kernel_module.h"
#include "kernel_ir/specialization.h"
#include "support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler {

// A kernel or an enqueued block; null: the program has none of this name.
const KernelInfo *find_kernel(const KernelModule &module, std::string_view name);

Result<ObjectEntry> compile_to_object(const KernelModule &program, const KernelInfo &kernel,
                                      const Specialization &specialization,
                                      const CodeOptions &options);

struct VariablesObject {
  std::string bytes; // empty: there are none
  std::vector<SharedVariable> variables;
};

Result<VariablesObject> object_of_variables(const KernelModule &program, const TargetInfo &target);

} // namespace lockstep::compiler
