// Limits of images, for queries and for the checks of clCreateImage. The element counts are the
// minimum of the full profile, or the largest that device_lib/images/image_access.cl supports: its
// coordinates are exact as float up to 2^24.
#pragma once

#include <cstddef>

namespace lockstep::opencl::image_limits {

inline constexpr std::size_t size_2d = 16384;
inline constexpr std::size_t size_3d = 4096;
inline constexpr std::size_t layers = 4096;
// Image buffers are addressed by integer coordinates only.
inline constexpr std::size_t buffer_elements = std::size_t{1} << 27;
inline constexpr unsigned read_arguments = 128;
inline constexpr unsigned write_arguments = 128;
inline constexpr unsigned read_write_arguments = 64;
inline constexpr unsigned samplers = 32;

} // namespace lockstep::opencl::image_limits
