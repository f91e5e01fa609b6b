// Scopes of atomic operations and fences, and which of them are confined to one work-group. A
// work-group runs on one thread at a time, its sub-groups and lanes one after the other. No other
// thread can therefore observe how a confined operation is implemented.
//
// The device library and SYCL's headers write the scope into the instruction
// (device_lib/atomics_opencl_2.cl, sycl/atomic_ref.hpp). syncscope("workgroup") means a work-group
// and, in OpenCL C, also the narrower scopes. SYCL writes "subgroup" and "singlethread" for those.
// SYCL's device scope is syncscope("device"); nothing but is_hidden_from_host distinguishes it from
// the system scope. All other scopes have no syncscope. Atomics of OpenCL C 1.x and of SYCL 1.2.1
// name no scope and count as the widest. An atomic operation on local memory is confined to the
// group whatever its scope says.
#pragma once

#include "abi/check_abi.h"

namespace llvm {
class Instruction;
}

namespace lockstep::compiler {

// True for fences, and for accesses that may be atomic (loads, stores, updates, swaps), if no
// thread outside the work-group can observe them.
bool stays_in_group(const llvm::Instruction &instruction);

// True if the instruction names a scope that excludes the host, wherever its memory is.
bool is_hidden_from_host(const llvm::Instruction &instruction);

// The scope that the instruction names, wherever its memory is.
CheckScope written_scope(const llvm::Instruction &instruction);

} // namespace lockstep::compiler
