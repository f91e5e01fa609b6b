#include "api/opencl/image_request.h"

#include "api/opencl/image_formats.h"
#include "api/opencl/image_limits.h"
#include "api/opencl/memory_flags.h"
#include "runtime/memory/buffer.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lockstep::opencl {
namespace {

constexpr cl_mem_object_type image_types[] = {
    CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};

bool is_array(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

bool has_height(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
         type == CL_MEM_OBJECT_IMAGE3D;
}

} // namespace

bool is_image_type(cl_mem_object_type type) {
  return std::ranges::find(image_types, type) != std::end(image_types);
}

bool is_image_query_flags(cl_mem_flags flags) {
  constexpr cl_mem_flags access =
      kernel_access_flags | CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_IMMUTABLE_EXT;
  constexpr cl_mem_flags known = access | host_pointer_flags | host_access_flags;
  const cl_mem_flags chosen = flags & access;
  return (flags & ~known) == 0 && (chosen & (chosen - 1)) == 0;
}

Check ImageRequest::check_format() const {
  if (!format)
    return failure(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is null (section 5.3.1)");
  if (!is_valid(*format))
    return failure(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                   "channel order {:#x} and channel data type {:#x} are not valid, or not together "
                   "(section 5.3.1.1)",
                   format->image_channel_order, format->image_channel_data_type);
  return {};
}

Check ImageRequest::check_desc() const {
  if (!desc)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR, "image_desc is null (section 5.3.1)");
  if (!is_image_type(desc->image_type))
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "image_type is {:#x}, which is not an image type (section 5.3.1.2)",
                   desc->image_type);
  if (desc->num_samples != 0)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "num_samples is {}, but must be 0 (section 5.3.1.2)", desc->num_samples);
  if (Check broken = check_levels())
    return broken;
  const cl_mem parent = desc->mem_object;
  if (parent && properties.external)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "mem_object is not null, but properties has an external memory handle (section "
                   "5.3.1.2)");
  if (!parent && !is_query && desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "image_type is CL_MEM_OBJECT_IMAGE1D_BUFFER, but mem_object is null (section "
                   "5.3.1.2)");
  return parent ? check_parent() : Check();
}

// The sizes are not validated yet; later checks report invalid ones. The specification has no
// mipmapped depth images, but it has functions that read them, and the Khronos test suite creates
// them.
Check ImageRequest::check_levels() const {
  if (desc->num_mip_levels <= 1)
    return {};
  const cl_mem_object_type type = desc->image_type;
  const char *what = type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? "a 1D image of a buffer"
                     : desc->mem_object                   ? "made of a memory object"
                     : properties.external                ? "imported"
                     : flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) || host_ptr
                         ? "made of host memory"
                         : nullptr;
  if (what)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "num_mip_levels is {}, but the image is {}, which has one level (section 5.3.1)",
                   desc->num_mip_levels, what);
  size_t longest = desc->image_width;
  if (has_height(type))
    longest = std::max(longest, desc->image_height);
  if (type == CL_MEM_OBJECT_IMAGE3D)
    longest = std::max(longest, desc->image_depth);
  if (longest != 0 && desc->num_mip_levels > std::bit_width(longest))
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "num_mip_levels is {}, but level {} has a single element (section 5.3.1)",
                   desc->num_mip_levels, std::bit_width(longest) - 1);
  return {};
}

Check ImageRequest::check_parent() const {
  const cl_mem parent = desc->mem_object;
  if (!is_valid(parent) || parent->context.get() != context)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "mem_object is not a valid memory object of the context (section 5.3.1.2)");
  // An image of a buffer may have any type (cl_ext_image_from_buffer).
  const bool fits =
      parent->is_buffer() || (parent->image && desc->image_type == CL_MEM_OBJECT_IMAGE2D);
  if (!fits)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "mem_object is {}, which an image of type {:#x} cannot be made from (section "
                   "5.3.1.2)",
                   parent->what(), desc->image_type);
  if (parent->image && parent->image->is_mipmapped())
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "mem_object is a mipmapped image, and no other image can be made of its levels "
                   "(section 5.3.1.2)");
  if ((parent->flags & ~flags) & CL_MEM_IMMUTABLE_EXT)
    return failure(CL_INVALID_VALUE,
                   "mem_object was created with CL_MEM_IMMUTABLE_EXT, which flags lacks "
                   "(section 5.3.1)");
  if (Check broken = check_sub_buffer_flags(parent->flags, flags))
    return broken;
  return parent->image ? check_same_image() : Check();
}

