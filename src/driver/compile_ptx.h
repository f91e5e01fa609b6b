// The compiler's interface for NVIDIA devices: kernel IR in, PTX out. No LLVM type appears here, and
// no GPU, driver or CUDA toolkit is needed. All functions are thread-safe.
#pragma once

#include "back_ends/nvidia/ptx_code.h"
#include "compiler/options/code_options.h"
#include "compiler/pipelines/stage_listener.h"
#include "kernel_ir/kernel_module.h"
#include "kernel_ir/specialization.h"
#include "support/result.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler {

// The options to compile for an architecture such as "sm_90". An error if it is not known, or older
// than sm_70.
Result<CodeOptions> code_options_for_nvidia(std::string_view architecture);

// Compiles one kernel; uses the disk cache. ErrorKind::build_failure: the kernel uses a feature that
// NVIDIA devices lack.
Result<PtxCode> compile_to_ptx(const KernelModule &module, std::string_view kernel,
                               const Specialization &specialization, const CodeOptions &options,
                               PtxVariant variant = PtxVariant::plain);

// The same without the cache, for tools and tests. The listener receives each stage.
Result<PtxCode> compile_to_ptx_uncached(const KernelModule &module, std::string_view kernel,
                                        const Specialization &specialization,
                                        const CodeOptions &options, PtxVariant variant,
                                        const StageListener *listener);

// The stages of compile_to_ptx_uncached: "source", then those of the pipeline in order.
std::vector<std::string> ptx_stages();

// The shape of a warp, X times Y, with the fewest accesses to memory. Where the program gives no
// local size, the launch should choose multiples of it. Takes tens of milliseconds.
Result<std::array<uint32_t, 2>> ptx_warp_shape(const KernelModule &module, std::string_view kernel,
                                               const CodeOptions &options);

// The initial contents of the program-scope variables.
Result<PtxVariables> ptx_variables(const KernelModule &module, const CodeOptions &options);

} // namespace lockstep::compiler
