#include "compiler/workgroup_to_code/cpu/emit_code.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace lockstep::compiler {

namespace {

// Without a handler LLVM ends the process where the code generator reports an error.
class ErrorCollector : public llvm::DiagnosticHandler {
public:
  explicit ErrorCollector(std::string &error) : error_(error) {}
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

Result<std::string> emit(llvm::Module &module, llvm::TargetMachine &target,
                         llvm::CodeGenFileType type) {
  std::string error;
  module.getContext().setDiagnosticHandler(std::make_unique<ErrorCollector>(error));
  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return Error{ErrorKind::internal, "LLVM cannot emit this kind of file for the host"};
  passes.run(module);
  module.getContext().setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
  if (!error.empty())
    return Error{ErrorKind::build_failure, error};
  return output.str().str();
}

} // namespace

Result<std::string> emit_object(llvm::Module &module, llvm::TargetMachine &target) {
  return emit(module, target, llvm::CodeGenFileType::ObjectFile);
}

Result<std::string> emit_assembly(llvm::Module &module, llvm::TargetMachine &target) {
  return emit(module, target, llvm::CodeGenFileType::AssemblyFile);
}

} // namespace lockstep::compiler
