#include "compiler/ir_to_workgroup/form.h"

#include "llvm/IR/Function.h"

namespace lockstep::compiler {

namespace {
constexpr char attribute[] = "lockstep-form", resumable[] = "resumable";
}

bool is_resumable(const llvm::Function &function) {
  return function.getFnAttribute(attribute).getValueAsString() == resumable;
}

void set_resumable(llvm::Function &function) {
  function.addFnAttr(attribute, resumable);
}

} // namespace lockstep::compiler
