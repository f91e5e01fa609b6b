#include "compiler/waits/suspension/out_of_line_writes.h"

#include "abi/address_spaces.h"

#include "compiler/waits/analysis/loop_slice.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/out_of_line_function.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Function attribute: the number of parameters before instrumentation.
constexpr char reports_from[] = "lockstep-reports-writes-from";

// A pointer of this type may point to a variable of the kernel, whose address must not escape.
bool may_be_private(const llvm::Type &type) {
  auto *pointer = llvm::dyn_cast<llvm::PointerType>(&type);
  return pointer && (pointer->getAddressSpace() == private_space ||
                     pointer->getAddressSpace() == generic_space);
}

bool is_own_variable(const llvm::Value *pointer) {
  return pointer && llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer, 0));
}

bool can_be_reported(const llvm::Instruction &write) {
  return llvm::isa<llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(write) ||
         is_block(write);
}

// There is no recursion (inline-kernel rejects it).
CallWrites writes_in(const llvm::Function &function) {
  if (function.hasFnAttribute(reports_from))
    return CallWrites::reports;
  auto result = CallWrites::nothing;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    auto written = written_by(instruction);
    if (!written || (*written && is_own_variable(*written)))
      continue;
    const CallWrites here =
        can_be_reported(instruction) ? CallWrites::reports : writes_of(instruction);
    if (here == CallWrites::unknown)
      return here;
    if (here == CallWrites::reports)
      result = here;
  }
  return result;
}

// Drops attributes that no longer hold: the function now also reads what it writes, and adds
// addresses to the sum.
llvm::AttributeList attributes(llvm::LLVMContext &context, llvm::AttributeList list,
                               const llvm::FunctionType &type) {
  list = list.removeFnAttribute(context, llvm::Attribute::Memory);
  for (unsigned index = 0; index != type.getNumParams(); ++index) {
    auto *pointer = llvm::dyn_cast<llvm::PointerType>(type.getParamType(index));
    if (!pointer)
      continue;
    list = list.removeParamAttribute(context, index, llvm::Attribute::WriteOnly);
    list = list.removeParamAttribute(context, index, llvm::Attribute::Initializes);
    if (!may_be_private(*pointer))
      list = list.removeParamAttribute(context, index, llvm::Attribute::Captures);
  }
  return list;
}

// The index of the first added parameter.
unsigned first_of(const llvm::Function &function) {
  unsigned from = 0;
  function.getFnAttribute(reports_from).getValueAsString().getAsInteger(10, from);
  return from;
}

llvm::Function &with_more_parameters(llvm::Function &old) {
  llvm::LLVMContext &context = old.getContext();
  llvm::SmallVector<llvm::Type *> types(old.getFunctionType()->params());
  types.push_back(llvm::Type::getInt1Ty(context));
  types.push_back(llvm::PointerType::get(context, 0));
  for (const llvm::Argument &argument : old.args())
    if (may_be_private(*argument.getType()))
      types.push_back(llvm::Type::getInt64Ty(context));
  auto *made = llvm::Function::Create(llvm::FunctionType::get(old.getReturnType(), types, false),
                                      old.getLinkage());
  old.getParent()->getFunctionList().insert(old.getIterator(), made);
  made->setCallingConv(old.getCallingConv());
  made->setDSOLocal(old.isDSOLocal());
  made->setAttributes(attributes(context, old.getAttributes(), *old.getFunctionType()));
  made->addFnAttr(reports_from, std::to_string(old.arg_size()));
  made->copyMetadata(&old, 0);
  made->splice(made->begin(), &old);
  for (llvm::Argument &argument : old.args()) {
    llvm::Argument *now = made->getArg(argument.getArgNo());
    now->takeName(&argument);
    argument.replaceAllUsesWith(now);
  }
  return *made;
}

