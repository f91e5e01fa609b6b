#include "back_ends/nvidia/target/nvidia_target.h"

#include "platform/linux/leaked.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace lockstep::compiler {

namespace {

// The lowest PTX version that has the architecture, so that the oldest possible driver loads the
// code. Not below 7.0.
struct Architecture {
  std::string_view name;
  const char *ptx;
};
constexpr Architecture architectures[] = {
    {"sm_70", "+ptx70"},  {"sm_72", "+ptx70"},  {"sm_75", "+ptx70"},  {"sm_80", "+ptx70"},
    {"sm_86", "+ptx71"},  {"sm_87", "+ptx74"},  {"sm_89", "+ptx78"},  {"sm_90", "+ptx78"},
    {"sm_100", "+ptx86"}, {"sm_103", "+ptx88"}, {"sm_120", "+ptx87"}, {"sm_121", "+ptx88"},
};

std::string known_architectures() {
  std::string names;
  for (const Architecture &each : architectures)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

void initialize_llvm() {
  leaked([] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  });
}

} // namespace

Result<TargetInfo> find_nvidia_target(std::string_view architecture) {
  const auto *found = llvm::find_if(
      architectures, [&](const Architecture &each) { return each.name == architecture; });
  if (found == std::end(architectures))
    return Error{ErrorKind::invalid_argument, "unknown NVIDIA architecture '" +
                                                  std::string(architecture) +
                                                  "'; known are: " + known_architectures()};
  // vector_bits: 32 lanes of 32 bits.
  return TargetInfo{
      .cpu = std::string(architecture), .features = found->ptx, .vector_bits = 32 * 32};
}

uint32_t architecture_number(const TargetInfo &target) {
  unsigned number = 0;
  llvm::StringRef name = target.cpu;
  name.consume_front("sm_");
  name.getAsInteger(10, number);
  return number;
}

std::unique_ptr<llvm::TargetMachine> make_nvidia_machine(const TargetInfo &info, bool optimize) {
  initialize_llvm();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // fuse only what the front end allowed
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, info.cpu, info.features, options, std::nullopt, std::nullopt,
      optimize ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::Less));
}

} // namespace lockstep::compiler
