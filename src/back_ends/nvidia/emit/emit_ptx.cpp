#include "back_ends/nvidia/emit/emit_ptx.h"

#include "back_ends/nvidia/emit/check_ptx.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace lockstep::compiler {

namespace {

// Without a handler, LLVM ends the process on an error.
class FirstError final : public llvm::DiagnosticHandler {
public:
  explicit FirstError(std::string &error) : error_(error) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error || !error_.empty())
      return true;
    llvm::raw_string_ostream stream(error_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

private:
  std::string &error_;
};

} // namespace

Result<std::string> emit_ptx(llvm::Module &module, llvm::TargetMachine &target) {
  std::string error;
  module.getContext().setDiagnosticHandler(std::make_unique<FirstError>(error));
  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                 /*DisableVerify=*/true))
    return Error{ErrorKind::internal, "LLVM cannot emit PTX"};
  passes.run(module);
  module.getContext().setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
  if (!error.empty())
    return Error{ErrorKind::build_failure, error};
  std::string text = output.str().str();
  if (std::string fault = fault_in_ptx(text); !fault.empty())
    return Error{ErrorKind::build_failure, "the code for the NVIDIA device is not valid: " + fault};
  return text;
}

} // namespace lockstep::compiler
