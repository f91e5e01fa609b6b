// Imports kernel IR that another front end produced: SYCL's device pass, a SPIR-V reader. Reads and
// verifies the module, and checks that it has the flavor that docs/kernel_ir.md describes. The
// result is an object like those of OpenCL C.
#include "front_ends/common/diagnostic_collector.h"
#include "front_ends/common/link_modules.h"
#include "front_ends/front_ends.h"
#include "process/run_with_stack.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"

#include <fmt/format.h>

namespace lockstep::compiler {
namespace {

Error invalid(std::string &log, const std::string &sentence) {
  log += "error: " + sentence + "\n";
  return {ErrorKind::invalid_binary, sentence};
}

Result<ObjectModule> import_module(std::string_view bitcode, std::string &log) {
  llvm::LLVMContext context;
  DiagnosticCollector diagnostics(context);
  auto parsed = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "<kernel IR>"), context);
  if (!parsed)
    return invalid(log, "the kernel IR is not LLVM bitcode: " + llvm::toString(parsed.takeError()));
  llvm::Module &module = **parsed;
  const llvm::Triple &triple = module.getTargetTriple();
  if (triple.getArch() != llvm::Triple::spir64)
    return invalid(
        log, fmt::format("the kernel IR is for the target '{}'; spir64-unknown-unknown is needed",
                         triple.str()));
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(module, &stream))
    return invalid(log, "the kernel IR is not well formed: " + broken);
  return ObjectModule{write_bitcode(module), "", false, SourceLanguage::kernel_ir};
}

} // namespace

Result<ObjectModule> import_kernel_ir(std::string_view bitcode, std::string &log) {
  return on_big_stack(bitcode.size(), "reading kernel IR",
                      [&] { return import_module(bitcode, log); });
}

} // namespace lockstep::compiler
