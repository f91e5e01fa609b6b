// clCreateImage and its relatives, clGetSupportedImageFormats.
#include "api/opencl/image.h"

#include "api/opencl/device.h"
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/image_formats.h"
#include "api/opencl/image_limits.h"
#include "api/opencl/memory_flags.h"
#include "api/opencl/memory_properties.h"
#include "runtime/check/host_views.h"
#include "runtime/check/undefined_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lockstep::opencl {

size_t Image::level_coordinate() const {
  switch (desc.image_type) {
  case CL_MEM_OBJECT_IMAGE1D:
    return 1;
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
  case CL_MEM_OBJECT_IMAGE2D:
    return 2;
  default:
    return 3;
  }
}

std::array<size_t, 3> Image::extent(size_t level) const {
  const compiler::ImageDescriptor &of = levels[level];
  switch (desc.image_type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    return {of.width, of.layers, 1};
  case CL_MEM_OBJECT_IMAGE2D:
    return {of.width, of.height, 1};
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    return {of.width, of.height, of.layers};
  case CL_MEM_OBJECT_IMAGE3D:
    return {of.width, of.height, of.depth};
  default:
    return {of.width, 1, 1};
  }
}

bool Image::has_slices() const {
  return desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY || desc.image_type == CL_MEM_OBJECT_IMAGE3D;
}

size_t Image::row_pitch(size_t level) const {
  return desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? levels[level].slice_pitch
                                                        : levels[level].row_pitch;
}

size_t Image::slice_pitch(size_t level) const {
  return has_slices() ? levels[level].slice_pitch : row_pitch(level) * extent(level)[1];
}

// Where a level begins is bytes of the first coordinate.
runtime::RectSide Image::side(const size_t *origin) const {
  const size_t level = level_of(origin), begin = size_t(levels[level].data - levels[0].data);
  const bool has_y = !is_mipmapped() || level_coordinate() > 1,
             has_z = !is_mipmapped() || level_coordinate() > 2;
  return {{begin + origin[0] * element_size, has_y ? origin[1] : 0, has_z ? origin[2] : 0},
          row_pitch(level),
          slice_pitch(level)};
}

Check check_image(const Place &place, cl_mem image, const char *argument, const char *section) {
  if (Check broken = check_memory(place, image, argument, section))
    return broken;
  if (!image->image)
    return failure(CL_INVALID_MEM_OBJECT, "{} is {}, not an image ({})", argument, image->what(),
                   section);
  return {};
}

Check check_region(const Image &image, const size_t *origin, const size_t *region,
                   const char *origin_name, const char *section) {
  if (!origin || !region)
    return failure(CL_INVALID_VALUE, "{} is null ({})", origin ? "region" : origin_name, section);
  const size_t level = image.level_of(origin);
  if (level >= image.levels.size())
    return failure(CL_INVALID_VALUE, "{}[{}] is {}, but the image has {} mip levels ({})",
                   origin_name, image.level_coordinate(), level, image.levels.size(), section);
  const std::array<size_t, 3> extent = image.extent(level);
  const auto at = [&](size_t d) {
    return image.is_mipmapped() && d == image.level_coordinate() ? 0 : origin[d];
  };
  for (size_t d = 0; d < 3; ++d)
    if (region[d] == 0 || at(d) > extent[d] || region[d] > extent[d] - at(d))
      return failure(CL_INVALID_VALUE,
                     "{} ({}, {}, {}) and region ({}, {}, {}) are not inside the image, which has "
                     "({}, {}, {}) elements ({})",
                     origin_name, origin[0], origin[1], origin[2], region[0], region[1], region[2],
                     extent[0], extent[1], extent[2], section);
  return {};
}

