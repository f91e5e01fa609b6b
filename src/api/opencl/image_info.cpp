// clGetImageInfo.
#include "api/opencl/entry_points.h"
#include "api/opencl/image.h"
#include "api/opencl/info.h"

namespace lockstep::opencl {
namespace {

const cl_image_desc &desc(const _cl_mem &memory) {
  return memory.image->desc;
}

constexpr InfoRow<_cl_mem> image_info[] = {
    row<_cl_mem>(CL_IMAGE_FORMAT, [](auto &memory) { return memory.image->format; }),
    row<_cl_mem>(CL_IMAGE_ELEMENT_SIZE, [](auto &memory) { return memory.image->element_size; }),
    row<_cl_mem>(CL_IMAGE_ROW_PITCH, [](auto &memory) { return desc(memory).image_row_pitch; }),
    row<_cl_mem>(CL_IMAGE_SLICE_PITCH, [](auto &memory) { return desc(memory).image_slice_pitch; }),
    row<_cl_mem>(CL_IMAGE_WIDTH, [](auto &memory) { return desc(memory).image_width; }),
    row<_cl_mem>(CL_IMAGE_HEIGHT, [](auto &memory) { return desc(memory).image_height; }),
    row<_cl_mem>(CL_IMAGE_DEPTH, [](auto &memory) { return desc(memory).image_depth; }),
    row<_cl_mem>(CL_IMAGE_ARRAY_SIZE, [](auto &memory) { return desc(memory).image_array_size; }),
    row<_cl_mem>(CL_IMAGE_BUFFER,
                 [](auto &memory) -> cl_mem {
                   const cl_mem parent = memory.parent.get();
                   return parent && !parent->image ? parent : nullptr;
                 }),
    row<_cl_mem>(CL_IMAGE_NUM_MIP_LEVELS, [](auto &memory) { return desc(memory).num_mip_levels; }),
    row<_cl_mem>(CL_IMAGE_NUM_SAMPLES, [](auto &) -> cl_uint { return 0; }),
};

} // namespace

cl_int clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetImageInfo");
  if (!is_valid(image) || !image->image)
    return api.fail(CL_INVALID_MEM_OBJECT, "image is not a valid image (section 5.3.7)");
  api.report_to(image->context.get());
  return read_info(api, image_info, *image,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.3.7");
}

} // namespace lockstep::opencl
