// Simplifies sums of ids of which only some bits are used.
//
//   tid = local_id(1) * 16 + local_id(0)     x = tid % 16        y = tid / 16
//   tid = (ly << 4) | lx                     x = tid & 15        y = tid >> 4
//                                            x = lx              y = ly
//
// Kernels distribute their copies into local memory in this way. LLVM drops the unused summand only
// if the sum has no other use. Lane shapes cannot be derived from the low bits of a sum of which
// only distances are known. Without this pass, uniform or consecutive accesses would become gathers
// and scatters.
//
// Input:  the kernel of one work-item after scalar optimization. Where the local size is known, the
//         ranges of local ids are known.
// Output: where a sum's summands have no bits in common, `and` with a constant and `lshr` by a
//         constant apply only to the summands that have used bits.
//
// Runs before restore-casts, which replaces disjoint ors by sums that may carry.
#include "compiler/lanes/ids/passes.h"

#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

constexpr unsigned deepest = 8; // the most operations between the use and the sum

// Finds simpler values that agree with the original in the used bits; other bits may differ.
class Simplifier {
public:
  explicit Simplifier(llvm::Instruction &use)
      : layout_(use.getFunction()->getDataLayout()), builder_(&use) {}

  llvm::Value *simplified(llvm::Value *value, const llvm::APInt &used, unsigned depth = 0);

private:
  // Can any of these bits be set in the value?
  bool may_have(const llvm::Value *value, const llvm::APInt &bits) const {
    return !bits.isSubsetOf(llvm::computeKnownBits(value, layout_).Zero);
  }

  const llvm::DataLayout &layout_;
  llvm::IRBuilder<> builder_;
};

llvm::Value *Simplifier::simplified(llvm::Value *value, const llvm::APInt &used, unsigned depth) {
  llvm::Value *left = nullptr, *right = nullptr;
  const llvm::APInt *bits = nullptr;
  if (depth == deepest)
    return value;
  const unsigned width = used.getBitWidth();
  if (match(value, m_Trunc(m_Value(left)))) {
    llvm::Value *from =
        simplified(left, used.zext(left->getType()->getIntegerBitWidth()), depth + 1);
    return from == left ? value : builder_.CreateTrunc(from, value->getType());
  }
  if (match(value, m_ZExt(m_Value(left)))) {
    const unsigned narrow = left->getType()->getIntegerBitWidth();
    llvm::Value *from = simplified(left, used.trunc(narrow), depth + 1);
    return from == left ? value : builder_.CreateZExt(from, value->getType());
  }
  if (match(value, m_LShr(m_Value(left), m_APInt(bits))) && bits->ult(width)) {
    llvm::Value *from = simplified(left, used.shl(*bits), depth + 1);
    return from == left ? value : builder_.CreateLShr(from, bits->getZExtValue());
  }
  if (!match(value, m_DisjointOr(m_Value(left), m_Value(right))) &&
      !(match(value, m_Add(m_Value(left), m_Value(right))) &&
        llvm::haveNoCommonBitsSet(left, right, llvm::SimplifyQuery(layout_))))
    return value;
  if (!may_have(right, used))
    return simplified(left, used, depth + 1);
  if (!may_have(left, used))
    return simplified(right, used, depth + 1);
  return value;
}

// Returns null if all bits are used or there is nothing to simplify.
llvm::Value *simplified(llvm::Instruction &use) {
  llvm::Value *from = nullptr;
  const llvm::APInt *bits = nullptr;
  if (!use.getType()->isIntegerTy())
    return nullptr;
  Simplifier simplifier(use);
  llvm::IRBuilder<> builder(&use);
  if (match(&use, m_And(m_Value(from), m_APInt(bits)))) {
    llvm::Value *simple = simplifier.simplified(from, *bits);
    if (simple == from)
      return nullptr;
    const llvm::KnownBits known =
        llvm::computeKnownBits(simple, use.getFunction()->getDataLayout());
    return (~*bits).isSubsetOf(known.Zero)
               ? simple
               : builder.CreateAnd(simple, llvm::ConstantInt::get(use.getType(), *bits));
  }
  if (match(&use, m_LShr(m_Value(from), m_APInt(bits))) && bits->ult(bits->getBitWidth())) {
    llvm::Value *simple =
        simplifier.simplified(from, llvm::APInt::getAllOnes(bits->getBitWidth()).shl(*bits));
    return simple == from ? nullptr : builder.CreateLShr(simple, bits->getZExtValue());
  }
  return nullptr;
}

} // namespace

llvm::PreservedAnalyses UsedBitsPass::run_in_lanes(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &use : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *simple = simplified(use);
    if (!simple)
      continue;
    simple->takeName(&use);
    use.replaceAllUsesWith(simple);
    use.eraseFromParent();
    changed = true;
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
