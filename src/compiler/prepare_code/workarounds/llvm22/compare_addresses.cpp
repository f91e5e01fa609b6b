// Compares vectors of pointers with a common scalar base as integers.
//
// If both sides of `icmp eq <4 x ptr> (getelementptr %part, <4 x i64> ...), ...` have the same
// underlying object, InstCombine of LLVM 22 compares offsets instead. It also rewrites the operands
// of the offsets (EmitGEPOffsets). If a scalar `%part` has an index and other users, it is replaced
// by a vector. The module is invalid then, and a later pass crashes. InstCombine does the same for
// comparisons and differences of such pointers after `ptrtoint`, which SPIR-V has.
//
// Requires: any function.
// Ensures: the comparison is an `icmp` of `<n x i64>`: the base as an integer in all lanes, plus
// offsets. So is a `ptrtoint` of such pointers. Other comparisons stay.
//
// Position: before InstCombine, wherever vectors may exist. LLVM's own pipeline has no extension
// point between its vectorizers and InstCombine.
//
// Upstream: llvm/llvm-project#186886, fixed in LLVM 23.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

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
  llvm::SmallVector<llvm::PtrToIntInst *> conversions;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (auto *conversion = llvm::dyn_cast<llvm::PtrToIntInst>(&instruction);
        conversion && conversion->getType()->isVectorTy() &&
        counts_from_part(conversion->getOperand(0)))
      conversions.push_back(conversion);
    if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
        compare && compare->getOperand(0)->getType()->isVectorTy() &&
        compare->getOperand(0)->getType()->isPtrOrPtrVectorTy() &&
        llvm::any_of(compare->operands(),
                     [](const llvm::Use &side) { return counts_from_part(side); }))
      comparisons.push_back(compare);
  }
  for (llvm::ICmpInst *compare : comparisons) {
    llvm::IRBuilder<> builder(compare);
    auto *type = llvm::cast<llvm::FixedVectorType>(
        function.getDataLayout().getIntPtrType(compare->getOperand(0)->getType()));
    for (llvm::Use &side : compare->operands())
      side.set(addresses(builder, *side, *type));
  }
  for (llvm::PtrToIntInst *conversion : conversions) {
    llvm::IRBuilder<> builder(conversion);
    llvm::Value &pointers = *conversion->getOperand(0);
    auto *type = llvm::cast<llvm::FixedVectorType>(
        function.getDataLayout().getIntPtrType(pointers.getType()));
    conversion->replaceAllUsesWith(
        builder.CreateZExtOrTrunc(addresses(builder, pointers, *type), conversion->getType()));
    conversion->eraseFromParent();
  }
  if (comparisons.empty() && conversions.empty())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
