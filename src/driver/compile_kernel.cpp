#include "driver/compile_kernel.h"

#include "back_ends/cpu/jit/emit_code.h"
#include "back_ends/cpu/pipeline/pipeline_cpu.h"
#include "back_ends/cpu/target_model/code_cost.h"
#include "compiler/options/target.h"
#include "compiler/work_item/link/change_layout.h"
#include "driver/compile.h"
#include "driver/fallbacks.h"
#include "driver/kernel_remarks.h"
#include "front_ends/common/kernel_info_from_ir.h"
#include "kernel_ir/llvm_error.h"
#include "process/run_with_stack.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

Result<std::unique_ptr<llvm::Module>> parse(const std::string &bitcode,
                                            llvm::LLVMContext &context) {
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "program"), context);
  if (!module)
    return from_llvm(module.takeError(), "reading the program's bitcode");
  return std::move(*module);
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

Result<Compiled> compile_work_group(const KernelModule &program, const KernelInfo &kernel,
                                    const CompileSettings &settings,
                                    const StageListener *listener) {
  Compiled compiled;
  auto module = parse(program.bitcode, *compiled.context);
  LOCKSTEP_TRY(module);
  compiled.module = std::move(*module);
  const auto &[specialization, options, lanes_alone] = settings;
  bool optimize = wants_optimization(*compiled.module) && !options.debugger;
  compiled.target = make_target_machine(options.target, optimize);
  if (!compiled.target)
    return no_code_generator();
  if (options.debugger)
    compiled.target->setOptLevel(llvm::CodeGenOptLevel::None);
  auto result =
      build_work_group_function(*compiled.module, *compiled.target,
                                {kernel, specialization, options, optimize, lanes_alone}, listener);
  LOCKSTEP_TRY(result);
  compiled.result = std::move(*result);
  return compiled;
}

// Code that reads the formats of its images at run time is many times larger than the code of a
// launch, which knows them. It is compiled only to answer queries, and must have the same lanes as
// the launch's code.
bool reads_formats(const KernelInfo &kernel, const Specialization &specialization) {
  auto is_image = [](const KernelArg &argument) { return argument.kind == ArgKind::image; };
  return specialization.images.empty() &&
         std::any_of(kernel.args.begin(), kernel.args.end(), is_image);
}

// True if the code generator would take too long. Lanes that just fill the machine's vector
// registers are given up only for the cost of branches: registers of that width hold more than one
// lane's values.
bool is_too_large(const KernelInfo &kernel, const CompileSettings &settings,
                  const Compiled &compiled) {
  const uint32_t lanes = compiled.result.sub_group_size;
  if (lanes == 1 || settings.lanes_alone || reads_formats(kernel, settings.specialization))
    return false; // no fallback is left, or none may be used
  const CodeOptions &options = settings.options;
  const uint32_t vector_bits = options.target.vector_bits;
  const CodeCost cost = code_cost(*compiled.module, vector_bits, options.code_limit);
  const uint64_t values = lanes > vector_bits / 32 ? cost.values : 0;
  return values + cost.crossings > options.code_limit;
}

// One kernel that is compiled until no fallback applies (fallbacks.h).
class KernelCompiler {
public:
  using Emit = Result<EmittedCode> (*)(llvm::Module &, llvm::TargetMachine &);

  KernelCompiler(const KernelModule &program, const KernelInfo &kernel, CompileSettings start,
                 const StageListener *listener, Emit emit)
      : program_(program), kernel_(kernel), start_(std::move(start)), tried_(start_),
        listener_(listener), emit_(emit) {}

  Result<ObjectEntry> compile();

private:
  // Returns nothing if a fallback applies before the code generator runs.
  Result<std::optional<ObjectEntry>> attempt(CompileOutcome &outcome);
  Result<ObjectEntry> emit(Compiled &compiled);

