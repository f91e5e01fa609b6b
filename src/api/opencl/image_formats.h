// Image formats (OpenCL 3.0 API sections 5.3.1.1 and 5.3.2): which formats are valid, which ones
// the devices support, the element size, and the encoding of a color for clEnqueueFillImage.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::opencl {

// Returns true if the specification allows this channel order with this data type.
bool is_valid(const cl_image_format &format);
// Returns true if images of this type support the format, which must be valid.
bool is_supported(const cl_image_format &format, cl_mem_object_type type);
// Returns all formats that this type supports.
std::vector<cl_image_format> supported_formats(cl_mem_object_type type);

size_t element_size(const cl_image_format &format); // bytes

// Encodes a color as an element. `color` points to four cl_float, cl_int or cl_uint (depending on
// the data type) in the order red, green, blue, alpha. For a depth image it points to one cl_float.
std::array<std::byte, 16> encode_element(const cl_image_format &format, const void *color);

} // namespace lockstep::opencl
