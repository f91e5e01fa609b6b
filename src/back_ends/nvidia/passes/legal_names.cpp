// Gives every symbol a name that PTX accepts.
//
// Requires: optimized code for the GPU.
// Ensures: names of functions and variables have only letters, digits, `_` and `$`, and do not begin
// with a digit. No two are equal, and none is a single `_` or `$` or PTX's constant WARP_SZ.
//
// LLVM's own pass changes the names of internal symbols only. The driver rejects other names with
// "Parsing error near '.shared'".
//
// Position: last before code generation.
#include "back_ends/nvidia/passes/passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

static std::string legal_name(llvm::StringRef name) {
  std::string legal;
  for (const char each : name)
    legal += llvm::isAlnum(each) || each == '_' || each == '$' ? each : '_';
  if (legal.empty() || llvm::isDigit(legal.front()))
    legal = "_" + legal;
  const bool is_reserved = legal == "_" || legal == "$" || legal == "WARP_SZ";
  return is_reserved ? legal + "_" : legal;
}

llvm::PreservedAnalyses LegalNamesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  for (llvm::GlobalValue &value : module.global_values()) {
    if (value.getName().starts_with("llvm."))
      continue;
    if (std::string legal = legal_name(value.getName()); legal != value.getName()) {
      while (module.getNamedValue(legal)) // LLVM would append a number after a dot
        legal += '_';
      value.setName(legal);
    }
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
