#include "driver/compile_ptx.h"

#include "back_ends/nvidia/emit/emit_ptx.h"
#include "back_ends/nvidia/pipeline/pipeline_nvidia.h"
#include "back_ends/nvidia/target/nvidia_target.h"
#include "back_ends/nvidia/variables/variable_block.h"
#include "compiler/work_item/link/change_layout.h"
#include "compiler/work_item/link/share_program_variables.h"
#include "driver/compile_kernel.h"
#include "front_ends/common/kernel_info_from_ir.h"
#include "kernel_ir/llvm_error.h"
#include "process/disk_cache.h"
#include "process/run_with_stack.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace lockstep::compiler {

namespace {

Result<std::unique_ptr<llvm::Module>> parse(const KernelModule &program,
                                            llvm::LLVMContext &context) {
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(program.bitcode, "program"), context);
  if (!module)
    return from_llvm(module.takeError(), "reading the program's bitcode");
  return std::move(*module);
}

Error no_code_generator() {
  return {ErrorKind::unsupported, "this LLVM has no code generator for NVIDIA devices"};
}

// Reduces the program to its program-scope variables.
Result<std::unique_ptr<llvm::Module>> variables_of(const KernelModule &program,
                                                   const llvm::TargetMachine &target,
                                                   llvm::LLVMContext &context) {
  auto module = parse(program, context);
  LOCKSTEP_TRY(module);
  change_layout(**module, target.createDataLayout());
  extract_program_variables(**module);
  return module;
}

Result<std::vector<uint64_t>> variable_offsets(const KernelModule &program,
                                               const llvm::TargetMachine &target) {
  if (program.global_variable_size == 0)
    return std::vector<uint64_t>();
  llvm::LLVMContext context;
  auto variables = variables_of(program, target, context);
  LOCKSTEP_TRY(variables);
  return place_variables(**variables);
}

Result<PtxCode> compile(const KernelModule &program, const KernelInfo &kernel,
                        const Specialization &specialization, const CodeOptions &options,
                        PtxVariant variant, const StageListener *listener) {
  llvm::LLVMContext context;
  auto module = parse(program, context);
  LOCKSTEP_TRY(module);
  const bool optimize = !(*module)->getModuleFlag(opt_disable_flag);
  auto target = make_nvidia_machine(options.target, optimize);
  if (!target)
    return no_code_generator();
  auto offsets = variable_offsets(program, *target);
  LOCKSTEP_TRY(offsets);
  auto code = build_gpu_kernel(**module, *target, {kernel, specialization, options, optimize},
                               variant, std::move(*offsets), listener);
  LOCKSTEP_TRY(code);
  auto text = emit_ptx(**module, *target);
  LOCKSTEP_TRY(text);
  code->text = std::move(*text);
  return code;
}

std::optional<PtxCode> read_entry(std::string_view content) {
  ByteReader reader(content);
  PtxCode code;
  get_fields(reader, code);
  if (reader.failed() || !reader.at_end())
    return std::nullopt;
  return code;
}

} // namespace

Result<CodeOptions> code_options_for_nvidia(std::string_view architecture) {
  auto target = find_nvidia_target(architecture);
  LOCKSTEP_TRY(target);
  CodeOptions options;
  options.target = std::move(*target);
  options.inline_limit = code_options_of_process().inline_limit;
  options.verify = code_options_of_process().verify;
  return options;
}

Result<PtxCode> compile_to_ptx_uncached(const KernelModule &module, std::string_view kernel,
                                        const Specialization &specialization,
                                        const CodeOptions &options, PtxVariant variant,
                                        const StageListener *listener) {
  const KernelInfo *info = find_kernel(module, kernel);
  if (!info)
    return Error{ErrorKind::invalid_argument,
                 "no kernel named '" + std::string(kernel) + "' in this program"};
  return on_big_stack(0, "compiling the kernel " + info->name, [&] {
    return compile(module, *info, specialization, options, variant, listener);
  });
}

Result<PtxCode> compile_to_ptx(const KernelModule &module, std::string_view kernel,
                               const Specialization &specialization, const CodeOptions &options,
                               PtxVariant variant) {
  CacheKeyBuilder builder;
  builder.add("ptx").add(module.bitcode).add(module.build_options).add(kernel);
  add_to_key(builder, options);
  builder.add(bytes_of_fields(specialization)).add(static_cast<uint64_t>(variant));
  const CacheKey key = builder.key();
  DiskCache &cache = DiskCache::of_process();
  if (auto stored = cache.get("ptx", key))
    if (auto code = read_entry(*stored))
      return std::move(*code);
  auto code = compile_to_ptx_uncached(module, kernel, specialization, options, variant, nullptr);
  LOCKSTEP_TRY(code);
  cache.put("ptx", key, bytes_of_fields(*code));
  return code;
}

std::vector<std::string> ptx_stages() {
  return nvidia_stages();
}

Result<std::array<uint32_t, 2>> ptx_warp_shape(const KernelModule &program, std::string_view kernel,
                                               const CodeOptions &options) {
  const KernelInfo *info = find_kernel(program, kernel);
  if (!info)
    return Error{ErrorKind::invalid_argument,
                 "no kernel named '" + std::string(kernel) + "' in this program"};
  return on_big_stack(0, "analyzing the kernel " + info->name,
                      [&]() -> Result<std::array<uint32_t, 2>> {
                        llvm::LLVMContext context;
                        auto module = parse(program, context);
                        LOCKSTEP_TRY(module);
                        return choose_warp_shape(**module, {*info, {}, options});
                      });
}

Result<PtxVariables> ptx_variables(const KernelModule &module, const CodeOptions &options) {
  if (module.global_variable_size == 0)
    return PtxVariables();
  return on_big_stack(0, "placing program-scope variables", [&]() -> Result<PtxVariables> {
    auto target = make_nvidia_machine(options.target, /*optimize=*/false);
    if (!target)
      return no_code_generator();
    llvm::LLVMContext context;
    auto variables = variables_of(module, *target, context);
    LOCKSTEP_TRY(variables);
    return initial_variables(**variables);
  });
}

} // namespace lockstep::compiler
