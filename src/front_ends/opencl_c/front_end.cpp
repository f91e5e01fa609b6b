#include "front_ends/opencl_c/front_end.h"

#include "front_ends/common/device_features.h"
#include "front_ends/common/kernel_info_from_ir.h"
#include "front_ends/opencl_c/atomic_orders.h"
#include "front_ends/opencl_c/captured_samplers.h"
#include "front_ends/opencl_c/const_casts.h"
#include "front_ends/opencl_c/inline_definitions.h"
#include "front_ends/opencl_c/kernel_attributes.h"
#include "front_ends/opencl_c/presumed_lines.h"
#include "front_ends/opencl_c/vector_logic.h"
#include "kernel_ir/source_facts.h"

#include "platform/linux/leaked.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fmt/format.h>

extern "C" const char lockstep_opencl_c_base_begin[], lockstep_opencl_c_base_end[];
extern "C" const char lockstep_opencl_c_additions_begin[], lockstep_opencl_c_additions_end[];

namespace lockstep::compiler {
namespace {

// Two directories that exist only in memory. No disk has these names, so they hide no real
// directory.
constexpr const char *builtin_directory = "/lockstep-builtin-headers";
constexpr const char *embedded_directory = "/lockstep-embedded-headers";

// clang defines an extension's macro only for language versions in which it knows the extension,
// and declares builtins where the macro is defined. Programs may use every extension that the
// device reports, in every version. clang_arguments() defines macros for those that it lacks.
std::string extension_macros() {
  std::string text;
  for (const NameVersion &extension : language_extensions)
    text += fmt::format("#if !defined({0}) && !defined(__lockstep_without_{0})\n#define {0} 1\n"
                        "#endif\n#undef __lockstep_without_{0}\n",
                        extension.name);
  return text;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
file_system_with(const std::vector<EmbeddedHeader> &headers) {
  auto in_memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const std::string &base = leaked([] {
    return std::string(lockstep_opencl_c_base_begin, lockstep_opencl_c_base_end) +
           extension_macros() +
           std::string(lockstep_opencl_c_additions_begin, lockstep_opencl_c_additions_end);
  });
  in_memory->addFile(std::string(builtin_directory) + "/opencl-c-base.h", 0,
                     llvm::MemoryBuffer::getMemBuffer(base, "opencl-c-base.h"));
  for (const EmbeddedHeader &header : headers) {
    // clang does not search include directories for an absolute path, so such a header is added at
    // that path.
    std::string path = llvm::sys::path::is_absolute(header.name)
                           ? header.name
                           : std::string(embedded_directory) + "/" + header.name;
    in_memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(header.source, path));
  }
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk = llvm::vfs::createPhysicalFileSystem();
  // The working directory of the program may have been removed. pushOverlay dereferences the
  // directory's name without a check.
  if (!disk->getCurrentWorkingDirectory())
    disk->setCurrentWorkingDirectory("/");
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(disk);
  overlay->pushOverlay(in_memory);
  return overlay;
}

// -cl-ext= with exactly the rows of device_features.def that the device has. clang has no switch for
// __opencl_c_int64, which is always on. Bit-fields are a clang extension for programs that enable it
// by a pragma; OpenCL C has none, so the device does not list it.
std::string extension_list(const std::vector<std::string_view> &absent) {
  std::string list = "-cl-ext=-all,+__cl_clang_bitfields";
  const auto add = [&](std::string_view name) {
    if (name != "__opencl_c_int64" && !llvm::is_contained(absent, name))
      list += fmt::format(",+{}", name);
  };
  for (const NameVersion &extension : language_extensions)
    add(extension.name);
  for (const NameVersion &feature : opencl_c_features)
    add(feature.name);
  return list;
}

// Warnings of clang up to version 15 (integers and pointers: 14) that are errors now. Existing
// programs contain such code, and kernels that are ten years old must build. -Werror omits these
// options: it must make the warnings errors.
constexpr const char *still_warnings[] = {
    "-Wno-error=incompatible-pointer-types", // global float4 *p = q; with a float2 *q
    "-Wno-error=int-conversion",             // global int *p = 0x1000; ulong u = p;
    "-Wno-error=implicit-int",               // static twice(int x); const n = 3;
};

// clang 22 does not know OpenCL C 3.1. Version 3.1 makes parts of 3.0 mandatory and promotes
// extensions whose functions are declared in each version, so it is 3.0 with other macros.
// Upstream: https://github.com/llvm/llvm-project/pull/204043 (clang 23).
void append_language_version(std::vector<std::string> &arguments, unsigned version) {
  constexpr unsigned known_to_clang = 300;
  const unsigned passed = std::min(version, known_to_clang);
  arguments.push_back(fmt::format("-cl-std=CL{}.{}", passed / 100, passed / 10 % 10));
  if (version > known_to_clang)
    arguments.insert(arguments.end(),
                     {"-U", "__OPENCL_C_VERSION__", "-D",
                      fmt::format("__OPENCL_C_VERSION__={}", version), "-D", "CL_VERSION_3_1=310"});
}

std::vector<std::string> clang_arguments(const CompileOptions &options) {
  std::vector<std::string> arguments = {
      "-triple", "spir64-unknown-unknown", "-x", "cl", "-emit-llvm-only",
      "-finclude-default-header", "-fdeclare-opencl-builtins", "-nobuiltininc", "-internal-isystem",
      builtin_directory, "-I", embedded_directory,
      // As -O2 but without passes: functions must not become optnone.
      "-O2", "-disable-llvm-passes", "-ferror-limit", "100",
      // annotate() verifies the module after the workarounds for clang's defects.
      "-disable-llvm-verifier",
      // Reports name arguments, whether or not the program may query the names.
      "-cl-kernel-arg-info"};
  arguments.push_back(extension_list(options.absent_features));
  for (const NameVersion &extension : language_extensions)
    if (llvm::is_contained(options.absent_features, extension.name))
      arguments.insert(arguments.end(),
                       {"-D", fmt::format("__lockstep_without_{}", extension.name)});
  if (llvm::is_contained(options.absent_features, "__opencl_c_images"))
    arguments.insert(arguments.end(), {"-U", "__IMAGE_SUPPORT__"});
  if (options.cxx_version)
    arguments.emplace_back(options.cxx_version == 100 ? "-cl-std=CLC++1.0" : "-cl-std=CLC++2021");
  else
    append_language_version(arguments, options.language_version);
  // Macros that clang's spir64 target defines for itself. clang leaves __OPENCL_VERSION__ to the
  // driver.
  for (const char *name : {"__SPIR__", "__SPIR64__", "__SPIR", "__SPIR64"})
    arguments.insert(arguments.end(), {"-U", name});
  arguments.insert(arguments.end(), {"-D", "__OPENCL_VERSION__=300"});
  // OpenCL programs often pun types through pointer casts; type-based alias analysis only if the
  // option requests it.
  if (!options.strict_aliasing)
    arguments.push_back("-relaxed-aliasing");
  if (options.no_warnings)
    arguments.push_back("-w");
  if (options.warnings_are_errors)
    arguments.push_back("-Werror");
  else
    arguments.insert(arguments.end(), std::begin(still_warnings), std::end(still_warnings));
  if (options.debug_info)
    arguments.insert(arguments.end(), {"-debug-info-kind=constructor", "-dwarf-version=5"});
  for (const std::string &definition : options.definitions)
    arguments.insert(arguments.end(), {"-D", definition});
  for (const std::string &directory : options.include_directories)
    arguments.insert(arguments.end(), {"-I", directory});
  arguments.insert(arguments.end(), options.clang_flags.begin(), options.clang_flags.end());
  return arguments;
}

// Length of the longest run of letters, digits and underscores.
size_t longest_word(std::string_view source) {
  size_t longest = 0, length = 0;
  for (char c : source) {
    length = llvm::isAlnum(c) || c == '_' ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  return longest;
}

// clang compares an unknown name with all names of about its length, in quadratic time. In damaged
// sources with names of 200,000 letters this takes minutes. Suggestions for such names are useless,
// so they are switched off.
bool has_endless_names(std::string_view source, const std::vector<EmbeddedHeader> &headers) {
  constexpr size_t limit = 4096;
  return longest_word(source) > limit || llvm::any_of(headers, [](const EmbeddedHeader &header) {
           return longest_word(header.source) > limit;
         });
}

// `#line 4294967290`, or `# 4294967290`. clang prints line numbers beside the source lines of an
// error. Numbers near 2^32 wrap around, and clang then prints 4 GiB of blanks.
bool has_endless_lines(std::string_view source) {
  constexpr size_t digits = 10;
  for (size_t at = 0, begin = 0; at < source.size(); ++at) {
    if (!llvm::isDigit(source[at])) {
      begin = at + 1;
      continue;
    }
    if (at - begin + 1 != digits)
      continue;
    const llvm::StringRef before = llvm::StringRef(source.substr(0, begin)).rtrim(" \t");
    if (before.ends_with("#") || before.ends_with("line"))
      return true;
  }
  return false;
}

// Null if clang rejects these arguments, which would be a bug of Lockstep: CompileOptions holds
// checked values only.
std::shared_ptr<clang::CompilerInvocation> make_invocation(const CompileOptions &options,
                                                           llvm::vfs::FileSystem &files,
                                                           llvm::raw_ostream &log) {
  std::vector<std::string> arguments = clang_arguments(options);
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  clang::DiagnosticOptions diagnostic_options;
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      files, diagnostic_options, new clang::TextDiagnosticPrinter(log, diagnostic_options));
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, *diagnostics))
    return nullptr;
  // Source lines for remarks and reports; none of it reaches the object.
  if (!options.debug_info)
    invocation->getCodeGenOpts().setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
  invocation->getCodeGenOpts().EmbedSource = options.keeps_source;
  return invocation;
}

