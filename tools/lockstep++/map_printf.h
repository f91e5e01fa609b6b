// Replaces calls of __lockstep_c_printf (sycl/ext/oneapi/experimental/printf.hpp) in kernels by
// calls of OpenCL C's printf. The format changes from the generic to the constant address space
// (docs/kernel_ir.md).
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::driver {

void map_printf(llvm::Module &module);

} // namespace lockstep::driver
