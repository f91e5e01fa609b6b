#include "compiler/checks/common/assumption_metadata.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

void set_assumptions(llvm::Module &module, llvm::StringRef name, const Assumptions &assumptions) {
  llvm::SmallVector<llvm::Metadata *> words;
  for (const int64_t word : words_of(assumptions))
    words.push_back(llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(module.getContext()), word)));
  if (!words.empty())
    module.getOrInsertNamedMetadata(name)->addOperand(
        llvm::MDNode::get(module.getContext(), words));
}

Assumptions assumptions_in(const llvm::Module &module, llvm::StringRef name) {
  std::vector<int64_t> words;
  if (const llvm::NamedMDNode *list = module.getNamedMetadata(name))
    for (const llvm::MDOperand &word : list->getOperand(0)->operands())
      words.push_back(llvm::mdconst::extract<llvm::ConstantInt>(word)->getSExtValue());
  return assumptions_of(words);
}

} // namespace lockstep::compiler
