// Calls the stages in order, behind a cache:
//   front_ends (build_opencl_c, link_program)  ->  KernelModule
//   compiler (build_work_group_function)  ->  one LLVM function
//   back_ends (emit_object, load_kernel) ->  KernelCode
#include "driver/compile.h"

#include "back_ends/cpu/jit/emit_code.h"
#include "back_ends/cpu/jit/jit.h"
#include "back_ends/cpu/object_entry.h"
#include "back_ends/cpu/pipeline/pipeline_cpu.h"
#include "back_ends/cpu/target_model/code_cost.h"
#include "compiler/options/target.h"
#include "compiler/work_item/link/change_layout.h"
#include "compiler/work_item/link/share_program_variables.h"
#include "driver/code_table.h"
#include "driver/kernel_remarks.h"
#include "front_ends/common/kernel_info_from_ir.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/llvm_error.h"
#include "process/crash_guard.h"
#include "process/disk_cache.h"
#include "process/run_with_stack.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <fmt/format.h>
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
  for (const KernelInfo &block : module.blocks)
    if (block.name == name)
      return &block;
  return nullptr;
}

// A program linked from several modules is not optimized if any of them must not be.
bool wants_optimization(const llvm::Module &module) {
  return !module.getModuleFlag(opt_disable_flag);
}

Error no_code_generator() {
  return {ErrorKind::internal, "LLVM has no code generator for this machine"};
}

struct Compiled {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> target;
  WorkGroupResult result;
};

Result<Compiled> compile_as_asked(const KernelModule &program, const KernelInfo &kernel,
                                  const Specialization &specialization, const CodeOptions &options,
                                  bool lanes_alone, const StageListener *listener) {
  Compiled compiled;
  auto module = parse(program.bitcode, *compiled.context);
  LOCKSTEP_TRY(module);
  compiled.module = std::move(*module);
  bool optimize = wants_optimization(*compiled.module);
  compiled.target = make_target_machine(options.target, optimize);
  if (!compiled.target)
    return no_code_generator();
  auto result =
      build_work_group_function(*compiled.module, *compiled.target,
                                {kernel, specialization, options, optimize, lanes_alone}, listener);
  LOCKSTEP_TRY(result);
  compiled.result = std::move(*result);
  return compiled;
}

// True if the kernel should be compiled with fewer lanes. Lanes that just fill the machine's vector
// registers are given up only for the cost of branches: registers of that width hold more than one
// lane's values.
bool should_have_fewer(uint32_t lanes, const llvm::Module &module, const CodeOptions &options) {
  if (lanes == 1)
    return false;
  const uint32_t vector_bits = options.target.vector_bits;
  const CodeCost cost = code_cost(module, vector_bits, options.code_limit);
  const uint64_t values = lanes > vector_bits / 32 ? cost.values : 0;
  return values + cost.crossings > options.code_limit;
}

// The lane count of the next attempt: first the machine's vector width, then one lane, where
// branches need no masks.
uint32_t fewer_lanes(uint32_t lanes, const CodeOptions &options) {
  const uint32_t natural = options.target.vector_bits / 32;
  return lanes > natural ? natural : 1;
}

// Code that reads the formats of its images at run time is many times larger than the code of a
// launch, which knows them. It is compiled only to answer queries, and must have the same lanes as
// the launch's code.
bool asks_for_formats(const KernelInfo &kernel, const Specialization &specialization) {
  auto is_image = [](const KernelArg &argument) { return argument.kind == ArgKind::image; };
  return specialization.images.empty() &&
         std::any_of(kernel.args.begin(), kernel.args.end(), is_image);
}

// Compiles again with fewer lanes while the code generator would take too long (code_cost.h).
// Kernels that can observe their sub-groups keep their size; their lanes are serialized where the
// kernel cannot observe it.
Result<Compiled> compile_work_group(const KernelModule &program, const KernelInfo &kernel,
                                    const Specialization &specialization, CodeOptions options,
                                    const StageListener *listener) {
  std::vector<std::string> lowered;
  bool lanes_alone = false;
  while (true) {
    auto compiled =
        compile_as_asked(program, kernel, specialization, options, lanes_alone, listener);
    LOCKSTEP_TRY(compiled);
    WorkGroupResult &result = compiled->result;
    const uint32_t lanes = result.sub_group_size;
    if (lanes_alone || asks_for_formats(kernel, specialization) ||
        !should_have_fewer(lanes, *compiled->module, options)) {
      result.remarks.insert(result.remarks.begin(), lowered.begin(), lowered.end());
      return compiled;
    }
    lanes_alone = !result.size_is_free;
    if (lanes_alone) {
      lowered.push_back(fmt::format("lanes: {} one after the other where they can be: machine code "
                                    "for all at once would take too long to make",
                                    lanes));
    } else {
      options.sub_group_size = fewer_lanes(lanes, options);
      lowered.push_back(fmt::format("lanes: lowered from {} to {}: machine code for so many would "
                                    "take too long to make",
                                    lanes, options.sub_group_size));
    }
  }
}

