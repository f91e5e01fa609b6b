// Calls the stages in order, behind a cache:
//   front_ends (build_opencl_c, link_program)  ->  KernelModule
//   compiler (build_work_group_function)  ->  one LLVM function
//   back_ends (emit_object, load_kernel) ->  KernelCode
#include "driver/compile.h"

#include "back_ends/cpu/jit/jit.h"
#include "back_ends/cpu/object_entry.h"
#include "back_ends/cpu/pipeline/pipeline_cpu.h"
#include "compiler/options/target.h"
#include "compiler/work_item/link/share_program_variables.h"
#include "driver/ahead_of_time.h"
#include "driver/code_table.h"
#include "driver/compile_kernel.h"
#include "driver/finished_code.h"
#include "driver/kernel_remarks.h"
#include "kernel_ir/limits.h"
#include "process/crash_guard.h"
#include "process/disk_cache.h"

#include "llvm/Config/llvm-config.h"

#include <fmt/format.h>
#include <utility>

namespace lockstep::compiler {

namespace {

const std::string &shown_name(const KernelInfo &kernel) {
  return kernel.title.empty() ? kernel.name : kernel.title;
}

class Program final : public ProgramCode {
public:
  struct Variables { // the program-scope variables
    std::shared_ptr<LoadedCode> code;
    std::shared_ptr<const std::vector<ProgramVariable>> list;
  };
  struct Finished { // code that was made ahead of time; null: none
    std::shared_ptr<const FinishedCode> code;
    std::string missing_because;
  };

  Program(std::shared_ptr<const KernelModule> module, CodeOptions options, Variables variables,
          Finished finished)
      : module_(std::move(module)), options_(std::move(options)), variables_(std::move(variables)),
        finished_(std::move(finished)) {}

  Result<std::shared_ptr<const KernelCode>> kernel(std::string_view name,
                                                   const Specialization &) override;
  std::shared_ptr<ProgramCode> with(const CodeOptions &options) const override {
    // A variant is for checks or fewer lanes, never for code that was made ahead of time.
    return std::make_shared<Program>(module_, options, variables_, Finished{});
  }
  bool is_finished(std::string_view name, const Specialization &wanted) const override {
    return finished_.code && finished_.code->find(name, wanted);
  }
  std::vector<std::array<uint32_t, 3>> finished_local_sizes(std::string_view name) const override;
  void remark(const std::string &text) const override { report_remarks({text}); }

private:
  using Key = std::pair<std::string, Specialization>; // of a kernel, by name
  using Code = std::shared_ptr<const KernelCode>;

  Result<Code> make(const KernelInfo &kernel, const Specialization &specialization);
  std::string remark_of_finished(const KernelInfo &kernel, const Specialization &wanted,
                                 const FinishedKernel *finished) const;
  std::string missing_code(const KernelInfo &kernel, const Specialization &wanted) const;
  // `finished`: the code that serves, or null.
  Result<ObjectEntry> entry_of(const KernelInfo &kernel, const Specialization &specialization,
                               const FinishedKernel *finished);
  CacheKey key_of(const KernelInfo &kernel, const Specialization &specialization) const;

