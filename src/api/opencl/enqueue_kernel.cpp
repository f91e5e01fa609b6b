// clEnqueueNDRangeKernel and clEnqueueTask (OpenCL 3.0 API section 5.10).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/launch_request.h"

namespace lockstep::opencl {

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                              const size_t *global_work_offset, const size_t *global_work_size,
                              const size_t *local_work_size, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueNDRangeKernel", command_queue,
                 LaunchRequest{CL_COMMAND_NDRANGE_KERNEL, kernel, work_dim, global_work_offset,
                               global_work_size, local_work_size},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                     cl_event *event) {
  const size_t one = 1;
  return enqueue("clEnqueueTask", command_queue,
                 LaunchRequest{CL_COMMAND_TASK, kernel, 1, nullptr, &one, &one},
                 {num_events_in_wait_list, event_wait_list, event});
}

} // namespace lockstep::opencl
