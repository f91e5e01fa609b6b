// clCreatePipe and clGetPipeInfo (OpenCL 3.0 API section 5.4). Kernels implement all other pipe
// operations (device_lib/pipes.cl).
#include "runtime/memory/pipe.h"

#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/host_memory_features.h"
#include "api/opencl/image.h"
#include "api/opencl/info.h"
#include "api/opencl/memory.h"
#include "api/opencl/pipe_limits.h"

#include <algorithm>

namespace lockstep::opencl {
namespace {

Check check_pipe(cl_mem_flags flags, const PipeShape &shape, const cl_pipe_properties *properties) {
  constexpr cl_mem_flags allowed = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
  if (flags & ~allowed)
    return failure(CL_INVALID_VALUE,
                   "flags has bits {:#x}, but a pipe can be given CL_MEM_READ_WRITE and "
                   "CL_MEM_HOST_NO_ACCESS only (section 5.4.1)",
                   flags & ~allowed);
  if (properties)
    return failure(CL_INVALID_VALUE,
                   "properties is not null, but there are no properties of pipes (section 5.4.1)");
  if (shape.packet_size == 0 || shape.packet_size > pipe_limits::packet_size)
    return failure(CL_INVALID_PIPE_SIZE,
                   "pipe_packet_size is {}, not 1 to CL_DEVICE_PIPE_MAX_PACKET_SIZE, {} "
                   "(section 5.4.1)",
                   shape.packet_size, pipe_limits::packet_size);
  if (shape.max_packets == 0)
    return failure(CL_INVALID_PIPE_SIZE, "pipe_max_packets is 0 (section 5.4.1)");
  return {};
}

constexpr InfoRow<_cl_mem> pipe_info[] = {
    row<_cl_mem>(CL_PIPE_PACKET_SIZE, [](auto &memory) { return memory.pipe->packet_size; }),
    row<_cl_mem>(CL_PIPE_MAX_PACKETS, [](auto &memory) { return memory.pipe->max_packets; }),
    row<_cl_mem>(CL_PIPE_PROPERTIES, [](auto &) { return std::vector<cl_pipe_properties>(); }),
};

} // namespace

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                    cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                    cl_int *errcode_ret) {
  EntryPoint api("clCreatePipe", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.4.1)");
  api.report_to(context);
  if (std::ranges::none_of(context->devices, [](const Ref<_cl_device_id> &device) {
        return has_feature(*device, "__opencl_c_pipes");
      }))
    return api.fail(
        CL_INVALID_OPERATION,
        "no device of context supports pipes; CL_DEVICE_PIPE_SUPPORT says which devices "
        "do (section 5.4.1)");
  const PipeShape shape{pipe_packet_size, pipe_max_packets};
  if (Check broken = check_pipe(flags, shape, properties))
    return api.fail(broken);
  auto storage = runtime::make_pipe(context->devices.front()->device->memory(), pipe_packet_size,
                                    pipe_max_packets);
  if (!storage)
    return api.fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "{} (section 5.4.1)",
                    storage.error().message);
  if (flags == 0)
    flags = CL_MEM_HOST_NO_ACCESS;
  cl_mem pipe = create_object<_cl_mem>(context, nullptr, flags | CL_MEM_READ_WRITE, nullptr,
                                       std::vector<cl_mem_properties>{}, std::move(*storage));
  pipe->pipe = shape; // no other thread knows the object yet
  return api.success(pipe);
}

cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                     void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetPipeInfo");
  if (!is_valid(pipe) || !pipe->pipe)
    return api.fail(CL_INVALID_MEM_OBJECT, "pipe is not a valid pipe (section 5.4.2)");
  api.report_to(pipe->context.get());
  return read_info(api, pipe_info, *pipe,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.4.2");
}

} // namespace lockstep::opencl
