// The NVIDIA pipeline: lists all stages from a program in kernel IR to the code of one kernel.
#pragma once

#include "back_ends/nvidia/ptx_code.h"
#include "compiler/pipelines/pipeline.h"
#include "compiler/pipelines/stage_listener.h"
#include "support/result.h"

namespace llvm {
class PassBuilder;
}

namespace lockstep::compiler {

struct LaunchBinding;

// "source", then the stages in order.
std::vector<std::string> nvidia_stages();

// Transforms `module` (a whole program) in place. Does not generate code: PtxCode::text is empty.
Result<PtxCode> build_gpu_kernel(llvm::Module &module, llvm::TargetMachine &target,
                                 const WorkGroupOptions &options, PtxVariant variant,
                                 std::vector<uint64_t> variable_offsets,
                                 const StageListener *listener);

// The arrangement of a warp, X times Y, that the kernel's accesses to memory want. Transforms
// `module` (a whole program) in place, into something that is of no further use.
Result<std::array<uint32_t, 2>> choose_warp_shape(llvm::Module &module,
                                                  const WorkGroupOptions &options);

// Registers the passes of nvidia_passes.def, as register_passes() does. The references must outlive
// the builder.
void register_nvidia_passes(llvm::PassBuilder &builder, llvm::TargetMachine &target,
                            const WorkGroupOptions &options, LaunchBinding &binding);

} // namespace lockstep::compiler
