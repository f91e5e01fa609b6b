#include "kernel_ir/variable_names.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Metadata.h"

namespace lockstep::compiler {

static constexpr char metadata_name[] = "lockstep.name";

void keep_name_in_source(llvm::GlobalVariable &variable) {
  set_name_in_source(variable, variable.getName());
}

void set_name_in_source(llvm::GlobalVariable &variable, llvm::StringRef name) {
  llvm::LLVMContext &context = variable.getContext();
  variable.setMetadata(metadata_name,
                       llvm::MDNode::get(context, llvm::MDString::get(context, name)));
}

llvm::StringRef name_in_source(const llvm::GlobalVariable &variable) {
  llvm::StringRef name = variable.getName();
  if (const llvm::MDNode *kept = variable.getMetadata(metadata_name))
    name = llvm::cast<llvm::MDString>(kept->getOperand(0))->getString();
  return name.contains('.') ? name.rsplit('.').second : name;
}

} // namespace lockstep::compiler
