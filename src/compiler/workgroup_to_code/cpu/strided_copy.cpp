#include "compiler/workgroup_to_code/cpu/strided_copy.h"

#include <cstring>

namespace lockstep::compiler {

namespace {

template <unsigned size>
void copy(char *to, const char *from, uint64_t count, uint64_t to_stride, uint64_t from_stride) {
  for (uint64_t index = 0; index != count; ++index)
    std::memcpy(to + index * to_stride * size, from + index * from_stride * size, size);
}

} // namespace

extern "C" void lockstep_strided_copy(void *to, const void *from, uint64_t count,
                                      uint64_t to_stride, uint64_t from_stride, uint64_t size) {
  auto *target = static_cast<char *>(to);
  auto *source = static_cast<const char *>(from);
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(target, source, count * size);
    return;
  }
  switch (size) { // the sizes of OpenCL C's types: 1 to 8 bytes, times 1, 2, 4 (3), 8 or 16
  case 1:
    return copy<1>(target, source, count, to_stride, from_stride);
  case 2:
    return copy<2>(target, source, count, to_stride, from_stride);
  case 4:
    return copy<4>(target, source, count, to_stride, from_stride);
  case 8:
    return copy<8>(target, source, count, to_stride, from_stride);
  case 16:
    return copy<16>(target, source, count, to_stride, from_stride);
  case 32:
    return copy<32>(target, source, count, to_stride, from_stride);
  case 64:
    return copy<64>(target, source, count, to_stride, from_stride);
  case 128:
    return copy<128>(target, source, count, to_stride, from_stride);
  default:
    for (uint64_t index = 0; index != count; ++index)
      std::memcpy(target + index * to_stride * size, source + index * from_stride * size, size);
  }
}

} // namespace lockstep::compiler
