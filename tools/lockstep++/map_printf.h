// printf in kernels: calls of __lockstep_c_printf (sycl/ext/oneapi/experimental/printf.hpp), whose format is a pointer to the
// generic address space, become calls of OpenCL C's printf, whose format is in the constant one (docs/kernel_ir.md).
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::driver {

void map_printf(llvm::Module &module);

} // namespace lockstep::driver