// Facts from the syntax tree that clang's IR does not contain.
struct SyntaxFacts {
  KernelAttributes attributes;
  InlineDefinitions inline_definitions;
  ConstCasts const_casts;
  bool wants_exact_sqrt = false;
};

// clang's action that produces an llvm::Module, together with our consumers of the syntax tree.
class EmitModuleAction : public clang::EmitLLVMOnlyAction {
public:
  EmitModuleAction(llvm::LLVMContext &context, SyntaxFacts &noticed)
      : EmitLLVMOnlyAction(&context), facts_(noticed) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    // Runs first: no code is generated after an error.
    consumers.push_back(refuse_wrong_orders(compiler));
    consumers.push_back(collect_kernel_attributes(compiler, facts_.attributes));
    consumers.push_back(fix_vector_logic(compiler));
    consumers.push_back(fix_captured_samplers());
    consumers.push_back(find_const_casts(facts_.const_casts));
    consumers.push_back(keep_inline_definitions(facts_.inline_definitions));
    consumers.push_back(EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

private:
  SyntaxFacts &facts_;
};

// clang gives the kernel that it generates for a block no source location. The call of the block's
// body gets a location in the function that enqueues the block. The location of the body is right
// for both.
void place_in_source(llvm::Function &block) {
  for (llvm::Instruction &instruction : llvm::instructions(block)) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    llvm::DISubprogram *body =
        call && call->getCalledFunction() ? call->getCalledFunction()->getSubprogram() : nullptr;
    instruction.setDebugLoc({});
    if (!body)
      continue;
    llvm::DIBuilder builder(*block.getParent(), /*AllowUnresolved=*/false, body->getUnit());
    llvm::DISubprogram *own = builder.createFunction(
        body->getScope(), block.getName(), block.getName(), body->getFile(), body->getLine(),
        body->getType(), body->getScopeLine(), body->getFlags(), body->getSPFlags());
    builder.finalizeSubprogram(own);
    block.setSubprogram(own);
    call->setDebugLoc(llvm::DILocation::get(block.getContext(), body->getLine(), 0, own));
  }
}

