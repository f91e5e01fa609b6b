// The interface of the compiler: takes source, and produces a function that runs one work-group. No
// LLVM type appears here. All functions are thread-safe.
#pragma once

#include "abi/assumptions.h"
#include "abi/launch_abi.h"
#include "abi/pointer_members.h"
#include "abi/privatized_reductions.h"
#include "abi/resumable_abi.h"
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
struct KernelCode {
  WorkGroupFunction function = nullptr;
  ResumableCode resumable;
  bool is_resumable() const { return resumable.start != nullptr; }
  // Number of coroutines of a group with `items` work-items, in the coroutine form.
  uint64_t coroutines(uint64_t items) const {
    return resumable.is_of_group ? 1 : (items + sub_group_size - 1) / sub_group_size;
  }
  std::string kernel_name;
  uint64_t stack_size = 0; // bytes of stack that the function may use
  uint32_t sub_group_size = 1;
  // Number of work-groups that a call runs; GroupInfo::group_id names the first.
  std::array<uint32_t, 3> groups_at_once = single_group;
  // Number of calls that each run a row of a group; group_id counts the rows.
  std::array<uint32_t, 3> calls_per_group{1, 1, 1};
  // Traversal order: consecutive groups of this dimension run one after the other.
  uint32_t first_dimension = 0;
  uint64_t local_memory_size = 0;   // of the kernel's own variables, for all groups of a call
  std::vector<std::string> remarks; // what the compiler did with the kernel
  std::optional<Suppositions> suppositions; // of checked code, about its launch
  // Arguments that the launch may privatize: each worker updates its own copy, which is added to
  // the argument's memory at the end.
  std::vector<WorkerCopy> worker_copies;
  PointerMembers pointer_members; // of code that tracks undefined values
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
