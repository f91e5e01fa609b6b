// Device-side queues and events (docs/kernel_ir.md, "Blocks, queues and events").
//
// OpEnqueueKernel names a function and the memory of its captures. The launch finds captures behind
// a head with their size, and runs a kernel with the attribute "lockstep-block". So an enqueue puts
// a head and a copy of the captures into a private variable, and the function gets such a kernel.
#include "front_ends/spirv/instructions/builtin_calls.h"
#include "front_ends/spirv/instructions/translators.h"

#include "abi/address_spaces.h"
#include "kernel_ir/kernel_info.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr uint64_t head_size = 16;           // BlockHead of abi/device_enqueue_abi.h
constexpr uint64_t largest_alignment = 128;  // that copies of a block have
constexpr uint64_t largest_captures = 65536; // bytes

llvm::PointerType *generic_pointer(FunctionReader &reader) {
  return llvm::PointerType::get(reader.context(), generic_space);
}

// {i32, [3 x i64], [3 x i64], [3 x i64]}: dimensions, offset, global size, local size.
llvm::StructType *range_type(FunctionReader &reader) {
  Builder &builder = reader.builder();
  auto *sizes = llvm::ArrayType::get(builder.getInt64Ty(), 3);
  return llvm::StructType::get(builder.getInt32Ty(), sizes, sizes, sizes);
}

bool is_range(FunctionReader &reader, llvm::Type *type) {
  auto *structure = llvm::dyn_cast<llvm::StructType>(type);
  return structure && structure->isLayoutIdentical(range_type(reader));
}

// ---- ranges ----

// Three sizes of one operand: a scalar, or an array or vector of up to three.
Result<std::vector<llvm::Value *>> sizes(FunctionReader &reader, const Instruction &i,
                                         size_t operand) {
  Builder &builder = reader.builder();
  const Type &type = reader.type(i, operand);
  const bool is_composite = type.is(TypeKind::array) || type.is(TypeKind::vector);
  const Type &element = is_composite ? *type.element : type;
  if (!element.is(TypeKind::int_type) || (is_composite && type.count > 3))
    return reader.fail(i, operand, fmt::format("is {}, not up to 3 integers", description(type)));
  std::vector<llvm::Value *> result;
  for (unsigned dimension = 0; dimension < (is_composite ? type.count : 1); ++dimension) {
    llvm::Value *size = reader.value(i, operand);
    if (type.is(TypeKind::array))
      size = builder.CreateExtractValue(size, dimension);
    else if (is_composite)
      size = builder.CreateExtractElement(size, dimension);
    result.push_back(to_64(builder, size));
  }
  return result;
}

// A pointer to the range, in private memory.
Result<llvm::Value *> range_pointer(FunctionReader &reader, const Instruction &i, size_t operand) {
  const Type &type = reader.type(i, operand);
  llvm::Value *value = reader.value(i, operand);
  const Type *pointee = type.is(TypeKind::pointer) ? type.element : &type;
  if (!pointee || !pointee->llvm || !is_range(reader, pointee->llvm))
    return reader.fail(i, operand,
                       fmt::format("is {}, not the range of OpBuildNDRange", description(type)));
  if (type.is(TypeKind::pointer) && type.llvm->getPointerAddressSpace() == private_space)
    return value;
  if (type.is(TypeKind::pointer))
    value = reader.builder().CreateLoad(pointee->llvm, value);
  llvm::AllocaInst *copy = reader.private_variable(pointee->llvm);
  reader.builder().CreateStore(value, copy);
  return copy;
}

// ---- blocks ----

struct Block {
  llvm::Value *kernel, *literal; // generic pointers
};

// The operands of a block, from `first` on: function, captures, their size, their alignment.
struct BlockOperands {
  Id id; // of the function
  llvm::Function *invoke;
  uint64_t size, offset; // of the captures, in the literal
};

