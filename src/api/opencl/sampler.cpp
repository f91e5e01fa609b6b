// clCreateSampler and related functions.
#include "api/opencl/sampler.h"

#include "abi/image_descriptor.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/info.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace {

uint32_t lod_steps_of(float lod, float (*round)(float)) {
  using namespace lockstep::compiler;
  return uint32_t(std::clamp(round(lod * float(lod_steps)), 0.0f, float(most_lod_steps)));
}

} // namespace

uint32_t _cl_sampler::number() const {
  using namespace lockstep::compiler;
  uint32_t bits = filter == CL_FILTER_LINEAR ? sampler_linear : sampler_nearest;
  if (levels.mode == CL_FILTER_LINEAR)
    bits |= sampler_mixes_levels;
  bits |= sampler_lod_range(lod_steps_of(levels.least, std::ceil),
                            lod_steps_of(levels.last, std::floor));
  if (normalized_coords)
    bits |= sampler_normalized;
  switch (addressing) {
  case CL_ADDRESS_CLAMP_TO_EDGE:
    return bits | sampler_clamp_to_edge;
  case CL_ADDRESS_CLAMP:
    return bits | sampler_clamp;
  case CL_ADDRESS_REPEAT:
    return bits | sampler_repeat;
  case CL_ADDRESS_MIRRORED_REPEAT:
    return bits | sampler_mirrored_repeat;
  default:
    return bits;
  }
}

namespace lockstep::opencl {
namespace {

struct Settings {
  cl_sampler_properties normalized = CL_TRUE, addressing = CL_ADDRESS_CLAMP,
                        filter = CL_FILTER_NEAREST;
  // cl_khr_mipmap_image. The limits are floats; the properties hold their bits.
  cl_sampler_properties level_filter = CL_FILTER_NEAREST,
                        least_level = std::bit_cast<cl_uint>(LevelFilter().least),
                        last_level = std::bit_cast<cl_uint>(LevelFilter().last);

