// Copies interleaved data with strides of 2 to 4 (channels of an image, structures of floats) in
// vectors. With AVX-512, shuffles extract a register of elements from the others, or insert it
// between them. A loop over elements is half as fast. Elements in between are never written, since
// they may belong to another work-group. They may be read, but nothing beyond the last element is.
#include "back_ends/cpu/host_functions/strided_copy.h"

#include "platform/linux/leaked.h"

#include <cstring>
#include <utility>

namespace lockstep::compiler {

namespace {

template <unsigned size>
void copy(char *to, const char *from, uint64_t count, uint64_t to_stride, uint64_t from_stride) {
  for (uint64_t index = 0; index != count; ++index)
    std::memcpy(to + index * to_stride * size, from + index * from_stride * size, size);
}

// The instructions of the loops below. Other architectures use those that each of their processors has.
#if defined(__x86_64__)
#define LOCKSTEP_WITH_SHUFFLES [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]]
bool has_shuffles() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#else
#define LOCKSTEP_WITH_SHUFFLES
bool has_shuffles() {
  return false; // NEON has no masked store
}
#endif

template <class T> constexpr unsigned lanes = 64 / sizeof(T);
// Vectors of elements; they have the alignment of an element in memory.
template <class T, unsigned length> struct Vector {
  typedef T Type __attribute__((ext_vector_type(length), aligned(sizeof(T)), may_alias));
  typedef bool Mask __attribute__((ext_vector_type(length)));
};

// Prefetches data of the next work-group, whose part usually follows directly behind this one. It
// is too far ahead for the hardware prefetcher, which a short copy does not start. Without the
// prefetch, a masked store that misses the first-level cache costs more than sixteen plain stores.
template <unsigned lines, bool to_write> void fetch_ahead(const void *place, uint64_t distance) {
  for (unsigned line = 0; line != lines; ++line)
    __builtin_prefetch(static_cast<const char *>(place) + distance + line * uint64_t{64}, to_write);
}

// Copies elements 0, stride, 2 * stride, ... to consecutive ones; returns how many it has copied.
template <class T, unsigned stride, int... lane>
LOCKSTEP_WITH_SHUFFLES uint64_t gather(T *to, const T *from, uint64_t count,
                                       std::integer_sequence<int, lane...>) {
  using Wide = typename Vector<T, lanes<T> * stride>::Type;
  using Packed = typename Vector<T, lanes<T>>::Type;
  const uint64_t ahead = count * stride * sizeof(T);
  uint64_t done = 0;
  // The next element exists, so all of `all` may be read.
  for (; done + lanes<T> < count; done += lanes<T>) {
    fetch_ahead<stride, /*to_write=*/false>(from + done * stride, ahead);
    const Wide all = *reinterpret_cast<const Wide *>(from + done * stride);
    *reinterpret_cast<Packed *>(to + done) = __builtin_shufflevector(all, all, lane * stride...);
  }
  return done;
}

// The reverse of gather.
template <class T, unsigned stride, int... element>
LOCKSTEP_WITH_SHUFFLES uint64_t scatter(T *to, const T *from, uint64_t count,
                                        std::integer_sequence<int, element...>) {
  using Wide = typename Vector<T, lanes<T> * stride>::Type;
  using Packed = typename Vector<T, lanes<T>>::Type;
  constexpr typename Vector<T, lanes<T> * stride>::Mask wanted = {(element % stride == 0)...};
  const uint64_t ahead = count * stride * sizeof(T);
  uint64_t done = 0;
  for (; done + lanes<T> <= count; done += lanes<T>) {
    fetch_ahead<stride, /*to_write=*/true>(to + done * stride, ahead);
    const Packed some = *reinterpret_cast<const Packed *>(from + done);
    const Wide spread = __builtin_shufflevector(some, some, element / int(stride)...);
    __builtin_masked_store(wanted, spread, to + done * stride);
  }
  return done;
}

template <class T, unsigned stride>
uint64_t copy_vectors(T *to, const T *from, uint64_t count, bool to_is_strided) {
  if (to_is_strided)
    return scatter<T, stride>(to, from, count,
                              std::make_integer_sequence<int, lanes<T> * stride>());
  return gather<T, stride>(to, from, count, std::make_integer_sequence<int, lanes<T>>());
}

// Copies as many elements as vectors can, from the first; returns their number.
template <class T>
uint64_t copy_vectors(char *to, const char *from, uint64_t count, uint64_t to_stride,
                      uint64_t from_stride) {
  const bool has_vectors = leaked([] { return has_shuffles(); });
  const bool to_is_strided = to_stride != 1;
  if (!has_vectors || (to_is_strided && from_stride != 1))
    return 0;
  auto *target = reinterpret_cast<T *>(to);
  auto *source = reinterpret_cast<const T *>(from);
  switch (to_is_strided ? to_stride : from_stride) {
  case 2:
    return copy_vectors<T, 2>(target, source, count, to_is_strided);
  case 3:
    return copy_vectors<T, 3>(target, source, count, to_is_strided);
  case 4:
    return copy_vectors<T, 4>(target, source, count, to_is_strided);
  default:
    return 0;
  }
}

template <class T>
void copy_fast(char *to, const char *from, uint64_t count, uint64_t to_stride,
               uint64_t from_stride) {
  const uint64_t done = copy_vectors<T>(to, from, count, to_stride, from_stride);
  copy<sizeof(T)>(to + done * to_stride * sizeof(T), from + done * from_stride * sizeof(T),
                  count - done, to_stride, from_stride);
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
    return copy_fast<uint8_t>(target, source, count, to_stride, from_stride);
  case 2:
    return copy_fast<uint16_t>(target, source, count, to_stride, from_stride);
  case 4:
    return copy_fast<uint32_t>(target, source, count, to_stride, from_stride);
  case 8:
    return copy_fast<uint64_t>(target, source, count, to_stride, from_stride);
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

extern "C" void lockstep_copy_lines(void *to, const void *from, uint64_t line_bytes, uint64_t lines,
                                    uint64_t planes, uint64_t to_line, uint64_t to_plane,
                                    uint64_t from_line, uint64_t from_plane) {
  for (uint64_t plane = 0; plane != planes; ++plane)
    for (uint64_t line = 0; line != lines; ++line)
      std::memcpy(static_cast<char *>(to) + plane * to_plane + line * to_line,
                  static_cast<const char *>(from) + plane * from_plane + line * from_line,
                  line_bytes);
}

} // namespace lockstep::compiler
