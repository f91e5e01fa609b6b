#include "kernel_ir/form.h"

#include "llvm/IR/Function.h"

namespace lockstep::compiler {

namespace {
constexpr char attribute[] = "lockstep-form", resumable[] = "resumable",
               resumable_by_group[] = "resumable-group";
}

bool is_resumable(const llvm::Function &function) {
  return function.getFnAttribute(attribute).getValueAsString() == resumable ||
         is_resumable_by_group(function);
}

void set_resumable(llvm::Function &function) {
  function.addFnAttr(attribute, resumable);
}

bool is_resumable_by_group(const llvm::Function &function) {
  return function.getFnAttribute(attribute).getValueAsString() == resumable_by_group;
}

void set_resumable_by_group(llvm::Function &function) {
  function.addFnAttr(attribute, resumable_by_group);
}

} // namespace lockstep::compiler
