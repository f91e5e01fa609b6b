// The page that calls the stages in order, and the cache in front of them:
//   source_to_ir (build_opencl_c, link_program)  ->  KernelModule
//   ir_to_workgroup (build_work_group_function)  ->  one LLVM function
//   workgroup_to_code (emit_object, load_kernel) ->  KernelCode
#include "compiler/compile.h"

#include "compiler/disk_cache.h"
#include "compiler/guarded.h"
#include "compiler/ir_to_workgroup/link/share_program_variables.h"
#include "compiler/ir_to_workgroup/pipeline_cpu.h"
#include "compiler/ir_to_workgroup/resumable/form.h"
#include "compiler/ir_to_workgroup/vectorize/choose_sub_group_size.h"
#include "compiler/kernel_ir/limits.h"
#include "compiler/llvm_error.h"
#include "compiler/remarks.h"
#include "compiler/source_to_ir/kernel_info_from_ir.h"
#include "compiler/source_to_ir/run_with_stack.h"
#include "compiler/workgroup_to_code/cpu/emit_code.h"
#include "compiler/workgroup_to_code/cpu/jit.h"
#include "compiler/workgroup_to_code/cpu/target.h"
#include "compiler/workgroup_to_code/object_entry.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <future>
#include <map>
#include <mutex>
#include <tuple>

namespace lockstep::compiler {

namespace {

Result<std::unique_ptr<llvm::Module>> parse(const std::string &bitcode,
                                            llvm::LLVMContext &context) {
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "program"), context);
  if (!module)
    return from_llvm(module.takeError(), "reading the program's bitcode");
  return std::move(*module);
}

