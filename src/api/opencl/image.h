// Images (OpenCL 3.0 API section 5.3): what a memory object is beside its bytes if it is one.
//
// The bytes are a buffer of the runtime (_cl_mem::buffer), in rows and slices as the program would see them mapped. Images
// are not tiled or otherwise rearranged: a map, a view of a buffer and memory of the program's would all need them as they
// are.
#pragma once

#include "api/opencl/error.h"
#include "api/opencl/memory.h"
#include "compiler/image_descriptor.h"
#include "runtime/memory/transfers.h"

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <vector>

namespace lockstep::opencl {

struct Image {
  cl_image_format format;
  cl_image_desc desc; // with pitches; sizes that the type has not are 0
  size_t element_size;
  // For kernels, one for each mip level, of which there is at least one; their data is where the buffer is.
  std::vector<compiler::ImageDescriptor> levels;

  bool is_mipmapped() const { return levels.size() > 1; }
  // Which element of an origin says the level of a mipmapped image: the first that is no coordinate.
  size_t level_coordinate() const;
  size_t level_of(const size_t *origin) const {
    return is_mipmapped() ? origin[level_coordinate()] : 0;
  }
  // Width, height and depth as origins and regions count them: the layers of an array come last.
  std::array<size_t, 3> extent(size_t level = 0) const;
  bool has_slices() const; // the third coordinate counts
  // Pitches that go with these coordinates.
  size_t row_pitch(size_t level = 0) const;
  size_t slice_pitch(size_t level = 0) const;
  // The box at `origin`, in elements, as a side of a transfer.
  runtime::RectSide side(const size_t *origin) const;
  runtime::RectShape shape(const size_t *region) const {
    return {{region[0] * element_size, region[1], region[2]}};
  }
};

// Valid, of the context, and an image.
struct Place;
Check check_image(const Place &place, cl_mem image, const char *argument, const char *section);
// Not null, no region of 0, what the type does not use is 0 or 1, a level that there is, and inside.
Check check_region(const Image &image, const size_t *origin, const size_t *region,
                   const char *origin_name, const char *section);

} // namespace lockstep::opencl
