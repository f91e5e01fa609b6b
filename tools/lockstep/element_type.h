// The element types of kernel arguments: OpenCL C's scalars and vectors.
#pragma once

#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::cli {

enum class Scalar {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64
};

size_t scalar_size(Scalar scalar);
bool is_floating(Scalar scalar);

// "uint", "float4", ...: a scalar, or a vector of it.
struct ElementType {
  Scalar scalar = Scalar::int32;
  uint32_t width = 1; // 1, 2, 3, 4, 8 or 16
  std::string name;

  // A vector of 3 occupies the storage of a vector of 4 (OpenCL C section 6.3.5).
  uint32_t stored_width() const { return width == 3 ? 4 : width; }
  size_t size() const { return scalar_size(scalar) * stored_width(); }
};

Result<ElementType> parse_element_type(std::string_view text);

} // namespace lockstep::cli