const KernelInfo *find_kernel(const KernelModule &module, std::string_view name) {
  for (const KernelInfo &kernel : module.kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

// A program linked from several modules is not optimised if one of them must not be.
bool wants_optimisation(const llvm::Module &module) {
  return !module.getModuleFlag(opt_disable_flag);
}

struct Compiled {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> target;
  WorkGroupResult result;
};

Result<Compiled> compile_work_group(const KernelModule &program, const KernelInfo &kernel,
                                    const Specialisation &specialisation,
                                    const StageListener *listener) {
  Compiled compiled;
  auto module = parse(program.bitcode, *compiled.context);
  LOCKSTEP_TRY(module);
  compiled.module = std::move(*module);
  bool optimise = wants_optimisation(*compiled.module);
  compiled.target = make_target_machine(optimise);
  if (!compiled.target)
    return Error{ErrorKind::internal, "LLVM has no code generator for this machine"};
  auto result = build_work_group_function(*compiled.module, *compiled.target,
                                          {kernel, specialisation, optimise}, listener);
  LOCKSTEP_TRY(result);
  compiled.result = std::move(*result);
  return compiled;
}

// LLVM recurses over nested expressions, and who enqueues may have any stack: a thread of its own.
template <class Work> auto compile_guarded(const KernelInfo &kernel, Work work) {
  constexpr size_t stack_size = size_t{64} << 20;
  std::optional<decltype(work())> result;
  run_with_stack(stack_size,
                 [&] { result = guarded_result("compiling the kernel " + kernel.name, work); });
  return std::move(*result);
}

Result<ObjectEntry> compile_to_object(const KernelModule &program, const KernelInfo &kernel,
                                      const Specialisation &specialisation) {
  auto compiled = compile_work_group(program, kernel, specialisation, nullptr);
  LOCKSTEP_TRY(compiled);
  auto code = emit_object(*compiled->module, *compiled->target);
  LOCKSTEP_TRY(code);
  WorkGroupResult &result = compiled->result;
  auto remarks = kernel_remarks(kernel.name, specialisation, result, code->remarks);
  return ObjectEntry{std::move(code->bytes),   result.is_resumable,   std::move(result.resumable),
                     result.stack_size,        result.sub_group_size, result.groups_at_once,
                     result.local_memory_size, std::move(remarks)};
}

Result<std::string> object_of_variables(const KernelModule &program) {
  llvm::LLVMContext context;
  auto module = parse(program.bitcode, context);
  LOCKSTEP_TRY(module);
  auto target = make_target_machine(/*optimise=*/false);
  (*module)->setTargetTriple(target->getTargetTriple());
  (*module)->setDataLayout(target->createDataLayout());
  if (!extract_program_variables(**module))
    return std::string();
  auto code = emit_object(**module, *target);
  LOCKSTEP_TRY(code);
  return std::move(code->bytes);
}

class Program final : public ProgramCode {
public:
  explicit Program(std::shared_ptr<const KernelModule> module) : module_(std::move(module)) {}

  Result<void> load_program_variables();
  Result<std::shared_ptr<const KernelCode>> kernel(std::string_view name,
                                                   const Specialisation &) override;

private:
  using Key = std::tuple<std::string, std::array<uint32_t, 3>, std::array<uint32_t, 3>>;
  using Code = std::shared_ptr<const KernelCode>;

  Result<Code> make(const KernelInfo &kernel, const Specialisation &specialisation);

  std::shared_ptr<const KernelModule> module_;
  std::shared_ptr<LoadedCode> variables_;
  std::mutex mutex_;
  std::map<Key, std::shared_future<Result<Code>>> kernels_;
};

Result<void> Program::load_program_variables() {
  std::string object;
  if (module_->global_variable_size != 0) {
    auto emitted = guarded_result("compiling program-scope variables",
                                  [&] { return object_of_variables(*module_); });
    LOCKSTEP_TRY(emitted);
    object = std::move(*emitted);
  }
  auto loaded = load_variables(object);
  LOCKSTEP_TRY(loaded);
  variables_ = *loaded;
  return {};
}

Result<std::shared_ptr<const KernelCode>> Program::kernel(std::string_view name,
                                                          const Specialisation &specialisation) {
  const KernelInfo *kernel = find_kernel(*module_, name);
  if (!kernel)
    return Error{ErrorKind::invalid_argument,
                 "no kernel named '" + std::string(name) + "' in this program"};
  std::promise<Result<Code>> promise;
  std::shared_future<Result<Code>> future;
  {
    std::lock_guard lock(mutex_);
    auto [place, is_new] =
        kernels_.try_emplace(Key(name, specialisation.local_size, specialisation.neighbours));
    if (!is_new)
      future = place->second;
    else
      place->second = promise.get_future().share();
  }
  if (future.valid()) // compiled already, or by another thread now
    return future.get();
  Result<Code> code = make(*kernel, specialisation);
  promise.set_value(code);
  return code;
}

Result<Program::Code> Program::make(const KernelInfo &kernel,
                                    const Specialisation &specialisation) {
  const TargetInfo &target = target_info();
  CacheKeyBuilder key;
  key.add(module_->bitcode)
      .add(module_->build_options)
      .add(kernel.name)
      .add(target.cpu)
      .add(target.features)
      .add(preferred_sub_group_size(kernel.reqd_sub_group_size))
      .add(asked_sub_group_size().has_value()) // else a kernel may take another one
      .add(lanes_enabled())
      .add(static_cast<uint32_t>(wanted_form()));
  for (uint32_t size : specialisation.local_size)
    key.add(size);
  for (uint32_t count : specialisation.neighbours)
    key.add(count);
  DiskCache &cache = DiskCache::of_process();
  std::optional<ObjectEntry> entry;
  if (auto stored = cache.get("code", key.key()))
    entry = read_object_entry(*stored);
  if (!entry) {
    auto compiled = compile_guarded(
        kernel, [&] { return compile_to_object(*module_, kernel, specialisation); });
    LOCKSTEP_TRY(compiled);
    entry = std::move(*compiled);
    cache.put("code", key.key(), write_object_entry(*entry));
  }
  if (entry->stack_size > max_stack_size && entry->groups_at_once != single_group)
    return make(kernel, {specialisation.local_size}); // one group needs less
  if (entry->stack_size > max_stack_size)
    return Error{ErrorKind::out_of_resources,
                 "kernel '" + kernel.name + "' needs " + std::to_string(entry->stack_size) +
                     " bytes of private memory for a work-group; the limit is " +
                     std::to_string(max_stack_size)};
  auto loaded = load_kernel(entry->object, entry->is_resumable, *variables_);
  LOCKSTEP_TRY(loaded);
  auto code = std::make_shared<KernelCode>();
  code->function = loaded->function;
  code->resumable = std::move(entry->resumable);
  code->resumable.start = loaded->start;
  code->resumable.resume = loaded->resume;
  code->kernel_name = kernel.name;
  code->stack_size = entry->stack_size;
  code->sub_group_size = entry->sub_group_size;
  code->groups_at_once = entry->groups_at_once;
  code->local_memory_size = entry->local_memory_size;
  code->remarks = std::move(entry->remarks);
  report_remarks(code->remarks);
  // Unloaded before the program's variables, which it refers to.
  code->keep_alive =
      std::make_shared<std::pair<std::shared_ptr<LoadedCode>, std::shared_ptr<LoadedCode>>>(
          variables_, loaded->code);
  return Code(std::move(code));
}

} // namespace

Result<std::shared_ptr<ProgramCode>>
ProgramCode::create(std::shared_ptr<const KernelModule> module) {
  auto program = std::make_shared<Program>(std::move(module));
  LOCKSTEP_TRY(program->load_program_variables());
  return std::shared_ptr<ProgramCode>(std::move(program));
}

std::string compiler_version() {
  return "Lockstep " LOCKSTEP_VERSION ", LLVM " LLVM_VERSION_STRING;
}

uint32_t preferred_work_group_size_multiple(const KernelInfo &kernel) {
  return preferred_sub_group_size(kernel.reqd_sub_group_size);
}

Result<std::string> compile_to_assembly(const KernelModule &module, std::string_view kernel,
                                        const Specialisation &specialisation,
                                        const StageListener &listener,
                                        std::vector<std::string> &remarks) {
  const KernelInfo *info = find_kernel(module, kernel);
  if (!info)
    return Error{ErrorKind::invalid_argument,
                 "no kernel named '" + std::string(kernel) + "' in this program"};
  return compile_guarded(*info, [&]() -> Result<std::string> {
    auto compiled = compile_work_group(module, *info, specialisation, &listener);
    LOCKSTEP_TRY(compiled);
    auto code = emit_assembly(*compiled->module, *compiled->target);
    LOCKSTEP_TRY(code);
    remarks = kernel_remarks(info->name, specialisation, compiled->result, code->remarks);
    return std::move(code->bytes);
  });
}

} // namespace lockstep::compiler
