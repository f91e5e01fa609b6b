// Hides constant masks whose active lanes are all in the lower half from the code generator.
//
// LLVM 22's code generator for AVX-512 turns `select <16 x i1> <8 times true, 8 times false>,
// %mask, zero` into an instruction that clears the upper half of a mask register (KMOVB k, k). LLVM
// counts that as a plain move (isMoveReg). If the result is spilled, the source is stored instead,
// so inactive lanes act. Masks of 32 and 64 lanes whose lower 8, 16 or 32 lanes are constant fail
// in the same way.
//
// Empty inline assembly yields the bits in place of the constant.
//
// Requires: any function.
// Ensures: for processors with AVX-512DQ, no `select`, `and` or `shufflevector` of 16 or more i1
// has a constant that is false in the upper half; such shuffles become selects.
//
// Position: last, since earlier passes can fold such constants.
//
// Upstream: none was found on 2026-11-24; tests/passes/hide-half-masks/llvm_still_needs_it.ll holds
// the text of a report.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/target_model/target_model.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <optional>

namespace lockstep::compiler {

namespace {

// The bits of a constant vector of 16 or more lanes that is false in its upper half, but not in all
// lanes.
std::optional<llvm::APInt> bits_of_half(const llvm::Value &value) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(&value);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
  if (!constant || !type || !type->getElementType()->isIntegerTy(1) ||
      type->getNumElements() < 16 || !llvm::isPowerOf2_32(type->getNumElements()))
    return std::nullopt;
  llvm::APInt bits(type->getNumElements(), 0);
  for (unsigned lane = 0; lane != type->getNumElements(); ++lane) {
    const llvm::Constant *element = constant->getAggregateElement(lane);
    if (!element)
      return std::nullopt;
    if (element->isOneValue())
      bits.setBit(lane);
  }
  if (bits.isZero() || bits.getActiveBits() > type->getNumElements() / 2)
    return std::nullopt;
  return bits;
}

// InstCombine writes a select between a vector and false as such a shuffle. Returns the lanes that
// come from the vector, if all of them are in the lower half.
std::optional<llvm::APInt> bits_of_half(const llvm::ShuffleVectorInst &shuffle) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(shuffle.getType());
  auto *others = llvm::dyn_cast<llvm::Constant>(shuffle.getOperand(1));
  if (!type || !others || !type->getElementType()->isIntegerTy(1) || type->getNumElements() < 16 ||
      !llvm::isPowerOf2_32(type->getNumElements()) || shuffle.getOperand(0)->getType() != type)
    return std::nullopt;
  const auto lanes = static_cast<int>(type->getNumElements());
  llvm::APInt bits(type->getNumElements(), 0);
  for (int lane = 0; lane != lanes; ++lane) {
    const int from = shuffle.getMaskValue(unsigned(lane));
    if (from == lane)
      bits.setBit(unsigned(lane));
    else if (from >= 0 &&
             (from < lanes || !others->getAggregateElement(unsigned(from - lanes))->isNullValue()))
      return std::nullopt;
  }
  if (bits.isZero() || bits.getActiveBits() > unsigned(lanes) / 2)
    return std::nullopt;
  return bits;
}

// The same number, but not visible to LLVM as a constant.
llvm::Value *hidden(llvm::IRBuilder<> &builder, const llvm::APInt &bits) {
  llvm::Type *type = builder.getIntNTy(bits.getBitWidth());
  auto *assembly = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "", "=r,0",
                                        /*hasSideEffects=*/false);
  llvm::CallInst *made = builder.CreateCall(assembly, {builder.getInt(bits)}, "mask.bits");
  made->setDoesNotThrow();
  made->setDoesNotAccessMemory();
  return made;
}

} // namespace

llvm::PreservedAnalyses HideHalfMasksPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &) {
  if (function.isDeclaration() || !target_model(target_)->needs(Workaround::hide_half_masks))
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::Use *> uses;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (llvm::isa<llvm::SelectInst>(instruction) ||
        instruction.getOpcode() == llvm::Instruction::And)
      for (llvm::Use &operand : instruction.operands())
        if (bits_of_half(*operand))
          uses.push_back(&operand);
  llvm::SmallVector<llvm::ShuffleVectorInst *> shuffles;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
        shuffle && bits_of_half(*shuffle))
      shuffles.push_back(shuffle);
  if (uses.empty() && shuffles.empty())
    return llvm::PreservedAnalyses::all();
  llvm::IRBuilder<> entry(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  std::map<std::pair<unsigned, uint64_t>, llvm::Value *> made;
  auto mask = [&](llvm::Instruction &at, const llvm::APInt &bits) {
    llvm::Value *&number = made[{bits.getBitWidth(), bits.getZExtValue()}];
    if (!number)
      number = hidden(entry, bits);
    return llvm::IRBuilder<>(&at).CreateBitCast(
        number, llvm::FixedVectorType::get(entry.getInt1Ty(), bits.getBitWidth()));
  };
  for (llvm::Use *use : uses)
    use->set(mask(*llvm::cast<llvm::Instruction>(use->getUser()), *bits_of_half(**use)));
  for (llvm::ShuffleVectorInst *shuffle : shuffles) {
    llvm::IRBuilder<> builder(shuffle);
    shuffle->replaceAllUsesWith(
        builder.CreateSelect(mask(*shuffle, *bits_of_half(*shuffle)), shuffle->getOperand(0),
                             llvm::Constant::getNullValue(shuffle->getType()), shuffle->getName()));
    shuffle->eraseFromParent();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
