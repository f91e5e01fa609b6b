// Which atomic operations and fences are for one work-group alone, so that no other thread can tell how they are made: a group
// runs on one thread at a time, its sub-groups and lanes one after the other.
//
// The device library and SYCL's headers write the scope into the instruction (device_lib/atomics_opencl_2.cl, sycl/atomic_ref.hpp):
// syncscope("workgroup") for a work-group and, in OpenCL C, for what is narrower; SYCL has "subgroup" and "singlethread" for that.
// All else has none. Local memory is one group's whatever the scope says. Atomics of OpenCL C 1.x and of SYCL 1.2.1 say no scope
// and count as the widest.
#pragma once

#include "compiler/check_abi.h"

namespace llvm {
class Instruction;
}

namespace lockstep::compiler {

// True for fences, and for what may be atomic (loads, stores, updates, swaps), if nobody outside of the work-group is told.
bool stays_in_group(const llvm::Instruction &instruction);

// What the instruction says, wherever its memory is.
CheckScope written_scope(const llvm::Instruction &instruction);

} // namespace lockstep::compiler