  LevelFilter levels() const {
    return {cl_filter_mode(level_filter), std::bit_cast<cl_float>(cl_uint(least_level)),
            std::bit_cast<cl_float>(cl_uint(last_level))};
  }
};

Check check(const Settings &settings) {
  constexpr cl_sampler_properties addressing_modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE,
                                                        CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                                        CL_ADDRESS_MIRRORED_REPEAT};
  if (settings.normalized != CL_TRUE && settings.normalized != CL_FALSE)
    return failure(CL_INVALID_VALUE,
                   "normalized_coords is {}, neither CL_TRUE nor CL_FALSE (section 5.7.1)",
                   settings.normalized);
  if (std::ranges::find(addressing_modes, settings.addressing) == std::end(addressing_modes))
    return failure(CL_INVALID_VALUE,
                   "addressing_mode is {:#x}, which is not an addressing mode (section 5.7.1)",
                   settings.addressing);
  if (settings.filter != CL_FILTER_NEAREST && settings.filter != CL_FILTER_LINEAR)
    return failure(CL_INVALID_VALUE,
                   "filter_mode is {:#x}, which is not a filter mode (section 5.7.1)",
                   settings.filter);
  if (!settings.normalized && (settings.addressing == CL_ADDRESS_REPEAT ||
                               settings.addressing == CL_ADDRESS_MIRRORED_REPEAT))
    return failure(CL_INVALID_VALUE, "addressing_mode repeats the image, which needs normalized "
                                     "coordinates (section 5.7.1)");
  if (settings.level_filter != CL_FILTER_NEAREST && settings.level_filter != CL_FILTER_LINEAR)
    return failure(CL_INVALID_VALUE,
                   "CL_SAMPLER_MIP_FILTER_MODE_KHR is {:#x}, which is not a filter mode (section "
                   "5.7.1)",
                   settings.level_filter);
  if (const LevelFilter levels = settings.levels(); !(levels.least <= levels.last))
    return failure(CL_INVALID_VALUE,
                   "CL_SAMPLER_LOD_MIN_KHR is {}, which is not at most CL_SAMPLER_LOD_MAX_KHR, {} "
                   "(section 5.7.1)",
                   levels.least, levels.last);
  return {};
}

Check read_properties(const cl_sampler_properties *list, Settings &settings) {
  bool is_set[6] = {};
  for (const cl_sampler_properties *property = list; *property; property += 2) {
    const cl_sampler_properties names[] = {
        CL_SAMPLER_NORMALIZED_COORDS,   CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE,
        CL_SAMPLER_MIP_FILTER_MODE_KHR, CL_SAMPLER_LOD_MIN_KHR,     CL_SAMPLER_LOD_MAX_KHR};
    cl_sampler_properties *const places[] = {&settings.normalized,  &settings.addressing,
                                             &settings.filter,      &settings.level_filter,
                                             &settings.least_level, &settings.last_level};
    const auto which = size_t(std::ranges::find(names, *property) - std::begin(names));
    if (which == std::size(names))
      return failure(CL_INVALID_VALUE,
                     "sampler_properties has {:#x}, which is not a supported property (section "
                     "5.7.1)",
                     *property);
    if (std::exchange(is_set[which], true))
      return failure(CL_INVALID_VALUE,
                     "sampler_properties has the property {:#x} twice (section 5.7.1)", *property);
    *places[which] = property[1];
  }
  return {};
}

cl_sampler create_sampler(EntryPoint &api, cl_context context, const Settings &settings,
                          std::vector<cl_sampler_properties> properties) {
  if (Check broken = check(settings))
    return api.fail(broken);
  return api.success(create_object<_cl_sampler>(
      context, cl_bool(settings.normalized), cl_addressing_mode(settings.addressing),
      cl_filter_mode(settings.filter), settings.levels(), std::move(properties)));
}

constexpr InfoRow<_cl_sampler> sampler_info[] = {
    row<_cl_sampler>(CL_SAMPLER_REFERENCE_COUNT,
                     [](auto &sampler) -> cl_uint { return sampler.references; }),
    row<_cl_sampler>(CL_SAMPLER_CONTEXT, [](auto &sampler) { return sampler.context.get(); }),
    row<_cl_sampler>(CL_SAMPLER_NORMALIZED_COORDS,
                     [](auto &sampler) { return sampler.normalized_coords; }),
    row<_cl_sampler>(CL_SAMPLER_ADDRESSING_MODE, [](auto &sampler) { return sampler.addressing; }),
    row<_cl_sampler>(CL_SAMPLER_FILTER_MODE, [](auto &sampler) { return sampler.filter; }),
    row<_cl_sampler>(CL_SAMPLER_MIP_FILTER_MODE_KHR,
                     [](auto &sampler) { return sampler.levels.mode; }),
    row<_cl_sampler>(CL_SAMPLER_LOD_MIN_KHR, [](auto &sampler) { return sampler.levels.least; }),
    row<_cl_sampler>(CL_SAMPLER_LOD_MAX_KHR, [](auto &sampler) { return sampler.levels.last; }),
    row<_cl_sampler>(CL_SAMPLER_PROPERTIES, [](auto &sampler) { return sampler.properties; }),
};

} // namespace

cl_sampler clCreateSampler(cl_context context, cl_bool normalized_coords,
                           cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                           cl_int *errcode_ret) {
  EntryPoint api("clCreateSampler", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.7.1)");
  api.report_to(context);
  return create_sampler(api, context, {normalized_coords, addressing_mode, filter_mode}, {});
}

cl_sampler clCreateSamplerWithProperties(cl_context context,
                                         const cl_sampler_properties *sampler_properties,
                                         cl_int *errcode_ret) {
  EntryPoint api("clCreateSamplerWithProperties", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.7.1)");
  api.report_to(context);
  Settings settings;
  std::vector<cl_sampler_properties> properties;
  if (sampler_properties) {
    if (Check broken = read_properties(sampler_properties, settings))
      return api.fail(broken);
    const cl_sampler_properties *end = sampler_properties;
    while (*end)
      end += 2;
    properties.assign(sampler_properties, end + 1);
  }
  return create_sampler(api, context, settings, std::move(properties));
}

cl_int clRetainSampler(cl_sampler sampler) {
  EntryPoint api("clRetainSampler");
  if (!is_valid(sampler))
    return api.fail(CL_INVALID_SAMPLER, "sampler is not a valid sampler (section 5.7.1)");
  retain(sampler);
  return api.success();
}

cl_int clReleaseSampler(cl_sampler sampler) {
  EntryPoint api("clReleaseSampler");
  if (!is_valid(sampler) || !release(sampler))
    return api.fail(CL_INVALID_SAMPLER, "sampler is not a valid sampler (section 5.7.1)");
  return api.success();
}

cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetSamplerInfo");
  if (!is_valid(sampler))
    return api.fail(CL_INVALID_SAMPLER, "sampler is not a valid sampler (section 5.7.2)");
  api.report_to(sampler->context.get());
  return read_info(api, sampler_info, *sampler,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.7.2");
}

} // namespace lockstep::opencl
