#include "mend_kernel_ir.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <optional>
#include <string>

namespace lockstep::test {
namespace {

// "atomic_load_explicit" for "_Z20atomic_load_explicitPU3AS4VU7_Atomici12memory_order".
llvm::StringRef plain_name(llvm::StringRef symbol) {
  unsigned length = 0;
  if (!symbol.consume_front("_Z") || symbol.consumeInteger(10, length) || length > symbol.size())
    return {};
  return symbol.take_front(length);
}

std::optional<uint64_t> number(llvm::Value *value) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
}

// OpenCL C's memory_scope as SPIR-V's Scope.
std::optional<uint32_t> scope(llvm::Value *memory_scope) {
  constexpr uint32_t scopes[] = {4, 2, 1, 0, 3}; // work-item, work-group, device, all, sub-group
  const auto value = number(memory_scope);
  return value && *value < std::size(scopes) ? std::optional(scopes[*value]) : std::nullopt;
}

// C's memory_order as the bits of SPIR-V's Memory Semantics.
std::optional<uint32_t> order(llvm::Value *memory_order) {
  constexpr uint32_t bits[] = {0, 2, 2, 4, 8, 16}; // relaxed, consume, acquire, release, both, seq
  const auto value = number(memory_order);
  return value && *value < std::size(bits) ? std::optional(bits[*value]) : std::nullopt;
}

// cl_mem_fence_flags as the bits of memory semantics that name storage classes.
std::optional<uint32_t> memories(llvm::Value *flags) {
  const auto value = number(flags);
  if (!value)
    return std::nullopt;
  constexpr uint32_t workgroup = 0x100, cross_workgroup = 0x200, image = 0x800;
  return (*value & 1 ? workgroup : 0) | (*value & 2 ? cross_workgroup : 0) |
         (*value & 4 ? image : 0);
}

// The mangled types of the parameters.
llvm::StringRef parameters(llvm::StringRef symbol) {
  const llvm::StringRef name = plain_name(symbol);
  return symbol.drop_front(name.end() - symbol.begin());
}

// A call that the back end writes as the instruction Op<name>.
llvm::CallInst *call(llvm::CallInst &before, llvm::StringRef name, llvm::StringRef mangled_types,
                     llvm::Type *type, llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto *function_type = llvm::FunctionType::get(type, types, false);
  const std::string plain = ("__spirv_" + name).str();
  auto function = before.getModule()->getOrInsertFunction(
      "_Z" + std::to_string(plain.size()) + plain + mangled_types.str(), function_type);
  auto *callee = llvm::cast<llvm::Function>(function.getCallee());
  callee->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  llvm::IRBuilder<> builder(&before);
  auto *made = builder.CreateCall(function, arguments);
  made->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  return made;
}

// The back end takes the order for the scope, and translates neither.
llvm::Value *mend_load(llvm::CallInst &load) {
  if (load.arg_size() < 2)
    return nullptr;
  constexpr uint32_t device = 1; // the default
  const auto semantics = order(load.getArgOperand(1));
  const auto where =
      load.arg_size() == 3 ? scope(load.getArgOperand(2)) : std::optional<uint32_t>(device);
  if (!semantics || !where)
    return nullptr;
  llvm::IRBuilder<> builder(&load);
  return call(load, "AtomicLoad", parameters(load.getCalledFunction()->getName()), load.getType(),
              {load.getArgOperand(0), builder.getInt32(*where), builder.getInt32(*semantics)});
}

// The instruction of the weak form is for kernels of SPIR-V 1.3 or earlier only; the strong form is one.
llvm::Value *mend_exchange(llvm::CallInst &weak) {
  std::string symbol = weak.getCalledFunction()->getName().str();
  const llvm::StringRef name = plain_name(symbol);
  const std::string strong = "atomic_compare_exchange_strong" +
                             name.drop_front(sizeof "atomic_compare_exchange_weak" - 1).str();
  symbol = "_Z" + std::to_string(strong.size()) + strong + parameters(symbol).str();
  auto function =
      weak.getModule()->getOrInsertFunction(symbol, weak.getCalledFunction()->getFunctionType());
  weak.setCalledFunction(function);
  llvm::cast<llvm::Function>(function.getCallee())->setCallingConv(weak.getCallingConv());
  return nullptr;
}

// The back end takes the memory scope for the scope of execution, too.
llvm::Value *mend_barrier(llvm::CallInst &barrier) {
  if (barrier.arg_size() != 2)
    return nullptr;
  const auto semantics = memories(barrier.getArgOperand(0));
  const auto where = scope(barrier.getArgOperand(1));
  if (!semantics || !where)
    return nullptr;
  constexpr uint32_t workgroup = 2, sequentially_consistent = 16;
  llvm::IRBuilder<> builder(&barrier);
  return call(barrier, "ControlBarrier", "jjj", barrier.getType(),
              {builder.getInt32(workgroup), builder.getInt32(*where),
               builder.getInt32(*semantics ? *semantics | sequentially_consistent : 0)});
}

// OpAny and OpAll are for vectors of bool; the back end writes them for integers.
llvm::Value *mend_any(llvm::CallInst &any, llvm::StringRef name) {
  llvm::Value *operand = any.getArgOperand(0);
  llvm::IRBuilder<> builder(&any);
  auto *zero = llvm::ConstantInt::get(operand->getType(), 0);
  llvm::Value *is_set = builder.CreateICmpSLT(operand, zero);
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(operand->getType()))
    is_set =
        call(any, name == "any" ? "Any" : "All",
             "Dv" + std::to_string(vector->getNumElements()) + "_b", builder.getInt1Ty(), {is_set});
  return builder.CreateZExt(is_set, any.getType());
}