Result<BlockOperands> block_operands(FunctionReader &reader, const Instruction &i, size_t first) {
  const Id id = reader.word(i, first);
  llvm::Function *invoke = reader.reader().find_function(id);
  const std::optional<uint64_t> size = reader.constant(i, first + 2);
  const std::optional<uint64_t> alignment = reader.constant(i, first + 3);
  if (!size || *size > largest_captures)
    return reader.fail(i, first + 2,
                       fmt::format("is not a constant of at most {}", largest_captures));
  if (!alignment || *alignment > largest_alignment)
    return reader.fail(i, first + 3,
                       fmt::format("is not a constant of at most {}", largest_alignment));
  llvm::FunctionType *type = invoke->getFunctionType();
  if (!type->getReturnType()->isVoidTy() || type->getNumParams() == 0 ||
      type->getParamType(0) != generic_pointer(reader))
    return reader.fail(i, first, "is not a function of a generic pointer that returns void");
  for (unsigned parameter = 1; parameter < type->getNumParams(); ++parameter)
    if (type->getParamType(parameter) != llvm::PointerType::get(reader.context(), local_space))
      return reader.fail(i, first, "has a parameter that is not a pointer to Workgroup memory");
  return BlockOperands{id, invoke, *size, *alignment <= head_size ? head_size : largest_alignment};
}

// The location of the instruction, in the kernel's own subprogram.
void place(FunctionReader &reader, llvm::Function &kernel, llvm::CallInst &call) {
  const llvm::DebugLoc &at = reader.builder().getCurrentDebugLocation();
  llvm::DISubprogram *enqueuing = reader.function().getSubprogram();
  if (!enqueuing || !at)
    return;
  llvm::DIBuilder builder(reader.target(), /*AllowUnresolved=*/false, enqueuing->getUnit());
  llvm::DISubprogram *own = builder.createFunction(
      enqueuing->getFile(), kernel.getName(), kernel.getName(), enqueuing->getFile(), at.getLine(),
      enqueuing->getType(), at.getLine(), enqueuing->getFlags(), enqueuing->getSPFlags());
  builder.finalizeSubprogram(own);
  kernel.setSubprogram(own);
  call.setDebugLoc(llvm::DILocation::get(reader.context(), at.getLine(), 0, own));
}

llvm::Function *make_block_kernel(FunctionReader &reader, const BlockOperands &block,
                                  const std::string &name) {
  std::vector<llvm::Type *> parameters = block.invoke->getFunctionType()->params().vec();
  auto *kernel = llvm::Function::Create(
      llvm::FunctionType::get(reader.builder().getVoidTy(), parameters, false),
      llvm::GlobalValue::InternalLinkage, name, reader.target());
  kernel->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
  kernel->addFnAttr(block_attribute);
  kernel->addFnAttr(llvm::Attribute::NoUnwind);
  kernel->addFnAttr(llvm::Attribute::Convergent);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(reader.context(), "entry", kernel));
  std::vector<llvm::Value *> arguments;
  for (llvm::Argument &argument : kernel->args())
    arguments.push_back(&argument);
  arguments[0] =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), arguments[0], block.offset);
  llvm::CallInst *call = builder.CreateCall(block.invoke, arguments);
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  builder.CreateRetVoid();
  place(reader, *kernel, *call);
  return kernel;
}

// One for each function that is enqueued. Functions need not have names, nor different ones.
llvm::Function *block_kernel(FunctionReader &reader, const BlockOperands &block) {
  const std::string name = fmt::format("{}.block.{}.{}", reader.source().name_of(block.id).str(),
                                       block.id, block.offset);
  llvm::Function *kernel = reader.target().getFunction(name);
  if (kernel && kernel->hasFnAttribute(block_attribute))
    return kernel;
  return make_block_kernel(reader, block, name);
}

