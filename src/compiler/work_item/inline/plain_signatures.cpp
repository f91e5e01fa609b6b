// Gives out-of-line functions signatures that can be vectorized, and removes work-item ids from
// their bodies.
//
// Requires: the module after specialize-local-size. Out-of-line functions (keep-out-of-line) take
// and return scalars, vectors and pointers.
// Ensures: they take and return scalars, pointers and, for a returned vector, structures of
// scalars. Floating-point elements are returned as integers if there are more than registers for
// them. The callee copies a structure that is passed by value. Ids, sizes and addresses of local
// variables, which only the kernel knows, are additional parameters; no work-item primitive and no
// local variable is left in these functions.
//
// So out-of-line functions need no special case in the passes that vectorize the kernel (ids are
// those of a lane), coalesce its groups (ids are those of a row) or place local memory.
#include "compiler/work_item/inline/passes.h"

#include "abi/address_spaces.h"

#include "kernel_ir/kernel_function.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

namespace lockstep::compiler {

namespace {

using llvm::FixedVectorType;

// A value that a function uses and only the kernel knows: a primitive's result for one dimension,
// or the address of a local variable.
struct Need {
  llvm::Constant *source;
  unsigned dimension = 0;
  llvm::Type *type;
  llvm::AttributeSet facts; // about the value
};

bool is_local_variable(const llvm::Value *value) {
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(value);
  return variable && variable->getAddressSpace() == local_space;
}

bool queries_dimension(const llvm::CallInst &query) {
  return query.arg_size() != 0;
}

// The attributes of a parameter that becomes a plain pointer.
llvm::AttributeSet plain(llvm::LLVMContext &context, llvm::AttributeSet attributes) {
  return attributes.removeAttribute(context, llvm::Attribute::ByVal)
      .removeAttribute(context, llvm::Attribute::StructRet);
}

// The type in which elements of a returned vector are returned. LLVM's convention for x86 has three
// registers for floating-point results, then uses the x87 stack. There a signaling NaN changes, and
// a result that no caller uses is never popped. After eight calls the stack is full, and results on
// it are NaN, in other kernels of the thread, too. Integers are returned through memory instead.
llvm::Type *returned_as(const FixedVectorType &vector) {
  llvm::Type *element = vector.getElementType();
  constexpr unsigned registers = 3;
  return element->isFloatingPointTy() && vector.getNumElements() > registers
             ? llvm::IntegerType::get(vector.getContext(), element->getScalarSizeInBits())
             : element;
}

// Rewrites one function to its new signature.
class Rewriter {
public:
  explicit Rewriter(llvm::Function &function)
      : old_(function), context_(function.getContext()), builder_(context_) {}

  void run() {
    find_needs();
    make_function();
    take_arguments();
    take_needs();
    return_elements();
    for (llvm::User *user : llvm::make_early_inc_range(old_.users()))
      replace_call(*llvm::cast<llvm::CallInst>(user));
    new_->takeName(&old_);
    old_.eraseFromParent();
  }

private:
  void find_needs();
  void need(llvm::Constant &source, unsigned dimension, llvm::Type *type, llvm::AttributeSet facts);
  void make_function();
  void take_arguments();
  void take_needs();
  void return_elements();
  void replace_call(llvm::CallInst &call);
  llvm::AttributeList attributes(const llvm::AttributeList &old) const;

