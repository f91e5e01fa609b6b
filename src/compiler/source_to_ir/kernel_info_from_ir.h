// KernelInfo for each kernel of a linked module, read from the IR and the kernel_arg_* metadata
// that clang writes. Nothing of the AST is needed, so modules that came from a binary give the same
// answers.
#pragma once

#include "compiler/kernel_ir/kernel_info.h"
#include "support/result.h"

#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace lockstep::compiler {

// Metadata on a kernel: the text inside __attribute__((...)), written by the front end for
// CL_KERNEL_ATTRIBUTES.
inline constexpr const char *attributes_metadata = "lockstep.attributes";
// Compiled without -cl-kernel-arg-info.
inline constexpr const char *no_arg_info_metadata = "lockstep.no_arg_info";

// Module flags: 1 where -cl-opt-disable was given to any part of a program, and -cl-denorms-are-zero to all of them.
inline constexpr const char *opt_disable_flag = "lockstep-opt-disable";
inline constexpr const char *denorms_are_zero_flag = "lockstep-denorms-are-zero";

// ErrorKind::unsupported: a kernel has an argument of a kind that the device does not have (image,
// sampler, pipe). ErrorKind::build_failure: an argument that cannot be passed.
Result<std::vector<KernelInfo>> kernel_infos(const llvm::Module &module);

// The same of the kernels that clang makes of blocks which are enqueued.
Result<std::vector<KernelInfo>> block_infos(const llvm::Module &module);

// Bytes of program-scope variables in the global address space
// (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).
uint64_t global_variable_size(const llvm::Module &module);

} // namespace lockstep::compiler
