// Computes the address `3 * i + 1`, i an int, in 64 bits while it is known not to wrap in 32 bits.
//
// InstCombine of LLVM 22 does the same if i is the truncation of a 64-bit number, as in `int i =
// get_global_id(0)`, but drops the no-wrap flags. `(long)(3 * i)` becomes `(3 * id << 32) >> 32`,
// which may wrap from one work-item to the next. So accesses to adjacent elements became gathers:
// three bytes of a pixel took four times as long as in PoCL.
//
// Requires: any function, before InstCombine.
// Ensures: pushes a sign extension down through products, sums and differences that do not
// overflow, to truncations and constants. The arithmetic is then done in 64 bits.
//
// Upstream: none found; the fold is correct, and in most code it costs nothing.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned most_steps = 8;

// Whether InstCombine would compute the value in the wide type.
bool is_of_parts(const llvm::Value &value, const llvm::Type &wide, unsigned steps) {
  if (llvm::isa<llvm::ConstantInt>(value))
    return true;
  if (auto *part = llvm::dyn_cast<llvm::TruncInst>(&value))
    return part->getOperand(0)->getType() == &wide;
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  return operation && steps != 0 && operation->hasOneUse() &&
         (operation->getOpcode() == llvm::Instruction::Add ||
          operation->getOpcode() == llvm::Instruction::Sub ||
          operation->getOpcode() == llvm::Instruction::Mul) &&
         operation->hasNoSignedWrap() && is_of_parts(*operation->getOperand(0), wide, steps - 1) &&
         is_of_parts(*operation->getOperand(1), wide, steps - 1);
}

// Sums without a product need no change: restore-casts repairs what InstCombine leaves of them.
bool has_product(const llvm::Value &value) {
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  return operation &&
         (operation->getOpcode() == llvm::Instruction::Mul ||
          has_product(*operation->getOperand(0)) || has_product(*operation->getOperand(1)));
}

llvm::Value *extend(llvm::IRBuilder<> &builder, llvm::Value &value, llvm::Type &wide) {
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  if (!operation)
    return builder.CreateSExt(&value, &wide);
  llvm::Value *one = extend(builder, *operation->getOperand(0), wide);
  llvm::Value *other = extend(builder, *operation->getOperand(1), wide);
  llvm::Value *result = builder.CreateBinOp(operation->getOpcode(), one, other);
  if (auto *made = llvm::dyn_cast<llvm::BinaryOperator>(result))
    made->setHasNoSignedWrap();
  return result;
}

} // namespace

llvm::PreservedAnalyses ExtendEarlyPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *extension = llvm::dyn_cast<llvm::SExtInst>(&instruction);
    if (!extension || !extension->getType()->isIntegerTy(64))
      continue;
    llvm::Value &narrow = *extension->getOperand(0);
    if (!is_of_parts(narrow, *extension->getType(), most_steps) || !has_product(narrow))
      continue;
    llvm::IRBuilder<> builder(extension);
    llvm::Value *wide = extend(builder, narrow, *extension->getType());
    wide->takeName(extension);
    extension->replaceAllUsesWith(wide);
    extension->eraseFromParent();
    changed = true;
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