// A head and a copy of the captures.
llvm::Value *make_literal(FunctionReader &reader, const Instruction &i, size_t captures,
                          const BlockOperands &block) {
  Builder &builder = reader.builder();
  llvm::AllocaInst *literal =
      reader.private_variable(llvm::ArrayType::get(builder.getInt8Ty(), block.offset + block.size));
  literal->setAlignment(llvm::Align(largest_alignment));
  auto at = [&](uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), literal, offset);
  };
  builder.CreateStore(builder.getInt32(static_cast<uint32_t>(block.offset + block.size)), at(0));
  builder.CreateStore(builder.getInt32(largest_alignment), at(4));
  builder.CreateStore(builder.getInt64(0), at(8));
  if (block.size != 0)
    builder.CreateMemCpy(at(block.offset), llvm::Align(block.offset), reader.value(i, captures),
                         llvm::Align(1), block.size);
  return to_generic(builder, literal);
}

Result<Block> make_block(FunctionReader &reader, const Instruction &i, size_t first) {
  auto operands = block_operands(reader, i, first);
  LOCKSTEP_TRY(operands);
  llvm::Value *literal = make_literal(reader, i, first + 1, *operands);
  return Block{to_generic(reader.builder(), block_kernel(reader, *operands)), literal};
}

// A size of local memory. Khronos's translator writes a pointer to it.
Result<llvm::Value *> local_size(FunctionReader &reader, const Instruction &i, size_t operand) {
  Builder &builder = reader.builder();
  const Type &type = reader.type(i, operand);
  const Type *number = type.is(TypeKind::pointer) ? type.element : &type;
  if (!number || !number->is(TypeKind::int_type))
    return reader.fail(i, operand, fmt::format("is {}, not an integer", description(type)));
  llvm::Value *size = reader.value(i, operand);
  if (type.is(TypeKind::pointer))
    size = builder.CreateLoad(number->llvm, size);
  return to_64(builder, size);
}

// The sizes of local memory that an enqueue passes, in private memory.
Result<llvm::Value *> local_sizes(FunctionReader &reader, const Instruction &i, size_t first) {
  Builder &builder = reader.builder();
  const size_t count = reader.count(i) - first;
  llvm::AllocaInst *sizes =
      reader.private_variable(llvm::ArrayType::get(builder.getInt64Ty(), count));
  for (size_t index = 0; index < count; ++index) {
    auto size = local_size(reader, i, first + index);
    LOCKSTEP_TRY(size);
    builder.CreateStore(*size,
                        builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), sizes, index));
  }
  return sizes;
}

constexpr const char *work_group_size = "__get_kernel_work_group_size_impl";
constexpr const char *size_multiple = "__get_kernel_preferred_work_group_size_multiple_impl";
constexpr size_t enqueue_operands = 10; // before the sizes of local memory

} // namespace

Result<llvm::Value *> translate_range(FunctionReader &reader, const Instruction &i) {
  llvm::Type *type = reader.result_type(i).llvm;
  if (!is_range(reader, type))
    return reader.fail(i, "its result is not a structure of a number of dimensions and three "
                          "arrays of three sizes");
  Builder &builder = reader.builder();
  llvm::Value *range = llvm::Constant::getNullValue(type);
  uint64_t dimensions = 0;
  constexpr unsigned global_size = 2, local_size = 3, offset = 1; // members of the structure
  for (auto [operand, member] : {std::pair{0u, global_size}, {1u, local_size}, {2u, offset}}) {
    auto all = sizes(reader, i, operand);
    LOCKSTEP_TRY(all);
    if (operand == 0)
      dimensions = all->size();
    for (unsigned dimension = 0; dimension < std::min<uint64_t>(all->size(), dimensions);
         ++dimension)
      range = builder.CreateInsertValue(range, (*all)[dimension], {member, dimension});
  }
  return builder.CreateInsertValue(range, builder.getInt32(static_cast<uint32_t>(dimensions)), 0);
}

