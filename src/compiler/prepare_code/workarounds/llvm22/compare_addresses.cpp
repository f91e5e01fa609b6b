#include "compiler/prepare_code/workarounds/llvm22/compare_addresses.h"

#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

namespace {

// Whether the vector of pointers has a scalar getelementptr with a variable index as its base.
bool counts_from_part(const llvm::Value *pointers) {
  while (auto *step = llvm::dyn_cast<llvm::GEPOperator>(pointers)) {
    pointers = step->getPointerOperand();
    auto *part = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers);
    if (part && !part->getType()->isVectorTy())
      return !part->hasAllConstantIndices();
  }
  return false;
}

llvm::Value *addresses(llvm::IRBuilderBase &builder, llvm::Value &pointers,
                       llvm::FixedVectorType &type) {
  const llvm::DataLayout &layout = builder.GetInsertBlock()->getDataLayout();
  auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(&pointers);
  if (!step)
    return builder.CreatePtrToInt(&pointers, &type);
  llvm::Value *from = step->getPointerOperand();
  llvm::Value *base =
      from->getType()->isVectorTy()
          ? addresses(builder, *from, type)
          : builder.CreateVectorSplat(type.getNumElements(),
                                      builder.CreatePtrToInt(from, type.getElementType()));
  return builder.CreateAdd(base, llvm::emitGEPOffset(&builder, layout, step));
}

} // namespace

llvm::PreservedAnalyses CompareAddressesPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::ICmpInst *> comparisons;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
        compare && compare->getOperand(0)->getType()->isVectorTy() &&
        compare->getOperand(0)->getType()->isPtrOrPtrVectorTy() &&
        llvm::any_of(compare->operands(),
                     [](const llvm::Use &side) { return counts_from_part(side); }))
      comparisons.push_back(compare);
  for (llvm::ICmpInst *compare : comparisons) {
    llvm::IRBuilder<> builder(compare);
    auto *type = llvm::cast<llvm::FixedVectorType>(
        function.getDataLayout().getIntPtrType(compare->getOperand(0)->getType()));
    for (llvm::Use &side : compare->operands())
      side.set(addresses(builder, *side, *type));
  }
  if (comparisons.empty())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
