// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The records that a kernel writes for a sycl::stream and that the library reads after the kernel
// (src/api/sycl/stream_log.cpp). They contain values, not text.
//
// So formatting is host code, kernels need not store the manipulator state of each work-item, and
// concurrent writers share only a counter.
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
  punctuation,      // text without a width: separators between the elements of a vec
  end_of_statement, // ends the last active manipulator
};

// Precedes each value. The value's bytes follow, padded to a multiple of 8.
struct stream_record {
  std::uint64_t item; // global linear id
  std::uint32_t bytes;
  stream_value kind;
  std::uint16_t size; // of the number's type
};

// The start of the log; records follow.
struct stream_log {
  std::uint64_t capacity; // bytes of records
  std::uint64_t used;     // may exceed the capacity: then records are missing
};

} // namespace detail
} // namespace sycl
