// clGetImageRequirementsInfoEXT (cl_ext_image_requirements_info, cl_ext_image_from_buffer).
#include "api/opencl/context.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/image_formats.h"
#include "api/opencl/image_limits.h"
#include "api/opencl/image_request.h"
#include "api/opencl/info.h"

#include <algorithm>
#include <cstddef>

namespace lockstep::opencl {
namespace {

constexpr size_t largest_element = 16;

// The subject of a query. Format and descriptor are null if the query is about any format or image.
// If there is a descriptor, the request has been checked.
struct Requirements {
  const cl_image_format *format;
  const cl_image_desc *desc;
  const ImageRequest &request;

  cl_mem_object_type type() const { return desc ? desc->image_type : 0; }
};

// Rows and slices consist of whole elements. The query requires a power of two.
size_t pitch_alignment(const Requirements &of) {
  const size_t size = of.format ? element_size(*of.format) : largest_element;
  return size & -size;
}

void put_size(const Requirements &of, InfoAnswer &answer) {
  if (!of.format || !of.desc)
    answer.fail(failure(CL_INVALID_VALUE, "{} is null", of.format ? "image_desc" : "image_format"));
  else if (of.request.image.is_mipmapped())
    answer.fail(failure(CL_INVALID_IMAGE_DESCRIPTOR,
                        "num_mip_levels is {}, and no buffer can be such an image",
                        of.desc->num_mip_levels));
  else
    answer.put(of.request.size);
}

cl_uint max_width(cl_mem_object_type type) {
  switch (type) {
  case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    return image_limits::buffer_elements;
  case 0:
  case CL_MEM_OBJECT_IMAGE3D:
    return std::min(image_limits::size_2d, image_limits::size_3d);
  default:
    return image_limits::size_2d;
  }
}

// Returns `most` if images of the type have the size that the query names, else fails.
void put_most(const Requirements &of, InfoAnswer &answer, bool has_size, size_t most) {
  if (of.type() == 0 || has_size)
    answer.put(cl_uint(most));
  else
    answer.fail(
        failure(CL_INVALID_IMAGE_DESCRIPTOR, "images of type {:#x} have no such size", of.type()));
}

constexpr InfoRow<Requirements> requirements_info[] = {
    row<Requirements>(CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
                      [](auto &of) { return pitch_alignment(of); }),
    row<Requirements>(CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT,
                      [](auto &of) { return pitch_alignment(of); }),
    row<Requirements>(CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
                      [](auto &) -> size_t { return 1; }),
    row<Requirements>(CL_IMAGE_REQUIREMENTS_SIZE_EXT,
                      [](auto &of, InfoAnswer &answer) { put_size(of, answer); }),
    row<Requirements>(CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT,
                      [](auto &of) { return max_width(of.type()); }),
    row<Requirements>(CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT,
                      [](auto &of, InfoAnswer &answer) {
                        const bool is_plane = of.type() == CL_MEM_OBJECT_IMAGE2D ||
                                              of.type() == CL_MEM_OBJECT_IMAGE2D_ARRAY;
                        put_most(of, answer, is_plane || of.type() == CL_MEM_OBJECT_IMAGE3D,
                                 is_plane ? image_limits::size_2d : image_limits::size_3d);
                      }),
    row<Requirements>(CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT,
                      [](auto &of, InfoAnswer &answer) {
                        put_most(of, answer, of.type() == CL_MEM_OBJECT_IMAGE3D,
                                 image_limits::size_3d);
                      }),
    row<Requirements>(CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT,
                      [](auto &of, InfoAnswer &answer) {
                        put_most(of, answer,
                                 of.type() == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                                     of.type() == CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                 image_limits::layers);
                      }),
};

bool is_for_maximum(cl_image_requirements_info_ext query) {
  return query == CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT ||
         query == CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT ||
         query == CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT ||
         query == CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT;
}

// Returns the descriptor with sizes that a query for a maximum may leave unset, and without the
// members that depend on sizes.
cl_image_desc completed(cl_image_desc desc, cl_image_requirements_info_ext query) {
  const auto complete = [query](size_t &size, cl_image_requirements_info_ext its_query) {
    if (size == 0 || query == its_query)
      size = 1;
  };
  complete(desc.image_width, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT);
  complete(desc.image_height, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT);
  complete(desc.image_depth, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT);
  complete(desc.image_array_size, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT);
  desc.image_row_pitch = desc.image_slice_pitch = 0;
  desc.num_mip_levels = 0;
  if (desc.image_type == 0)
    desc.image_type = CL_MEM_OBJECT_IMAGE3D; // it has the smallest maxima
  return desc;
}

// Runs the checks of clCreateImage and converts their error codes to those of this function.
Check check_request(ImageRequest &request) {
  Check broken = request.check();
  if (broken)
    broken.code = broken.code == CL_IMAGE_FORMAT_NOT_SUPPORTED ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
                                                               : CL_INVALID_IMAGE_DESCRIPTOR;
  return broken;
}

} // namespace

cl_int clGetImageRequirementsInfoEXT(cl_context context, const cl_mem_properties *properties,
                                     cl_mem_flags flags, const cl_image_format *image_format,
                                     const cl_image_desc *image_desc,
                                     cl_image_requirements_info_ext param_name,
                                     size_t param_value_size, void *param_value,
                                     size_t *param_value_size_ret) {
  const char *section = "section \"Querying Image Requirements\"";
  EntryPoint api("clGetImageRequirementsInfoEXT");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(context);
  ImageRequest request{context, 0, image_format, nullptr, nullptr, true};
  if (Check broken =
          read_properties(context, MemoryObject::image, properties, section, request.properties))
    return api.fail(broken);
  if (!is_image_query_flags(flags))
    return api.fail(CL_INVALID_VALUE, "flags is {:#x}, which is not valid ({})", flags, section);
  if (image_format)
    if (Check broken = request.check_format())
      return api.fail(broken);
  constexpr cl_image_format smallest{CL_R, CL_UNORM_INT8};
  cl_image_desc desc{};
  if (image_desc) {
    desc = is_for_maximum(param_name) ? completed(*image_desc, param_name) : *image_desc;
    request.format = image_format ? image_format : &smallest;
    request.desc = &desc;
    if (Check broken = check_request(request))
      return api.fail(broken);
  }
  const Requirements of{image_format, image_desc, request};
  return read_info(api, requirements_info, of,
                   {param_name, param_value_size, param_value, param_value_size_ret}, section);
}

} // namespace lockstep::opencl