  const KernelModule &program_;
  const KernelInfo &kernel_;
  const CompileSettings start_;
  CompileSettings tried_;
  const StageListener *const listener_;
  const Emit emit_;
  std::vector<std::string> remarks_; // of the fallbacks so far
};

Result<ObjectEntry> KernelCompiler::emit(Compiled &compiled) {
  auto code = emit_(*compiled.module, *compiled.target);
  LOCKSTEP_TRY(code);
  WorkGroupResult &result = compiled.result;
  result.remarks.insert(result.remarks.begin(), remarks_.begin(), remarks_.end());
  result.remarks = kernel_remarks(kernel_.title.empty() ? kernel_.name : kernel_.title,
                                  tried_.specialization, result, code->remarks);
  return ObjectEntry{std::move(code->bytes), std::move(result)};
}

Result<std::optional<ObjectEntry>> KernelCompiler::attempt(CompileOutcome &outcome) {
  auto compiled = compile_work_group(program_, kernel_, tried_, listener_);
  LOCKSTEP_TRY(compiled);
  const WorkGroupResult &result = compiled->result;
  outcome = {.lanes = result.sub_group_size,
             .size_is_free = result.size_is_free,
             .is_too_large = is_too_large(kernel_, tried_, *compiled),
             .stack_size = result.stack_size,
             .groups_at_once = result.groups_at_once};
  if (find_fallback(tried_, outcome))
    return std::optional<ObjectEntry>();
  auto entry = emit(*compiled);
  LOCKSTEP_TRY(entry);
  return std::optional(std::move(*entry));
}

Result<ObjectEntry> KernelCompiler::compile() {
  for (std::optional<Error> first_crash;;) {
    CompileOutcome outcome;
    // LLVM recurses over nested expressions, and the thread that enqueues may have a small stack.
    auto entry =
        on_big_stack(0, "compiling the kernel " + kernel_.name, [&] { return attempt(outcome); });
    // A crash before the code generator may be a fault of Lockstep's own passes.
    const bool reached_code_generator = outcome.lanes != 0;
    const bool crashed =
        !entry && entry.error().kind == ErrorKind::internal && reached_code_generator;
    if (crashed)
      outcome.crash = entry.error().message;
    const Fallback *fallback = entry && *entry ? nullptr : find_fallback(tried_, outcome);
    if (!fallback && crashed && first_crash)
      return std::move(*first_crash);
    if (!fallback) {
      LOCKSTEP_TRY(entry);
      return std::move(**entry);
    }
    if (crashed && !first_crash)
      first_crash = entry.take_error();
    CompileSettings next = fallback->change(start_, tried_, outcome);
    remarks_.push_back(fallback->remark(tried_, next, outcome));
    tried_ = std::move(next);
  }
}

} // namespace

const KernelInfo *find_kernel(const KernelModule &module, std::string_view name) {
  for (const KernelInfo &kernel : module.kernels)
    if (kernel.name == name)
      return &kernel;
  for (const KernelInfo &block : module.blocks)
    if (block.name == name)
      return &block;
  return nullptr;
}

Result<ObjectEntry> compile_to_object(const KernelModule &program, const KernelInfo &kernel,
                                      const Specialization &specialization,
                                      const CodeOptions &options) {
  return KernelCompiler(program, kernel, {specialization, options}, nullptr, emit_object).compile();
}

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

Result<std::string> compile_to_assembly(const KernelModule &module, std::string_view kernel,
                                        const Specialization &specialization,
                                        const CodeOptions &options, const StageListener &listener,
                                        std::vector<std::string> &remarks) {
  const KernelInfo *info = find_kernel(module, kernel);
  if (!info)
    return Error{ErrorKind::invalid_argument,
                 "no kernel named '" + std::string(kernel) + "' in this program"};
  auto entry =
      KernelCompiler(module, *info, {specialization, options}, &listener, emit_assembly).compile();
  LOCKSTEP_TRY(entry);
  remarks = std::move(entry->facts.remarks);
  return std::move(entry->object);
}

} // namespace lockstep::compiler