// LLVM recurses over nested expressions, and the thread that enqueues may have a small stack.
template <class Work> auto compile_guarded(const KernelInfo &kernel, Work work) {
  return on_big_stack(0, "compiling the kernel " + kernel.name, std::move(work));
}

// How far the compilation of a kernel had come when LLVM crashed.
struct Progress {
  bool reached_code_generator = false;
  uint32_t lanes = 0; // valid once the code generator is reached
};

// LLVM's code generator fails with "Cannot select" and the like for some valid code, most often
// with a processor's widest vectors (compiler/prepare_code/workarounds/llvm22/ has the known
// cases). The kernel is then compiled again for a processor without these vectors, but with the
// same number of lanes: what the program has learned about its sub-groups stays true.
//
// Does not retry while the contract is verified, because that mode looks for faults of the
// compiler. Does not retry crashes before the code generator, where Lockstep's own passes may be at
// fault.
//
// `attempt(options, progress, remarks)`, on a separate stack, returns a Result.
template <class Attempt>
auto compile_past_crashes(const KernelInfo &kernel, CodeOptions options, Attempt attempt) {
  std::vector<std::string> remarks;
  for (std::optional<Error> first;;) {
    Progress progress;
    auto result = compile_guarded(kernel, [&] { return attempt(options, progress, remarks); });
    const bool crashed =
        !result && result.error().kind == ErrorKind::internal && progress.reached_code_generator;
    auto narrower = narrower_target(options.target);
    if (!crashed || options.verify || !narrower) {
      if (crashed && first)
        return decltype(result)(std::move(*first));
      return result;
    }
    const std::string &message = result.error().message;
    remarks.push_back(fmt::format("code: made for vectors of {} bits, not {}: {}",
                                  narrower->vector_bits, options.target.vector_bits,
                                  message.substr(0, message.find('\n'))));
    if (!first)
      first = result.take_error();
    options.target = std::move(*narrower);
    options.sub_group_size = progress.lanes;
  }
}

Result<ObjectEntry> compile_to_object(const KernelModule &program, const KernelInfo &kernel,
                                      const Specialization &specialization,
                                      const CodeOptions &options, Progress &progress,
                                      const std::vector<std::string> &first_remarks) {
  auto compiled = compile_work_group(program, kernel, specialization, options, nullptr);
  LOCKSTEP_TRY(compiled);
  WorkGroupResult &result = compiled->result;
  progress = {true, result.sub_group_size};
  auto code = emit_object(*compiled->module, *compiled->target);
  LOCKSTEP_TRY(code);
  result.remarks.insert(result.remarks.begin(), first_remarks.begin(), first_remarks.end());
  auto remarks = kernel_remarks(kernel.name, specialization, result, code->remarks);
  return ObjectEntry{std::move(code->bytes),         result.is_resumable,
                     std::move(result.resumable),    result.stack_size,
                     result.sub_group_size,          result.groups_at_once,
                     result.calls_per_group,         result.first_dimension,
                     result.local_memory_size,       std::move(remarks),
                     std::move(result.suppositions), std::move(result.worker_copies),
                     result.pointer_members};
}

struct VariablesObject {
  std::string bytes; // empty: there are none
  std::vector<SharedVariable> variables;
};

