#include "compiler/options/target.h"

#include "compiler/target_model/target_model.h"
#include "platform/linux/leaked.h"
#include "platform/linux/processor_features.h"
#include "support/message.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace lockstep::compiler {

namespace {

void initialize_llvm() {
  leaked([] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return !llvm::InitializeNativeTargetAsmParser();
  });
}

std::unique_ptr<llvm::MCSubtargetInfo> subtarget_of(const TargetInfo &info) {
  initialize_llvm();
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target->createMCSubtargetInfo(triple, info.cpu, info.features));
}

// Sets what follows from the processor and its features.
void describe(TargetInfo &target) {
  const auto subtarget = subtarget_of(target);
  const auto model = target_model(*subtarget);
  target.vector_bits = model->vector_bits();
  target.vector_registers = model->vector_registers();
  target.fused_multiply_add = model->has(Operation::fused_multiply_add);
  target.half_arithmetic = model->has(Operation::half_arithmetic);
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
  if (cpu && subtarget_of({})->isCPUStringValid(*cpu)) {
    target.cpu = *cpu;
  } else {
    if (cpu)
      print_message("LOCKSTEP_CPU=%s is not a processor of the architecture %s that LLVM knows; "
                    "using this machine's",
                    cpu->c_str(),
                    llvm::Triple(llvm::sys::getProcessTriple()).getArchName().str().c_str());
    target.cpu = llvm::sys::getHostCPUName().str();
    llvm::SubtargetFeatures text;
    std::vector<std::string> names; // sorted: the text is part of cache keys
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    for (const char *reported : runtime::reported_features())
      features[reported] = true;
    for (const auto &feature : features)
      names.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(names, [](auto &a, auto &b) { return a.substr(1) < b.substr(1); });
    for (const std::string &name : names)
      text.AddFeature(name);
    target.features = text.getString();
  }
  describe(target);
  return target;
}

TargetInfo least_target() {
  const auto any = subtarget_of({});
  return find_target(target_model(*any)->least_processor());
}

// By the name of the processor, then as the list of features says.
static std::optional<std::set<std::string>> extensions_of(const TargetInfo &target) {
  auto extensions = target_model(*subtarget_of({}))->extensions(target.cpu);
  if (!extensions)
    return {};
  const llvm::SubtargetFeatures features(target.features);
  for (const std::string &feature : features.getFeatures())
    if (feature.starts_with("+"))
      extensions->insert(feature.substr(1));
    else
      extensions->erase(feature.substr(1));
  return extensions;
}

bool runs_on(const TargetInfo &code, const TargetInfo &machine) {
  if (code == machine)
    return true;
  const auto needed = extensions_of(code), present = extensions_of(machine);
  return needed && present && !needed->empty() &&
         std::includes(present->begin(), present->end(), needed->begin(), needed->end());
}

std::size_t count_extensions(const TargetInfo &target) {
  const auto extensions = extensions_of(target);
  return extensions ? extensions->size() : 0;
}

bool is_processor(const std::string &name) {
  return subtarget_of({})->isCPUStringValid(name);
}

std::optional<TargetInfo> narrower_target(const TargetInfo &target) {
  const std::string without =
      target_model(*subtarget_of(target))->without_widest(target.vector_bits);
  if (without.empty())
    return {};
  TargetInfo narrower = target;
  narrower.features += (narrower.features.empty() ? "" : ",") + without;
  describe(narrower);
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
