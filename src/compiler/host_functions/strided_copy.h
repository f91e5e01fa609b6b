// Host side of strided async copies: machine code calls it once for a work-group.
#pragma once

#include <cstdint>

namespace lockstep::compiler {

// Copies `count` elements of `size` bytes; strides are in elements, as in
// async_work_group_strided_copy.
extern "C" void lockstep_strided_copy(void *to, const void *from, uint64_t count,
                                      uint64_t to_stride, uint64_t from_stride, uint64_t size);

} // namespace lockstep::compiler
