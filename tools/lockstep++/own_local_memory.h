// Implements group_local_memory (include/lockstep/sycl/ext/oneapi/local_memory.hpp): each call in
// the source has its own memory, although all calls for one type call one function with one
// variable.
//
// Requires a module as clang emits it. Nothing is inlined, so each call is a call of the source.
// Functions annotated "lockstep.own_local_memory" have variables in local memory. Ensures that each
// call of such a function calls its own copy of the function, with copies of the variables.
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::driver {

void give_calls_own_local_memory(llvm::Module &module);

} // namespace lockstep::driver