// ldexp(float4, int): the instruction takes two vectors.
llvm::Value *mend_ldexp(llvm::CallInst &ldexp) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(ldexp.getType());
  llvm::Value *exponent = ldexp.getArgOperand(1);
  if (!vector || exponent->getType()->isVectorTy())
    return nullptr;
  llvm::IRBuilder<> builder(&ldexp);
  const std::string prefix = "Dv" + std::to_string(vector->getNumElements()) + "_";
  const llvm::StringRef types = parameters(ldexp.getCalledFunction()->getName());
  llvm::Value *exponents = builder.CreateVectorSplat(vector->getNumElements(), exponent);
  auto *type = llvm::FunctionType::get(vector, {vector, exponents->getType()}, false);
  auto function = ldexp.getModule()->getOrInsertFunction(
      ("_Z5ldexp" + types.drop_back() + prefix + "i").str(), type);
  auto *made = builder.CreateCall(function, {ldexp.getArgOperand(0), exponents});
  made->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  llvm::cast<llvm::Function>(function.getCallee())->setCallingConv(made->getCallingConv());
  return made;
}

// convert_uchar_sat(ulong) and others between two types with a sign, or two without.
llvm::Value *saturate(llvm::IRBuilder<> &builder, llvm::Value *operand, llvm::Type *type,
                      bool is_signed) {
  const unsigned from = operand->getType()->getScalarSizeInBits(), to = type->getScalarSizeInBits();
  if (to < from) {
    auto *most = llvm::ConstantInt::get(operand->getType(),
                                        llvm::APInt::getLowBitsSet(from, to - is_signed));
    operand = builder.CreateSelect(
        builder.CreateICmp(is_signed ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_UGT, operand,
                           most),
        most, operand);
    auto *least = llvm::ConstantInt::get(operand->getType(),
                                         llvm::APInt::getHighBitsSet(from, from - to + 1));
    if (is_signed)
      operand = builder.CreateSelect(builder.CreateICmpSLT(operand, least), least, operand);
  }
  return builder.CreateIntCast(operand, type, is_signed);
}

// convert_int2(short2) and others: the back end extends with zeros. Where it saturates, and both
// types have a sign or none has, it writes the instruction for one with and one without.
llvm::Value *mend_conversion(llvm::CallInst &conversion, llvm::StringRef name) {
  llvm::Value *operand = conversion.getArgOperand(0);
  if (!operand->getType()->isIntOrIntVectorTy() || !conversion.getType()->isIntOrIntVectorTy())
    return nullptr;
  const llvm::StringRef type = parameters(conversion.getCalledFunction()->getName());
  const bool is_signed = llvm::StringRef("casil").contains(type.back());
  llvm::IRBuilder<> builder(&conversion);
  if (!name.contains("_sat"))
    return builder.CreateIntCast(operand, conversion.getType(), is_signed);
  const bool to_signed = !name.starts_with("convert_u");
  return is_signed == to_signed ? saturate(builder, operand, conversion.getType(), is_signed)
                                : nullptr;
}

