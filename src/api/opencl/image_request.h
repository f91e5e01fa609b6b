// What clCreateImage is given, checked, and what is made of it (OpenCL 3.0 API section 5.3.1).
#pragma once

#include "api/opencl/error.h"
#include "api/opencl/image.h"
#include "api/opencl/memory_properties.h"

#include <CL/cl.h>

#include <cstddef>
#include <vector>

namespace lockstep::opencl {

bool is_image_type(cl_mem_object_type type);
// clGetSupportedImageFormats and clGetImageRequirementsInfoEXT: at most one way of access, and nothing but the flags for
// memory objects.
bool is_image_query_flags(cl_mem_flags flags);

struct ImageRequest {
  cl_context context;
  cl_mem_flags flags;
  const cl_image_format *format;
  const cl_image_desc *desc;
  void *host_ptr;
  // clGetImageRequirementsInfoEXT: of an image of a buffer that need not be there yet.
  bool is_query = false;
  MemoryProperties properties{};
  Image image{};
  size_t size = 0;              // bytes
  std::vector<size_t> begins{}; // of the levels

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
