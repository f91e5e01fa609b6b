#include "front_ends/common/link_modules.h"

#include "front_ends/common/diagnostic_collector.h"
#include "kernel_ir/llvm_error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

namespace lockstep::compiler {

std::string write_bitcode(const llvm::Module &module) {
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return bitcode;
}

Result<std::unique_ptr<llvm::Module>> link_objects(llvm::LLVMContext &context,
                                                   const std::vector<const ObjectModule *> &modules,
                                                   PrepareModule prepare, std::string &log) {
  DiagnosticCollector diagnostics(context);
  std::unique_ptr<llvm::Module> linked;
  for (const ObjectModule *object : modules) {
    auto parsed =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(object->bitcode, "<program>"), context);
    if (!parsed)
      return from_llvm(parsed.takeError(), "reading the bitcode of a compiled program");
    prepare(**parsed, *object);
    if (!linked)
      linked = std::move(*parsed);
    else if (llvm::Linker::linkModules(*linked, std::move(*parsed))) {
      log += "error: " + diagnostics.errors() + "\n";
      return Error{ErrorKind::build_failure, diagnostics.errors()};
    }
  }
  return linked;
}

SourceLanguage common_language(const std::vector<const ObjectModule *> &modules) {
  const SourceLanguage first =
      modules.empty() ? SourceLanguage::kernel_ir : modules.front()->language;
  const bool is_common =
      llvm::all_of(modules, [&](const ObjectModule *module) { return module->language == first; });
  return is_common ? first : SourceLanguage::kernel_ir;
}

} // namespace lockstep::compiler
