#include "driver/compile_kernel.h"

#include "back_ends/cpu/jit/emit_code.h"
#include "back_ends/cpu/pipeline/pipeline_cpu.h"
#include "back_ends/cpu/target_model/code_cost.h"
#include "compiler/options/target.h"
#include "compiler/work_item/link/change_layout.h"
#include "driver/compile.h"
#include "driver/kernel_remarks.h"
#include "front_ends/common/kernel_info_from_ir.h"
#include "kernel_ir/llvm_error.h"
#include "process/run_with_stack.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <fmt/format.h>

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

Result<ObjectEntry> compile_once(const KernelModule &program, const KernelInfo &kernel,
                                 const Specialization &specialization, const CodeOptions &options,
                                 Progress &progress,
                                 const std::vector<std::string> &first_remarks) {
  auto compiled = compile_work_group(program, kernel, specialization, options, nullptr);
  LOCKSTEP_TRY(compiled);
  WorkGroupResult &result = compiled->result;
  progress = {true, result.sub_group_size};
  auto code = emit_object(*compiled->module, *compiled->target);
  LOCKSTEP_TRY(code);
  result.remarks.insert(result.remarks.begin(), first_remarks.begin(), first_remarks.end());
  auto remarks = kernel_remarks(kernel.name, specialization, result, code->remarks);
  result.remarks = std::move(remarks);
  return ObjectEntry{std::move(code->bytes), std::move(result)};
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
  return compile_past_crashes(
      kernel, options, [&](const auto &tried, auto &progress, const auto &remarks) {
        return compile_once(program, kernel, specialization, tried, progress, remarks);
      });
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
