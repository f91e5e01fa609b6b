#include "compiler/ir_to_workgroup/vectorize/lane_remark.h"

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
  std::string message = std::string(topic) + ": ";
  if (const llvm::DILocation *location = where.getDebugLoc())
    message =
        (location->getFilename() + ":" + llvm::Twine(location->getLine()) + ": " + message).str();
  where.getContext().diagnose(llvm::DiagnosticInfoGeneric(message + text.str(), llvm::DS_Remark));
}

} // namespace lockstep::compiler
