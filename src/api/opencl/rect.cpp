#include "api/opencl/rect.h"

namespace lockstep::opencl {
namespace {

// Sums and products that record an overflow.
class CheckedSize {
public:
  CheckedSize(size_t value) : value_(value) {}
  CheckedSize operator+(const CheckedSize &other) const {
    CheckedSize sum(0);
    sum.overflowed_ = __builtin_add_overflow(value_, other.value_, &sum.value_) || overflowed_ ||
                      other.overflowed_;
    return sum;
  }
  CheckedSize operator*(size_t factor) const {
    CheckedSize product(0);
    product.overflowed_ = __builtin_mul_overflow(value_, factor, &product.value_) || overflowed_;
    return product;
  }
  std::optional<size_t> value() const { return overflowed_ ? std::nullopt : std::optional(value_); }

private:
  size_t value_;
  bool overflowed_ = false;
};

// Returns true if two intervals of `width` that repeat with `pitch` never intersect.
bool interleave(size_t a, size_t b, size_t width, size_t pitch) {
  return (b >= a + width && b + width <= a + pitch) || (a >= b + width && a + width <= b + pitch);
}

} // namespace

Check check_region(const size_t *region) {
  for (int i = 0; i < 3; ++i)
    if (region[i] == 0)
      return failure(CL_INVALID_VALUE, "region[{}] is 0 (section 5.2.2)", i);
  return {};
}

Check check_pitches(const RectArguments &side, const size_t *region) {
  size_t row = side.row_pitch ? side.row_pitch : region[0];
  if (row < region[0])
    return failure(CL_INVALID_VALUE, "{}_row_pitch is {}, less than region[0], {} (section 5.2.2)",
                   side.pitch_name, row, region[0]);
  std::optional<size_t> dense_slice = (CheckedSize(row) * region[1]).value();
  if (!dense_slice)
    return failure(CL_INVALID_VALUE,
                   "region[1] times {}_row_pitch is more than a size_t can hold (section 5.2.2)",
                   side.pitch_name);
  if (side.slice_pitch == 0)
    return {};
  if (side.slice_pitch < *dense_slice)
    return failure(CL_INVALID_VALUE,
                   "{0}_slice_pitch is {1}, less than region[1] times {0}_row_pitch, {2} "
                   "(section 5.2.2)",
                   side.pitch_name, side.slice_pitch, *dense_slice);
  if (side.slice_pitch % row != 0)
    return failure(CL_INVALID_VALUE,
                   "{0}_slice_pitch is {1}, no multiple of {0}_row_pitch, {2} (section 5.2.2)",
                   side.pitch_name, side.slice_pitch, row);
  return {};
}

runtime::RectSide resolve_pitches(const RectArguments &side, const size_t *region) {
  size_t row = side.row_pitch ? side.row_pitch : region[0];
  size_t slice = side.slice_pitch ? side.slice_pitch : row * region[1];
  return {{side.origin[0], side.origin[1], side.origin[2]}, row, slice};
}

std::optional<size_t> end_of(const runtime::RectSide &side, const size_t *region) {
  CheckedSize last_slice = CheckedSize(side.origin[2]) + (region[2] - 1);
  CheckedSize last_row = CheckedSize(side.origin[1]) + (region[1] - 1);
  return (last_slice * side.slice_pitch + last_row * side.row_pitch + side.origin[0] + region[0])
      .value();
}

bool boxes_overlap(size_t first_start, size_t second_start, const size_t *region, size_t row_pitch,
                   size_t slice_pitch) {
  size_t slice_size = (region[1] - 1) * row_pitch + region[0];
  size_t box_size = (region[2] - 1) * slice_pitch + slice_size;
  if (first_start + box_size <= second_start || second_start + box_size <= first_start)
    return false;
  return !interleave(first_start % row_pitch, second_start % row_pitch, region[0], row_pitch) &&
         !interleave(first_start % slice_pitch, second_start % slice_pitch, slice_size,
                     slice_pitch);
}

} // namespace lockstep::opencl
