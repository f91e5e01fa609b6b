// The device library: OpenCL C builtins that have to do with execution, compiled to bitcode by the
// build (device_lib/*.cl), and the names of all builtins that this library or libclc defines.
//
// Each source is a part of its own: reading the names of all functions takes longer than compiling a small kernel.
#pragma once

#include <string_view>

namespace lockstep::compiler {

struct DeviceLibraryPart {
  std::string_view name; // of its source, for errors
  std::string_view
      bitcode; // in the spir64 flavour; docs/kernel_ir.md has the primitives that it rests on
};

// The part that defines a function or variable (mangled name); null if none does.
const DeviceLibraryPart *device_library_part(std::string_view mangled_name);

// How images are read and written (device_lib/image_access.cl); linked by specialize-images.
std::string_view image_access_bitcode();

// Is it a function (mangled name) that the device library or libclc defines for kernels to call?
bool is_builtin_function(std::string_view mangled_name);

} // namespace lockstep::compiler
