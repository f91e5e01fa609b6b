// Code that was made ahead of time (ahead_of_time.h), and which of it serves a launch.
#pragma once

#include "back_ends/cpu/object_entry.h"
#include "compiler/options/code_options.h"
#include "compiler/work_item/link/share_program_variables.h"
#include "kernel_ir/specialization.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler {

// The code of one kernel for one kind of launch.
struct FinishedKernel {
  std::string kernel;
  Specialization specialization;
  ObjectEntry code;

  // Whether a launch that wants `wanted` can run this code.
  bool serves(const Specialization &wanted) const;
};

// The code of a program for one processor.
struct FinishedCode {
  TargetInfo target;
  std::string variables_object; // empty: there are no program-scope variables
  std::vector<SharedVariable> variables;
  std::vector<FinishedKernel> kernels;

  // The fastest code that serves; null: none does.
  const FinishedKernel *find(std::string_view kernel, const Specialization &wanted) const;
};

// The part of KernelModule::machine_code that fits the options best; null without one. `reason`
// then says why, unless `machine_code` is empty.
std::shared_ptr<const FinishedCode>
read_ahead_of_time(std::string_view machine_code, const CodeOptions &options, std::string &reason);

} // namespace lockstep::compiler
