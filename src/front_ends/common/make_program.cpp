#include "front_ends/common/make_program.h"

#include "abi/address_spaces.h"

#include "device_lib/device_library.h"
#include "front_ends/common/check_program_binary.h"
#include "front_ends/common/diagnostic_collector.h"
#include "front_ends/common/kernel_info_from_ir.h"
#include "front_ends/common/language_rules.h"
#include "front_ends/common/link_modules.h"
#include "kernel_ir/limits.h"
#include "process/disk_cache.h"
#include "process/run_with_stack.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"

#include <cstring>
#include <fmt/format.h>

namespace lockstep::compiler {
namespace {

Error failed(std::string &log, const std::string &line) {
  log += "error: " + line + "\n";
  return {ErrorKind::build_failure, line};
}

// `int helper(int)` for `_Z6helperi`, `helper` for `helper`. clang puts the body of a kernel into a
// function of its own, whose name has a prefix that is not in the source.
std::string readable(llvm::StringRef symbol) {
  symbol.consume_front("__clang_ocl_kern_imp_");
  return llvm::demangle(symbol.str());
}

// True if a later stage supplies the function: an LLVM intrinsic, a builtin, a primitive of
// docs/kernel_ir.md, or clang's initializer of a sampler in the source.
bool is_supplied_later(const llvm::Function &function) {
  return function.isIntrinsic() || function.getName().starts_with("__lockstep_") ||
         function.getName() == "__translate_sampler_initializer" ||
         is_builtin_function(std::string_view(function.getName()));
}

Result<void> check_all_defined(const llvm::Module &module, std::string &log) {
  std::string missing;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.use_empty() && !is_supplied_later(function))
      missing += fmt::format("error: the function {} is declared and used, but defined nowhere\n",
                             readable(function.getName()));
  for (const llvm::GlobalVariable &variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty())
      missing += fmt::format("error: the variable {} is declared and used, but defined nowhere\n",
                             readable(variable.getName()));
  if (missing.empty())
    return {};
  log += missing;
  return Error{ErrorKind::build_failure, missing.substr(7, missing.find('\n') - 7)};
}

Result<void> check_no_recursion(llvm::Module &module, const LanguageRules &rules,
                                std::string &log) {
  llvm::CallGraph graph(module);
  for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component)
    if (component.hasCycle())
      if (const llvm::Function *function = component->front()->getFunction())
        return failed(log,
                      fmt::format("the function {} calls itself, directly or through others; {}",
                                  readable(function->getName()), rules.no_recursion));
  return {};
}

std::string place_of(const llvm::Instruction &instruction) {
  const llvm::DILocation *place = instruction.getDebugLoc();
  return place ? fmt::format("{}:{}:{}: ", place->getFilename().str(), place->getLine(),
                             place->getColumn())
               : std::string();
}

// Rejects calls that clang accepts and no later stage supports.
Result<void> check_calls(const llvm::Module &module, const LanguageRules &rules, std::string &log) {
  if (!module.getModuleInlineAsm().empty())
    return failed(log, "inline assembly is not supported");
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || call->getCalledFunction())
        continue;
      const std::string what =
          call->isInlineAsm()
              ? "inline assembly is not supported"
              : std::string("a call through a pointer is not supported") + rules.no_indirect_calls;
      std::string line = place_of(instruction) + "error: " + what;
      log += line + "\n";
      return Error{ErrorKind::build_failure, line};
    }
  return {};
}

// Checks the limits that the device reports and that only the build can enforce.
Result<void> check_limits(const llvm::Module &module, const std::vector<KernelInfo> &kernels,
                          std::string &log) {
  for (const llvm::GlobalVariable &variable : module.globals()) {
    uint64_t size = module.getDataLayout().getTypeAllocSize(variable.getValueType());
    if (variable.getAddressSpace() == global_space && size > max_global_variable_size)
      return failed(
          log, fmt::format(
                   "the variable {} has {} bytes, more than CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, {}",
                   readable(variable.getName()), size, max_global_variable_size));
  }
  for (const KernelInfo &kernel : kernels)
    if (kernel.argument_block_size > max_argument_bytes)
      return failed(log, fmt::format("the arguments of the kernel {} have {} bytes, more than "
                                     "CL_DEVICE_MAX_PARAMETER_SIZE, {}",
                                     kernel.name, kernel.argument_block_size, max_argument_bytes));
  return {};
}

// Rejects what no later stage supports, for programs of any source language.
Result<void> check_functions(llvm::Module &module, SourceLanguage language, std::string &log) {
  const LanguageRules &rules = rules_of(language);
  LOCKSTEP_TRY(check_all_defined(module, log));
  LOCKSTEP_TRY(check_no_recursion(module, rules, log));
  return check_calls(module, rules, log);
}

Result<void> check_kernels_defined(const llvm::Module &module,
                                   const std::vector<KernelInfo> &kernels, std::string &log) {
  for (const KernelInfo &kernel : kernels) {
    const llvm::Function *function = module.getFunction(kernel.name);
    if (!function || function->isDeclaration())
      return failed(log,
                    fmt::format("the kernel {} is in the table of the binary and not in its code",
                                kernel.name));
  }
  return {};
}

Result<void> check_loaded(const KernelModule &program, std::string &log) {
  llvm::LLVMContext context;
  DiagnosticCollector diagnostics(context);
  auto parsed =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(program.bitcode, "<program binary>"), context);
  if (!parsed)
    return failed(log, "the code of the binary is not bitcode of LLVM: " +
                           llvm::toString(parsed.takeError()));
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(**parsed, &stream))
    return failed(log, "the code of the binary is not well formed: " + broken);
  LOCKSTEP_TRY(check_functions(**parsed, SourceLanguage::kernel_ir, log));
  LOCKSTEP_TRY(check_kernels_defined(**parsed, program.kernels, log));
  LOCKSTEP_TRY(check_kernels_defined(**parsed, program.blocks, log));
  return check_limits(**parsed, program.kernels, log);
}

} // namespace

Result<void> check_program_binary(const KernelModule &program, std::string &log) {
  auto checked = on_big_stack(program.bitcode.size(), "checking a program binary",
                              [&] { return check_loaded(program, log); });
  if (!checked && checked.error().kind == ErrorKind::build_failure)
    return Error{ErrorKind::invalid_binary, checked.error().message};
  return checked;
}

Result<KernelModule> make_program(llvm::Module &module, SourceLanguage language, std::string &log) {
  LOCKSTEP_TRY(check_functions(module, language, log));
  auto kernels = kernel_infos(module);
  if (!kernels)
    return failed(log, kernels.error().message);
  LOCKSTEP_TRY(check_limits(module, *kernels, log));
  auto blocks = block_infos(module);
  if (!blocks)
    return failed(log, blocks.error().message);
  KernelModule program;
  program.kernels = std::move(*kernels);
  program.blocks = std::move(*blocks);
  program.global_variable_size = global_variable_size(module);
  program.bitcode = write_bitcode(module);
  CacheKey key = CacheKeyBuilder().add(program.bitcode).key();
  std::memcpy(&program.hash, key.digest.data(), sizeof program.hash);
  return program;
}

} // namespace lockstep::compiler
