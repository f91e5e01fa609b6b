// Compiles one kernel, or the program-scope variables, of a program to an object file.
// If an attempt is not good enough, compiles again with the settings of a fallback (fallbacks.h).
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
