// Implements work_group_static (include/lockstep/sycl/ext/oneapi/work_group_static.hpp): moves
// variables of this class to local memory.
//
// Requires a module as clang emits it, in which the class has the type name that clang gives it.
// Ensures that each global variable and each variable of a function of that type is a global
// variable in local memory. A variable of a function is thus one for all calls of the function, as
// the extension wants it. Variables that several sources share are separate in each source.
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::driver {

void move_to_local_memory(llvm::Module &module);

} // namespace lockstep::driver
