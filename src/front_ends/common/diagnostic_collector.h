// Collects the errors that LLVM reports through an LLVMContext while a front end or the linker
// works. Without a collector, such an error ends the process.
#pragma once

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace lockstep::compiler {

class DiagnosticCollector {
public:
  explicit DiagnosticCollector(llvm::LLVMContext &context) : context_(context) {
    context.setDiagnosticHandlerCallBack(collect, &errors_);
  }
  DiagnosticCollector(const DiagnosticCollector &) = delete;
  DiagnosticCollector &operator=(const DiagnosticCollector &) = delete;
  ~DiagnosticCollector() { context_.setDiagnosticHandlerCallBack(nullptr); }
  const std::string &errors() const { return errors_; }

private:
  static void collect(const llvm::DiagnosticInfo *info, void *errors) {
    if (info->getSeverity() != llvm::DS_Error)
      return;
    llvm::raw_string_ostream stream(*static_cast<std::string *>(errors));
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
  }
  llvm::LLVMContext &context_;
  std::string errors_;
};

} // namespace lockstep::compiler
