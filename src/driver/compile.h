// The interface of the compiler: takes source, and produces a function that runs one work-group. No
// LLVM type appears here. All functions are thread-safe.
#pragma once

#include "abi/assumptions.h"
#include "abi/kernel_facts.h"
#include "abi/launch_abi.h"
#include "compiler/options/code_options.h"
#include "compiler/pipelines/stage_listener.h"
#include "front_ends/front_ends.h"
#include "kernel_ir/kernel_module.h"
#include "kernel_ir/specialization.h"
#include "process/cache_statistics.h"
#include "support/result.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::compiler {

// A variable in the global address space, for reports.
struct ProgramVariable {
  std::string name; // as in the source; in a function "function.name"
  const void *address = nullptr;
  uint64_t size = 0; // bytes
};

// Machine code for one kernel and specialization; keeps its memory alive while referenced.
//
// The code has one of two forms. In the loop form, `function` runs a whole work-group. In the
// coroutine form, which kernels have that wait for other work-items (or with
// LOCKSTEP_FORM=resumable), `function` is null and `resumable.start` is not. Another specialization
// of the same kernel may have another form.
struct KernelCode : KernelFacts {
  WorkGroupFunction function = nullptr;
  bool is_resumable() const { return resumable.start != nullptr; }
  // Number of coroutines of a group with `items` work-items, in the coroutine form.
  uint64_t coroutines(uint64_t items) const {
    return resumable.is_of_group ? 1 : (items + sub_group_size - 1) / sub_group_size;
  }
  std::string kernel_name;
  std::optional<Assumptions> assumptions;                        // those of assumption_words
  std::shared_ptr<const std::vector<ProgramVariable>> variables; // of the program; null: none
  std::shared_ptr<void> keep_alive;
};

// Code of one program on one device. It owns the program-scope variables, so they persist between
// launches.
class ProgramCode {
public:
  static Result<std::shared_ptr<ProgramCode>>
  create(std::shared_ptr<const KernelModule> module,
         const CodeOptions &options = code_options_of_process());
  virtual ~ProgramCode() = default;

  // Compiles on first use and retains the code; waits if another thread compiles the same code.
  // Uses the disk cache. Thread-safe. ErrorKind::out_of_resources: the kernel needs more stack or
  // local memory than the device has.
  virtual Result<std::shared_ptr<const KernelCode>> kernel(std::string_view name,
                                                           const Specialization &) = 0;

  // Whether kernel() has code that was made ahead of time, and compiles nothing.
  virtual bool is_finished(std::string_view, const Specialization &) const { return false; }
  // The local sizes for which there is such code.
  virtual std::vector<std::array<uint32_t, 3>> finished_local_sizes(std::string_view) const {
    return {};
  }

  // The same program compiled with other options; its kernels share the program-scope variables.
  // Null if the program has no other variant, such as a test's program that the compiler did not
  // make.
  virtual std::shared_ptr<ProgramCode> with(const CodeOptions &) const { return nullptr; }

  // Reports the text together with the compiler's remarks (LOCKSTEP_REMARKS).
  virtual void remark(const std::string &) const {}
};

// The preferred multiple of a kernel's local size: the sub-group size that compilation starts from.
uint32_t preferred_work_group_size_multiple(const KernelInfo &kernel,
                                            const CodeOptions &options = code_options_of_process());

std::string compiler_version(); // "Lockstep 0.1.0, LLVM 22.1.8"

// ---- inspection (lockstep compile)

// "source", then the stages of the pipeline in order.
std::vector<std::string> compiler_stages();

// Compiles one kernel without the cache and returns assembly text. For tools and tests.
Result<std::string> compile_to_assembly(const KernelModule &module, std::string_view kernel,
                                        const Specialization &, const CodeOptions &options,
                                        const StageListener &listener,
                                        std::vector<std::string> &remarks);

} // namespace lockstep::compiler
