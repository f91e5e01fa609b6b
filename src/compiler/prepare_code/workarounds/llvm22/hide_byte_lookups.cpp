// Hides from LLVM 22 that a vector of bytes is looked up in another one, on AArch64.
//
// The code generator makes one TBL of 8 or 16 bytes that are read at variable places of one vector.
// It assumes that this vector has as many bytes as the result. If it has not, the code is wrong: two
// or four bytes are in elements of 32 or 16 bits, and a copy between registers of different sizes
// becomes another instruction. Such a byte passes through empty inline assembly.
//
// Requires: any function.
// Ensures: the first byte of a vector of 8 or 16 bytes is not read at a variable place of a vector
// of another length.
//
// Position: last, since earlier passes build such vectors.
//
// Upstream: docs/upstream/llvm-aarch64-byte-lookups.md.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/target_model/target_model.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

bool is_lookup(llvm::InsertElementInst &insertion) {
  const auto *result = llvm::dyn_cast<llvm::FixedVectorType>(insertion.getType());
  auto *read = llvm::dyn_cast<llvm::ExtractElementInst>(insertion.getOperand(1));
  if (!result || !read || !result->getElementType()->isIntegerTy(8) ||
      !llvm::PatternMatch::match(insertion.getOperand(2), llvm::PatternMatch::m_Zero()) ||
      llvm::isa<llvm::Constant>(read->getIndexOperand()))
    return false;
  const auto *from = llvm::dyn_cast<llvm::FixedVectorType>(read->getVectorOperandType());
  return from && from->getNumElements() != result->getNumElements();
}

} // namespace

llvm::PreservedAnalyses HideByteLookupsPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &) {
  if (!target_model(target_)->needs(Workaround::hide_byte_lookups))
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::InsertElementInst *> lookups;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *insertion = llvm::dyn_cast<llvm::InsertElementInst>(&instruction);
        insertion && is_lookup(*insertion))
      lookups.push_back(insertion);
  if (lookups.empty())
    return llvm::PreservedAnalyses::all();
  for (llvm::InsertElementInst *insertion : lookups) {
    llvm::IRBuilder<> builder(insertion);
    llvm::Type *const word = builder.getInt32Ty();
    llvm::Value *hidden = builder.CreateCall(
        llvm::InlineAsm::get(llvm::FunctionType::get(word, {word}, false), "", "=r,0", false),
        {builder.CreateZExt(insertion->getOperand(1), word)});
    insertion->setOperand(1, builder.CreateTrunc(hidden, builder.getInt8Ty()));
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
