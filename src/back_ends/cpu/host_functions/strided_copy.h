// Host functions for async copies that are not contiguous; machine code calls them once for a
// work-group.
#pragma once

#include <cstdint>

namespace lockstep::compiler {

// Copies `count` elements of `size` bytes; strides are in elements, as in
// async_work_group_strided_copy.
extern "C" void lockstep_strided_copy(void *to, const void *from, uint64_t count,
                                      uint64_t to_stride, uint64_t from_stride, uint64_t size);

// Copies lines of planes, as async_work_group_copy_3D3D does; all sizes and distances are in bytes.
extern "C" void lockstep_copy_lines(void *to, const void *from, uint64_t line_bytes, uint64_t lines,
                                    uint64_t planes, uint64_t to_line, uint64_t to_plane,
                                    uint64_t from_line, uint64_t from_plane);

} // namespace lockstep::compiler
