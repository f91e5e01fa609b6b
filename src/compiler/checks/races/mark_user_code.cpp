// Marks the instructions of the program, to distinguish them from those of the device library.
//
// Requires: a module whose builtins are declarations.
// Ensures: branches, loads and stores of the program have the metadata `lockstep.user.code`. A call
//   of __lockstep_collective_use (undefined_calls.h) precedes a collective for each value passed to
//   it.
// Why here: once the device library is linked and inlined, a branch inside sin() has the location
//   of its call. An undefined value that decides such a branch is not an error: it only makes the
//   result undefined.
#include "compiler/checks/races/passes.h"

#include "compiler/checks/common/primitive_calls.h"
#include "compiler/checks/races/record_scopes.h"
#include "compiler/checks/undefined/undefined_calls.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Collectives whose result for all work-items depends on the argument of each. Shuffles and
// broadcasts only copy.
bool is_collective(llvm::StringRef name) {
  if (!name.consume_front("work_group_") && !name.consume_front("sub_group_"))
    return false;
  if (name.contains("broadcast"))
    return false;
  for (llvm::StringRef kind :
       {"all", "any", "reduce_", "scan_", "non_uniform_", "ballot", "clustered_reduce_"})
    if (name.starts_with(kind))
      return true;
  return false;
}

constexpr llvm::StringLiteral group_broadcast = "work_group_broadcast";

void use_arguments(llvm::CallInst &call, unsigned from) {
  llvm::IRBuilder<> builder(&call);
  for (llvm::Value *argument : llvm::drop_begin(call.args(), from)) {
    llvm::Type *type = argument->getType();
    if (llvm::isa<llvm::Constant>(argument) ||
        !(type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy()))
      continue;
    auto callee = call.getModule()->getOrInsertFunction(name_for(collective_use_name, *type),
                                                        builder.getVoidTy(), type);
    builder.CreateCall(callee, {argument})->setDoesNotThrow();
  }
}

llvm::CallInst *call_pure(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Type &of,
                          llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::CallInst *made = call_named(builder, name_for(name, of), result, arguments);
  made->setDoesNotAccessMemory();
  return made;
}

// Broadcasts the shadow bits along with the value. The scratch memory of collectives, through which
// the value passes, has no shadow.
void move_bits(llvm::CallInst &call) {
  llvm::Value *value = call.getArgOperand(0);
  llvm::Type *type = value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  if (llvm::isa<llvm::Constant>(value) || type->isVectorTy() ||
      (bits != 16 && bits != 32 && bits != 64))
    return;
  llvm::IRBuilder<> builder(&call);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  llvm::Type *word = builder.getInt64Ty();
  std::string name = ("_Z20" + group_broadcast + "m").str(); // overload for ulong
  name.append(call.arg_size() - 1, 'm');
  auto broadcast = [&](llvm::Value *bits_of_one) {
    llvm::SmallVector<llvm::Value *> arguments(call.args());
    llvm::SmallVector<llvm::Type *> types = {word};
    arguments[0] = bits_of_one;
    for (llvm::Value *argument : llvm::drop_begin(arguments))
      types.push_back(argument->getType());
    auto callee =
        call.getModule()->getOrInsertFunction(name, llvm::FunctionType::get(word, types, false));
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setCallingConv(call.getCallingConv());
    function->setConvergent();
    llvm::CallInst *made = builder.CreateCall(callee, arguments);
    made->setCallingConv(call.getCallingConv());
    made->setConvergent();
    return made;
  };
  llvm::Type *integer = builder.getIntNTy(bits);
  llvm::Value *own = builder.CreateZExt(call_pure(builder, bits_of_name, *type, integer, {value}),
                                        word),
              *computed = builder.CreateZExt(
                  call_pure(builder, computed_of_name, *type, builder.getInt1Ty(), {value}), word);
  llvm::Value *taken = nullptr, *is_computed = nullptr;
  if (bits == 64) {
    taken = broadcast(own);
    is_computed = broadcast(computed);
  } else {
    llvm::Value *both = broadcast(builder.CreateOr(own, builder.CreateShl(computed, 32)));
    taken = builder.CreateTrunc(both, integer);
    is_computed = builder.CreateLShr(both, 32);
  }
  builder.SetInsertPoint(call.getNextNode());
  is_computed = builder.CreateTrunc(is_computed, builder.getInt1Ty());
  llvm::CallInst *result =
      call_pure(builder, with_bits_name, *type, type, {&call, taken, is_computed});
  call.replaceUsesWithIf(result, [&](const llvm::Use &use) { return use.getUser() != result; });
}

} // namespace

llvm::PreservedAnalyses MarkUserCodePass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  llvm::MDNode *mark = llvm::MDNode::get(module.getContext(), {});
  llvm::SmallVector<llvm::CallInst *> collectives, broadcasts;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::LoadInst, llvm::StoreInst>(
              instruction))
        instruction.setMetadata(user_code, mark);
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || !call->getCalledFunction())
        continue;
      const llvm::StringRef name = builtin_name(*call->getCalledFunction());
      if (is_collective(name))
        collectives.push_back(call);
      else if (name == group_broadcast)
        broadcasts.push_back(call);
    }
  for (llvm::CallInst *call : collectives)
    use_arguments(*call, 0);
  for (llvm::CallInst *call : broadcasts) {
    use_arguments(*call, 1);
    move_bits(*call);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
