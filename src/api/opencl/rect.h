// The arithmetic of rectangular regions (OpenCL 3.0 API section 5.2.2 and appendix D), apart from
// any object, so that it can be tested alone. Nothing here overflows: a box that ends beyond the
// address space has no end.
#pragma once

#include "api/opencl/error.h"
#include "runtime/memory/transfers.h"

#include <cstddef>
#include <optional>

namespace lockstep::opencl {

// The region as passed: width in bytes, height in rows, depth in slices. No element may be 0.
Check check_region(const size_t *region);

// One side of a transfer as passed to an entry point. `pitch_name` is the prefix that its pitches
// have in the specification: "buffer", "host", "src" or "dst".
struct RectArguments {
  const char *pitch_name;
  const size_t *origin;
  size_t row_pitch, slice_pitch;
};

// Pitches are 0 or large enough, and slices hold whole rows.
Check check_pitches(const RectArguments &side, const size_t *region);
// Valid arguments with pitches of 0 replaced.
runtime::RectSide resolve_pitches(const RectArguments &side, const size_t *region);
// One past the last byte that the box touches, from the start of its memory; none if that is no
// size_t.
std::optional<size_t> end_of(const runtime::RectSide &side, const size_t *region);

// Whether two boxes of the same region and pitches share bytes, given where they start in the same
// memory. As in appendix D, boxes that interleave in one dimension are seen to be apart, those that
// do so only in combinations are taken to overlap.
bool boxes_overlap(size_t first_start, size_t second_start, const size_t *region, size_t row_pitch,
                   size_t slice_pitch);

} // namespace lockstep::opencl
