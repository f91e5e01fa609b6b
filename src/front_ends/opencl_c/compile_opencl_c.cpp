// The OpenCL C entry points of front_ends.h, and the disk cache in front of them.
#include "front_ends/common/link_modules.h"
#include "front_ends/common/make_program.h"
#include "front_ends/common/source_cache.h"
#include "front_ends/front_ends.h"
#include "front_ends/opencl_c/build_options.h"
#include "front_ends/opencl_c/front_end.h"
#include "front_ends/opencl_c/link_options.h"
#include "process/run_with_stack.h"
#include "support/check_kinds.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <filesystem>

namespace lockstep::compiler {
namespace {

// clang counts source locations in 31 bits, macro expansions included.
constexpr size_t source_size_limit = size_t{256} << 20;

Error logged(Error error, std::string &log) {
  if (error.kind == ErrorKind::invalid_argument || log.empty())
    log += "error: " + error.message + "\n";
  return error;
}

Result<FrontEndResult> compile(llvm::LLVMContext &context, std::string_view source,
                               const CompileOptions &options,
                               const std::vector<EmbeddedHeader> &headers, std::string &log) {
  if (source.size() > source_size_limit)
    return logged({ErrorKind::build_failure, "the source is larger than 256 MiB"}, log);
  return run_front_end(context, source, options, headers, log);
}

// Reports of the checker show source lines (CodeOptions::check).
bool keeps_source() {
  return check_kinds().any();
}

// ---- the work behind each entry point, on a big stack ----

Result<ObjectModule> compile_object(std::string_view source, std::string_view options_text,
                                    const CompileOptions &options,
                                    const std::vector<EmbeddedHeader> &headers,
                                    std::vector<IncludedFile> &included_files, std::string &log) {
  llvm::LLVMContext context;
  auto compiled = compile(context, source, options, headers, log);
  if (!compiled)
    return compiled.take_error();
  included_files = std::move(compiled->included_files);
  return ObjectModule{write_bitcode(*compiled->module), std::string(options_text), false,
                      SourceLanguage::opencl_c};
}

Result<KernelModule> compile_program(std::string_view source, std::string_view options_text,
                                     const CompileOptions &options,
                                     std::vector<IncludedFile> &included_files, std::string &log) {
  llvm::LLVMContext context;
  auto compiled = compile(context, source, options, {}, log);
  if (!compiled)
    return compiled.take_error();
  included_files = std::move(compiled->included_files);
  auto program = make_program(*compiled->module, SourceLanguage::opencl_c, log);
  if (program)
    program->build_options = options_text;
  return program;
}

// `what` distinguishes results of different types.
SourceCache cache_of(std::string_view what, std::string_view source, std::string_view options,
                     const std::vector<EmbeddedHeader> &headers, const AbsentFeatures &absent) {
  CacheKeyBuilder builder;
  for (std::string_view name : absent)
    builder.add("without").add(name);
  builder.add(what).add(source).add(options).add(keeps_source());
  for (const EmbeddedHeader &header : headers)
    builder.add(header.name).add(header.source);
  // Relative paths depend on the working directory.
  if (options.find("-I") != options.npos || source.find("include") != source.npos) {
    std::error_code ignored;
    builder.add(std::filesystem::current_path(ignored).native());
  }
  return SourceCache(builder);
}

size_t bitcode_size(const std::vector<const ObjectModule *> &modules) {
  size_t size = 0;
  for (const ObjectModule *module : modules)
    size += module->bitcode.size();
  return size;
}

Result<void> check_link_input(const std::vector<const ObjectModule *> &modules) {
  if (modules.empty())
    return Error{ErrorKind::invalid_argument,
                 "there is no program to link (clLinkProgram, num_input_programs)"};
  return {};
}

// Links the modules, and returns the Result<T> that `make(llvm::Module &)` makes of the whole.
template <class T, class Make>
Result<T> linked(const std::vector<const ObjectModule *> &modules, std::string_view options,
                 std::string &log, Make make) {
  auto parsed = parse_link_options(options);
  if (!parsed)
    return logged(parsed.take_error(), log);
  LOCKSTEP_TRY(check_link_input(modules));
  auto apply_options = [&](llvm::Module &module, const ObjectModule &object) {
    apply_link_options(module, object, *parsed);
  };
  return on_big_stack(bitcode_size(modules), "linking", [&]() -> Result<T> {
    llvm::LLVMContext context;
    auto whole = link_objects(context, modules, apply_options, log);
    if (!whole)
      return whole.take_error();
    return make(**whole);
  });
}

} // namespace

Result<void> check_compile_options(std::string_view options) {
  auto parsed = parse_compile_options(options);
  if (!parsed && parsed.error().kind == ErrorKind::invalid_argument)
    return parsed.take_error();
  return {};
}

Result<void> check_link_options(std::string_view options) {
  auto parsed = parse_link_options(options);
  if (!parsed)
    return parsed.take_error();
  return {};
}

Result<ObjectModule> compile_opencl_c(std::string_view source, std::string_view options,
                                      const std::vector<EmbeddedHeader> &headers,
                                      std::string &log) {
  return compile_opencl_c(source, options, headers, log, {});
}

Result<ObjectModule> compile_opencl_c(std::string_view source, std::string_view options,
                                      const std::vector<EmbeddedHeader> &headers, std::string &log,
                                      const AbsentFeatures &absent) {
  auto parsed = parse_compile_options(options);
  if (!parsed)
    return logged(parsed.take_error(), log);
  parsed->keeps_source = keeps_source();
  parsed->absent_features = absent;
  const SourceCache cache = cache_of("object", source, options, headers, absent);
  if (auto stored = cache.find(log))
    if (auto module = read_object_binary(*stored))
      return module;
  std::vector<IncludedFile> included_files;
  std::string new_log;
  auto module = on_big_stack(source.size(), "compiling OpenCL C", [&] {
    return compile_object(source, options, *parsed, headers, included_files, new_log);
  });
  log += new_log;
  if (module)
    cache.store(included_files, write_binary(*module), new_log);
  return module;
}

Result<KernelModule> build_opencl_c(std::string_view source, std::string_view options,
                                    std::string &log) {
  return build_opencl_c(source, options, log, {});
}

Result<KernelModule> build_opencl_c(std::string_view source, std::string_view options,
                                    std::string &log, const AbsentFeatures &absent) {
  auto parsed = parse_compile_options(options);
  if (!parsed)
    return logged(parsed.take_error(), log);
  parsed->keeps_source = keeps_source();
  parsed->absent_features = absent;
  const SourceCache cache = cache_of("program", source, options, {}, absent);
  if (auto stored = cache.find(log))
    if (auto module = read_program_binary(*stored))
      return module;
  std::vector<IncludedFile> included_files;
  std::string new_log;
  auto module = on_big_stack(source.size(), "compiling OpenCL C", [&] {
    return compile_program(source, options, *parsed, included_files, new_log);
  });
  log += new_log;
  if (module)
    cache.store(included_files, write_binary(*module), new_log);
  return module;
}

Result<ObjectModule> link_library(const std::vector<const ObjectModule *> &modules,
                                  std::string_view options, std::string &log) {
  return linked<ObjectModule>(modules, options, log, [&](llvm::Module &whole) {
    return ObjectModule{write_bitcode(whole), std::string(options), true, common_language(modules)};
  });
}

Result<KernelModule> link_program(const std::vector<const ObjectModule *> &modules,
                                  std::string_view options, std::string &log) {
  return linked<KernelModule>(modules, options, log, [&](llvm::Module &whole) {
    auto program = make_program(whole, common_language(modules), log);
    if (program)
      program->build_options = options;
    return program;
  });
}

} // namespace lockstep::compiler
