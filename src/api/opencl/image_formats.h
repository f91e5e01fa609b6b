// Image formats (OpenCL 3.0 API sections 5.3.1.1 and 5.3.2): which are valid, which the devices have, how large an element
// is, and how a colour is encoded for clEnqueueFillImage.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::opencl {

// The specification allows this order with this data type.
bool is_valid(const cl_image_format &format);
// Images of this type can have the format, which is valid.
bool is_supported(const cl_image_format &format, cl_mem_object_type type);
// All that is supported for this type.
std::vector<cl_image_format> supported_formats(cl_mem_object_type type);

size_t element_size(const cl_image_format &format); // bytes

// The element for a colour: four cl_float, cl_int or cl_uint in the order red, green, blue, alpha, as the data type asks
// for; of a depth image one cl_float.
std::array<std::byte, 16> encode_element(const cl_image_format &format, const void *color);

} // namespace lockstep::opencl
