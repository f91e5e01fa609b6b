// The compiler as the rest of Lockstep sees it: source in, a function that runs one work-group out.
// No LLVM type appears here. All functions may be called from several threads.
#pragma once

#include "compiler/code_options.h"
#include "compiler/kernel_module.h"
#include "compiler/launch_abi.h"
#include "compiler/pointer_members.h"
#include "compiler/resumable_abi.h"
#include "compiler/suppositions.h"
#include "compiler/worker_copies.h"
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

// ---- source_to_ir

struct EmbeddedHeader {
  std::string name; // as in #include, clCompileProgram's header_include_names
  std::string source;
};

// Are the options known and well formed? Whoever compiles in the background must know before.
Result<void> check_compile_options(std::string_view options);
Result<void> check_link_options(std::string_view options);

// Compiles OpenCL C with the options of OpenCL 3.0 API section 5.8.6. `log` receives clang's
// diagnostics, also on success (warnings). ErrorKind::invalid_argument: a build option is not known
// or malformed (CL_INVALID_BUILD_OPTIONS / CL_INVALID_COMPILER_OPTIONS); ErrorKind::build_failure:
// see log. Goes through the disk cache: an entry is keyed by source, options, embedded headers and
// the content of each file that was included.
Result<ObjectModule> compile_opencl_c(std::string_view source, std::string_view options,
                                      const std::vector<EmbeddedHeader> &headers, std::string &log);

// Kernel IR that another front end made (SYCL's device pass, a SPIR-V reader) as an object to be linked: LLVM 22 bitcode
// in the flavour of docs/kernel_ir.md, builtins as declared functions. ErrorKind::invalid_binary, with a line in `log`:
// it is no bitcode, not for spir64, or not well formed.
Result<ObjectModule> import_kernel_ir(std::string_view bitcode, std::string &log);

// Links modules into a program (or, with -create-library, back into a library).
Result<ObjectModule> link_library(const std::vector<const ObjectModule *> &modules,
                                  std::string_view options, std::string &log);
Result<KernelModule> link_program(const std::vector<const ObjectModule *> &modules,
                                  std::string_view options, std::string &log);

// A program-scope variable that is a constant of one kernel (SYCL's specialization constants).
struct KernelConstant {
  std::string variable;
  std::string bytes;
  auto operator<=>(const KernelConstant &) const = default;
};

// Where a kernel is: in imported kernel IR. What it calls may be elsewhere.
struct KernelSource {
  std::string_view bitcode;
  std::string_view kernel;
  std::vector<std::string_view> libraries{}; // bitcode; only what is needed is taken
  std::vector<KernelConstant> constants{};   // those the image does not have are ignored
};

// One kernel with what it calls and nothing else, as a program: what is wrong elsewhere in its image is not its affair. Goes
// through the disk cache. ErrorKind::invalid_argument: there is no such kernel.
Result<KernelModule> link_kernel(const KernelSource &source, std::string &log);

// clBuildProgram in one step; the warm path is one cache look-up.
Result<KernelModule> build_opencl_c(std::string_view source, std::string_view options,
                                    std::string &log);

// Program binaries: a header with magic, versions and a checksum, then the module.
// ErrorKind::invalid_binary: damaged, of another Lockstep or LLVM version, or no Lockstep binary at
// all.
enum class BinaryType { object, library, executable };
std::string write_binary(const ObjectModule &module);
std::string write_binary(const KernelModule &module);
Result<BinaryType> binary_type(std::string_view binary);
Result<ObjectModule> read_object_binary(std::string_view binary);
Result<KernelModule> read_program_binary(std::string_view binary);

// ---- ir_to_workgroup, workgroup_to_code

inline constexpr std::array<uint32_t, 3> single_group = {1, 1, 1};

// Local memory that a launch gives a kernel whose argument 0 is a function object (SYCL's local accessors): at byte
// `position` of it, the kernel finds the address of a local variable of its own. Arguments of the same `variable` are one.
// One of no bytes leaves what stands there (an image accessor's descriptor) and has words only.
struct LocalArgument {
  uint32_t position = 0;
  uint32_t variable = 0;
  uint64_t bytes = 0;
  uint32_t alignment = 1;
  // The words behind the address, which are the same in every launch of this code: the size of each dimension, without
  // which the distance between two rows would not be known; the format and sampler of an image.
  std::vector<uint64_t> words{};
  std::string name{}; // as reports call it; empty: there will be none
  auto operator<=>(const LocalArgument &) const = default;
};

// What one compiled work-group function is specialised for.
struct Specialisation {
  std::array<uint32_t, 3> local_size{}; // 0,0,0: any local size (read from GroupInfo); slower
  // How many work-groups that follow each other in each dimension a call may run, if the compiler
  // finds that worth it: powers of two that divide the launch's number of groups.
  std::array<uint32_t, 3> neighbours = single_group;
  std::vector<LocalArgument> local_arguments{};
  // By argument: the format of an image, or a sampler as a number (image_descriptor.h); 0 for others. Empty: not known,
  // and code for images asks for it; slower.
  std::vector<uint32_t> images{};
  // Of checked code: which of KernelCode::suppositions do not hold for the launch, so that they shall not be made.
  uint64_t refused_suppositions = 0;
  // A bit for each argument of which the launch makes no copies, so that KernelCode::worker_copies shall not name it.
  uint64_t refused_copies = 0;
  // Of code that follows undefined values: a bit for each argument of which all bytes are defined while the launch runs. Said
  // of what is only read.
  uint64_t defined_arguments = 0;
  // The same of pointers that a function object has captured (PointerMembers::only_read).
  uint64_t defined_members = 0;
  bool operator==(const Specialisation &) const = default;
};