// get_image_channel_data_type: the back end writes the enumerant of SPIR-V, which counts from zero.
llvm::Value *mend_channel_type(llvm::CallInst &query) {
  constexpr uint32_t first = 0x10D0; // CLK_SNORM_INT8
  llvm::IRBuilder<> builder(&query);
  return builder.CreateAdd(builder.Insert(query.clone()), builder.getInt32(first));
}

// vloada_half3: the back end writes the instruction of vload_half3, whose vectors are not padded.
llvm::Value *mend_padded_load(llvm::CallInst &load) {
  llvm::IRBuilder<> builder(&load);
  llvm::Value *index = load.getArgOperand(0);
  llvm::Value *address =
      builder.CreateGEP(builder.getHalfTy(), load.getArgOperand(1), builder.CreateShl(index, 2));
  auto *copy = llvm::cast<llvm::CallInst>(builder.Insert(load.clone()));
  copy->setArgOperand(0, llvm::ConstantInt::get(index->getType(), 0));
  copy->setArgOperand(1, address);
  return copy;
}

// The back end gives a local array that only builtins use the type of their parameter: one element.
void mend_arrays(llvm::CallInst &call) {
  for (llvm::Use &argument : call.args()) {
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(argument.get());
    if (!variable || !variable->getValueType()->isArrayTy())
      continue;
    llvm::Value *zero = llvm::ConstantInt::get(llvm::Type::getInt64Ty(call.getContext()), 0);
    argument = llvm::GetElementPtrInst::CreateInBounds(variable->getValueType(), variable,
                                                       {zero, zero}, "", call.getIterator());
  }
}

// The back end takes the type of a private array from its uses: an array of pointers that is stored
// to as one pointer becomes one pointer.
void mend_private_array(llvm::AllocaInst &variable) {
  if (!variable.getAllocatedType()->isArrayTy())
    return;
  llvm::Value *zero = llvm::ConstantInt::get(llvm::Type::getInt64Ty(variable.getContext()), 0);
  auto *first =
      llvm::GetElementPtrInst::CreateInBounds(variable.getAllocatedType(), &variable, {zero, zero},
                                              "", variable.getNextNode()->getIterator());
  variable.replaceUsesWithIf(first, [&](llvm::Use &use) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(use.getUser());
    auto *element = llvm::dyn_cast<llvm::GetElementPtrInst>(use.getUser());
    return use.getUser() != first && !(call && call->isLifetimeStartOrEnd()) &&
           !(element && element->getSourceElementType() == variable.getAllocatedType());
  });
  if (first->use_empty())
    first->eraseFromParent();
}

llvm::Value *mended(llvm::CallInst &instruction) {
  const llvm::Function *callee = instruction.getCalledFunction();
  const llvm::StringRef name = callee ? plain_name(callee->getName()) : llvm::StringRef();
  if (name == "atomic_load_explicit")
    return mend_load(instruction);
  if (name.starts_with("atomic_compare_exchange_weak"))
    return mend_exchange(instruction);
  if (name == "work_group_barrier")
    return mend_barrier(instruction);
  if (name == "any" || name == "all")
    return mend_any(instruction, name);
  if (name == "ldexp")
    return mend_ldexp(instruction);
  if (name == "get_image_channel_data_type")
    return mend_channel_type(instruction);
  if (name == "vloada_half3")
    return mend_padded_load(instruction);
  if (name.starts_with("convert_") && instruction.arg_size() == 1)
    return mend_conversion(instruction, name);
  return nullptr;
}

} // namespace

void mend_kernel_ir(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
        if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
          mend_private_array(*variable);
        auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        llvm::Value *replacement = call ? mended(*call) : nullptr;
        if (call && !replacement)
          mend_arrays(*call);
        if (!replacement)
          continue;
        call->replaceAllUsesWith(replacement);
        call->eraseFromParent();
      }
}

} // namespace lockstep::test