  const std::shared_ptr<const KernelModule> module_;
  const CodeOptions options_;
  const Variables variables_;
  const Finished finished_;
  CodeTable<Key, KernelCode> codes_;
};

Result<Program::Variables> load_program_variables(const KernelModule &module,
                                                  const TargetInfo &target,
                                                  const FinishedCode *finished) {
  VariablesObject object;
  if (finished) {
    object = {finished->variables_object, finished->variables};
  } else if (module.global_variable_size != 0) {
    auto emitted = guarded_result("compiling program-scope variables",
                                  [&] { return object_of_variables(module, target); });
    LOCKSTEP_TRY(emitted);
    object = std::move(*emitted);
  }
  auto code = load_variables(object.bytes);
  LOCKSTEP_TRY(code);
  auto list = std::make_shared<std::vector<ProgramVariable>>();
  for (size_t i = 0; i < object.variables.size(); ++i) {
    auto address = find_variable(**code, shared_variable_symbol(i));
    LOCKSTEP_TRY(address);
    list->push_back({object.variables[i].name, *address, object.variables[i].size});
  }
  return Program::Variables{std::move(*code), std::move(list)};
}

Result<std::shared_ptr<const KernelCode>> Program::kernel(std::string_view name,
                                                          const Specialization &specialization) {
  const KernelInfo *kernel = find_kernel(*module_, name);
  if (!kernel)
    return Error{ErrorKind::invalid_argument,
                 "no kernel named '" + std::string(name) + "' in this program"};
  return codes_.get_or_make({kernel->name, specialization}, "compiling the kernel " + kernel->name,
                            [&] { return make(*kernel, specialization); });
}

std::vector<std::array<uint32_t, 3>> Program::finished_local_sizes(std::string_view name) const {
  std::vector<std::array<uint32_t, 3>> sizes;
  if (finished_.code)
    for (const FinishedKernel &one : finished_.code->kernels)
      if (one.kernel == name && one.specialization.local_size[0] != 0)
        sizes.push_back(one.specialization.local_size);
  return sizes;
}

// A part of a remark or an error: "the local size 64x1x1".
static std::string launch_text(const Specialization &wanted) {
  const auto &size = wanted.local_size;
  std::string text = size[0] ? fmt::format("the local size {}x{}x{}", size[0], size[1], size[2])
                             : std::string("any local size");
  if (!wanted.local_arguments.empty())
    text += " and these local accessors";
  return text;
}

std::string Program::remark_of_finished(const KernelInfo &kernel, const Specialization &wanted,
                                        const FinishedKernel *finished) const {
  if (!finished)
    return missing_code(kernel, wanted) + "; it is compiled now";
  std::string text = fmt::format("kernel {}: code for {} that was made ahead of time",
                                 shown_name(kernel), finished_.code->target.cpu);
  if (finished->specialization.local_size != wanted.local_size)
    text += ", for any local size; code for " + launch_text(wanted) + " would be faster";
  return text;
}

std::string Program::missing_code(const KernelInfo &kernel, const Specialization &wanted) const {
  return fmt::format("kernel {}: no code for {} was made ahead of time{}", shown_name(kernel),
                     launch_text(wanted),
                     finished_.missing_because.empty()
                         ? std::string()
                         : ", or none that can be used: " + finished_.missing_because);
}

CacheKey Program::key_of(const KernelInfo &kernel, const Specialization &specialization) const {
  CacheKeyBuilder key;
  key.add(module_->bitcode).add(module_->build_options).add(kernel.name);
  add_to_key(key, options_);
  key.add(bytes_of_fields(specialization));
  return key.key();
}

Result<ObjectEntry> Program::entry_of(const KernelInfo &kernel,
                                      const Specialization &specialization,
                                      const FinishedKernel *finished) {
  if (finished)
    return finished->code;
  if (ahead_of_time_use() == AheadOfTimeUse::only)
    return Error{ErrorKind::build_failure, missing_code(kernel, specialization)};
  const CacheKey key = key_of(kernel, specialization);
  DiskCache &cache = DiskCache::of_process();
  if (auto stored = cache.get("code", key))
    if (auto entry = read_object_entry(*stored))
      return std::move(*entry);
  auto entry = compile_to_object(*module_, kernel, specialization, options_);
  LOCKSTEP_TRY(entry);
  cache.put("code", key, write_object_entry(*entry));
  return entry;
}

Result<Program::Code> Program::make(const KernelInfo &kernel,
                                    const Specialization &specialization) {
  const FinishedKernel *finished =
      finished_.code ? finished_.code->find(kernel.name, specialization) : nullptr;
  if (finished || !module_->machine_code.empty())
    report_remarks({remark_of_finished(kernel, specialization, finished)});
  auto entry = entry_of(kernel, specialization, finished);
  LOCKSTEP_TRY(entry);
  const KernelFacts &facts = entry->facts;
  if (facts.stack_size > max_stack_size)
    return Error{ErrorKind::out_of_resources,
                 "kernel '" + kernel.name + "' needs " + std::to_string(facts.stack_size) +
                     " bytes of private memory for a work-group; the limit is " +
                     std::to_string(max_stack_size)};
  auto loaded = load_kernel(entry->object, facts.has_coroutine, *variables_.code);
  LOCKSTEP_TRY(loaded);
  auto code = std::make_shared<KernelCode>();
  static_cast<KernelFacts &>(*code) = std::move(entry->facts);
  code->function = loaded->function;
  code->resumable.start = loaded->start;
  code->resumable.resume = loaded->resume;
  code->kernel_name = kernel.name;
  if (!code->assumption_words.empty())
    code->assumptions = assumptions_of(code->assumption_words);
  code->variables = variables_.list;
  report_remarks(code->remarks);
  // Unloaded before the program's variables, which it refers to.
  code->keep_alive =
      std::make_shared<std::pair<std::shared_ptr<LoadedCode>, std::shared_ptr<LoadedCode>>>(
          variables_.code, loaded->code);
  return Code(std::move(code));
}

} // namespace

Result<std::shared_ptr<ProgramCode>> ProgramCode::create(std::shared_ptr<const KernelModule> module,
                                                         const CodeOptions &options) {
  Program::Finished finished;
  finished.code = read_ahead_of_time(module->machine_code, options, finished.missing_because);
  auto variables = load_program_variables(*module, options.target, finished.code.get());
  LOCKSTEP_TRY(variables);
  return std::shared_ptr<ProgramCode>(std::make_shared<Program>(
      std::move(module), options, std::move(*variables), std::move(finished)));
}

std::string compiler_version() {
  return "Lockstep " LOCKSTEP_VERSION ", LLVM " LLVM_VERSION_STRING;
}

uint32_t preferred_work_group_size_multiple(const KernelInfo &kernel, const CodeOptions &options) {
  return options.preferred_sub_group_size(kernel.reqd_sub_group_size);
}

std::vector<std::string> compiler_stages() {
  return stage_names(cpu_pipeline());
}

} // namespace lockstep::compiler
