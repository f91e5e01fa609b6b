// Converts numbers of any scalar type to text and back. A number that does not fit is an error; it
// is not truncated.
#pragma once

#include "tools/lockstep/element_type.h"

#include <span>

namespace lockstep::cli {

// Writes the number in `text` to `to` (scalar_size bytes). Integers may be 0x...; floats also "inf"
// and "nan".
Result<void> write_number(Scalar scalar, std::byte *to, std::string_view text);
void write_rounded(Scalar scalar, std::byte *to, double value);
void write_integer(Scalar scalar, std::byte *to, int64_t value); // wraps around for narrow integers

double read_number(Scalar scalar,
                   const std::byte *from); // 64-bit integers may lose their lowest bits
std::string number_text(Scalar scalar, const std::byte *from);
std::string element_text(const ElementType &type,
                         const std::byte *from); // "(1, 2, 3, 4)" for vectors

struct Difference {
  uint64_t count = 0;         // scalars that differ by more than the tolerance
  uint64_t first_element = 0; // the first element that differs
  uint32_t first_lane = 0;
  double largest = 0; // the largest difference of all scalars
};

// Compares two arrays of `type`. With tolerance 0, scalars must be equal bit for bit, but 0.0
// equals -0.0 and NaN equals NaN. Otherwise |a - b| <= tolerance * max(1, |b|) must hold, which is
// absolute for small numbers and relative for large ones.
Difference compare(const ElementType &type, std::span<const std::byte> actual,
                   std::span<const std::byte> expected, double tolerance);

} // namespace lockstep::cli
