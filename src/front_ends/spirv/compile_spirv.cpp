// The SPIR-V entry points of front_ends.h: build options, a large stack, and the disk cache in front
// of the reader.
#include "front_ends/common/diagnostic_collector.h"
#include "front_ends/common/kernel_info_from_ir.h"
#include "front_ends/common/link_modules.h"
#include "front_ends/common/make_program.h"
#include "front_ends/common/source_cache.h"
#include "front_ends/front_ends.h"
#include "front_ends/opencl_c/build_options.h"
#include "front_ends/opencl_c/link_options.h"
#include "front_ends/spirv/reader.h"
#include "process/run_with_stack.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {
namespace {

using Constants = std::vector<SpecConstant>;

Error logged(Error error, std::string &log) {
  log += "error: " + error.message + "\n";
  return error;
}

void apply_options(llvm::Module &module, const IlOptions &options) {
  apply_link_options(module, ObjectModule(), options.maths);
  if (!options.optimize)
    module.addModuleFlag(llvm::Module::Max, opt_disable_flag, 1);
  for (llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL)
      continue;
    // The specification gives clGetKernelArgInfo to programs from source; names are for reports.
    function.setMetadata(no_arg_info_metadata, llvm::MDNode::get(module.getContext(), {}));
    if (options.uniform_work_group_size)
      function.addFnAttr("uniform-work-group-size", "true");
  }
}

// Reads the module and returns the Result<T> that `make(llvm::Module &)` makes of it.
template <class T, class Make>
Result<T> read(std::string_view words, const Constants &constants, const IlOptions &options,
               std::string &log, Make make) {
  return on_big_stack(words.size(), "reading SPIR-V", [&]() -> Result<T> {
    auto source = spirv::parse_module(words);
    if (!source)
      return logged(source.take_error(), log);
    llvm::LLVMContext context;
    DiagnosticCollector diagnostics(context);
    llvm::Module module("program.spv", context);
    if (auto read = spirv::Reader(*source, module, constants, options.debug_info).read(); !read)
      return logged(read.take_error(), log);
    apply_options(module, options);
    return make(module);
  });
}

// `what` distinguishes results of different types.
SourceCache cache_of(std::string_view what, std::string_view words, const Constants &constants,
                     std::string_view options) {
  CacheKeyBuilder builder;
  builder.add(what).add(words).add(options);
  for (const SpecConstant &constant : constants)
    builder.add(constant.id).add(constant.bytes);
  return SourceCache(builder);
}

} // namespace

Result<void> check_il_options(std::string_view options) {
  auto parsed = parse_il_options(options);
  if (!parsed)
    return parsed.take_error();
  return {};
}

Result<std::vector<SpecConstantInfo>> check_spirv(std::string_view words, std::string &log) {
  auto source = spirv::parse_module(words);
  if (!source)
    return logged(source.take_error(), log);
  std::vector<SpecConstantInfo> constants;
  for (const spirv::SpecConstantDeclaration &declaration : source->spec_constants)
    constants.push_back({declaration.spec_id, declaration.size});
  return constants;
}

Result<ObjectModule> compile_spirv(std::string_view words, const Constants &constants,
                                   std::string_view options, std::string &log) {
  auto parsed = parse_il_options(options);
  if (!parsed)
    return logged(parsed.take_error(), log);
  const SourceCache cache = cache_of("spirv object", words, constants, options);
  if (auto stored = cache.find(log))
    if (auto module = read_object_binary(*stored))
      return module;
  auto object = read<ObjectModule>(words, constants, *parsed, log, [&](llvm::Module &module) {
    return ObjectModule{write_bitcode(module), std::string(options), false, SourceLanguage::spirv};
  });
  if (object)
    cache.store({}, write_binary(*object), "");
  return object;
}

Result<KernelModule> build_spirv(std::string_view words, const Constants &constants,
                                 std::string_view options, std::string &log) {
  auto parsed = parse_il_options(options);
  if (!parsed)
    return logged(parsed.take_error(), log);
  const SourceCache cache = cache_of("spirv program", words, constants, options);
  if (auto stored = cache.find(log))
    if (auto module = read_program_binary(*stored))
      return module;
  auto program = read<KernelModule>(words, constants, *parsed, log, [&](llvm::Module &module) {
    auto made = make_program(module, SourceLanguage::spirv, log);
    if (made)
      made->build_options = options;
    return made;
  });
  if (program)
    cache.store({}, write_binary(*program), "");
  return program;
}

} // namespace lockstep::compiler
