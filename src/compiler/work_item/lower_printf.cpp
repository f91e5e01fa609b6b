// Replaces calls of printf by calls of the primitive __lockstep_printf.
//
// Requires: kernel IR with variadic calls `i32 @printf(ptr addrspace(2) format, ...)`.
// Ensures: no call of printf is left. Arguments are stored in a block on the stack, each at the
// next multiple of its packed size; the call passes a pointer to the block and its size.
//
// Machine code cannot call a variadic function with OpenCL's vectors; the block has the same layout
// everywhere. A constant format determines the size of each argument, since device_printf.h reads
// by the format. Arguments of another integer or floating-point size are converted. So `%d` with a
// size_t, undefined but common, corrupts neither itself nor later arguments.
#include "compiler/work_item/passes.h"

#include "abi/address_spaces.h"

#include "abi/printf_format.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <deque>

namespace lockstep::compiler {
namespace {

// The conversions that take an argument, if the format is constant and well-formed.
std::optional<std::deque<PrintfConversion>> conversions_of(const llvm::Value *format) {
  llvm::StringRef text;
  if (!llvm::getConstantStringInfo(format, text))
    return std::nullopt;
  std::deque<PrintfConversion> conversions;
  std::string_view rest(text);
  while (!rest.empty()) {
    PrintfPiece piece = next_printf_piece(rest);
    if (piece.malformed)
      return std::nullopt;
    if (piece.conversion && piece.conversion->specifier != '%')
      conversions.push_back(std::move(*piece.conversion));
  }
  return conversions;
}

unsigned element_count(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

uint64_t packed_size_of(llvm::Type *type, const llvm::DataLayout &layout) {
  unsigned count = element_count(type);
  return layout.getTypeStoreSize(type->getScalarType()) * (count == 3 ? 4 : count);
}

llvm::Type *with_element(llvm::Type *type, llvm::Type *element) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
}

llvm::Type *float_of_size(llvm::LLVMContext &context, unsigned bytes) {
  return bytes == 2   ? llvm::Type::getHalfTy(context)
         : bytes == 4 ? llvm::Type::getFloatTy(context)
                      : llvm::Type::getDoubleTy(context);
}

// Converts the value to the size of the format; unchanged if the format expects another kind of
// value.
llvm::Value *converted(llvm::IRBuilder<> &builder, llvm::Value *value,
                       const PrintfConversion &conversion) {
  llvm::Type *type = value->getType();
  if (element_count(type) != conversion.element_count())
    return value;
  if (type->isIntOrIntVectorTy() && !conversion.is_float() && conversion.specifier != 's') {
    llvm::Type *wanted = with_element(type, builder.getIntNTy(conversion.element_size() * 8));
    return builder.CreateIntCast(value, wanted, conversion.is_signed());
  }
  if (type->isFPOrFPVectorTy() && conversion.is_float()) {
    llvm::Type *wanted =
        with_element(type, float_of_size(builder.getContext(), conversion.element_size()));
    return builder.CreateFPCast(value, wanted);
  }
  if (type->isPointerTy() && type->getPointerAddressSpace() == local_space &&
      conversion.specifier == 's') // a device may read the string by a generic address
    return builder.CreateAddrSpaceCast(value, builder.getPtrTy(generic_space));
  return value;
}

struct PackedArgument {
  llvm::Value *value;
  uint64_t offset;
};

struct ArgumentBlock {
  std::vector<PackedArgument> arguments;
  uint64_t size = 0;
  uint64_t alignment = 1;

  void add(llvm::Value *value, uint64_t packed_size) {
    uint64_t offset = llvm::alignTo(size, packed_size);
    arguments.push_back({value, offset});
    size = offset + packed_size;
    alignment = std::max(alignment, packed_size);
  }
};

ArgumentBlock pack_arguments(llvm::IRBuilder<> &builder, const llvm::CallInst &call) {
  const llvm::DataLayout &layout = call.getDataLayout();
  auto conversions = conversions_of(call.getArgOperand(0));
  ArgumentBlock block;
  for (llvm::Value *argument : llvm::drop_begin(call.args())) {
    if (!conversions) {
      block.add(argument, packed_size_of(argument->getType(), layout));
      continue;
    }
    if (conversions->empty())
      break; // excess arguments are ignored (OpenCL C 6.15.14)
    PrintfConversion conversion = std::move(conversions->front());
    conversions->pop_front();
    llvm::Value *value = converted(builder, argument, conversion);
    // If the kinds do not match (undefined), the slot still has the size that the reader skips.
    // Nothing but a pointer has the address of a string.
    const uint64_t bytes = layout.getTypeStoreSize(value->getType());
    if (bytes > conversion.packed_size() ||
        (conversion.specifier == 's' && bytes != conversion.packed_size()))
      value = llvm::Constant::getNullValue(builder.getIntNTy(conversion.packed_size() * 8));
    block.add(value, conversion.packed_size());
  }
  return block;
}

// Returns the filled block on the stack; a null pointer if it is empty.
llvm::Value *store_block(llvm::IRBuilder<> &builder, const ArgumentBlock &block,
                         llvm::Function &function) {
  llvm::Type *pointer = builder.getPtrTy();
  if (block.arguments.empty())
    return llvm::Constant::getNullValue(pointer);
  llvm::IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
  auto *memory = entry.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), block.size), nullptr,
                                    "printf.arguments");
  memory->setAlignment(llvm::Align(block.alignment));
  for (const PackedArgument &argument : block.arguments)
    builder.CreateAlignedStore(
        argument.value,
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, argument.offset),
        llvm::commonAlignment(llvm::Align(block.alignment), argument.offset));
  return memory;
}

void lower_call(llvm::CallInst &call, llvm::FunctionCallee primitive) {
  llvm::IRBuilder<> builder(&call);
  ArgumentBlock block = pack_arguments(builder, call);
  llvm::Value *memory = store_block(builder, block, *call.getFunction());
  auto *lowered =
      builder.CreateCall(primitive, {call.getArgOperand(0), memory,
                                     builder.getInt32(static_cast<uint32_t>(block.size))});
  lowered->setDoesNotThrow();
  call.replaceAllUsesWith(lowered);
  call.eraseFromParent();
}

llvm::FunctionCallee declare_printf(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *int32 = llvm::Type::getInt32Ty(context);
  return declare_primitive(
      module, Primitive::printf, int32,
      {llvm::PointerType::get(context, constant_space), llvm::PointerType::get(context, 0), int32});
}

} // namespace

llvm::PreservedAnalyses LowerPrintfPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  llvm::Function *printf = module.getFunction("printf");
  if (!printf || !printf->isDeclaration())
    return llvm::PreservedAnalyses::all();
  std::vector<llvm::CallInst *> calls;
  for (llvm::User *user : printf->users())
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(user);
        call && call->getCalledOperand() == printf)
      calls.push_back(call);
  llvm::FunctionCallee primitive = declare_printf(module);
  for (llvm::CallInst *call : calls)
    lower_call(*call, primitive);
  if (printf->use_empty())
    printf->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
