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
#include "driver/code_table.h"
#include "driver/compile_kernel.h"
#include "driver/kernel_remarks.h"
#include "kernel_ir/limits.h"
#include "process/crash_guard.h"
#include "process/disk_cache.h"

#include "llvm/Config/llvm-config.h"

#include <utility>

namespace lockstep::compiler {

namespace {

class Program final : public ProgramCode {
public:
  struct Variables { // the program-scope variables
    std::shared_ptr<LoadedCode> code;
    std::shared_ptr<const std::vector<ProgramVariable>> list;
  };

  Program(std::shared_ptr<const KernelModule> module, CodeOptions options, Variables variables)
      : module_(std::move(module)), options_(std::move(options)), variables_(std::move(variables)) {
  }

  Result<std::shared_ptr<const KernelCode>> kernel(std::string_view name,
                                                   const Specialization &) override;
  std::shared_ptr<ProgramCode> with(const CodeOptions &options) const override {
    return std::make_shared<Program>(module_, options, variables_);
  }
  void remark(const std::string &text) const override { report_remarks({text}); }

private:
  using Key = std::pair<std::string, Specialization>; // of a kernel, by name
  using Code = std::shared_ptr<const KernelCode>;

  Result<Code> make(const KernelInfo &kernel, const Specialization &specialization);
  CacheKey key_of(const KernelInfo &kernel, const Specialization &specialization) const;

  const std::shared_ptr<const KernelModule> module_;
  const CodeOptions options_;
  const Variables variables_;
  CodeTable<Key, KernelCode> codes_;
};

Result<Program::Variables> load_program_variables(const KernelModule &module,
                                                  const TargetInfo &target) {
  VariablesObject object;
  if (module.global_variable_size != 0) {
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

CacheKey Program::key_of(const KernelInfo &kernel, const Specialization &specialization) const {
  CacheKeyBuilder key;
  key.add(module_->bitcode).add(module_->build_options).add(kernel.name);
  add_to_key(key, options_);
  key.add(bytes_of_fields(specialization));
  return key.key();
}

Result<Program::Code> Program::make(const KernelInfo &kernel,
                                    const Specialization &specialization) {
  const CacheKey key = key_of(kernel, specialization);
  DiskCache &cache = DiskCache::of_process();
  std::optional<ObjectEntry> entry;
  if (auto stored = cache.get("code", key))
    entry = read_object_entry(*stored);
  if (!entry) {
    auto compiled = compile_to_object(*module_, kernel, specialization, options_);
    LOCKSTEP_TRY(compiled);
    entry = std::move(*compiled);
    cache.put("code", key, write_object_entry(*entry));
  }
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
  auto variables = load_program_variables(*module, options.target);
  LOCKSTEP_TRY(variables);
  return std::shared_ptr<ProgramCode>(
      std::make_shared<Program>(std::move(module), options, std::move(*variables)));
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
