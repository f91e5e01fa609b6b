// A kernel is taken out of an image of many.
//
// The image is parsed as a whole, everything but the kernel becomes internal, and what the kernel does not reach goes. The
// result is kept on disk under the image's content and the kernel's name, so a program that runs again does not parse.
#include "compiler/compile.h"
#include "compiler/disk_cache.h"
#include "compiler/run_with_stack.h"
#include "compiler/source_to_ir/diagnostic_collector.h"
#include "compiler/source_to_ir/make_program.h"
#include "compiler/source_to_ir/sort_without_recursion.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

#include <fmt/format.h>

namespace lockstep::compiler {
namespace {

// What keeps symbols alive for a linker of the host is not for this one.
void forget_used_lists(llvm::Module &module) {
  for (const char *list :
       {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"})
    if (llvm::GlobalVariable *variable = module.getNamedGlobal(list))
      variable->eraseFromParent();
}

void keep_only(llvm::Module &module, const llvm::Function &kernel) {
  forget_used_lists(module);
  for (llvm::GlobalValue &value : module.global_values())
    if (&value != &kernel && !value.isDeclaration()) {
      if (auto *object = llvm::dyn_cast<llvm::GlobalObject>(&value))
        object->setComdat(nullptr);
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  llvm::ModuleAnalysisManager analyses;
  llvm::GlobalDCEPass().run(module, analyses);
}

Result<KernelModule> extract(std::string_view bitcode, std::string_view name, std::string &log) {
  llvm::LLVMContext context;
  DiagnosticCollector diagnostics(context);
  auto parsed = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "<device image>"), context);
  if (!parsed)
    return Error{ErrorKind::invalid_binary,
                 "the device image is no bitcode of LLVM: " + llvm::toString(parsed.takeError())};
  llvm::Module &module = **parsed;
  llvm::Function *kernel = module.getFunction(name);
  if (!kernel || kernel->isDeclaration())
    return Error{ErrorKind::invalid_argument,
                 fmt::format("the device image has no kernel named {}", name)};
  keep_only(module, *kernel);
  sort_without_recursion(module);
  return make_program(module, SourceLanguage::kernel_ir, log);
}

} // namespace

Result<KernelModule> link_kernel(std::string_view bitcode, std::string_view kernel,
                                 std::string &log) {
  DiskCache &cache = DiskCache::of_process();
  const CacheKey key = CacheKeyBuilder().add(bitcode).add(kernel).key();
  if (auto stored = cache.get("kernel", key))
    if (auto program = read_program_binary(*stored))
      return program;
  auto program = on_big_stack(bitcode.size(), "taking a kernel out of its image",
                              [&] { return extract(bitcode, kernel, log); });
  if (program)
    cache.put("kernel", key, write_binary(*program));
  return program;
}

} // namespace lockstep::compiler
