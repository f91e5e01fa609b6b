// Which bits of a value are undefined, as a value beside it: what an instruction makes of its operands' undefined bits.
//
// The rules are those of LLVM's MemorySanitizer: logic and comparisons are exact, sums are as if no bit were carried, a floating-point number is undefined where a bit of its operands is. Beside the bits goes one more: whether the
// value was computed from undefined ones, or only copied. Copying undefined bytes is no fault, so logic and shifts, by
// which bits are put together and taken apart, count as copies.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

struct UndefinedBits {
  llvm::Value *bits = nullptr;     // as the value, of integers; null: it has none (void, a token)
  llvm::Value *computed = nullptr; // i1; says something only where there are such bits
};

class UndefinedValues {
public:
  explicit UndefinedValues(const llvm::DataLayout &layout) : layout_(layout) {}

  // Of the bits of such a value; null: it cannot have any.
  llvm::Type *type_of(llvm::Type &type) const;
  UndefinedBits of(llvm::Value *value);
  void set(const llvm::Value &value, UndefinedBits bits) { known_[&value] = bits; }
  // Of what the result is made of, all of it or nothing.
  UndefinedBits computed_from(llvm::IRBuilder<> &builder, llvm::Type &result,
                              llvm::ArrayRef<llvm::Value *> operands);
  // For instructions without memory; false: not for this one.
  bool visit(llvm::Instruction &instruction);
  void finish_joins();

  // i1: one of the bits is set.
  static llvm::Value *any(llvm::IRBuilder<> &builder, llvm::Value *bits);
  static bool is_none(const llvm::Value *bits);

private:
  UndefinedBits of_constant(const llvm::Constant &constant) const;
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
  llvm::DenseMap<const llvm::Value *, UndefinedBits> known_;
  llvm::SmallVector<llvm::PHINode *> joins_;
};

} // namespace lockstep::compiler