// An image of an image may differ from it only in the channel order.
Check ImageRequest::check_same_image() const {
  const Image &other = *desc->mem_object->image;
  constexpr std::pair<cl_channel_order, cl_channel_order> compatible[] = {
      {CL_sBGRA, CL_BGRA}, {CL_BGRA, CL_sBGRA}, {CL_sRGBA, CL_RGBA},
      {CL_RGBA, CL_sRGBA}, {CL_sRGB, CL_RGB},   {CL_RGB, CL_sRGB},
      {CL_sRGBx, CL_RGBx}, {CL_RGBx, CL_sRGBx}, {CL_DEPTH, CL_R}};
  const std::pair orders(format->image_channel_order, other.format.image_channel_order);
  if (format->image_channel_data_type != other.format.image_channel_data_type ||
      (orders.first != orders.second &&
       std::ranges::find(compatible, orders) == std::end(compatible)))
    return failure(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                   "image_format does not go with that of the image it is made from (section "
                   "5.3.1.2)");
  auto same = [](size_t given, size_t expected) { return given == expected; };
  const cl_image_desc &from = other.desc;
  if (desc->image_type != from.image_type || !same(desc->image_width, from.image_width) ||
      !same(desc->image_height, from.image_height) ||
      (desc->image_row_pitch != 0 && !same(desc->image_row_pitch, from.image_row_pitch)))
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "image_desc differs from the image that it is made from (section 5.3.1.2)");
  return {};
}

Check ImageRequest::check_sizes() const {
  const bool is_3d = desc->image_type == CL_MEM_OBJECT_IMAGE3D;
  const bool is_buffer = desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  struct Size {
    const char *name;
    bool counts;
    size_t size, most;
  };
  const Size sizes[] = {{"image_width", true, desc->image_width,
                         is_buffer ? image_limits::buffer_elements
                         : is_3d   ? image_limits::size_3d
                                   : image_limits::size_2d},
                        {"image_height", has_height(desc->image_type), desc->image_height,
                         is_3d ? image_limits::size_3d : image_limits::size_2d},
                        {"image_depth", is_3d, desc->image_depth, image_limits::size_3d},
                        {"image_array_size", is_array(desc->image_type), desc->image_array_size,
                         image_limits::layers}};
  for (const Size &size : sizes)
    if (size.counts && (size.size == 0 || size.size > size.most))
      return failure(CL_INVALID_IMAGE_SIZE, "{} is {}, not from 1 to {} (section 5.3.1.2)",
                     size.name, size.size, size.most);
  return {};
}

Check ImageRequest::check_host_pointer() const {
  const bool needs_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  if (needs_pointer == (host_ptr != nullptr))
    return {};
  return failure(CL_INVALID_HOST_PTR,
                 "host_ptr is {}null, but flags has {} CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR "
                 "(section 5.3.1)",
                 host_ptr ? "not " : "", host_ptr ? "neither" : "one of");
}

