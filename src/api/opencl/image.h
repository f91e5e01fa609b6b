// Images (OpenCL 3.0 API section 5.3): the data that an image has in addition to a buffer.
//
// The bytes are a buffer of the runtime (_cl_mem::buffer), in rows and slices as the program sees
// them when mapped. Images are not tiled or rearranged, because maps, images of buffers and images
// on the program's own memory all require the linear layout.
#pragma once

#include "abi/image_descriptor.h"
#include "api/opencl/error.h"
#include "api/opencl/memory.h"
#include "runtime/memory/transfers.h"

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <vector>

namespace lockstep::opencl {

struct Image {
  cl_image_format format;
  cl_image_desc desc; // includes pitches; sizes that the image type does not have are 0
  size_t element_size;
  // Descriptors for kernels, one for each mip level; there is at least one. Their data pointers
  // point into the buffer.
  std::vector<compiler::ImageDescriptor> levels;

  bool is_mipmapped() const { return levels.size() > 1; }
  // Index of the origin element that selects the mip level: the first one that is not a coordinate.
  size_t level_coordinate() const;
  size_t level_of(const size_t *origin) const {
    return is_mipmapped() ? origin[level_coordinate()] : 0;
  }
  // Width, height and depth in the order of origins and regions. The layers of an array come last.
  std::array<size_t, 3> extent(size_t level = 0) const;
  bool has_slices() const; // true if the third coordinate is used
  // The pitches for these coordinates.
  size_t row_pitch(size_t level = 0) const;
  size_t slice_pitch(size_t level = 0) const;
  // Describes the box at `origin` (in elements) as one side of a transfer.
  runtime::RectSide side(const size_t *origin) const;
  runtime::RectShape shape(const size_t *region) const {
    return {{region[0] * element_size, region[1], region[2]}};
  }
};

// Checks that the memory object is valid, of the context, and an image.
struct Place;
Check check_image(const Place &place, cl_mem image, const char *argument, const char *section);
// Checks that the pointers are not null, that no region is 0, that coordinates which the type does
// not use are 0 or 1, that the mip level exists, and that the box is inside the image.
Check check_region(const Image &image, const size_t *origin, const size_t *region,
                   const char *origin_name, const char *section);

} // namespace lockstep::opencl
