// Separates shuffles of 64 bytes from the operations that compute the bytes.
//
// LLVM 22's code generator for AVX-512 does not terminate on a shuffle that takes only a part of
// the bytes of one <64 x i8>, if arithmetic, a select or a minimum computed that vector.
// `shufflevector (x & 1), 0 0 1 1 2 2 ...` is an example (in plain C as well). Empty inline
// assembly, which emits no instruction, separates the two.
//
// Requires: any function.
// Ensures: the operands of shuffles of i8 whose length is a multiple of 64 pass through assembly,
// 64 bytes at a time, unless they are loaded.
//
// Position: last, since earlier passes can look through shuffles.
//
// Upstream: perhaps llvm/llvm-project#224266;
// tests/passes/isolate-byte-shuffles/llvm_still_needs_it.ll holds the text of a report.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/target_model/target_model.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned bytes_of_register = 64;

// Phis are in registers already, and loads were not seen to fail.
bool is_computed_in_bytes(const llvm::Value &value) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
  return type && type->getElementType()->isIntegerTy(8) &&
         type->getNumElements() % bytes_of_register == 0 && llvm::isa<llvm::Instruction>(value) &&
         !llvm::isa<llvm::PHINode, llvm::LoadInst, llvm::ShuffleVectorInst>(value);
}

llvm::Value *through_assembly(llvm::IRBuilder<> &builder, llvm::Value *bytes) {
  auto *type = llvm::FunctionType::get(bytes->getType(), {bytes->getType()}, false);
  return builder.CreateCall(llvm::InlineAsm::get(type, "", "=v,0", false), {bytes}, "bytes");
}

// Passes `value` through assembly, one register at a time.
llvm::Value *isolated(llvm::IRBuilder<> &builder, llvm::Value *value) {
  unsigned count = llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements();
  if (count == bytes_of_register)
    return through_assembly(builder, value);
  auto *part = llvm::FixedVectorType::get(builder.getInt8Ty(), bytes_of_register);
  llvm::Value *all = llvm::PoisonValue::get(value->getType());
  for (unsigned first = 0; first != count; first += bytes_of_register)
    all = builder.CreateInsertVector(
        value->getType(), all,
        through_assembly(builder, builder.CreateExtractVector(part, value, first)), first);
  return all;
}

} // namespace

llvm::PreservedAnalyses IsolateByteShufflesPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  if (!target_model(target_)->needs(Workaround::isolate_byte_shuffles))
    return llvm::PreservedAnalyses::all();
  llvm::SmallSetVector<llvm::Instruction *, 8> computed;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction))
      for (llvm::Value *operand : shuffle->operands())
        if (is_computed_in_bytes(*operand))
          computed.insert(llvm::cast<llvm::Instruction>(operand));
  if (computed.empty())
    return llvm::PreservedAnalyses::all();
  for (llvm::Instruction *value : computed) {
    llvm::SmallVector<llvm::Use *> uses;
    for (llvm::Use &use : value->uses())
      if (llvm::isa<llvm::ShuffleVectorInst>(use.getUser()))
        uses.push_back(&use);
    llvm::IRBuilder<> builder(value->getNextNode());
    llvm::Value *alone = isolated(builder, value);
    for (llvm::Use *use : uses)
      use->set(alone);
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
