// Rewrites gathers and scatters to use 32-bit indices from one scalar base, if the program has
// such.
//
//   table[h & 255]        in the program
//   table + 4 * sext(h)   16 addresses in two registers, shifted and added; two gathers of eight
//
// x86 gathers 16 elements at once by 32-bit indices, which the instruction extends and scales. The
// code generator uses this form if the address is one getelementptr of a scalar pointer whose index
// is extended in the same block. By this stage, `table[a + b]` often is several getelementptrs of
// vectors, and the extension was hoisted out of the loop.
//
// Input:  any function, after all optimization.
// Output: a single getelementptr before each gather or scatter whose address is a scalar pointer,
//         plus uniform terms, plus one 32-bit index. A zero-extended index is offset by half of its
//         range, so that it becomes signed: table + 2^31 elements + sext(h ^ 2^31).
//
// Leaves vectors of fewer than 16 lanes (eight addresses fit into one register) and elements of 8
// and 16 bits (no instruction gathers them).
#include "compiler/lanes/packetize/passes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

constexpr unsigned fewest_lanes = 16;

// An address: one scalar pointer, plus uniform terms, plus `scale` times an extended index.
class Address {
public:
  explicit Address(const llvm::DataLayout &layout) : layout_(layout) {}

  // Returns false if the addresses have another form.
  bool read(llvm::Value *pointers);
  bool has_index() const { return index_ != nullptr; }
  llvm::Value *emit(llvm::IRBuilder<> &builder) const;

private:
  bool add(llvm::Value *number, uint64_t scale);

  struct Uniform {
    llvm::Value *number; // i64
    uint64_t scale;
  };
  const llvm::DataLayout &layout_;
  llvm::Value *base_ = nullptr;
  llvm::SmallVector<Uniform> uniform_;
  llvm::Value *index_ = nullptr; // at most 32 bits wide
  uint64_t scale_ = 0;
  bool is_signed_ = false;
};

bool Address::add(llvm::Value *number, uint64_t scale) {
  if (!number->getType()->getScalarType()->isIntegerTy(64))
    return false;
  llvm::Value *same = number->getType()->isVectorTy() ? llvm::getSplatValue(number) : number;
  if (same) {
    uniform_.push_back({same, scale});
    return true;
  }
  llvm::Value *left = nullptr, *right = nullptr;
  if (match(number, m_Add(m_Value(left), m_Value(right))) ||
      match(number, m_DisjointOr(m_Value(left), m_Value(right))))
    return add(left, scale) && add(right, scale);
  const llvm::APInt *bits = nullptr;
  if (match(number, m_Shl(m_Value(left), m_APInt(bits))) && bits->ult(4))
    return add(left, scale << bits->getZExtValue());
  llvm::Value *narrow = nullptr;
  const bool is_signed =
      match(number, m_SExt(m_Value(narrow))) || match(number, m_NNegZExt(m_Value(narrow)));
  if (index_ || (!is_signed && !match(number, m_ZExt(m_Value(narrow)))) ||
      narrow->getType()->getScalarSizeInBits() > 32)
    return false;
  index_ = narrow;
  is_signed_ = is_signed;
  scale_ = scale;
  return true;
}

bool Address::read(llvm::Value *pointers) {
  while (pointers->getType()->isVectorTy()) {
    if (llvm::Value *same = llvm::getSplatValue(pointers)) {
      pointers = same;
      break;
    }
    auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers);
    if (!gep || gep->getNumIndices() != 1 ||
        !add(gep->getOperand(1),
             layout_.getTypeAllocSize(gep->getSourceElementType()).getFixedValue()))
      return false;
    pointers = gep->getPointerOperand();
  }
  base_ = pointers;
  // The scales that the instruction supports.
  return index_ && (scale_ == 1 || scale_ == 2 || scale_ == 4 || scale_ == 8);
}

llvm::Value *Address::emit(llvm::IRBuilder<> &builder) const {
  llvm::Value *base = base_;
  for (const Uniform &one : uniform_)
    base = builder.CreatePtrAdd(base, builder.CreateMul(one.number, builder.getInt64(one.scale)));
  llvm::Type *narrow = index_->getType()->getWithNewType(builder.getInt32Ty());
  llvm::Value *index =
      is_signed_ ? builder.CreateSExt(index_, narrow) : builder.CreateZExt(index_, narrow);
  if (!is_signed_ && index_->getType()->getScalarSizeInBits() == 32) {
    index = builder.CreateXor(index, llvm::ConstantInt::get(narrow, uint64_t{1} << 31));
    base = builder.CreatePtrAdd(base, builder.getInt64(scale_ << 31));
  }
  index = builder.CreateSExt(index, narrow->getWithNewType(builder.getInt64Ty()));
  return builder.CreateGEP(builder.getIntNTy(unsigned(8 * scale_)), base, index, "narrow.indices");
}

// Returns the operand with the addresses; nullopt for instructions that this pass leaves alone.
std::optional<unsigned> addresses_of(const llvm::IntrinsicInst &access) {
  const bool is_gather = access.getIntrinsicID() == llvm::Intrinsic::masked_gather;
  if (!is_gather && access.getIntrinsicID() != llvm::Intrinsic::masked_scatter)
    return std::nullopt;
  auto *type = llvm::cast<llvm::VectorType>(is_gather ? access.getType()
                                                      : access.getArgOperand(0)->getType());
  const unsigned bits = type->getScalarSizeInBits();
  if (type->getElementCount().getFixedValue() < fewest_lanes || (bits != 32 && bits != 64))
    return std::nullopt;
  return is_gather ? 0 : 1;
}

} // namespace

llvm::PreservedAnalyses NarrowGatherIndicesPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    const auto operand = access ? addresses_of(*access) : std::nullopt;
    Address address(function.getDataLayout());
    if (!operand || !address.read(access->getArgOperand(*operand)))
      continue;
    llvm::IRBuilder<> builder(access);
    access->setArgOperand(*operand, address.emit(builder));
    changed = true;
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
