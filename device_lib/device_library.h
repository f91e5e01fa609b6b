// The device library: OpenCL C builtins that have to do with execution, compiled to bitcode by the
// build (device_lib/*.cl), and the names of all builtins that this library or libclc defines.
#pragma once

#include <string_view>

namespace lockstep::compiler {

// One module in the spir64 flavour; see docs/kernel_ir.md for the primitives that it rests on.
std::string_view device_library_bitcode();

// How images are read and written (device_lib/image_access.cl); linked by specialise-images.
std::string_view image_access_bitcode();

// Is it a function (mangled name) that the device library or libclc defines for kernels to call?
bool is_builtin_function(std::string_view mangled_name);

} // namespace lockstep::compiler
