// What a kernel writes for a sycl::stream, and the library reads when the kernel is over (src/api/sycl/stream_log.cpp): the
// values, not text. Formatting is host code, the manipulators' state of each work-item need not be kept anywhere, and
// work-items that write at the same time only share a counter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sycl {

enum class stream_manipulator {
  flush,
  dec,
  hex,
  oct,
  noshowbase,
  showbase,
  noshowpos,
  showpos,
  endl,
  fixed,
  scientific,
  hexfloat,
  defaultfloat
};

namespace detail {

enum class stream_value : std::uint16_t {
  text,
  character,
  boolean,
  signed_number,
  unsigned_number,
  floating,
  pointer,
  manipulator,
  precision,
  width,
  punctuation,      // text without a width: what stands between the elements of a vec
  end_of_statement, // of the last manipulator that has not ended
};

// Before each value; the value's bytes follow, up to the next multiple of 8.
struct stream_record {
  std::uint64_t item; // global linear id
  std::uint32_t bytes;
  stream_value kind;
  std::uint16_t size; // of the number's type
};

// At the beginning of the log; records follow.
struct stream_log {
  std::uint64_t capacity; // bytes of records
  std::uint64_t used;     // may be beyond the capacity: what did not fit is not there
};

} // namespace detail
} // namespace sycl
