#include "write_spirv.h"

#include "mend_kernel_ir.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <mutex>

extern "C" {
void LLVMInitializeSPIRVTargetInfo();
void LLVMInitializeSPIRVTarget();
void LLVMInitializeSPIRVTargetMC();
void LLVMInitializeSPIRVAsmPrinter();
}

namespace lockstep::test {
namespace {

// Named one by one: with `all` the back end writes extensions that no consumer knows.
constexpr const char *extensions =
    "+SPV_KHR_no_integer_wrap_decoration,+SPV_KHR_bit_instructions,+SPV_KHR_expect_assume,"
    "+SPV_KHR_uniform_group_instructions,+SPV_KHR_integer_dot_product,+SPV_KHR_subgroup_rotate,"
    "+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,"
    "+SPV_EXT_shader_atomic_float16_add,+SPV_KHR_linkonce_odr,+SPV_INTEL_subgroups,"
    "+SPV_KHR_shader_clock";

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeSPIRVTargetInfo();
    LLVMInitializeSPIRVTarget();
    LLVMInitializeSPIRVTargetMC();
    LLVMInitializeSPIRVAsmPrinter();
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto option = options.find("spirv-ext"); option != options.end())
      option->second->addOccurrence(0, "spirv-ext", extensions);
    llvm::CrashRecoveryContext::Enable();
  });
}

WrittenSpirv write_module(llvm::Module &module, const std::string &version) {
  const llvm::Triple triple("spirv64v" + version + "-unknown-unknown");
  WrittenSpirv result;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, result.error);
  if (!target)
    return result;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "", "", {}, std::nullopt, std::nullopt, llvm::CodeGenOptLevel::None));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> words;
  llvm::raw_svector_ostream stream(words);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    result.error = "LLVM has no writer of SPIR-V";
    return result;
  }
  passes.run(module);
  result.words = words.str();
  return result;
}

} // namespace

WrittenSpirv write_spirv(std::string_view bitcode, const std::string &version) {
  initialize();
  WrittenSpirv result;
  // Never freed: a crash leaves the context in an unknown state.
  auto *context = new llvm::LLVMContext;
  auto parsed = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "<kernel IR>"), *context);
  if (!parsed) {
    result.error = llvm::toString(parsed.takeError());
    return result;
  }
  auto *module = parsed->release();
  mend_kernel_ir(*module);
  llvm::CrashRecoveryContext guard;
  guard.RunSafelyOnThread([&] { result = write_module(*module, version); }, 64 << 20);
  if (result.words.empty() && result.error.empty())
    result.error = "LLVM's SPIR-V back end has crashed";
  return result;
}

} // namespace lockstep::test
