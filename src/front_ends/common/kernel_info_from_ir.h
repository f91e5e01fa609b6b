// Reads the KernelInfo of each kernel of a linked module from the IR and the kernel_arg_* metadata
// that clang writes. It does not use the AST, so modules that were loaded from a binary give the
// same results.
#pragma once

#include "kernel_ir/kernel_info.h"
#include "support/result.h"

#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace lockstep::compiler {

// Metadata on a kernel: the text inside __attribute__((...)). The front end writes it for
// CL_KERNEL_ATTRIBUTES.
inline constexpr const char *attributes_metadata = "lockstep.attributes";
// Metadata on a kernel that was compiled without -cl-kernel-arg-info.
inline constexpr const char *no_arg_info_metadata = "lockstep.no_arg_info";
// Metadata on a kernel: the number of sub-groups that each work-group must have.
inline constexpr const char *sub_group_count_metadata = "lockstep.sub_group_count";

// Module flags. opt_disable_flag: 1 if any part of a program was compiled with -cl-opt-disable.
// denorms_are_zero_flag: 1 if all parts were compiled with -cl-denorms-are-zero.
inline constexpr const char *opt_disable_flag = "lockstep-opt-disable";
inline constexpr const char *denorms_are_zero_flag = "lockstep-denorms-are-zero";

// ErrorKind::unsupported: a kernel has an argument of an opaque type that the device does not have.
// ErrorKind::build_failure: an argument cannot be passed.
Result<std::vector<KernelInfo>> kernel_infos(const llvm::Module &module);

// The same for the kernels that clang generates for enqueued blocks.
Result<std::vector<KernelInfo>> block_infos(const llvm::Module &module);

// Bytes of program-scope variables in the global address space
// (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).
uint64_t global_variable_size(const llvm::Module &module);

} // namespace lockstep::compiler
