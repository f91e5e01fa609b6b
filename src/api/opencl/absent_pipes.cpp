// Pipes, which no device has (OpenCL 3.0 API appendix H says what each function then answers).
#include "api/opencl/context.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"

namespace lockstep::opencl {

cl_mem clCreatePipe(cl_context context, cl_mem_flags, cl_uint, cl_uint, const cl_pipe_properties *,
                    cl_int *errcode_ret) {
  EntryPoint api("clCreatePipe", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context");
  api.report_to(context);
  return api.fail(
      CL_INVALID_OPERATION,
      "no device of context has pipes: CL_DEVICE_PIPE_SUPPORT is CL_FALSE (section 4.2)");
}

cl_int clGetPipeInfo(cl_mem, cl_pipe_info, size_t, void *, size_t *) {
  EntryPoint api("clGetPipeInfo");
  return api.fail(CL_INVALID_MEM_OBJECT,
                  "pipe is not valid: there are none, because no device has them (section 4.2)");
}

} // namespace lockstep::opencl
