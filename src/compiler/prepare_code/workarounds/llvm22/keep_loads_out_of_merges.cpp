// Keeps loads of 8 and 16 bits from being merged into the lower part of a register.
//
// For `(x & ~255) | zext (load i8)`, LLVM 22's code generator for x86 loads the byte into the
// register of x, in 32 bits and in 64. If the 32 bits are then extended to 64, LLVM assumes that an
// instruction which clears the upper half produced them. But x may be a truncated 64-bit value
// whose upper half is still there (in plain C++ as well). If the merge sees the load only through a
// freeze, the load is a separate instruction. That costs nothing, as it avoids a partial register
// merge.
//
// Position: last, since earlier passes create such merges from shifts, structures and conversions.
//
// Upstream: llvm/llvm-project#205291, fixed by #205600.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/target_model/target_model.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

// Whether `value` is a load's lowest 8 or 16 bits, zero-extended: returns their number, else 0.
// `loaded` is the use of the load.
unsigned bits_of_load(llvm::Value *value, llvm::Use *&loaded) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction)
    return 0;
  unsigned bits = 0;
  if (match(value, m_ZExt(m_Value())))
    bits = instruction->getOperand(0)->getType()->getScalarSizeInBits();
  else if (match(value, m_And(m_Value(), m_SpecificInt(255))))
    bits = 8;
  else if (match(value, m_And(m_Value(), m_SpecificInt(65535))))
    bits = 16;
  llvm::Value *source = bits ? instruction->getOperand(0) : nullptr;
  if ((bits != 8 && bits != 16) ||
      !match(source, m_CombineOr(m_Trunc(m_Load(m_Value())), m_Load(m_Value()))))
    return 0;
  loaded = &instruction->getOperandUse(0);
  return bits;
}

llvm::Use *load_to_merge(llvm::Instruction &merge) {
  // The code generator turns sums of values without common bits into `or`.
  const bool joins = merge.getOpcode() == llvm::Instruction::Or ||
                     merge.getOpcode() == llvm::Instruction::Xor ||
                     merge.getOpcode() == llvm::Instruction::Add;
  if (!joins || !(merge.getType()->isIntegerTy(32) || merge.getType()->isIntegerTy(64)))
    return nullptr;
  for (unsigned side : {0u, 1u}) {
    const llvm::APInt *mask = nullptr;
    llvm::Use *loaded = nullptr;
    if (!match(merge.getOperand(side), m_And(m_Value(), m_APInt(mask))))
      continue;
    const unsigned bits = bits_of_load(merge.getOperand(1 - side), loaded);
    if (bits && mask->countr_zero() >= bits)
      return loaded;
  }
  return nullptr;
}

} // namespace

llvm::PreservedAnalyses KeepLoadsOutOfMergesPass::run(llvm::Function &function,
                                                      llvm::FunctionAnalysisManager &) {
  if (!target_model(target_)->needs(Workaround::keep_loads_out_of_merges))
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::Use *> loads;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (llvm::Use *loaded = load_to_merge(instruction);
        loaded && !llvm::is_contained(loads, loaded))
      loads.push_back(loaded);
  for (llvm::Use *loaded : loads) {
    llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(loaded->getUser()));
    loaded->set(builder.CreateFreeze(loaded->get(), "kept"));
  }
  if (loads.empty())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
