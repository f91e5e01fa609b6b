#include "compiler/ir_to_workgroup/sub_groups/expand_permutations.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

constexpr char prefix[] = "lockstep.permute.";

unsigned length_of(const llvm::Value &vector) {
  return llvm::cast<llvm::FixedVectorType>(vector.getType())->getNumElements();
}

bool is_permutation(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->getCalledFunction() &&
         call->getCalledFunction()->getName().starts_with(prefix);
}

llvm::Value *expand(llvm::CallInst &call) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value *of = call.getArgOperand(0), *by = call.getArgOperand(1);
  unsigned length = length_of(*by);
  llvm::SmallVector<int, 64> known;
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(by))
    for (unsigned lane = 0; lane != length; ++lane)
      if (auto *number =
              llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane)))
        known.push_back(static_cast<int>(number->getZExtValue() & (length - 1)));
  if (known.size() == length)
    return builder.CreateShuffleVector(of, known);
  llvm::Value *result = llvm::PoisonValue::get(call.getType());
  for (unsigned lane = 0; lane != length; ++lane)
    result = builder.CreateInsertElement(
        result, builder.CreateExtractElement(of, builder.CreateExtractElement(by, uint64_t{lane})),
        uint64_t{lane});
  return result;
}

} // namespace

llvm::Value *emit_permutation(llvm::IRBuilderBase &builder, llvm::Value *of, llvm::Value *by) {
  llvm::Type *type = of->getType(), *scalar = type->getScalarType();
  std::string name =
      (llvm::Twine(prefix) + (scalar->isFloatingPointTy() ? "f" : "i") +
       llvm::Twine(scalar->getScalarSizeInBits()) + "x" + llvm::Twine(length_of(*of)))
          .str();
  auto callee = builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, llvm::FunctionType::get(type, {type, by->getType()}, false));
  auto *function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotAccessMemory();
  auto *call = builder.CreateCall(callee, {of, by}, "permuted");
  call->setAttributes(function->getAttributes());
  return call;
}

llvm::PreservedAnalyses ExpandPermutationsPass::run(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (is_permutation(instruction))
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  for (llvm::CallInst *call : calls) {
    call->replaceAllUsesWith(expand(*call));
    call->eraseFromParent();
  }
  if (calls.empty())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
