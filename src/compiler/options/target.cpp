#include "compiler/options/target.h"

#include "platform/linux/leaked.h"
#include "support/message.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <cstdio>

namespace lockstep::compiler {

namespace {

uint32_t vector_bits_of(const llvm::StringMap<bool> &features, const std::string &cpu) {
  auto has = [&](const char *feature) { return features.lookup(feature); };
  if (has("avx512f"))
    return 512;
  if (has("avx"))
    return 256;
  // `cpu` was given by name only. Its feature list omits implied features, so query the subtarget.
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return 128;
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, cpu, ""));
  if (info->checkFeatures("+avx512f"))
    return 512;
  if (info->checkFeatures("+avx"))
    return 256;
  return 128;
}

void initialize_llvm() {
  leaked([] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return !llvm::InitializeNativeTargetAsmParser();
  });
}

} // namespace

TargetKind target_kind(const TargetInfo &target) {
  return target.cpu.starts_with("sm_") ? TargetKind::nvidia : TargetKind::cpu;
}

bool division_traps(const TargetInfo &target) {
  return target_kind(target) == TargetKind::cpu;
}

TargetInfo find_target(const std::optional<std::string> &cpu) {
  initialize_llvm();
  TargetInfo target;
  llvm::StringMap<bool> features;
  if (cpu && llvm::X86::parseArchX86(*cpu) != llvm::X86::CK_None) {
    target.cpu = *cpu;
  } else {
    if (cpu)
      print_message("LOCKSTEP_CPU=%s is no x86-64 processor that LLVM knows; using this "
                    "machine's",
                    cpu->c_str());
    target.cpu = llvm::sys::getHostCPUName().str();
    features = llvm::sys::getHostCPUFeatures();
    llvm::SubtargetFeatures text;
    std::vector<std::string> names; // sorted: the text is part of cache keys
    for (const auto &feature : features)
      names.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(names, [](auto &a, auto &b) { return a.substr(1) < b.substr(1); });
    for (const std::string &name : names)
      text.AddFeature(name);
    target.features = text.getString();
  }
  target.vector_bits = vector_bits_of(features, target.cpu);
  return target;
}

std::optional<TargetInfo> narrower_target(const TargetInfo &target) {
  if (target.vector_bits <= 128)
    return {};
  const bool has_512 = target.vector_bits > 256;
  TargetInfo narrower = target;
  narrower.vector_bits = has_512 ? 256 : 128;
  // LLVM also disables the features that depend on it.
  narrower.features += narrower.features.empty() ? "" : ",";
  narrower.features += has_512 ? "-avx512f" : "-avx";
  return narrower;
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(const TargetInfo &info, bool optimize) {
  initialize_llvm();
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion =
      // Fuse only what the front end allowed (FP_CONTRACT, fmuladd).
      llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, info.cpu, info.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optimize ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::Less, /*JIT=*/true));
}

} // namespace lockstep::compiler