  llvm::Function &old_;
  llvm::LLVMContext &context_;
  llvm::IRBuilder<> builder_;
  llvm::Function *new_ = nullptr;
  llvm::SmallVector<Need> needs_;
  unsigned first_need_ = 0; // the number of its parameter
};

void Rewriter::need(llvm::Constant &source, unsigned dimension, llvm::Type *type,
                    llvm::AttributeSet facts) {
  if (llvm::none_of(needs_, [&](const Need &known) {
        return known.source == &source && known.dimension == dimension;
      }))
    needs_.push_back({&source, dimension, type, facts});
}

void Rewriter::find_needs() {
  for (llvm::Instruction &instruction : llvm::instructions(old_)) {
    for (llvm::Value *operand : instruction.operands())
      if (is_local_variable(operand))
        need(*llvm::cast<llvm::Constant>(operand), 0, operand->getType(), {});
    auto primitive = called_primitive(instruction);
    if (!primitive || !is_of_work_item(*primitive))
      continue;
    auto &query = llvm::cast<llvm::CallInst>(instruction);
    auto dimension = constant_dimension(query);
    for (unsigned one : {0u, 1u, 2u})
      if (dimension ? *dimension == one : queries_dimension(query) || one == 0)
        need(*query.getCalledFunction(), one, query.getType(), query.getAttributes().getRetAttrs());
  }
}

// The new attributes, for the function or for a call of it.
llvm::AttributeList Rewriter::attributes(const llvm::AttributeList &old) const {
  llvm::SmallVector<llvm::AttributeSet> parameters;
  llvm::AttributeSet of_function = old.getFnAttrs();
  for (llvm::Argument &argument : old_.args()) {
    if (auto *vector = llvm::dyn_cast<FixedVectorType>(argument.getType()))
      parameters.append(vector->getNumElements(), {});
    else
      parameters.push_back(plain(context_, old.getParamAttrs(argument.getArgNo())));
    if (argument.hasByValAttr()) // the function now reads the caller's memory
      of_function = of_function.removeAttribute(context_, llvm::Attribute::Memory);
  }
  for (const Need &need : needs_)
    parameters.push_back(need.facts);
  return llvm::AttributeList::get(
      context_, of_function,
      old_.getReturnType()->isVectorTy() ? llvm::AttributeSet() : old.getRetAttrs(), parameters);
}

void Rewriter::make_function() {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Argument &argument : old_.args())
    if (auto *vector = llvm::dyn_cast<FixedVectorType>(argument.getType()))
      types.append(vector->getNumElements(), vector->getElementType());
    else
      types.push_back(argument.getType());
  first_need_ = types.size();
  for (const Need &need : needs_)
    types.push_back(need.type);
  llvm::Type *result = old_.getReturnType();
  if (auto *vector = llvm::dyn_cast<FixedVectorType>(result))
    result = llvm::StructType::get(
        context_, llvm::SmallVector<llvm::Type *>(vector->getNumElements(), returned_as(*vector)));
  new_ = llvm::Function::Create(llvm::FunctionType::get(result, types, false), old_.getLinkage());
  old_.getParent()->getFunctionList().insert(old_.getIterator(), new_);
  new_->setCallingConv(old_.getCallingConv());
  new_->setDSOLocal(old_.isDSOLocal());
  new_->setAttributes(attributes(old_.getAttributes()));
  new_->copyMetadata(&old_, 0);
  new_->splice(new_->begin(), &old_);
  builder_.SetInsertPoint(&*new_->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
}

void Rewriter::take_arguments() {
  const llvm::DataLayout &layout = new_->getDataLayout();
  unsigned next = 0;
  for (llvm::Argument &argument : old_.args()) {
    llvm::Value *now = new_->getArg(next++);
    if (auto *vector = llvm::dyn_cast<FixedVectorType>(argument.getType())) {
      llvm::Value *elements = llvm::PoisonValue::get(vector);
      for (unsigned index = 0; index != vector->getNumElements(); ++index) {
        now = index == 0 ? now : new_->getArg(next++);
        now->setName(argument.getName() + "." + llvm::Twine(index));
        elements = builder_.CreateInsertElement(elements, now, index);
      }
      now = elements;
    } else {
      now->setName(argument.getName());
    }
    if (argument.hasByValAttr()) {
      llvm::Type *type = argument.getParamByValType();
      llvm::Align alignment = argument.getParamAlign().value_or(layout.getABITypeAlign(type));
      llvm::IRBuilder<> entry(&*new_->getEntryBlock().begin());
      auto *copy = entry.CreateAlloca(type, nullptr, argument.getName() + ".copy");
      copy->setAlignment(alignment);
      builder_.CreateMemCpy(copy, alignment, now, argument.getParamAlign(),
                            layout.getTypeAllocSize(type));
      now = copy;
    }
    argument.replaceAllUsesWith(now);
  }
}

void Rewriter::take_needs() {
  auto parameter = [&](const llvm::Value *source, unsigned dimension) -> llvm::Value * {
    for (unsigned index = 0; index != needs_.size(); ++index)
      if (needs_[index].source == source && needs_[index].dimension == dimension)
        return new_->getArg(first_need_ + index);
    return nullptr;
  };
  for (unsigned index = 0; index != needs_.size(); ++index) {
    llvm::StringRef name = needs_[index].source->getName();
    name.consume_front("__lockstep_");
    new_->getArg(first_need_ + index)->setName(name);
  }
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(*new_))) {
    for (llvm::Use &operand : instruction.operands())
      if (is_local_variable(operand))
        operand.set(parameter(operand, 0));
    auto primitive = called_primitive(instruction);
    if (!primitive || !is_of_work_item(*primitive))
      continue;
    auto &query = llvm::cast<llvm::CallInst>(instruction);
    llvm::Function *source = query.getCalledFunction();
    llvm::Value *answer = nullptr;
    if (auto dimension = constant_dimension(query)) {
      answer = *dimension < 3 ? parameter(source, *dimension)
                              : llvm::PoisonValue::get(query.getType()); // never executed
    } else if (!queries_dimension(query)) {
      answer = parameter(source, 0);
    } else {
      builder_.SetInsertPoint(&query);
      llvm::Value *queried = query.getArgOperand(0);
      auto is = [&](unsigned one) {
        return builder_.CreateICmpEQ(queried, llvm::ConstantInt::get(queried->getType(), one));
      };
      answer = builder_.CreateSelect(
          is(0), parameter(source, 0),
          builder_.CreateSelect(is(1), parameter(source, 1), parameter(source, 2)));
    }
    query.replaceAllUsesWith(answer);
    query.eraseFromParent();
  }
}

