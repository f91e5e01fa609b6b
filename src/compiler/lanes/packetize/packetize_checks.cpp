// Packetizes calls that report accesses to the checker (check_abi.h): one call for all lanes, with
// the bits of the active ones. Evenly spaced addresses are passed as a base and a distance, others
// in memory.
#include "abi/check_abi.h"

#include "abi/address_spaces.h"
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/packetizer.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

std::optional<int64_t> even_distance(const LaneShape &shape, unsigned width) {
  if (!shape.has_distances())
    return std::nullopt;
  for (unsigned lane = 0; lane != width; ++lane)
    if (shape.distance(lane) != shape.distance(1) * static_cast<int64_t>(lane))
      return std::nullopt;
  return shape.distance(1);
}

} // namespace

llvm::Value *Packetizer::active_bits(Builder &builder) {
  if (llvm::Value *active = mask())
    return builder.CreateZExt(mask_bits(builder, active), builder.getInt64Ty());
  return builder.getInt64(values_.width() == 64 ? ~uint64_t{0}
                                                : (uint64_t{1} << values_.width()) - 1);
}

llvm::Value *Packetizer::of_first_lane(Builder &builder, llvm::Value *value) {
  if (shape(*value).is_uniform())
    return value;
  return builder.CreateExtractElement(values_.vector(value), first_lane(builder, mask()));
}

void Packetizer::visit_check(llvm::CallInst &call, Primitive primitive) {
  if (primitive == Primitive::check_atomic || primitive == Primitive::check_packets)
    return lane_by_lane(call);
  Builder builder(&call);
  const bool has_addresses =
      primitive == Primitive::check_access || primitive == Primitive::check_outside;
  const unsigned bits = primitive == Primitive::check_copy    ? 6
                        : has_addresses                       ? 2
                        : primitive == Primitive::check_fence ? 0
                                                              : 1;
  const unsigned item = bits + 2, passed = bits + 3;
  call.setArgOperand(bits, active_bits(builder));
  llvm::Value *first = call.getArgOperand(item);
  if (!shape(*first).is_uniform()) // lane 0's, active or not: the other lanes follow it
    call.setArgOperand(item, builder.CreateExtractElement(values_.vector(first), uint64_t{0}));
  call.setArgOperand(passed, of_first_lane(builder, call.getArgOperand(passed)));
  llvm::Value *pointer = call.getArgOperand(0);
  if (primitive == Primitive::check_choice && !shape(*pointer).is_uniform())
    call.setArgOperand(
        0, builder.CreateZExt(mask_bits(builder, builder.CreateIsNotNull(values_.vector(pointer))),
                              builder.getInt64Ty()));
  if (primitive == Primitive::check_copy)
    for (unsigned index = 0; index != bits; ++index)
      call.setArgOperand(index, of_first_lane(builder, call.getArgOperand(index)));
  if (primitive == Primitive::check_load)
    call.setArgOperand(0, of_first_lane(builder, pointer));
  if (!has_addresses || shape(*pointer).is_uniform())
    return;
  if (auto distance = even_distance(shape(*pointer), values_.width())) {
    call.setArgOperand(0, values_.base(pointer));
    call.setArgOperand(1, builder.getInt64(*distance));
    return;
  }
  llvm::Value *addresses = values_.vector(pointer);
  auto *memory = new llvm::AllocaInst(addresses->getType(), 0, "checked.addresses",
                                      function_.getEntryBlock().begin());
  memory->setMetadata(sub_group_variable, llvm::MDNode::get(call.getContext(), {}));
  builder.CreateStore(addresses, memory);
  call.setArgOperand(0, builder.CreateAddrSpaceCast(memory, builder.getPtrTy(generic_space)));
  call.setArgOperand(1, builder.getInt64(static_cast<uint64_t>(any_addresses)));
}

} // namespace lockstep::compiler
