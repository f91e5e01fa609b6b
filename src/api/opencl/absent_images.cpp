// Images, samplers and pipes, which no device has (OpenCL 3.0 API appendix H says what each
// function then answers).
#include "api/opencl/context.h"
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"

#include <algorithm>

namespace lockstep::opencl {
namespace {

constexpr const char *no_images =
    "no device of context has images: CL_DEVICE_IMAGE_SUPPORT is CL_FALSE";

// For what would make an image, sampler or pipe.
Failed refuse_object(const char *function, cl_context context, cl_int *errcode_ret,
                     const char *why) {
  EntryPoint api(function, errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context");
  api.report_to(context);
  return api.fail(CL_INVALID_OPERATION, "{} (section 4.2)", why);
}

// For commands on images.
Failed refuse_command(const char *function, cl_command_queue queue, cl_int *errcode_ret = nullptr) {
  EntryPoint api(function, errcode_ret);
  if (Check broken = check_queue(api, queue, "section 5.3"))
    return api.fail(broken);
  return api.fail(CL_INVALID_OPERATION, "the device of command_queue has no images: "
                                        "CL_DEVICE_IMAGE_SUPPORT is CL_FALSE (section 5.3)");
}

// For what takes an object of which there can be none.
cl_int no_such_object(const char *function, cl_int code, const char *what) {
  EntryPoint api(function);
  return api.fail(code, "{} is not valid: there are none, because no device has them (section 4.2)",
                  what);
}

constexpr cl_mem_object_type image_types[] = {
    CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};

// At most one way of access, and nothing but the flags for memory objects.
bool is_image_query_flags(cl_mem_flags flags) {
  constexpr cl_mem_flags access =
      CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_KERNEL_READ_AND_WRITE;
  constexpr cl_mem_flags known = access | CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR |
                                 CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY |
                                 CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
  cl_mem_flags chosen = flags & access;
  return (flags & ~known) == 0 && (chosen & (chosen - 1)) == 0;
}

} // namespace

cl_mem clCreateImage(cl_context context, cl_mem_flags, const cl_image_format *,
                     const cl_image_desc *, void *, cl_int *errcode_ret) {
  return refuse_object("clCreateImage", context, errcode_ret, no_images);
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *, cl_mem_flags,
                                   const cl_image_format *, const cl_image_desc *, void *,
                                   cl_int *errcode_ret) {
  return refuse_object("clCreateImageWithProperties", context, errcode_ret, no_images);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags, const cl_image_format *, size_t, size_t,
                       size_t, void *, cl_int *errcode_ret) {
  return refuse_object("clCreateImage2D", context, errcode_ret, no_images);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags, const cl_image_format *, size_t, size_t,
                       size_t, size_t, size_t, void *, cl_int *errcode_ret) {
  return refuse_object("clCreateImage3D", context, errcode_ret, no_images);
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
  if (std::ranges::find(image_types, image_type) == std::end(image_types))
    return api.fail(CL_INVALID_VALUE,
                    "image_type is {:#x}, which is not an image type (section 5.3.2)", image_type);
  if (image_formats && num_entries == 0)
    return api.fail(CL_INVALID_VALUE,
                    "num_entries is 0 but image_formats is not null (section 5.3.2)");
  if (num_image_formats)
    *num_image_formats = 0;
  return api.success();
}

cl_int clGetImageInfo(cl_mem, cl_image_info, size_t, void *, size_t *) {
  return no_such_object("clGetImageInfo", CL_INVALID_MEM_OBJECT, "image");
}

cl_sampler clCreateSampler(cl_context context, cl_bool, cl_addressing_mode, cl_filter_mode,
                           cl_int *errcode_ret) {
  return refuse_object("clCreateSampler", context, errcode_ret, no_images);
}

cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *,
                                         cl_int *errcode_ret) {
  return refuse_object("clCreateSamplerWithProperties", context, errcode_ret, no_images);
}

cl_int clRetainSampler(cl_sampler) {
  return no_such_object("clRetainSampler", CL_INVALID_SAMPLER, "sampler");
}

cl_int clReleaseSampler(cl_sampler) {
  return no_such_object("clReleaseSampler", CL_INVALID_SAMPLER, "sampler");
}

cl_int clGetSamplerInfo(cl_sampler, cl_sampler_info, size_t, void *, size_t *) {
  return no_such_object("clGetSamplerInfo", CL_INVALID_SAMPLER, "sampler");
}

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem, cl_bool, const size_t *, const size_t *,
                          size_t, size_t, void *, cl_uint, const cl_event *, cl_event *) {
  return refuse_command("clEnqueueReadImage", queue);
}

cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem, cl_bool, const size_t *, const size_t *,
                           size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *) {
  return refuse_command("clEnqueueWriteImage", queue);
}

cl_int clEnqueueFillImage(cl_command_queue queue, cl_mem, const void *, const size_t *,
                          const size_t *, cl_uint, const cl_event *, cl_event *) {
  return refuse_command("clEnqueueFillImage", queue);
}

cl_int clEnqueueCopyImage(cl_command_queue queue, cl_mem, cl_mem, const size_t *, const size_t *,
                          const size_t *, cl_uint, const cl_event *, cl_event *) {
  return refuse_command("clEnqueueCopyImage", queue);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem, cl_mem, const size_t *,
                                  const size_t *, size_t, cl_uint, const cl_event *, cl_event *) {
  return refuse_command("clEnqueueCopyImageToBuffer", queue);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem, cl_mem, size_t, const size_t *,
                                  const size_t *, cl_uint, const cl_event *, cl_event *) {
  return refuse_command("clEnqueueCopyBufferToImage", queue);
}

void *clEnqueueMapImage(cl_command_queue queue, cl_mem, cl_bool, cl_map_flags, const size_t *,
                        const size_t *, size_t *, size_t *, cl_uint, const cl_event *, cl_event *,
                        cl_int *errcode_ret) {
  return refuse_command("clEnqueueMapImage", queue, errcode_ret);
}

cl_mem clCreatePipe(cl_context context, cl_mem_flags, cl_uint, cl_uint, const cl_pipe_properties *,
                    cl_int *errcode_ret) {
  return refuse_object("clCreatePipe", context, errcode_ret,
                       "no device of context has pipes: CL_DEVICE_PIPE_SUPPORT is CL_FALSE");
}

cl_int clGetPipeInfo(cl_mem, cl_pipe_info, size_t, void *, size_t *) {
  return no_such_object("clGetPipeInfo", CL_INVALID_MEM_OBJECT, "pipe");
}

} // namespace lockstep::opencl
