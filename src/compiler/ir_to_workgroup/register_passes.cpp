// The names of passes.def, for pipelines in text.
#include "compiler/ir_to_workgroup/pipeline.h"

#include "compiler/ir_to_workgroup/analyze/lane_shapes.h"
#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/arguments/argument_pointers.h"
#include "compiler/ir_to_workgroup/arguments/privatise_arguments.h"
#include "compiler/ir_to_workgroup/arguments/worker_copies.h"
#include "compiler/ir_to_workgroup/barriers/barrier_regions.h"
#include "compiler/ir_to_workgroup/barriers/forget_restrict.h"
#include "compiler/ir_to_workgroup/barriers/isolate_group_operations.h"
#include "compiler/ir_to_workgroup/barriers/jam_sub_groups.h"
#include "compiler/ir_to_workgroup/barriers/join_work_groups.h"
#include "compiler/ir_to_workgroup/barriers/limit_regions.h"
#include "compiler/ir_to_workgroup/barriers/order_work_groups.h"
#include "compiler/ir_to_workgroup/barriers/turn_columns.h"
#include "compiler/ir_to_workgroup/barriers/widen_work_groups.h"
#include "compiler/ir_to_workgroup/barriers/work_item_loops.h"
#include "compiler/ir_to_workgroup/check/expose_scopes.h"
#include "compiler/ir_to_workgroup/check/forget_private_bits.h"
#include "compiler/ir_to_workgroup/check/guard_accesses.h"
#include "compiler/ir_to_workgroup/check/hold_accesses.h"
#include "compiler/ir_to_workgroup/check/hold_plain_waits.h"
#include "compiler/ir_to_workgroup/check/instrument_accesses.h"
#include "compiler/ir_to_workgroup/check/lower_undefined.h"
#include "compiler/ir_to_workgroup/check/mark_user_code.h"
#include "compiler/ir_to_workgroup/check/note_scopes.h"
#include "compiler/ir_to_workgroup/check/tell_arguments.h"
#include "compiler/ir_to_workgroup/check/track_undefined.h"
#include "compiler/ir_to_workgroup/hierarchical/lower_item_scopes.h"
#include "compiler/ir_to_workgroup/images/ask_once.h"
#include "compiler/ir_to_workgroup/images/lower_image_types.h"
#include "compiler/ir_to_workgroup/images/specialise_images.h"
#include "compiler/ir_to_workgroup/inline/guard_integer_division.h"
#include "compiler/ir_to_workgroup/inline/inline_kernel.h"
#include "compiler/ir_to_workgroup/inline/keep_functions.h"
#include "compiler/ir_to_workgroup/inline/plain_signatures.h"
#include "compiler/ir_to_workgroup/inline/volatile_constants.h"
#include "compiler/ir_to_workgroup/launch/lower_launch.h"
#include "compiler/ir_to_workgroup/launch/place_local_memory.h"
#include "compiler/ir_to_workgroup/launch/specialise.h"
#include "compiler/ir_to_workgroup/launch/specialise_local_size.h"
#include "compiler/ir_to_workgroup/linearize/canonicalise_flow.h"
#include "compiler/ir_to_workgroup/linearize/full_lane_loops.h"
#include "compiler/ir_to_workgroup/linearize/linearize.h"
#include "compiler/ir_to_workgroup/link/link_device_library.h"
#include "compiler/ir_to_workgroup/link/name_blocks.h"
#include "compiler/ir_to_workgroup/link/relax_maths.h"
#include "compiler/ir_to_workgroup/link/share_program_variables.h"
#include "compiler/ir_to_workgroup/llvm_detours/break_long_sums.h"
#include "compiler/ir_to_workgroup/llvm_detours/clamp_conversions_to_half.h"
#include "compiler/ir_to_workgroup/llvm_detours/compare_addresses.h"
#include "compiler/ir_to_workgroup/llvm_detours/extend_early.h"
#include "compiler/ir_to_workgroup/llvm_detours/hide_float_bits.h"
#include "compiler/ir_to_workgroup/llvm_detours/hide_half_masks.h"
#include "compiler/ir_to_workgroup/llvm_detours/hide_low_masks.h"
#include "compiler/ir_to_workgroup/llvm_detours/hoist_invariant_divisions.h"
#include "compiler/ir_to_workgroup/llvm_detours/hold_convergent_calls.h"
#include "compiler/ir_to_workgroup/llvm_detours/isolate_byte_shuffles.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_loads_out_of_logic.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_loads_out_of_merges.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_masked_loads.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_variables_in_frames.h"
#include "compiler/ir_to_workgroup/llvm_detours/select_by_masks.h"
#include "compiler/ir_to_workgroup/llvm_detours/widen_half_operations.h"
#include "compiler/ir_to_workgroup/lower_printf.h"
#include "compiler/ir_to_workgroup/make_reducible.h"
#include "compiler/ir_to_workgroup/passes.def"
#include "compiler/ir_to_workgroup/resumable/compute_anew.h"
#include "compiler/ir_to_workgroup/resumable/finish_coroutine.h"
#include "compiler/ir_to_workgroup/resumable/lower_group_suspensions.h"
#include "compiler/ir_to_workgroup/resumable/lower_suspensions.h"
#include "compiler/ir_to_workgroup/resumable/make_coroutine.h"
#include "compiler/ir_to_workgroup/resumable/mark_waits.h"
#include "compiler/ir_to_workgroup/resumable/share_frame_places.h"
#include "compiler/ir_to_workgroup/resumable/sub_group_ids.h"
#include "compiler/ir_to_workgroup/sub_groups/answer_sub_group_queries.h"
#include "compiler/ir_to_workgroup/sub_groups/expand_permutations.h"
#include "compiler/ir_to_workgroup/sub_groups/lower_group_combine.h"
#include "compiler/ir_to_workgroup/sub_groups/place_group_scratch.h"
#include "compiler/ir_to_workgroup/vectorize/broadcast_operands.h"
#include "compiler/ir_to_workgroup/vectorize/choose_sub_group_size.h"
#include "compiler/ir_to_workgroup/vectorize/expand_copies.h"
#include "compiler/ir_to_workgroup/vectorize/forget_zero_signs.h"
#include "compiler/ir_to_workgroup/vectorize/interleave_private.h"
#include "compiler/ir_to_workgroup/vectorize/lane_functions.h"
#include "compiler/ir_to_workgroup/vectorize/lane_ids.h"
#include "compiler/ir_to_workgroup/vectorize/loop_over_lanes.h"
#include "compiler/ir_to_workgroup/vectorize/lower_group_atomics.h"
#include "compiler/ir_to_workgroup/vectorize/lower_reciprocal_sqrt.h"
#include "compiler/ir_to_workgroup/vectorize/narrow_gather_indices.h"
#include "compiler/ir_to_workgroup/vectorize/narrow_masked_accesses.h"
#include "compiler/ir_to_workgroup/vectorize/outline_lane_code.h"
#include "compiler/ir_to_workgroup/vectorize/packetize.h"
#include "compiler/ir_to_workgroup/vectorize/prefetch_groups.h"
#include "compiler/ir_to_workgroup/vectorize/prefetch_strides.h"
#include "compiler/ir_to_workgroup/vectorize/restore_casts.h"
#include "compiler/ir_to_workgroup/vectorize/serialise_loops.h"
#include "compiler/ir_to_workgroup/vectorize/serialise_regions.h"
#include "compiler/ir_to_workgroup/vectorize/share_private_arrays.h"
#include "compiler/ir_to_workgroup/vectorize/split_aggregates.h"
#include "compiler/ir_to_workgroup/vectorize/split_vectors.h"
#include "compiler/ir_to_workgroup/vectorize/used_bits.h"
#include "compiler/kernel_ir/verify_kernel_ir.h"

#include "llvm/Passes/PassBuilder.h"

namespace lockstep::compiler {

void register_passes(llvm::PassBuilder &builder, llvm::TargetMachine &target,
                     const WorkGroupOptions &options) {
  builder.registerPipelineParsingCallback([&](llvm::StringRef name,
                                              llvm::ModulePassManager &manager,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
#define MODULE_PASS(pass, constructor)                                                             \
  if (name == pass) {                                                                              \
    manager.addPass(constructor);                                                                  \
    return true;                                                                                   \
  }
#include "compiler/ir_to_workgroup/passes.def"
    return false;
  });
  builder.registerPipelineParsingCallback([&](llvm::StringRef name,
                                              llvm::FunctionPassManager &manager,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
#define FUNCTION_PASS(pass, constructor)                                                           \
  if (name == pass) {                                                                              \
    manager.addPass(constructor);                                                                  \
    return true;                                                                                   \
  }
#include "compiler/ir_to_workgroup/passes.def"
    return false;
  });
}

} // namespace lockstep::compiler
