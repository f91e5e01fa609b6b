// Separates integer extensions from the floating-point vectors whose bits they extend.
//
// With AVX-512, LLVM 22 stops with "Cannot select: v4i64 = zero_extend_vector_inreg" for
// `(ulong)as_uint(x) * y`: a `zext` or `sext` of <8 x i32>, bitcast from floats, of which only the
// lower half is used. combineEXTRACT_SUBVECTOR (X86ISelLowering.cpp) narrows it to an in-register
// extension of 256 bits, for which no pattern exists. combineEXTEND_VECTOR_INREG reads it as a
// shuffle, finds floating point behind the bitcast, and uses no integer instruction.
//
// A logic operation that LLVM does not see through costs one instruction. The output registers of
// empty inline assembly count as floating point, too.
//
// Requires: any function.
// Ensures: an extended vector of 256 bits or more, made of floating point only by bitcasts,
// shuffles, insertions and selects, is the result of a `vpternlogd` that returns its operand.
// AVX-512F without VL: no change, such kernels are compiled for AVX2 (compile_past_crashes in
// compile.cpp).
// Position: late, since earlier passes can look through bitcasts.
//
// Upstream: none was found on 2026-11-23; tests/passes/hide-float-bits/llvm_still_needs_it.ll holds
// the text of a report.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/target_model/target_model.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned quarter_register = 128, half_register = 256, whole_register = 512;

bool is_made_of_floats(const llvm::Value &value, unsigned depth = 0) {
  if (value.getType()->isFPOrFPVectorTy())
    return true;
  if (depth == limits::search_depth ||
      !llvm::isa<llvm::BitCastInst, llvm::ShuffleVectorInst, llvm::InsertElementInst,
                 llvm::SelectInst, llvm::FreezeInst>(value))
    return false;
  return llvm::any_of(llvm::cast<llvm::Instruction>(value).operands(), [&](const llvm::Use &use) {
    return use->getType()->isVectorTy() && is_made_of_floats(*use, depth + 1);
  });
}

bool can_be_narrowed(const llvm::Instruction &instruction) {
  if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst>(instruction))
    return false;
  const llvm::Value &source = *instruction.getOperand(0);
  const unsigned size = source.getType()->getPrimitiveSizeInBits();
  return llvm::isa<llvm::FixedVectorType>(source.getType()) && size >= half_register &&
         size % quarter_register == 0 && is_made_of_floats(source);
}

// Passes the same operand three times to an instruction that returns the third, by a truth table
// that LLVM does not evaluate.
llvm::Value *third_of_three(llvm::IRBuilder<> &builder, llvm::Value *words) {
  constexpr uint32_t table = 0xaa;
  const unsigned size = words->getType()->getPrimitiveSizeInBits();
  const llvm::Intrinsic::ID operation =
      size == whole_register  ? llvm::Intrinsic::x86_avx512_pternlog_d_512
      : size == half_register ? llvm::Intrinsic::x86_avx512_pternlog_d_256
                              : llvm::Intrinsic::x86_avx512_pternlog_d_128;
  return builder.CreateIntrinsic(operation, {words, words, words, builder.getInt32(table)}, nullptr,
                                 "bits");
}

llvm::Value *computed(llvm::IRBuilder<> &builder, llvm::Value *bits) {
  const unsigned size = bits->getType()->getPrimitiveSizeInBits();
  auto words = [&](unsigned register_size) {
    return llvm::FixedVectorType::get(builder.getInt32Ty(), register_size / 32);
  };
  llvm::Value *from = builder.CreateBitCast(bits, words(size));
  llvm::Value *all = llvm::PoisonValue::get(words(size));
  for (unsigned first = 0; first != size;) {
    const unsigned part = std::min(whole_register, llvm::bit_floor(size - first));
    llvm::Value *of_part = from;
    if (part != size)
      of_part = builder.CreateExtractVector(words(part), from, uint64_t{first / 32});
    of_part = third_of_three(builder, of_part);
    all = part == size
              ? of_part
              : builder.CreateInsertVector(words(size), all, of_part, uint64_t{first / 32});
    first += part;
  }
  return builder.CreateBitCast(all, bits->getType());
}

} // namespace

llvm::PreservedAnalyses HideFloatBitsPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &) {
  if (!target_model(target_)->needs(Workaround::hide_float_bits))
    return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!can_be_narrowed(instruction))
      continue;
    llvm::IRBuilder<> builder(&instruction);
    instruction.setOperand(0, computed(builder, instruction.getOperand(0)));
    changed = true;
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