// Marks the kernels that clang generates for enqueued blocks, and makes them internal: only an
// enqueue may find them.
void mark_blocks(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL || function.isDeclaration() ||
        function.getMetadata("kernel_arg_addr_space")) // each kernel of the program has it
      continue;
    function.addFnAttr(block_attribute);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    place_in_source(function);
  }
}

// clang compares queues and events by instructions that LLVM defines only for integers. Replaces
// them by comparisons of their numbers.
void compare_by_numbers(llvm::Module &module) {
  llvm::SmallVector<llvm::ICmpInst *> comparisons;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
          comparison && comparison->getOperand(0)->getType()->isTargetExtTy())
        comparisons.push_back(comparison);
  for (llvm::ICmpInst *comparison : comparisons) {
    llvm::IRBuilder<> builder(comparison);
    auto *type = llvm::cast<llvm::TargetExtType>(comparison->getOperand(0)->getType());
    auto number = module.getOrInsertFunction(
        type->getName() == "spirv.Queue" ? "__lockstep_queue_number" : "__lockstep_event_number",
        builder.getInt64Ty(), type);
    auto number_of = [&](unsigned operand) {
      return builder.CreateCall(number, {comparison->getOperand(operand)});
    };
    auto *left = number_of(0), *right = number_of(1);
    comparison->replaceAllUsesWith(builder.CreateICmp(comparison->getPredicate(), left, right));
    comparison->eraseFromParent();
  }
}

// Adds facts from the options and the syntax tree that clang's IR lacks; docs/kernel_ir.md lists
// them.
void annotate(llvm::Module &module, const CompileOptions &options, const SyntaxFacts &noticed) {
  llvm::LLVMContext &context = module.getContext();
  make_internal(module, noticed.inline_definitions);
  mark_blocks(module);
  compare_by_numbers(module);
  for (const auto &[kernel, text] : noticed.attributes)
    if (llvm::Function *function = module.getFunction(kernel))
      function->setMetadata(attributes_metadata,
                            llvm::MDNode::get(context, llvm::MDString::get(context, text)));
  if (!options.kernel_arg_info)
    for (llvm::Function &function : module)
      if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
        function.setMetadata(no_arg_info_metadata, llvm::MDNode::get(context, {}));
  mark_const_casts(module, noticed.const_casts);
  if (noticed.wants_exact_sqrt)
    module.addModuleFlag(llvm::Module::Max, exact_sqrt_flag, 1);
  if (!options.optimize)
    module.addModuleFlag(llvm::Module::Max, opt_disable_flag, 1);
  if (options.denorms_are_zero)
    module.addModuleFlag(llvm::Module::Min, denorms_are_zero_flag, 1);
  std::string broken;
  llvm::raw_string_ostream text(broken);
  if (llvm::verifyModule(module, &text))
    llvm::report_fatal_error(llvm::StringRef("clang has made a broken module: " + broken));
}

