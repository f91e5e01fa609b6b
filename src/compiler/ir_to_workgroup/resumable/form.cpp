#include "compiler/ir_to_workgroup/resumable/form.h"

#include "support/environment.h"

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

WantedForm wanted_form() {
  std::string form = environment("FORM").value_or("auto");
  if (form == resumable)
    return WantedForm::resumable;
  return form == "looped" ? WantedForm::looped : WantedForm::by_waits;
}

} // namespace lockstep::compiler