Check ImageRequest::set_pitches() {
  const size_t dense_row = desc->image_width * image.element_size;
  const bool has_memory = host_ptr || desc->mem_object || properties.external || is_query;
  if ((desc->image_row_pitch || desc->image_slice_pitch) && !has_memory)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "image_row_pitch or image_slice_pitch is not 0, but host_ptr is null (section "
                   "5.3.1.2)");
  const size_t row = desc->image_row_pitch ? desc->image_row_pitch
                     : desc->mem_object && desc->mem_object->image
                         ? desc->mem_object->image->desc.image_row_pitch
                         : dense_row;
  const bool is_of_buffer = desc->mem_object && !desc->mem_object->image;
  if (row < dense_row || row % image.element_size != 0)
    return failure(is_of_buffer ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR,
                   "image_row_pitch is {}, not a multiple of the {} bytes of an element that holds "
                   "a row of {} bytes (section 5.3.1.2)",
                   row, image.element_size, dense_row);
  const bool has_layers = is_array(desc->image_type) || desc->image_type == CL_MEM_OBJECT_IMAGE3D;
  const size_t dense_slice = has_height(desc->image_type) ? row * desc->image_height : row;
  const size_t slice =
      has_layers && desc->image_slice_pitch ? desc->image_slice_pitch : dense_slice;
  if (slice < dense_slice || slice % row != 0)
    return failure(
        is_of_buffer ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR,
        "image_slice_pitch is {}, not a multiple of the row pitch {} that holds {} bytes "
        "(section 5.3.1.2)",
        slice, row, dense_slice);
  image.desc.image_row_pitch = row;
  image.desc.image_slice_pitch = has_layers ? slice : 0;
  size = slice * (is_array(desc->image_type)                  ? desc->image_array_size
                  : desc->image_type == CL_MEM_OBJECT_IMAGE3D ? desc->image_depth
                                                              : 1);
  return {};
}

namespace {

compiler::ImageDescriptor first_level(const Image &image) {
  const cl_image_desc &desc = image.desc;
  auto at_least_one = [](size_t size) { return uint32_t(std::max<size_t>(1, size)); };
  return {.row_pitch = desc.image_row_pitch,
          .slice_pitch = desc.image_slice_pitch,
          .format = compiler::image_format(image.format.image_channel_order,
                                           image.format.image_channel_data_type),
          .width = at_least_one(desc.image_width),
          .height = at_least_one(desc.image_height),
          .depth = at_least_one(desc.image_depth),
          .layers = at_least_one(desc.image_array_size),
          .levels = std::max(1u, desc.num_mip_levels)};
}

compiler::ImageDescriptor next_level(const compiler::ImageDescriptor &level, const Image &image) {
  auto half = [](uint32_t size) { return std::max(1u, size / 2); };
  compiler::ImageDescriptor next = level;
  next.width = half(level.width);
  next.height = half(level.height);
  next.depth = half(level.depth);
  next.row_pitch = next.width * image.element_size;
  if (level.slice_pitch)
    next.slice_pitch = next.row_pitch * next.height;
  return next;
}

} // namespace

// Places the mip levels one after another and stores their byte offsets in `begins`.
void ImageRequest::set_levels() {
  image.levels = {first_level(image)};
  begins = {0};
  for (cl_uint i = 1; i < desc->num_mip_levels; ++i) {
    const compiler::ImageDescriptor next = next_level(image.levels.back(), image);
    image.levels.push_back(next);
    begins.push_back((size + runtime::buffer_alignment - 1) & ~(runtime::buffer_alignment - 1));
    size = begins.back() + std::max<size_t>(next.slice_pitch, next.row_pitch * next.height) *
                               next.depth * next.layers;
  }
}

Check ImageRequest::check() {
  if (Check broken = check_memory_flags(flags))
    return broken;
  if (Check broken = check_format())
    return broken;
  if (Check broken = check_desc())
    return broken;
  if (Check broken = check_sizes())
    return broken;
  if (Check broken = check_host_pointer())
    return broken;
  const cl_mem_object_type type = desc->image_type;
  image.format = *format;
  image.element_size = element_size(*format);
  image.desc = *desc;
  image.desc.image_height = has_height(type) ? desc->image_height : 0;
  image.desc.image_depth = type == CL_MEM_OBJECT_IMAGE3D ? desc->image_depth : 0;
  image.desc.image_array_size = is_array(type) ? desc->image_array_size : 0;
  if (!is_supported(*format, type))
    return failure(CL_IMAGE_FORMAT_NOT_SUPPORTED,
                   "no device has images of type {:#x} with channel order {:#x} and data type "
                   "{:#x} (section 5.3.1)",
                   type, format->image_channel_order, format->image_channel_data_type);
  if (Check broken = set_pitches())
    return broken;
  set_levels();
  if (desc->mem_object && !is_query && size > desc->mem_object->size())
    return failure(CL_INVALID_IMAGE_SIZE,
                   "the image has {} bytes, but mem_object only {} (section 5.3.1.2)", size,
                   desc->mem_object->size());
  return {};
}

} // namespace lockstep::opencl
