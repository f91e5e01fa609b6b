#include "back_ends/cpu/jit/emit_code.h"

#include "kernel_ir/kernel_function.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <fmt/format.h>

namespace lockstep::compiler {

namespace {

// Collects the code generator's errors, which would end the process without a handler, and rewords
// three of its remarks.
class Diagnostics : public llvm::DiagnosticHandler {
public:
  explicit Diagnostics(std::string &error, std::vector<std::string> &remarks)
      : error_(error), remarks_(remarks) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (auto *about_code = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info))
      add_remark(*about_code);
    else if (info.getSeverity() == llvm::DS_Error && error_.empty()) {
      llvm::raw_string_ostream stream(error_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override {
    return pass == "prologepilog" || pass == "asm-printer";
  }
  bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override { return pass == "regalloc"; }
  bool isPassedOptRemarkEnabled(llvm::StringRef) const override { return false; }
  bool isAnyRemarkEnabled() const override { return true; }

private:
  void add_remark(const llvm::DiagnosticInfoOptimizationBase &info) {
    auto number = [&](llvm::StringRef key) -> unsigned {
      unsigned value = 0;
      for (const auto &argument : info.getArgs())
        if (argument.Key == key)
          llvm::StringRef(argument.Val).getAsInteger(10, value);
      return value;
    };
    std::string topic = "code: ";
    // The coroutine form has several functions, so the remark names the function.
    if (info.getFunction().getName() != workgroup_symbol)
      topic += info.getFunction().getName().str() + ": ";
    llvm::StringRef name = info.getRemarkName();
    if (name == "StackSize")
      remarks_.push_back(fmt::format("{}{} bytes of stack", topic, number("NumStackBytes")));
    else if (name == "InstructionCount")
      remarks_.push_back(fmt::format("{}{} instructions", topic, number("NumInstructions")));
    else if (name == "SpillReloadCopies" || name == "LoopSpillReloadCopies")
      add_spills(info, topic, number("NumSpills") + number("NumFoldedSpills"),
                 number("NumReloads") + number("NumFoldedReloads") +
                     number("NumZeroCostFoldedReloads"));
  }

  void add_spills(const llvm::DiagnosticInfoOptimizationBase &info, const std::string &topic,
                  unsigned spills, unsigned reloads) {
    if (spills + reloads == 0)
      return;
    const bool in_loop = info.getRemarkName().starts_with("Loop");
    std::string place;
    if (in_loop && info.isLocationAvailable())
      place = fmt::format("{}:{}:{}: ", info.getLocation().getRelativePath().str(),
                          info.getLocation().getLine(), info.getLocation().getColumn());
    remarks_.push_back(fmt::format("{}{}{} register spills, {} reloads{}", place, topic, spills,
                                   reloads, in_loop ? " in this loop" : " in all"));
  }

  std::string &error_;
  std::vector<std::string> &remarks_;
};

Result<EmittedCode> emit(llvm::Module &module, llvm::TargetMachine &target,
                         llvm::CodeGenFileType type) {
  EmittedCode code;
  std::string error;
  module.getContext().setDiagnosticHandler(std::make_unique<Diagnostics>(error, code.remarks));
  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return Error{ErrorKind::internal, "LLVM cannot emit this kind of file for the host"};
  passes.run(module);
  module.getContext().setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
  if (!error.empty())
    return Error{ErrorKind::build_failure, error};
  code.bytes = output.str().str();
  return code;
}

} // namespace

Result<EmittedCode> emit_object(llvm::Module &module, llvm::TargetMachine &target) {
  return emit(module, target, llvm::CodeGenFileType::ObjectFile);
}

Result<EmittedCode> emit_assembly(llvm::Module &module, llvm::TargetMachine &target) {
  return emit(module, target, llvm::CodeGenFileType::AssemblyFile);
}

} // namespace lockstep::compiler