// The files that clang read. The digests are of the content that clang read, which may differ from
// the files' current content.
std::vector<IncludedFile> files_read(const clang::CompilerInstance &compiler) {
  std::vector<IncludedFile> files;
  const clang::SourceManager &sources = compiler.getSourceManager();
  for (auto entry = sources.fileinfo_begin(); entry != sources.fileinfo_end(); ++entry) {
    llvm::StringRef name = entry->first.getName();
    if (name.starts_with(builtin_directory) || name.starts_with(embedded_directory) ||
        name == "<source>")
      continue;
    llvm::SmallString<256> path(name);
    compiler.getVirtualFileSystem().makeAbsolute(path);
    auto content = entry->second->getBufferIfLoaded();
    if (content)
      files.push_back({path.str().str(), digest_of(std::string_view(content->getBuffer()))});
  }
  return files;
}

// clang's diagnostics, limited in size.
class BoundedLog : public llvm::raw_ostream {
public:
  BoundedLog() : raw_ostream(/*unbuffered=*/true) {}
  std::string take() {
    if (is_cut_)
      text_ += "\n(the rest of the log is left out)\n";
    return std::move(text_);
  }

private:
  static constexpr size_t limit = size_t{16} << 20;
  void write_impl(const char *text, size_t size) override {
    const size_t fits = std::min(size, limit - text_.size());
    text_.append(text, fits);
    is_cut_ |= fits < size;
  }
  uint64_t current_pos() const override { return text_.size(); }

  std::string text_;
  bool is_cut_ = false;
};

// Users know an embedded header only by the name that they gave, so the in-memory directory is
// removed from the log.
void shorten_header_names(std::string &log) {
  const std::string prefix = std::string(embedded_directory) + "/";
  for (size_t at = log.find(prefix); at != std::string::npos; at = log.find(prefix, at))
    log.erase(at, prefix.size());
}

} // namespace

Result<FrontEndResult> run_front_end(llvm::LLVMContext &context, std::string_view source,
                                     const CompileOptions &options,
                                     const std::vector<EmbeddedHeader> &headers, std::string &log) {
  BoundedLog log_stream;
  auto files = file_system_with(headers);
  auto invocation = make_invocation(options, *files, log_stream);
  if (!invocation)
    return Error{ErrorKind::internal,
                 "clang refused the arguments of Lockstep's front end: " + log_stream.take()};

  if (has_endless_names(source, headers))
    invocation->getLangOpts().SpellChecking = false;
  if (has_endless_lines(source))
    invocation->getDiagnosticOpts().ShowLineNumbers = false;

  // In the last line of a file clang counts the column of each expression from the line's start.
  // For a generated source that is one line of a megabyte this takes minutes. The added newline
  // ensures that no line of the source is the last.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(std::string(source) + "\n", "<source>");
  invocation->getFrontendOpts().Inputs = {clang::FrontendInputFile(
      buffer->getMemBufferRef(), clang::InputKind(clang::Language::OpenCL))};
  clang::CompilerInstance compiler(invocation);
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics(
      new clang::TextDiagnosticPrinter(log_stream, invocation->getDiagnosticOpts()));
  compiler.setVerboseOutputStream(log_stream); // "2 errors generated."
  SyntaxFacts noticed;
  EmitModuleAction action(context, noticed);
  const bool success = compiler.ExecuteAction(action);

  FrontEndResult result;
  if (success)
    result.module = action.takeModule();
  if (result.module && result.module->getNamedGlobal("llvm.global_ctors")) { // C++ for OpenCL
    log_stream << "error: a variable in program scope has a constructor or destructor that would "
                  "have to run; only constexpr constructors are allowed\n";
    result.module.reset();
  }
  if (result.module) {
    noticed.wants_exact_sqrt = compiler.getCodeGenOpts().OpenCLCorrectlyRoundedDivSqrt;
    annotate(*result.module, options, noticed);
    if (compiler.hasSourceManager()) {
      result.included_files = files_read(compiler);
      if (options.keeps_source)
        embed_presumed_lines(*result.module, compiler.getSourceManager());
    }
  }
  std::string clang_log = log_stream.take();
  shorten_header_names(clang_log);
  log += clang_log;
  if (!result.module)
    return Error{ErrorKind::build_failure, "the OpenCL C source has errors; see the build log"};
  return result;
}

} // namespace lockstep::compiler
