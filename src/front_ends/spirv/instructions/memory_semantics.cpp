#include "front_ends/spirv/instructions/memory_semantics.h"

#include "abi/address_spaces.h"

#include <utility>

namespace lockstep::compiler::spirv {
namespace {

// The values of OpenCL C (6.15.12.4).
enum MemoryScope : uint32_t {
  item_scope,
  group_scope,
  device_scope,
  system_scope,
  sub_group_scope
};
enum MemoryOrder : uint32_t {
  relaxed = 0,
  acquire = 2,
  release = 3,
  acquire_release = 4,
  sequential = 5
};
constexpr uint32_t local_fence = 1, global_fence = 2, image_fence = 4;

uint32_t bits(spv::MemorySemanticsMask mask) {
  return static_cast<uint32_t>(mask);
}

// flat: chooses value by value; the builder folds what is constant
llvm::Value *scope_value(Builder &builder, llvm::Value *scope) {
  static constexpr std::pair<spv::Scope, MemoryScope> scopes[] = {
      {spv::Scope::Device, device_scope},
      {spv::Scope::Workgroup, group_scope},
      {spv::Scope::Subgroup, sub_group_scope},
      {spv::Scope::Invocation, item_scope},
  };
  llvm::Value *result = builder.getInt32(system_scope); // CrossDevice, and unknown ones
  for (auto [from, to] : scopes)
    result = builder.CreateSelect(
        builder.CreateICmpEQ(scope, builder.getInt32(static_cast<uint32_t>(from))),
        builder.getInt32(to), result);
  return result;
}

// The strongest order whose bit is set counts.
llvm::Value *order_value(Builder &builder, llvm::Value *semantics, Access access) {
  using Mask = spv::MemorySemanticsMask;
  const bool acquires = access != Access::store, releases = access != Access::load;
  const std::pair<Mask, MemoryOrder> orders[] = {
      {Mask::Acquire, acquires ? acquire : relaxed},
      {Mask::Release, releases ? release : relaxed},
      {Mask::AcquireRelease, !acquires   ? release
                             : !releases ? acquire
                                         : acquire_release},
      {Mask::SequentiallyConsistent, sequential},
  };
  llvm::Value *result = builder.getInt32(relaxed);
  for (auto [bit, order] : orders) {
    llvm::Value *has = int_to_bool(builder, builder.CreateAnd(semantics, bits(bit)));
    result = builder.CreateSelect(has, builder.getInt32(order), result);
  }
  return result;
}

llvm::Value *flags_value(Builder &builder, llvm::Value *semantics) {
  using Mask = spv::MemorySemanticsMask;
  static constexpr std::pair<Mask, uint32_t> memories[] = {
      {Mask::SubgroupMemory, local_fence},
      {Mask::WorkgroupMemory, local_fence},
      {Mask::CrossWorkgroupMemory, global_fence},
      {Mask::ImageMemory, image_fence},
  };
  llvm::Value *result = builder.getInt32(0);
  for (auto [bit, flag] : memories) {
    llvm::Value *has = int_to_bool(builder, builder.CreateAnd(semantics, bits(bit)));
    result = builder.CreateOr(
        result, builder.CreateSelect(has, builder.getInt32(flag), builder.getInt32(0)));
  }
  return result;
}

BuiltinArgument as_scope(llvm::Value *value) {
  return {value, scalar("12memory_scope")};
}

} // namespace

BuiltinArgument scope_argument(FunctionReader &reader, const Instruction &i, size_t operand) {
  return as_scope(scope_value(reader.builder(), reader.value(i, operand)));
}

BuiltinArgument scope_for(FunctionReader &reader, const Instruction &i, size_t operand,
                          llvm::Value *pointer) {
  if (pointer->getType()->getPointerAddressSpace() == local_space)
    return scope_argument(reader, i, operand);
  return as_scope(reader.builder().getInt32(device_scope));
}

BuiltinArgument scope_for_flags(FunctionReader &reader, const Instruction &i, size_t operand,
                                llvm::Value *flags) {
  Builder &builder = reader.builder();
  return as_scope(builder.CreateSelect(builder.CreateICmpEQ(flags, builder.getInt32(local_fence)),
                                       scope_value(builder, reader.value(i, operand)),
                                       builder.getInt32(device_scope)));
}

BuiltinArgument order_argument(FunctionReader &reader, const Instruction &i, size_t operand,
                               Access access) {
  return {order_value(reader.builder(), reader.value(i, operand), access),
          scalar("12memory_order")};
}

BuiltinArgument flags_argument(FunctionReader &reader, const Instruction &i, size_t operand) {
  return argument(flags_value(reader.builder(), reader.value(i, operand)), false);
}

} // namespace lockstep::compiler::spirv