// The sum is disabled until watch_call().
void replace_call(llvm::CallInst &call, llvm::Function &now, llvm::Value &sum) {
  llvm::IRBuilder<> builder(&call);
  llvm::SmallVector<llvm::Value *> arguments(call.args());
  const size_t from = arguments.size();
  arguments.push_back(builder.getFalse());
  arguments.push_back(&sum);
  for (size_t index = 0; index != from; ++index)
    if (may_be_private(*arguments[index]->getType()))
      arguments.push_back(builder.getInt64(WriteSums::forgotten));
  llvm::CallInst *made = builder.CreateCall(&now, arguments);
  made->setAttributes(attributes(call.getContext(), call.getAttributes(), *call.getFunctionType()));
  made->setCallingConv(call.getCallingConv());
  made->setDebugLoc(call.getDebugLoc());
  made->takeName(&call);
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
}

void add_reports(llvm::Function &function) {
  llvm::SmallVector<llvm::Instruction *> writes;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto written = written_by(instruction); written && !(*written && is_own_variable(*written)))
      writes.push_back(&instruction);
  VariableNames names;
  WriteSums sums(function, names);
  const unsigned from = first_of(function);
  llvm::Argument *watched = function.getArg(from), *sum = function.getArg(from + 1);
  watched->setName("watched");
  sum->setName("sum");
  unsigned next = from + 2;
  for (unsigned index = 0; index != from; ++index)
    if (llvm::Argument *parameter = function.getArg(index); may_be_private(*parameter->getType())) {
      llvm::Argument *place = function.getArg(next++);
      place->setName(parameter->getName() + ".place");
      sums.set_place(*parameter, *place);
    }
  for (llvm::Instruction *write : writes)
    if (can_be_reported(*write)) {
      sums.add(*write, watched, sum);
    } else if (writes_of(*write) == CallWrites::reports) {
      auto *call = llvm::cast<llvm::CallInst>(write);
      watch_call(*call, watched, sums, is_own_variable);
      call->setArgOperand(first_of(*call->getCalledFunction()) + 1, sum);
    }
}

} // namespace

CallWrites writes_of(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && is_out_of_line(*callee) && !callee->isDeclaration() ? writes_in(*callee)
                                                                       : CallWrites::unknown;
}

bool calls_one_that_writes(const llvm::Loop &loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock *block) {
    return llvm::any_of(*block, [](const llvm::Instruction &instruction) {
      return writes_of(instruction) == CallWrites::reports;
    });
  });
}

llvm::AllocaInst *report_writes(llvm::Function &kernel) {
  llvm::AllocaInst *sum = nullptr;
  for (llvm::Function *function : out_of_line_functions_of(*kernel.getParent())) { // callees first
    if (writes_in(*function) != CallWrites::reports)
      continue;
    if (!sum) {
      llvm::BasicBlock &entry = kernel.getEntryBlock();
      llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
      sum = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "written.by.calls");
      builder.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
      builder.CreateStore(builder.getInt64(0), sum);
    }
    llvm::Function &now = with_more_parameters(*function);
    for (llvm::User *user : llvm::make_early_inc_range(function->users())) {
      auto &call = *llvm::cast<llvm::CallInst>(user);
      // A placeholder, until the caller is instrumented.
      llvm::Value *poison = llvm::PoisonValue::get(sum->getType());
      replace_call(call, now, call.getFunction() == &kernel ? *sum : *poison);
    }
    now.takeName(function);
    function->eraseFromParent();
    add_reports(now);
  }
  return sum;
}

void watch_call(llvm::CallInst &call, llvm::Value *watched, WriteSums &sums,
                llvm::function_ref<bool(const llvm::Value *pointer)> is_forgotten) {
  llvm::IRBuilder<> builder(&call);
  const unsigned from = first_of(*call.getCalledFunction());
  llvm::Value *so_far = call.getArgOperand(from);
  call.setArgOperand(from, builder.CreateOr(so_far, watched));
  unsigned next = from + 2;
  for (unsigned index = 0; index != from; ++index)
    if (llvm::Value *pointer = call.getArgOperand(index); may_be_private(*pointer->getType())) {
      if (!is_forgotten(pointer))
        call.setArgOperand(next, sums.emit_place(builder, pointer));
      ++next;
    }
}

} // namespace lockstep::compiler