void Rewriter::return_elements() {
  auto *vector = llvm::dyn_cast<FixedVectorType>(old_.getReturnType());
  if (!vector)
    return;
  for (llvm::BasicBlock &block : *new_) {
    auto *end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!end)
      continue;
    builder_.SetInsertPoint(end);
    llvm::Value *elements = llvm::PoisonValue::get(new_->getReturnType());
    for (unsigned index = 0; index != vector->getNumElements(); ++index)
      elements = builder_.CreateInsertValue(
          elements,
          builder_.CreateBitCast(builder_.CreateExtractElement(end->getReturnValue(), index),
                                 returned_as(*vector)),
          index);
    end->setOperand(0, elements);
  }
}

void Rewriter::replace_call(llvm::CallInst &call) {
  builder_.SetInsertPoint(&call);
  builder_.SetCurrentDebugLocation(call.getDebugLoc());
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Value *argument : call.args())
    if (auto *vector = llvm::dyn_cast<FixedVectorType>(argument->getType()))
      for (unsigned index = 0; index != vector->getNumElements(); ++index)
        arguments.push_back(builder_.CreateExtractElement(argument, index));
    else
      arguments.push_back(argument);
  for (const Need &need : needs_) {
    auto *primitive = llvm::dyn_cast<llvm::Function>(need.source);
    if (!primitive) {
      arguments.push_back(need.source);
      continue;
    }
    llvm::SmallVector<llvm::Value *, 1> dimension;
    if (primitive->arg_size() != 0)
      dimension.push_back(builder_.getInt32(need.dimension));
    auto *query = builder_.CreateCall(primitive, dimension);
    query->setAttributes(llvm::AttributeList::get(context_, primitive->getAttributes().getFnAttrs(),
                                                  need.facts, {}));
    arguments.push_back(query);
  }
  llvm::CallInst *now = builder_.CreateCall(new_, arguments);
  now->setAttributes(attributes(call.getAttributes()));
  now->setCallingConv(call.getCallingConv());
  now->takeName(&call);
  llvm::Value *result = now;
  if (auto *vector = llvm::dyn_cast<FixedVectorType>(call.getType())) {
    result = llvm::PoisonValue::get(vector);
    for (unsigned index = 0; index != vector->getNumElements(); ++index)
      result = builder_.CreateInsertElement(
          result,
          builder_.CreateBitCast(builder_.CreateExtractValue(now, index), vector->getElementType()),
          index);
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses PlainSignaturesPass::run(llvm::Module &module,
                                                 llvm::ModuleAnalysisManager &) {
  llvm::SmallVector<llvm::Function *> functions = out_of_line_functions_of(module);
  if (functions.empty())
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::Constant *> variables;
  for (llvm::GlobalVariable &variable : module.globals())
    if (is_local_variable(&variable))
      variables.push_back(&variable);
  llvm::convertUsersOfConstantsToInstructions(variables);
  for (llvm::Function *function : functions) // callees first: callers inherit their needs
    Rewriter(*function).run();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
