// Registers the names of passes.def for textual pipelines.
#include "compiler/pipelines/pipeline.h"

#include "compiler/analysis/lane_shapes.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/checks/bounds/guard_accesses.h"
#include "compiler/checks/races/expose_scopes.h"
#include "compiler/checks/races/instrument_accesses.h"
#include "compiler/checks/races/mark_user_code.h"
#include "compiler/checks/races/pin_accesses.h"
#include "compiler/checks/races/pin_plain_waits.h"
#include "compiler/checks/races/record_arguments.h"
#include "compiler/checks/races/record_scopes.h"
#include "compiler/checks/undefined/drop_private_shadow.h"
#include "compiler/checks/undefined/lower_undefined.h"
#include "compiler/checks/undefined/track_undefined.h"
#include "compiler/group_shape/choose_traversal_order.h"
#include "compiler/group_shape/coalesce_indistinct_groups.h"
#include "compiler/group_shape/coalesce_work_groups.h"
#include "compiler/lanes/choose/choose_sub_group_size.h"
#include "compiler/lanes/functions/vector_variants.h"
#include "compiler/lanes/ids/restore_casts.h"
#include "compiler/lanes/ids/used_bits.h"
#include "compiler/lanes/linearize/canonicalize_flow.h"
#include "compiler/lanes/linearize/linearize.h"
#include "compiler/lanes/linearize/unmasked_loops.h"
#include "compiler/lanes/packetize/answer_sub_group_queries.h"
#include "compiler/lanes/packetize/lane_ids.h"
#include "compiler/lanes/packetize/narrow_gather_indices.h"
#include "compiler/lanes/packetize/packetize.h"
#include "compiler/lanes/serialize/serialize_loops.h"
#include "compiler/lanes/serialize/serialize_regions.h"
#include "compiler/lanes/split/expand_copies.h"
#include "compiler/lanes/split/interleave_private.h"
#include "compiler/lanes/split/share_private_arrays.h"
#include "compiler/lanes/split/split_aggregates.h"
#include "compiler/lanes/split/split_vectors.h"
#include "compiler/pipelines/passes.def"
#include "compiler/prepare_code/broadcast_operands.h"
#include "compiler/prepare_code/expand_permutations.h"
#include "compiler/prepare_code/loop_over_lanes.h"
#include "compiler/prepare_code/lower_group_atomics.h"
#include "compiler/prepare_code/lower_launch.h"
#include "compiler/prepare_code/lower_reciprocal_sqrt.h"
#include "compiler/prepare_code/narrow_masked_accesses.h"
#include "compiler/prepare_code/outline_lane_code.h"
#include "compiler/prepare_code/place_local_memory.h"
#include "compiler/prepare_code/prefetch_groups.h"
#include "compiler/prepare_code/prefetch_strides.h"
#include "compiler/prepare_code/set_nsz.h"
#include "compiler/prepare_code/workarounds/llvm22/break_long_sums.h"
#include "compiler/prepare_code/workarounds/llvm22/clamp_conversions_to_half.h"
#include "compiler/prepare_code/workarounds/llvm22/compare_addresses.h"
#include "compiler/prepare_code/workarounds/llvm22/extend_early.h"
#include "compiler/prepare_code/workarounds/llvm22/hide_float_bits.h"
#include "compiler/prepare_code/workarounds/llvm22/hide_half_masks.h"
#include "compiler/prepare_code/workarounds/llvm22/hide_low_masks.h"
#include "compiler/prepare_code/workarounds/llvm22/hoist_invariant_divisions.h"
#include "compiler/prepare_code/workarounds/llvm22/isolate_byte_shuffles.h"
#include "compiler/prepare_code/workarounds/llvm22/keep_loads_out_of_logic.h"
#include "compiler/prepare_code/workarounds/llvm22/keep_loads_out_of_merges.h"
#include "compiler/prepare_code/workarounds/llvm22/keep_masked_loads.h"
#include "compiler/prepare_code/workarounds/llvm22/keep_variables_in_frames.h"
#include "compiler/prepare_code/workarounds/llvm22/pin_convergent_calls.h"
#include "compiler/prepare_code/workarounds/llvm22/select_by_masks.h"
#include "compiler/prepare_code/workarounds/llvm22/widen_half_operations.h"
#include "compiler/regions/barrier_regions.h"
#include "compiler/regions/interleave_sub_groups.h"
#include "compiler/regions/isolate_group_operations.h"
#include "compiler/regions/limit_regions.h"
#include "compiler/regions/lower_group_combine.h"
#include "compiler/regions/transpose_columns.h"
#include "compiler/regions/work_item_loops.h"
#include "compiler/waits/suspension/finish_coroutine.h"
#include "compiler/waits/suspension/lower_group_suspensions.h"
#include "compiler/waits/suspension/lower_suspensions.h"
#include "compiler/waits/suspension/make_coroutine.h"
#include "compiler/waits/suspension/mark_waits.h"
#include "compiler/waits/suspension/rematerialize.h"
#include "compiler/waits/suspension/share_frame_slots.h"
#include "compiler/waits/suspension/sub_group_ids.h"
#include "compiler/work_item/arguments/argument_pointers.h"
#include "compiler/work_item/arguments/privatize_arguments.h"
#include "compiler/work_item/arguments/privatized_reductions.h"
#include "compiler/work_item/drop_noalias.h"
#include "compiler/work_item/hierarchical/lower_item_scopes.h"
#include "compiler/work_item/images/lower_image_types.h"
#include "compiler/work_item/images/merge_bounds_checks.h"
#include "compiler/work_item/images/specialize_images.h"
#include "compiler/work_item/inline/guard_integer_division.h"
#include "compiler/work_item/inline/inline_kernel.h"
#include "compiler/work_item/inline/keep_out_of_line.h"
#include "compiler/work_item/inline/plain_signatures.h"
#include "compiler/work_item/inline/volatile_constants.h"
#include "compiler/work_item/link/link_device_library.h"
#include "compiler/work_item/link/name_blocks.h"
#include "compiler/work_item/link/relax_math.h"
#include "compiler/work_item/link/share_program_variables.h"
#include "compiler/work_item/lower_printf.h"
#include "compiler/work_item/make_reducible.h"
#include "compiler/work_item/place_group_scratch.h"
#include "compiler/work_item/specialize/specialize.h"
#include "compiler/work_item/specialize/specialize_local_size.h"
#include "kernel_ir/verify_kernel_ir.h"

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
#include "compiler/pipelines/passes.def"
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
#include "compiler/pipelines/passes.def"
    return false;
  });
}

} // namespace lockstep::compiler
