#include "compiler/prepare_code/expand_permutations.h"

#include "compiler/target_model/target_model.h"

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

} // namespace

bool is_permutation_function(const llvm::Function &function) {
  return function.getName().starts_with(prefix);
}

namespace {

bool is_permutation(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->getCalledFunction() && is_permutation_function(*call->getCalledFunction());
}

class Expander {
public:
  Expander(llvm::CallInst &call, const TargetModel &cpu) : builder_(&call), cpu_(cpu) {}

  llvm::Value *expand(llvm::Value *of, llvm::Value *by);

private:
  llvm::Type *integers(unsigned bits, unsigned length) {
    return llvm::FixedVectorType::get(builder_.getIntNTy(bits), length);
  }
  llvm::Value *as_wider(llvm::Value *of, llvm::Value *by);
  llvm::Value *as_narrower(unsigned parts, llvm::Value *of, llvm::Value *by);
  llvm::Value *through_memory(llvm::Value *of, llvm::Value *by);

  llvm::IRBuilder<> builder_;
  const TargetModel &cpu_;
};

llvm::Value *Expander::as_wider(llvm::Value *of, llvm::Value *by) {
  unsigned length = length_of(*by), bits = by->getType()->getScalarSizeInBits();
  llvm::Type *narrow = integers(bits, length), *wide = integers(bits * 2, length);
  llvm::Value *permuted = expand(builder_.CreateZExt(builder_.CreateBitCast(of, narrow), wide),
                                 builder_.CreateZExt(by, wide));
  return builder_.CreateBitCast(builder_.CreateTrunc(permuted, narrow), of->getType());
}

// Splits each element into `parts`: part p of element e has the number e * parts + p.
llvm::Value *Expander::as_narrower(unsigned parts, llvm::Value *of, llvm::Value *by) {
  unsigned length = length_of(*by), bits = by->getType()->getScalarSizeInBits() / parts;
  llvm::Type *narrow = integers(bits, length * parts);
  llvm::SmallVector<int, 64> repeated;
  llvm::SmallVector<llvm::Constant *, 64> part;
  for (unsigned number = 0; number != length * parts; ++number) {
    repeated.push_back(static_cast<int>(number - number % parts)); // its low bits hold the number
    part.push_back(builder_.getIntN(bits, number % parts));
  }
  by = builder_.CreateShuffleVector(builder_.CreateBitCast(by, narrow), repeated);
  by = builder_.CreateMul(by, llvm::ConstantInt::get(narrow, parts));
  by = builder_.CreateOr(by, llvm::ConstantVector::get(part));
  return builder_.CreateBitCast(expand(builder_.CreateBitCast(of, narrow), by), of->getType());
}

llvm::Value *Expander::through_memory(llvm::Value *of, llvm::Value *by) {
  llvm::Type *type = of->getType(), *element = type->getScalarType();
  llvm::BasicBlock &entry = builder_.GetInsertBlock()->getParent()->getEntryBlock();
  auto *memory = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type, nullptr, "permuted");
  builder_.CreateStore(of, memory);
  llvm::Value *result = llvm::PoisonValue::get(type);
  for (unsigned lane = 0; lane != length_of(*by); ++lane) {
    llvm::Value *number = builder_.CreateZExt(builder_.CreateExtractElement(by, uint64_t{lane}),
                                              builder_.getInt64Ty());
    llvm::Value *taken =
        builder_.CreateLoad(element, builder_.CreateInBoundsGEP(element, memory, number));
    result = builder_.CreateInsertElement(result, taken, uint64_t{lane});
  }
  return result;
}

llvm::Value *Expander::expand(llvm::Value *of, llvm::Value *by) {
  unsigned length = length_of(*by), bits = by->getType()->getScalarSizeInBits();
  if (cpu_.has_permutation(bits, length))
    return cpu_.permute(builder_, of, by);
  for (unsigned wider = bits * 2; wider <= 64; wider *= 2)
    if (cpu_.has_permutation(wider, length))
      return as_wider(of, by);
  for (unsigned parts = 2; parts <= bits / 8; parts *= 2)
    if (cpu_.has_permutation(bits / parts, length * parts))
      return as_narrower(parts, of, by);
  return through_memory(of, by);
}

// Returns the shuffle if all indices are constant, else null.
llvm::Value *expand_constant(llvm::CallInst &call) {
  auto *by = llvm::dyn_cast<llvm::Constant>(call.getArgOperand(1));
  llvm::SmallVector<int, 64> known;
  for (unsigned lane = 0; by && lane != length_of(*by); ++lane)
    if (auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(by->getAggregateElement(lane)))
      known.push_back(static_cast<int>(number->getZExtValue() & (length_of(*by) - 1)));
  if (!by || known.size() != length_of(*by))
    return nullptr;
  return llvm::IRBuilder<>(&call).CreateShuffleVector(call.getArgOperand(0), known);
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
  const auto model = target_model(target_);
  for (llvm::CallInst *call : calls) {
    llvm::Value *made = expand_constant(*call);
    if (!made)
      made = Expander(*call, *model).expand(call->getArgOperand(0), call->getArgOperand(1));
    call->replaceAllUsesWith(made);
    call->eraseFromParent();
  }
  if (calls.empty())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
