#include "kernel_ir/primitives.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {
struct Row {
  Primitive primitive;
  const char *name;
  bool is_typed = false; // the symbol ends with the type
};
constexpr Row primitive_names[] = {
    {Primitive::local_id, "__lockstep_local_id"},
    {Primitive::group_id, "__lockstep_group_id"},
    {Primitive::local_size, "__lockstep_local_size"},
    {Primitive::enqueued_local_size, "__lockstep_enqueued_local_size"},
    {Primitive::global_size, "__lockstep_global_size"},
    {Primitive::global_offset, "__lockstep_global_offset"},
    {Primitive::num_groups, "__lockstep_num_groups"},
    {Primitive::work_dim, "__lockstep_work_dim"},
    {Primitive::barrier, "__lockstep_barrier"},
    {Primitive::group_copy, "__lockstep_group_copy"},
    {Primitive::group_copy_lines, "__lockstep_group_copy_lines"},
    {Primitive::printf, "__lockstep_printf"},
    {Primitive::device_enqueue, "__lockstep_device_enqueue"},
    {Primitive::reciprocal_sqrt, "__lockstep_reciprocal_sqrt"},
    {Primitive::lane, "__lockstep_lane"},
    {Primitive::active_lanes, "__lockstep_active_lanes"},
    {Primitive::mask, "__lockstep_mask"},
    {Primitive::any_lane, "__lockstep_any_lane"},
    {Primitive::all_lanes, "__lockstep_all_lanes"},
    {Primitive::turn_begin, "__lockstep_turn_begin"},
    {Primitive::turn_end, "__lockstep_turn_end"},
    {Primitive::sub_group, "__lockstep_sub_group"},
    {Primitive::seen, "__lockstep_seen"},
    {Primitive::ends_with, "__lockstep_ends_with"},
    {Primitive::wait, "__lockstep_wait"},
    {Primitive::watched, "__lockstep_watched"},
    {Primitive::suspend, "__lockstep_suspend"},
    {Primitive::sub_group_width, "__lockstep_sub_group_width"},
    {Primitive::sub_group_id, "__lockstep_sub_group_id"},
    {Primitive::sub_group_barrier, "__lockstep_sub_group_barrier"},
    {Primitive::sub_group_ballot, "__lockstep_sub_group_ballot"},
    {Primitive::sub_group_broadcast, "__lockstep_sub_group_broadcast", true},
    {Primitive::sub_group_shuffle, "__lockstep_sub_group_shuffle", true},
    {Primitive::sub_group_reduce, "__lockstep_sub_group_reduce", true},
    {Primitive::sub_group_scan, "__lockstep_sub_group_scan", true},
    {Primitive::group_scratch, "__lockstep_group_scratch"},
    {Primitive::group_combine, "__lockstep_group_combine", true},
    {Primitive::check_access, "__lockstep_check_access"},
    {Primitive::check_atomic, "__lockstep_check_atomic"},
    {Primitive::check_load, "__lockstep_check_load"},
    {Primitive::check_fence, "__lockstep_check_fence"},
    {Primitive::check_copy, "__lockstep_check_copy"},
    {Primitive::check_choice, "__lockstep_check_choice"},
    {Primitive::check_packets, "__lockstep_check_packets"},
    {Primitive::check_outside, "__lockstep_check_outside"},
    {Primitive::check_extent, "__lockstep_check_extent"},
    {Primitive::check_object, "__lockstep_check_object"},
    {Primitive::check_written, "__lockstep_check_written"},
    {Primitive::check_plane, "__lockstep_check_plane"},
    {Primitive::tell_argument, "__lockstep_tell_argument"},
    {Primitive::tell_copy, "__lockstep_tell_copy"},
    {Primitive::tell_awaited, "__lockstep_tell_awaited"},
    {Primitive::tell_packets, "__lockstep_tell_packets"},
};

constexpr llvm::StringLiteral type_suffixes[] = {"_i8", "_i16", "_i32", "_i64", "_f32", "_f64"};
} // namespace

const char *primitive_name(Primitive primitive) {
  for (const Row &row : primitive_names)
    if (row.primitive == primitive)
      return row.name;
  return nullptr;
}

std::optional<Primitive> primitive_of(const llvm::Function &function) {
  llvm::StringRef name = function.getName();
  if (!name.starts_with("__lockstep_"))
    return std::nullopt;
  llvm::StringRef base = name;
  for (llvm::StringRef suffix : type_suffixes)
    base.consume_back(suffix);
  for (const Row &row : primitive_names)
    if (row.is_typed ? base != name && base == row.name : name == row.name)
      return row.primitive;
  return std::nullopt;
}

std::optional<Primitive> called_primitive(const llvm::Value &value) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&value);
  if (!call || !call->getCalledFunction())
    return std::nullopt;
  return primitive_of(*call->getCalledFunction());
}

bool is_group_operation(Primitive primitive) {
  return primitive == Primitive::barrier || is_group_copy(primitive) ||
         primitive == Primitive::group_combine;
}

bool is_group_operation(const llvm::Instruction &instruction) {
  auto primitive = called_primitive(instruction);
  return primitive && is_group_operation(*primitive);
}

bool is_check(Primitive primitive) {
  return primitive >= Primitive::check_access && primitive <= Primitive::check_outside;
}

bool is_tell(Primitive primitive) {
  return primitive >= Primitive::tell_argument;
}

bool is_group_copy(Primitive primitive) {
  return primitive == Primitive::group_copy || primitive == Primitive::group_copy_lines;
}

bool is_sub_group_operation(Primitive primitive) {
  switch (primitive) {
  case Primitive::sub_group_barrier:
  case Primitive::sub_group_ballot:
  case Primitive::sub_group_broadcast:
  case Primitive::sub_group_shuffle:
  case Primitive::sub_group_reduce:
  case Primitive::sub_group_scan:
    return true;
  default:
    return false;
  }
}

bool is_of_work_item(Primitive primitive) {
  switch (primitive) {
  case Primitive::local_id:
  case Primitive::group_id:
  case Primitive::local_size:
  case Primitive::enqueued_local_size:
  case Primitive::global_size:
  case Primitive::global_offset:
  case Primitive::num_groups:
  case Primitive::work_dim:
    return true;
  default:
    return false;
  }
}

bool is_sub_group_uniform(const llvm::CallInst &call) {
  auto primitive = called_primitive(call);
  // A clustered reduction has a result for each cluster.
  if (primitive == Primitive::sub_group_reduce) {
    auto *cluster = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
    return cluster && cluster->isZero();
  }
  return primitive == Primitive::check_load || primitive == Primitive::all_lanes ||
         primitive == Primitive::sub_group_ballot || primitive == Primitive::sub_group_broadcast ||
         primitive == Primitive::sub_group_id || primitive == Primitive::sub_group_width ||
         primitive == Primitive::watched;
}

std::optional<unsigned> constant_dimension(const llvm::CallInst &call) {
  if (call.arg_size() == 0)
    return std::nullopt;
  if (auto *dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0)))
    return static_cast<unsigned>(dimension->getZExtValue());
  return std::nullopt;
}

} // namespace lockstep::compiler
