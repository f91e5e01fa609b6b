// The C library's maths in kernels: std::sin(x) is a call of sinf, which kernels know as OpenCL C's sin(float). Calls of
// functions that have a builtin of the same name and arguments become calls of it.
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::driver {

void map_c_maths(llvm::Module &module);

} // namespace lockstep::driver
