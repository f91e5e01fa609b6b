// The arguments of clCreateImage: validation, and the image data made from them (OpenCL 3.0 API
// section 5.3.1).
#pragma once

#include "api/opencl/error.h"
#include "api/opencl/image.h"
#include "api/opencl/memory_properties.h"

#include <CL/cl.h>

#include <cstddef>
#include <vector>

namespace lockstep::opencl {

bool is_image_type(cl_mem_object_type type);
// The rule for clGetSupportedImageFormats and clGetImageRequirementsInfoEXT: at most one kernel
// access flag, and only flags that are valid for memory objects.
bool is_image_query_flags(cl_mem_flags flags);

struct ImageRequest {
  cl_context context;
  cl_mem_flags flags;
  const cl_image_format *format;
  const cl_image_desc *desc;
  void *host_ptr;
  // Set by clGetImageRequirementsInfoEXT. The query is about an image of a buffer that need not
  // exist yet.
  bool is_query = false;
  MemoryProperties properties{};
  Image image{};
  size_t size = 0;              // bytes
  std::vector<size_t> begins{}; // byte offset of each mip level

  Check check();
  Check check_format() const;

private:
  Check check_desc() const;
  Check check_levels() const;
  Check check_parent() const;
  Check check_same_image() const;
  Check check_sizes() const;
  Check check_host_pointer() const;
  Check set_pitches();
  void set_levels();
};

} // namespace lockstep::opencl
