// The device library: OpenCL C builtins that concern execution, compiled to bitcode by the build
// (device_lib/*.cl), and the names of all builtins that this library or libclc defines.
//
// Each source is a separate part, because reading the names of all functions takes longer than
// compiling a small kernel.
#pragma once

#include <string_view>

namespace lockstep::compiler {

struct DeviceLibraryPart {
  std::string_view name;    // source file, for error messages
  std::string_view bitcode; // for spir64; docs/kernel_ir.md lists the primitives used
};

// Returns the part that defines a function or variable (mangled name), or null if none does.
const DeviceLibraryPart *device_library_part(std::string_view mangled_name);

// Returns the functions that read and write images (device_lib/images/image_access.cl), which
// specialize-images links.
std::string_view image_access_bitcode();
// The same functions for GPUs: they do not check whether neighbors are inside of the image together,
// and require texels that are aligned to their size (1, 2, 4, 8 or 16 bytes).
std::string_view gpu_image_access_bitcode();

// Returns true if the device library or libclc defines this function (mangled name) for kernels.
bool is_builtin_function(std::string_view mangled_name);

} // namespace lockstep::compiler
