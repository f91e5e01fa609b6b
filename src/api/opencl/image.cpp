// clCreateImage and related functions, and clGetSupportedImageFormats.
#include "api/opencl/image.h"

#include "api/opencl/device.h"
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/image_formats.h"
#include "api/opencl/image_request.h"
#include "api/opencl/memory_flags.h"
#include "api/opencl/memory_properties.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

#include <algorithm>
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

// The first coordinate of the origin includes the byte offset of the mip level.
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

Result<std::shared_ptr<runtime::Buffer>>
storage_of(const ImageRequest &request,
           const std::shared_ptr<const runtime::ImportedMemory> &imported) {
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
  return runtime::Buffer::allocate_observed(device->memory(), request.size);
}

cl_mem create_image(EntryPoint &api, const cl_mem_properties *properties, ImageRequest request) {
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
      runtime::memory_observer().contents_are_defined(**storage);
    else
      runtime::memory_observer().contents_are_undefined(**storage, 0);
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

// clCreateImage2D and clCreateImage3D have a single error code for all invalid sizes and pitches.
Check with_error_of_sizes(Check broken) {
  if (broken.code == CL_INVALID_IMAGE_DESCRIPTOR)
    broken.code = CL_INVALID_IMAGE_SIZE;
  return broken;
}

cl_mem create_old_image(EntryPoint &api, const ImageRequest &request) {
  if (is_valid(request.context)) {
    ImageRequest tried = request;
    if (Check broken = tried.check()) {
      api.report_to(request.context);
      return api.fail(with_error_of_sizes(std::move(broken)));
    }
  }
  return create_image(api, nullptr, request);
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
