// The entry points of source_to_ir (compiler/compile.h) and the disk cache in front of them.
//
// What a compilation depends on is known only after it: the files that it included. So an entry of
// kind "source", found by source, options and embedded headers, holds either the result, when
// nothing was included from disk, or the paths of the included files; then the content of these
// files leads to an entry of kind "included".
#include "compiler/compile.h"
#include "compiler/disk_cache.h"
#include "compiler/guarded.h"
#include "compiler/source_to_ir/byte_stream.h"
#include "compiler/source_to_ir/link_modules.h"
#include "compiler/source_to_ir/opencl_c/build_options.h"
#include "compiler/source_to_ir/opencl_c/front_end.h"
#include "compiler/source_to_ir/run_with_stack.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#include <fmt/format.h>

namespace lockstep::compiler {
namespace {

// Stack for a source: a base, and room for each byte of it to be one more level of nesting.
constexpr size_t stack_base = size_t{64} << 20;
constexpr size_t stack_per_byte = 8192;
constexpr size_t stack_limit = size_t{8} << 30;

size_t stack_for(size_t input_size) {
  return std::min(stack_base + input_size * stack_per_byte, stack_limit);
}

// clang counts source locations in 31 bits, macro expansions included.
constexpr size_t source_size_limit = size_t{256} << 20;

struct Compiled {
  std::unique_ptr<llvm::Module> module;
  std::vector<std::string> included_files;
};

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

// ---- the cache ----

class SourceCache {
public:
  // `what` tells results of different type apart.
  SourceCache(std::string_view what, std::string_view source, std::string_view options,
              const std::vector<EmbeddedHeader> &headers) {
    CacheKeyBuilder builder;
    builder.add(what).add(source).add(options);
    for (const EmbeddedHeader &header : headers)
      builder.add(header.name).add(header.source);
    // Relative paths mean other files elsewhere.
    if (options.find("-I") != options.npos || source.find("include") != source.npos) {
      std::error_code ignored;
      builder.add(std::filesystem::current_path(ignored).native());
    }
    key_ = builder.key();
  }

  // The stored bytes and log of the result.
  std::optional<std::string> find(std::string &log) {
    auto entry = DiskCache::of_process().get("source", key_);
    if (!entry)
      return std::nullopt;
    ByteReader reader(*entry);
    std::vector<std::string> files(reader.get_count());
    for (std::string &file : files)
      reader.get(file);
    if (reader.failed())
      return std::nullopt;
    if (files.empty())
      return result_from(reader.rest(), log);
    auto key = key_with(files);
    auto included = key ? DiskCache::of_process().get("included", *key) : std::nullopt;
    return included ? result_from(*included, log) : std::nullopt;
  }

  void store(const std::vector<std::string> &included_files, std::string_view result,
             std::string_view log) {
    ByteWriter content;
    content.put(log);
    content.put(result);
    ByteWriter entry;
    entry.put(static_cast<uint64_t>(included_files.size()));
    for (const std::string &file : included_files)
      entry.put(file);
    if (included_files.empty()) {
      entry.bytes() += content.bytes();
    } else if (auto key = key_with(included_files)) {
      DiskCache::of_process().put("included", *key, content.bytes());
    }
    DiskCache::of_process().put("source", key_, entry.bytes());
  }

private:
  static std::optional<std::string> result_from(std::string_view bytes, std::string &log) {
    ByteReader reader(bytes);
    auto stored_log = reader.get<std::string>();
    auto result = reader.get<std::string>();
    if (reader.failed() || !reader.at_end())
      return std::nullopt;
    log += stored_log;
    return result;
  }

  std::optional<CacheKey> key_with(const std::vector<std::string> &files) const {
    CacheKeyBuilder builder;
    builder.add(key_.hex());
    for (const std::string &file : files) {
      auto content = llvm::MemoryBuffer::getFile(file);
      if (!content)
        return std::nullopt;
      builder.add(file).add(std::string_view((*content)->getBuffer()));
    }
    return builder.key();
  }

  CacheKey key_;
};

// ---- the work behind each entry point, on a big stack ----

Result<ObjectModule> compile_object(std::string_view source, std::string_view options_text,
                                    const CompileOptions &options,
                                    const std::vector<EmbeddedHeader> &headers,
                                    std::vector<std::string> &included_files, std::string &log) {
  llvm::LLVMContext context;
  auto compiled = compile(context, source, options, headers, log);
  if (!compiled)
    return compiled.take_error();
  included_files = std::move(compiled->included_files);
  return ObjectModule{write_bitcode(*compiled->module), std::string(options_text), false};
}

Result<KernelModule> compile_program(std::string_view source, std::string_view options_text,
                                     const CompileOptions &options,
                                     std::vector<std::string> &included_files, std::string &log) {
  llvm::LLVMContext context;
  auto compiled = compile(context, source, options, {}, log);
  if (!compiled)
    return compiled.take_error();
  included_files = std::move(compiled->included_files);
  auto program = make_program(*compiled->module, log);
  if (program)
    program->build_options = options_text;
  return program;
}

// Runs `work`, which returns a Result<T>, on a thread with a stack fit for the input.
template <class Work> auto on_big_stack(size_t input_size, const char *doing, Work work) {
  std::optional<decltype(work())> result;
  run_with_stack(stack_for(input_size), [&] { result = guarded_result(doing, work); });
  return std::move(*result);
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
  auto parsed = parse_compile_options(options);
  if (!parsed)
    return logged(parsed.take_error(), log);
  SourceCache cache("object", source, options, headers);
  if (auto stored = cache.find(log))
    if (auto module = read_object_binary(*stored))
      return module;
  std::vector<std::string> included_files;
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
  auto parsed = parse_compile_options(options);
  if (!parsed)
    return logged(parsed.take_error(), log);
  SourceCache cache("program", source, options, {});
  if (auto stored = cache.find(log))
    if (auto module = read_program_binary(*stored))
      return module;
  std::vector<std::string> included_files;
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
  auto parsed = parse_link_options(options);
  if (!parsed)
    return logged(parsed.take_error(), log);
  LOCKSTEP_TRY(check_link_input(modules));
  return on_big_stack(bitcode_size(modules), "linking", [&]() -> Result<ObjectModule> {
    llvm::LLVMContext context;
    auto linked = link_objects(context, modules, *parsed, log);
    if (!linked)
      return linked.take_error();
    return ObjectModule{write_bitcode(**linked), std::string(options), true};
  });
}

Result<KernelModule> link_program(const std::vector<const ObjectModule *> &modules,
                                  std::string_view options, std::string &log) {
  auto parsed = parse_link_options(options);
  if (!parsed)
    return logged(parsed.take_error(), log);
  LOCKSTEP_TRY(check_link_input(modules));
  return on_big_stack(bitcode_size(modules), "linking", [&]() -> Result<KernelModule> {
    llvm::LLVMContext context;
    auto linked = link_objects(context, modules, *parsed, log);
    if (!linked)
      return linked.take_error();
    auto program = make_program(**linked, log);
    if (program)
      program->build_options = options;
    return program;
  });
}

} // namespace lockstep::compiler
