// Arithmetic of rectangular regions (OpenCL 3.0 API section 5.2.2 and appendix D). It is
// independent of any object, so that it can be tested alone. No function overflows: a box that ends
// beyond the address space has no end.
#pragma once

#include "api/opencl/error.h"
#include "runtime/memory/transfers.h"

#include <cstddef>
#include <optional>

namespace lockstep::opencl {

// Checks that no element is 0. A region is width in bytes, height in rows, depth in slices.
Check check_region(const size_t *region);

// One side of a transfer, as passed to an entry point. `pitch_name` is the prefix of the pitch
// arguments in the specification: "buffer", "host", "src" or "dst".
struct RectArguments {
  const char *pitch_name;
  const size_t *origin;
  size_t row_pitch, slice_pitch;
};

// Checks that pitches are 0 or large enough and that slices consist of whole rows.
Check check_pitches(const RectArguments &side, const size_t *region);
// Replaces pitches of 0. The arguments must be valid.
runtime::RectSide resolve_pitches(const RectArguments &side, const size_t *region);
// Returns the offset after the last byte of the box, from the start of its memory; none if a size_t
// cannot represent it.
std::optional<size_t> end_of(const runtime::RectSide &side, const size_t *region);

// Returns true if two boxes with the same region and pitches share bytes, given their start offsets
// in the same memory. As in appendix D, boxes that interleave in one dimension are recognized as
// disjoint. Boxes that interleave only in combined dimensions are assumed to overlap.
bool boxes_overlap(size_t first_start, size_t second_start, const size_t *region, size_t row_pitch,
                   size_t slice_pitch);

} // namespace lockstep::opencl
