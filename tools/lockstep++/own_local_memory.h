// group_local_memory of include/lockstep/sycl/ext/oneapi/local_memory.hpp: each call of it in the source has memory of its
// own, though all calls for one type are calls of one function with one variable.
//
// Input:  a module as clang writes it, in which nothing is inlined, so that a call is a call of the source; functions
//         annotated "lockstep.own_local_memory", which have variables in local memory.
// Output: each call of such a function calls a copy of it, with copies of its variables.
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::driver {

void give_calls_own_local_memory(llvm::Module &module);

} // namespace lockstep::driver
