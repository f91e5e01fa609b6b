// Replaces calls of the C math library in kernels. std::sin(x) calls sinf, but kernels have OpenCL
// C's sin(float). If a builtin has the same name and arguments, calls of the C function become
// calls of the builtin.
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::driver {

void map_c_maths(llvm::Module &module);

} // namespace lockstep::driver