Result<VariablesObject> object_of_variables(const KernelModule &program,
                                            const TargetInfo &for_target) {
  llvm::LLVMContext context;
  auto module = parse(program.bitcode, context);
  LOCKSTEP_TRY(module);
  auto target = make_target_machine(for_target, /*optimize=*/false);
  if (!target)
    return no_code_generator();
  (*module)->setTargetTriple(target->getTargetTriple());
  change_layout(**module, target->createDataLayout());
  VariablesObject object;
  object.variables = extract_program_variables(**module);
  if (object.variables.empty())
    return object;
  auto code = emit_object(**module, *target);
  LOCKSTEP_TRY(code);
  object.bytes = std::move(code->bytes);
  return object;
}

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
  using Key = std::tuple<std::string, std::array<uint32_t, 3>, std::array<uint32_t, 3>,
                         std::vector<LocalArgument>, std::vector<uint32_t>, uint64_t, uint64_t,
                         uint64_t, uint64_t>;
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
  const Key key(name, specialization.local_size, specialization.neighbors,
                specialization.local_arguments, specialization.images,
                specialization.refused_suppositions, specialization.refused_copies,
                specialization.defined_arguments, specialization.defined_members);
  return codes_.get_or_make(key, "compiling the kernel " + kernel->name,
                            [&] { return make(*kernel, specialization); });
}

CacheKey Program::key_of(const KernelInfo &kernel, const Specialization &specialization) const {
  CacheKeyBuilder key;
  key.add(module_->bitcode).add(module_->build_options).add(kernel.name);
  add_to_key(key, options_);
  const auto &[local_size, neighbors, local_arguments, images, refused_suppositions, refused_copies,
               defined_arguments, defined_members] = specialization;
  for (const auto &sizes : {local_size, neighbors})
    for (uint32_t size : sizes)
      key.add(size);
  for (const auto &[position, variable, bytes, alignment, words, name] : local_arguments) {
    key.add(position).add(variable).add(bytes).add(alignment).add(name).add(words.size());
    for (uint64_t word : words)
      key.add(word);
  }
  for (uint32_t image : images)
    key.add(image);
  key.add(refused_suppositions).add(refused_copies).add(defined_arguments).add(defined_members);
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
    auto compiled = compile_past_crashes(
        kernel, options_, [&](const auto &options, auto &progress, const auto &remarks) {
          return compile_to_object(*module_, kernel, specialization, options, progress, remarks);
        });
    LOCKSTEP_TRY(compiled);
    entry = std::move(*compiled);
    cache.put("code", key, write_object_entry(*entry));
  }
  if (entry->stack_size > max_stack_size && entry->groups_at_once != single_group)
    return make(kernel, {specialization.local_size, single_group, specialization.local_arguments,
                         specialization.images, specialization.refused_suppositions,
                         specialization.refused_copies, specialization.defined_arguments,
                         specialization.defined_members}); // one group needs less
  if (entry->stack_size > max_stack_size)
    return Error{ErrorKind::out_of_resources,
                 "kernel '" + kernel.name + "' needs " + std::to_string(entry->stack_size) +
                     " bytes of private memory for a work-group; the limit is " +
                     std::to_string(max_stack_size)};
  auto loaded = load_kernel(entry->object, entry->is_resumable, *variables_.code);
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
  code->calls_per_group = entry->calls_per_group;
  code->first_dimension = entry->first_dimension;
  code->local_memory_size = entry->local_memory_size;
  code->remarks = std::move(entry->remarks);
  if (!entry->suppositions.empty())
    code->suppositions = suppositions_of(entry->suppositions);
  code->worker_copies = std::move(entry->worker_copies);
  code->pointer_members = entry->pointer_members;
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

Result<std::string> compile_to_assembly(const KernelModule &module, std::string_view kernel,
                                        const Specialization &specialization,
                                        const CodeOptions &options, const StageListener &listener,
                                        std::vector<std::string> &remarks) {
  const KernelInfo *info = find_kernel(module, kernel);
  if (!info)
    return Error{ErrorKind::invalid_argument,
                 "no kernel named '" + std::string(kernel) + "' in this program"};
  return compile_past_crashes(
      *info, options,
      [&](const auto &tried, auto &progress, const auto &first_remarks) -> Result<std::string> {
        auto compiled = compile_work_group(module, *info, specialization, tried, &listener);
        LOCKSTEP_TRY(compiled);
        WorkGroupResult &result = compiled->result;
        progress = {true, result.sub_group_size};
        auto code = emit_assembly(*compiled->module, *compiled->target);
        LOCKSTEP_TRY(code);
        result.remarks.insert(result.remarks.begin(), first_remarks.begin(), first_remarks.end());
        remarks = kernel_remarks(info->name, specialization, result, code->remarks);
        return std::move(code->bytes);
      });
}

} // namespace lockstep::compiler
