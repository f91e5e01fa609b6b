#include "kernel_ir/remark.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"

namespace lockstep::compiler {

void remark(const llvm::Instruction &where, const llvm::Twine &text) {
  remark(where, "lanes", text);
}

void remark(const llvm::Instruction &where, const char *topic, const llvm::Twine &text) {
  remark(where.getContext(), where.getDebugLoc(), topic, text);
}

void remark(llvm::LLVMContext &context, const llvm::DebugLoc &where, const char *topic,
            const llvm::Twine &text) {
  std::string message;
  if (const llvm::DILocation *location = where)
    message = (location->getFilename() + ":" + llvm::Twine(location->getLine()) + ":" +
               llvm::Twine(location->getColumn()) + ": ")
                  .str();
  message += (topic + llvm::Twine(": ") + text).str();
  context.diagnose(llvm::DiagnosticInfoGeneric(message, llvm::DS_Remark));
}

} // namespace lockstep::compiler