namespace {

constexpr cl_mem_object_type image_types[] = {
    CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};

bool is_image_type(cl_mem_object_type type) {
  return std::ranges::find(image_types, type) != std::end(image_types);
}

bool is_array(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

bool has_height(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
         type == CL_MEM_OBJECT_IMAGE3D;
}

// Everything that clCreateImage is given, and what is made of it.
struct Request {
  cl_context context;
  cl_mem_flags flags;
  const cl_image_format *format;
  const cl_image_desc *desc;
  void *host_ptr;
  MemoryProperties properties{};
  Image image{};
  size_t size = 0;              // bytes
  std::vector<size_t> begins{}; // of the levels

  Check check();

private:
  Check check_format() const;
  Check check_desc() const;
  Check check_levels() const;
  Check check_parent() const;
  Check check_same_image() const;
  Check check_sizes() const;
  Check check_host_pointer() const;
  Check set_pitches();
  void set_levels();
};

Check Request::check_format() const {
  if (!format)
    return failure(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is null (section 5.3.1)");
  if (!is_valid(*format))
    return failure(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                   "channel order {:#x} and channel data type {:#x} are not valid, or not together "
                   "(section 5.3.1.1)",
                   format->image_channel_order, format->image_channel_data_type);
  return {};
}

Check Request::check_desc() const {
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
  if (!parent && desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "image_type is CL_MEM_OBJECT_IMAGE1D_BUFFER, but mem_object is null (section "
                   "5.3.1.2)");
  return parent ? check_parent() : Check();
}

// The sizes may still be wrong, which is told as that. The specification has no depth images with levels, but functions
// that read them, and the Khronos suite makes them.
Check Request::check_levels() const {
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

Check Request::check_parent() const {
  const cl_mem parent = desc->mem_object;
  if (!is_valid(parent) || parent->context.get() != context)
    return failure(CL_INVALID_IMAGE_DESCRIPTOR,
                   "mem_object is not a valid memory object of the context (section 5.3.1.2)");
  const bool fits = (desc->image_type == CL_MEM_OBJECT_IMAGE2D && !parent->pipe) ||
                    (desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER && parent->is_buffer());
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

// An image of an image differs in the order of its channels only.
Check Request::check_same_image() const {
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

Check Request::check_sizes() const {
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

Check Request::check_host_pointer() const {
  const bool needs_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  if (needs_pointer == (host_ptr != nullptr))
    return {};
  return failure(CL_INVALID_HOST_PTR,
                 "host_ptr is {}null, but flags has {} CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR "
                 "(section 5.3.1)",
                 host_ptr ? "not " : "", host_ptr ? "neither" : "one of");
}

Check Request::set_pitches() {
  const size_t dense_row = desc->image_width * image.element_size;
  const bool has_memory = host_ptr || desc->mem_object || properties.external;
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
        CL_INVALID_IMAGE_DESCRIPTOR,
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

// A level behind the other, each as far from the beginning as `begins` says, which this makes.
void Request::set_levels() {
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

Check Request::check() {
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
  // The last row of a 2D image need not have its whole pitch.
  if (desc->mem_object && size > desc->mem_object->size())
    return failure(desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? CL_INVALID_IMAGE_SIZE
                                                                    : CL_INVALID_IMAGE_DESCRIPTOR,
                   "the image has {} bytes, but mem_object only {} (section 5.3.1.2)", size,
                   desc->mem_object->size());
  return {};
}

Result<std::shared_ptr<runtime::Buffer>>
storage_of(const Request &request, const std::shared_ptr<const runtime::ImportedMemory> &imported) {
  if (imported)
    return share_memory(imported, request.size);
  if (const cl_mem parent = request.desc->mem_object)
    return runtime::Buffer::sub_buffer(parent->buffer, 0, request.size);
  if (request.flags & CL_MEM_USE_HOST_PTR)
    return runtime::Buffer::wrap(request.host_ptr, request.size);
  const auto &device = request.context->devices.front()->device;
  if (request.size > device->limits().max_allocation_bytes)
    return Error{ErrorKind::out_of_resources,
                 fmt::format("the image has {} bytes, more than CL_DEVICE_MAX_MEM_ALLOC_SIZE, {}",
                             request.size, device->limits().max_allocation_bytes)};
  return runtime::allocate_buffer(device->memory(), request.size);
}

cl_mem create_image(EntryPoint &api, const cl_mem_properties *properties, Request request) {
  if (!is_valid(request.context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.3.1)");
  api.report_to(request.context);
  if (Check broken = read_properties(request.context, MemoryObject::image, properties,
                                     "section 5.3.1", request.properties))
    return api.fail(broken);
  if (Check broken =
          check_external(request.properties, request.flags, request.host_ptr, "section 5.3.1"))
    return api.fail(broken);
  if (Check broken = request.check())
    return api.fail(broken);
  if (Check broken = check_contents(
          request.flags, request.properties.external || request.desc->mem_object, "section 5.3.1"))
    return api.fail(broken);
  std::shared_ptr<runtime::ImportedMemory> imported;
  if (const auto &handle = request.properties.external)
    if (Check broken = import_memory(*handle, request.size, "section 5.3.1", imported))
      return api.fail(broken);
  auto storage = storage_of(request, imported);
  if (!storage)
    return api.fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "{} (section 5.3.1)",
                    storage.error().message);
  if (request.flags & CL_MEM_COPY_HOST_PTR)
    std::memcpy((*storage)->data(), request.host_ptr, request.size);
  const cl_mem parent = request.desc->mem_object;
  if (!imported && !parent && !(request.flags & CL_MEM_USE_HOST_PTR)) {
    if (request.flags & CL_MEM_COPY_HOST_PTR)
      runtime::contents_are_defined(**storage);
    else
      runtime::contents_are_undefined(**storage);
  }
  const cl_mem_flags flags =
      complete_flags(parent ? inherit_flags(parent->flags, request.flags) : request.flags);
  void *host_pointer =
      flags & CL_MEM_USE_HOST_PTR ? (parent ? parent->host_pointer : request.host_ptr) : nullptr;
  auto image = std::make_unique<Image>(request.image);
  for (size_t i = 0; i < image->levels.size(); ++i)
    image->levels[i].data = (*storage)->data() + request.begins[i];
  cl_mem memory = create_object<_cl_mem>(request.context, parent, flags, host_pointer,
                                         std::move(request.properties.list), std::move(*storage),
                                         std::move(image));
  if (imported) {
    imported->take_descriptor();
    memory->external = External{std::move(imported), std::move(request.properties.devices)};
  }
  return api.success(memory);
}

// clCreateImage2D and 3D know one error for all that is wrong with sizes and pitches.
Check with_error_of_sizes(Check broken) {
  if (broken.code == CL_INVALID_IMAGE_DESCRIPTOR)
    broken.code = CL_INVALID_IMAGE_SIZE;
  return broken;
}

cl_mem create_old_image(EntryPoint &api, const Request &request) {
  if (is_valid(request.context)) {
    Request tried = request;
    if (Check broken = tried.check()) {
      api.report_to(request.context);
      return api.fail(with_error_of_sizes(std::move(broken)));
    }
  }
  return create_image(api, nullptr, request);
}

// At most one way of access, and nothing but the flags for memory objects.
bool is_image_query_flags(cl_mem_flags flags) {
  constexpr cl_mem_flags access =
      kernel_access_flags | CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_IMMUTABLE_EXT;
  constexpr cl_mem_flags known = access | host_pointer_flags | host_access_flags;
  const cl_mem_flags chosen = flags & access;
  return (flags & ~known) == 0 && (chosen & (chosen - 1)) == 0;
}

} // namespace

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                     const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret) {
  EntryPoint api("clCreateImage", errcode_ret);
  return create_image(api, nullptr, {context, flags, image_format, image_desc, host_ptr});
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, const cl_image_format *image_format,
                                   const cl_image_desc *image_desc, void *host_ptr,
                                   cl_int *errcode_ret) {
  EntryPoint api("clCreateImageWithProperties", errcode_ret);
  return create_image(api, properties, {context, flags, image_format, image_desc, host_ptr});
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_row_pitch,
                       void *host_ptr, cl_int *errcode_ret) {
  EntryPoint api("clCreateImage2D", errcode_ret);
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = image_width;
  desc.image_height = image_height;
  desc.image_row_pitch = image_row_pitch;
  return create_old_image(api, {context, flags, image_format, &desc, host_ptr});
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                       size_t image_width, size_t image_height, size_t image_depth,
                       size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                       cl_int *errcode_ret) {
  EntryPoint api("clCreateImage3D", errcode_ret);
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE3D;
  desc.image_width = image_width;
  desc.image_height = image_height;
  desc.image_depth = image_depth;
  desc.image_row_pitch = image_row_pitch;
  desc.image_slice_pitch = image_slice_pitch;
  return create_old_image(api, {context, flags, image_format, &desc, host_ptr});
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                  cl_mem_object_type image_type, cl_uint num_entries,
                                  cl_image_format *image_formats, cl_uint *num_image_formats) {
  EntryPoint api("clGetSupportedImageFormats");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.3.2)");
  api.report_to(context);
  if (!is_image_query_flags(flags))
    return api.fail(CL_INVALID_VALUE, "flags is {:#x}, which is not valid (section 5.3.2)", flags);
  if (!is_image_type(image_type))
    return api.fail(CL_INVALID_VALUE,
                    "image_type is {:#x}, which is not an image type (section 5.3.2)", image_type);
  if (image_formats && num_entries == 0)
    return api.fail(CL_INVALID_VALUE,
                    "num_entries is 0 but image_formats is not null (section 5.3.2)");
  const std::vector<cl_image_format> formats = supported_formats(image_type);
  if (image_formats)
    std::copy_n(formats.begin(), std::min<size_t>(num_entries, formats.size()), image_formats);
  if (num_image_formats)
    *num_image_formats = cl_uint(formats.size());
  return api.success();
}

} // namespace lockstep::opencl