Result<llvm::Value *> translate_enqueue_kernel(FunctionReader &reader, const Instruction &i) {
  auto range = range_pointer(reader, i, 2);
  LOCKSTEP_TRY(range);
  auto block = make_block(reader, i, 6);
  LOCKSTEP_TRY(block);
  Builder &builder = reader.builder();
  std::vector<llvm::Value *> arguments = {reader.value(i, 0), reader.value(i, 1), *range};
  arguments.push_back(reader.value(i, 3));
  arguments.push_back(to_generic(builder, reader.value(i, 4)));
  arguments.push_back(to_generic(builder, reader.value(i, 5)));
  arguments.push_back(block->kernel);
  arguments.push_back(block->literal);
  const size_t parameters = reader.reader().find_function(reader.word(i, 6))->arg_size();
  if (reader.count(i) - enqueue_operands != parameters - 1)
    return reader.fail(i, "it has another number of sizes of local memory than the function has "
                          "pointers to such memory");
  if (parameters == 1)
    return call_plain(reader, "__enqueue_kernel_basic_events", builder.getInt32Ty(), arguments);
  arguments.push_back(builder.getInt32(static_cast<uint32_t>(parameters - 1)));
  auto sizes_of_memory = local_sizes(reader, i, enqueue_operands);
  LOCKSTEP_TRY(sizes_of_memory);
  arguments.push_back(*sizes_of_memory);
  return call_plain(reader, "__enqueue_kernel_events_varargs", builder.getInt32Ty(), arguments);
}

Result<llvm::Value *> translate_block_query(FunctionReader &reader, const Instruction &i) {
  const bool has_range = i.opcode == Op::OpGetKernelNDrangeSubGroupCount ||
                         i.opcode == Op::OpGetKernelNDrangeMaxSubGroupSize;
  std::vector<llvm::Value *> arguments;
  if (has_range) {
    auto range = range_pointer(reader, i, 0);
    LOCKSTEP_TRY(range);
    arguments.push_back(*range);
  }
  auto block = make_block(reader, i, has_range ? 1 : 0);
  LOCKSTEP_TRY(block);
  arguments.push_back(block->kernel);
  arguments.push_back(block->literal);
  const char *name = i.opcode == Op::OpGetKernelNDrangeSubGroupCount
                         ? "__get_kernel_sub_group_count_for_ndrange_impl"
                     : i.opcode == Op::OpGetKernelNDrangeMaxSubGroupSize
                         ? "__get_kernel_max_sub_group_size_for_ndrange_impl"
                     : i.opcode == Op::OpGetKernelWorkGroupSize ? work_group_size
                                                                : size_multiple;
  return call_plain(reader, name, reader.builder().getInt32Ty(), arguments);
}

// How many sub-groups a group can have, and the local size for so many. OpenCL C has no functions
// for that. The preferred multiple of local sizes is the size of a sub-group.
Result<llvm::Value *> translate_sub_group_dispatch(FunctionReader &reader, const Instruction &i) {
  const bool is_size = i.opcode == Op::OpGetKernelLocalSizeForSubgroupCount;
  auto block = make_block(reader, i, is_size ? 1 : 0);
  LOCKSTEP_TRY(block);
  Builder &builder = reader.builder();
  auto query = [&](const char *name) {
    return call_plain(reader, name, builder.getInt32Ty(), {block->kernel, block->literal});
  };
  llvm::Value *items = query(work_group_size);
  llvm::Value *sub_group = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax,
                                                         query(size_multiple), builder.getInt32(1));
  llvm::Value *most = builder.CreateUDiv(items, sub_group);
  if (!is_size)
    return most;
  llvm::Value *count = reader.value(i, 0);
  return builder.CreateSelect(builder.CreateICmpULE(count, most),
                              builder.CreateMul(count, sub_group), builder.getInt32(0));
}

} // namespace lockstep::compiler::spirv
