// Computes shadow bits: for each value, a parallel value says which of its bits are undefined.
//
// The rules are those of LLVM's MemorySanitizer. Logic and comparisons are exact, sums ignore
// carries, and a floating-point result is undefined if an operand has an undefined bit.
//
// One more flag says whether the value was computed from undefined bits or only copied. Copying
// undefined bytes is not an error, so logic and shifts, which assemble and split values, count as
// copies.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

struct ShadowBits {
  llvm::Value *bits = nullptr;     // same shape as the value, of integers; null: none (void, token)
  llvm::Value *computed = nullptr; // i1; has a meaning only if some bits are undefined
};

class UndefinedValues {
public:
  explicit UndefinedValues(const llvm::DataLayout &layout) : layout_(layout) {}

  // The type of the shadow bits; null: such a value has none.
  llvm::Type *type_of(llvm::Type &type) const;
  ShadowBits of(llvm::Value *value);
  void set(const llvm::Value &value, ShadowBits bits) { known_[&value] = bits; }
  // The result is undefined as a whole if any operand has an undefined bit.
  ShadowBits computed_from(llvm::IRBuilder<> &builder, llvm::Type &result,
                           llvm::ArrayRef<llvm::Value *> operands);
  // Handles instructions that do not access memory; false: not supported.
  bool visit(llvm::Instruction &instruction);
  void finish_joins();

  // i1: whether one of the bits is set.
  static llvm::Value *any(llvm::IRBuilder<> &builder, llvm::Value *bits);
  static bool is_none(const llvm::Value *bits);

private:
  ShadowBits of_constant(const llvm::Constant &constant) const;
  llvm::Value *all_if(llvm::IRBuilder<> &builder, llvm::Value *condition, llvm::Type &type);
  llvm::Value *resized(llvm::IRBuilder<> &builder, llvm::Value *bits, llvm::Type &type);
  void set_computed(llvm::IRBuilder<> &builder, llvm::Instruction &of, llvm::Value *bits);
  void visit_binary(llvm::IRBuilder<> &builder, llvm::BinaryOperator &operation);
  llvm::Value *compare_ends(llvm::IRBuilder<> &builder, llvm::CmpInst &compare);
  void visit_compare(llvm::IRBuilder<> &builder, llvm::CmpInst &compare);
  void visit_select(llvm::IRBuilder<> &builder, llvm::SelectInst &select);
  void visit_cast(llvm::IRBuilder<> &builder, llvm::CastInst &cast);
  void visit_shuffle(llvm::IRBuilder<> &builder, llvm::ShuffleVectorInst &shuffle);
  void visit_phi(llvm::PHINode &phi);

  const llvm::DataLayout &layout_;
  llvm::DenseMap<const llvm::Value *, ShadowBits> known_;
  llvm::SmallVector<llvm::PHINode *> joins_;
};

} // namespace lockstep::compiler
