// The primitives of kernel IR (docs/kernel_ir.md): functions that no library defines and that the
// compiler lowers.
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class CallInst;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace lockstep::compiler {

enum class Primitive {
  local_id,
  group_id,
  local_size,
  enqueued_local_size,
  global_size,
  global_offset,
  num_groups,
  work_dim,
  barrier,
  group_copy,
  group_copy_lines,
  printf,
  device_enqueue,
  reciprocal_sqrt,
  // Only in the lanes stage (docs/kernel_ir.md, "Lanes").
  lane,
  active_lanes,
  mask,
  any_lane,
  all_lanes,
  // From mark-waits to serialize-loops (docs/kernel_ir.md, "Lanes").
  turn_begin,
  turn_end,
  // In the coroutine form (docs/kernel_ir.md, "Resumable form").
  sub_group,
  seen,
  ends_with,
  wait,
  watched,
  suspend,
  // Sub-group operations (docs/kernel_ir.md, "Sub-groups"). Primitives that take a value have one
  // function for each type: the symbol ends with _i8, _i16, _i32, _i64, _f32 or _f64.
  sub_group_width,
  sub_group_id,
  sub_group_barrier,
  sub_group_ballot,
  sub_group_broadcast,
  sub_group_shuffle,
  sub_group_reduce,
  sub_group_scan,
  // Work-group collectives.
  group_scratch,
  group_combine,
  // In checked kernels (docs/kernel_ir.md, "Checked kernels").
  check_access,
  check_atomic,
  check_load,
  check_fence,
  check_copy,
  check_choice,
  check_packets,
  check_outside,
  check_extent,
  check_object,
  check_written,
  check_plane,
  // From record-arguments to instrument-accesses.
  tell_argument,
  tell_copy,
  tell_awaited,
  tell_packets, // from the device library on
};

// The operation argument of reduce, scan and combine. The device library uses the same numbers
// (device_lib/sub_group_primitives.h).
enum class CombineOperation : uint32_t {
  add,
  mul,
  min, // signed, or floating-point
  max,
  unsigned_min,
  unsigned_max,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
};

// The result that __lockstep_group_combine leaves in the scratch memory.
enum class GroupCombination : uint32_t { reduction, exclusive_scan, pick };

// The symbol of a primitive, e.g. "__lockstep_local_id".
const char *primitive_name(Primitive primitive);

// The primitive with the name of `function`, if there is one.
std::optional<Primitive> primitive_of(const llvm::Function &function);

// The primitive that an instruction calls, if it calls one.
std::optional<Primitive> called_primitive(const llvm::Value &value);

// True for primitives that every work-item of a group must reach together: they end a barrier
// region.
bool is_group_operation(Primitive primitive);
bool is_group_operation(const llvm::Instruction &instruction);

// True for calls that report an access to the checker. They exist from the stage `checks` on.
bool is_check(Primitive primitive);

// True for calls that record facts for the stage `checks`. They have no effect on the kernel.
bool is_tell(Primitive primitive);

// Async copies of a work-group, from the memory of the second argument to that of the first.
bool is_group_copy(Primitive primitive);

// True for primitives whose result depends on the lanes of a sub-group that reach them. Passes must
// not move them in the control flow.
bool is_sub_group_operation(Primitive primitive);

// Ids and launch parameters: values that a work-item has from the start, so that they can be
// computed anywhere.
bool is_of_work_item(Primitive primitive);

// True if the result is the same for all active lanes, whatever the arguments are.
bool is_sub_group_uniform(const llvm::CallInst &call);

// The dimension argument of an id or size primitive, if it is a constant.
std::optional<unsigned> constant_dimension(const llvm::CallInst &call);

} // namespace lockstep::compiler