// A variable in the global address space, for reports.
struct ProgramVariable {
  std::string name; // as in the source; in a function "function.name"
  const void *address = nullptr;
  uint64_t size = 0; // bytes
};

// Machine code for one kernel and specialisation; keeps its memory alive while referenced.
//
// It has one of two forms. `function` runs a whole work-group and is there unless the kernel waits
// for other work-items (or LOCKSTEP_FORM=resumable asks for it); then `function` is null and
// `resumable.start` is not. The same kernel may have another form for another specialisation.
struct KernelCode {
  WorkGroupFunction function = nullptr;
  ResumableCode resumable;
  bool is_resumable() const { return resumable.start != nullptr; }
  // Of the resumable form, for a group of so many work-items.
  uint64_t coroutines(uint64_t items) const {
    return resumable.is_of_group ? 1 : (items + sub_group_size - 1) / sub_group_size;
  }
  std::string kernel_name;
  uint64_t stack_size = 0; // bytes of stack that the function may use
  uint32_t sub_group_size = 1;
  // A call runs so many work-groups; GroupInfo::group_id names the first.
  std::array<uint32_t, 3> groups_at_once = single_group;
  std::array<uint32_t, 3> calls_per_group{1, 1,
                                          1}; // of which each runs a row; group_id counts them
  uint32_t first_dimension = 0;               // in which groups should run one after the other
  uint64_t local_memory_size = 0;   // of the kernel's own variables, for all groups of a call
  std::vector<std::string> remarks; // what the compiler did with the kernel
  std::optional<Suppositions> suppositions; // of checked code, about its launch
  // Arguments whose memory must be the worker's own while it runs, to be added to the memory that was given.
  std::vector<WorkerCopy> worker_copies;
  PointerMembers pointer_members; // of code that follows undefined values
  std::shared_ptr<const std::vector<ProgramVariable>> variables; // of the program; null: none
  std::shared_ptr<void> keep_alive;
};

// Code of one program on one device: program-scope variables live here, so they persist between
// launches.
class ProgramCode {
public:
  static Result<std::shared_ptr<ProgramCode>>
  create(std::shared_ptr<const KernelModule> module,
         const CodeOptions &options = code_options_of_process());
  virtual ~ProgramCode() = default;

  // Compiled on first use, then kept; waits if another thread compiles the same. Goes through the
  // disk cache. Thread-safe. ErrorKind::out_of_resources: needs more stack or local memory than the
  // device has.
  virtual Result<std::shared_ptr<const KernelCode>> kernel(std::string_view name,
                                                           const Specialisation &) = 0;

  // The same program made in another way: its kernels see the same program-scope variables. Null where a program has
  // one way only, as those of tests that are no compiler's work.
  virtual std::shared_ptr<ProgramCode> with(const CodeOptions &) const { return nullptr; }

  // Says it with what the compiler says of kernels (LOCKSTEP_REMARKS).
  virtual void remark(const std::string &) const {}
};

// What a kernel prefers as a multiple of its local size: the sub-group size that it starts from.
uint32_t preferred_work_group_size_multiple(const KernelInfo &kernel,
                                            const CodeOptions &options = code_options_of_process());

std::string compiler_version(); // "Lockstep 0.1.0, LLVM 22.1.8"

// ---- the disk cache

struct CacheStatistics {
  std::string
      directory;       // LOCKSTEP_CACHE_DIR, else $XDG_CACHE_HOME/lockstep, else ~/.cache/lockstep
  bool enabled = true; // LOCKSTEP_CACHE=0, or the directory cannot be written
  std::string problem; // why not enabled
  uint64_t entries = 0;
  uint64_t bytes = 0;
};
CacheStatistics cache_statistics();
Result<uint64_t> clear_cache(); // number of entries removed

// ---- looking inside (lockstep compile)

// "source", then the stages of the pipeline in order.
std::vector<std::string> compiler_stages();

struct StageListener {
  // Called after each stage with its name; `ir` is empty unless want_ir(stage). Text of LLVM IR.
  std::function<bool(std::string_view stage)> want_ir;
  std::function<void(std::string_view stage, std::string_view ir, bool changed,
                     double milliseconds)>
      after_stage;
};

// Runs the whole flow for one kernel without the cache; returns assembly text. For tools and tests.
Result<std::string> compile_to_assembly(const KernelModule &module, std::string_view kernel,
                                        const Specialisation &, const CodeOptions &options,
                                        const StageListener &listener,
                                        std::vector<std::string> &remarks);

} // namespace lockstep::compiler
