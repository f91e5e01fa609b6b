// Shared virtual memory, which no device has (OpenCL 3.0 API appendix H says what each function
// then answers).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"

namespace lockstep::opencl {
namespace {

cl_int refuse(const char *function, cl_command_queue queue) {
  EntryPoint api(function);
  if (Check broken = check_queue(api, queue, "section 5.6"))
    return api.fail(broken);
  return api.fail(CL_INVALID_OPERATION, "the device of command_queue has no shared virtual memory: "
                                        "CL_DEVICE_SVM_CAPABILITIES is 0 (section 5.6)");
}

} // namespace

void *clSVMAlloc(cl_context context, cl_svm_mem_flags, size_t, cl_uint) {
  EntryPoint api("clSVMAlloc");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.6.1)");
  api.report_to(context);
  return api.fail(CL_INVALID_OPERATION, "no device of context has shared virtual memory: "
                                        "CL_DEVICE_SVM_CAPABILITIES is 0 (section 5.6.1)");
}

void clSVMFree(cl_context, void *) {} // there is nothing to free; the function has no way to say so

cl_int clEnqueueSVMFree(cl_command_queue queue, cl_uint, void *[],
                        void(CL_CALLBACK *)(cl_command_queue, cl_uint, void *[], void *), void *,
                        cl_uint, const cl_event *, cl_event *) {
  return refuse("clEnqueueSVMFree", queue);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool, void *, const void *, size_t, cl_uint,
                          const cl_event *, cl_event *) {
  return refuse("clEnqueueSVMMemcpy", queue);
}

cl_int clEnqueueSVMMemFill(cl_command_queue queue, void *, const void *, size_t, size_t, cl_uint,
                           const cl_event *, cl_event *) {
  return refuse("clEnqueueSVMMemFill", queue);
}

cl_int clEnqueueSVMMap(cl_command_queue queue, cl_bool, cl_map_flags, void *, size_t, cl_uint,
                       const cl_event *, cl_event *) {
  return refuse("clEnqueueSVMMap", queue);
}

cl_int clEnqueueSVMUnmap(cl_command_queue queue, void *, cl_uint, const cl_event *, cl_event *) {
  return refuse("clEnqueueSVMUnmap", queue);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint, const void **, const size_t *,
                              cl_mem_migration_flags, cl_uint, const cl_event *, cl_event *) {
  return refuse("clEnqueueSVMMigrateMem", queue);
}

} // namespace lockstep::opencl
