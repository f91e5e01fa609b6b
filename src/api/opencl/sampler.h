// Samplers (OpenCL 3.0 API section 5.7). Kernels receive a sampler as a number
// (abi/image_descriptor.h).
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/object.h"

#include <CL/cl.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace lockstep::opencl {
// cl_khr_mipmap_image
struct LevelFilter {
  cl_filter_mode mode = CL_FILTER_NEAREST;
  cl_float least = 0, last = std::numeric_limits<cl_float>::max(); // levels of detail
};
} // namespace lockstep::opencl

struct _cl_sampler : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::sampler;

  _cl_sampler(cl_context sampler_context, cl_bool normalized, cl_addressing_mode addressing_mode,
              cl_filter_mode filter_mode, const lockstep::opencl::LevelFilter &level_filter,
              std::vector<cl_sampler_properties> property_list)
      : context(sampler_context), normalized_coords(normalized), addressing(addressing_mode),
        filter(filter_mode), levels(level_filter), properties(std::move(property_list)) {}

  uint32_t number() const;

  const lockstep::opencl::Ref<_cl_context> context;
  const cl_bool normalized_coords;
  const cl_addressing_mode addressing;
  const cl_filter_mode filter;
  const lockstep::opencl::LevelFilter levels;
  const std::vector<cl_sampler_properties> properties; // as given, with the final 0; empty if null
};
