// clCommandBarrierWithWaitListKHR: records a node without an operation, on which all later nodes
// depend.
#include "api/opencl/entry_points.h"
#include "api/opencl/record.h"

namespace lockstep::opencl {

cl_int clCommandBarrierWithWaitListKHR(cl_command_buffer_khr command_buffer,
                                       cl_command_queue command_queue,
                                       const CommandProperties *properties,
                                       cl_uint num_sync_points_in_wait_list,
                                       const cl_sync_point_khr *sync_point_wait_list,
                                       cl_sync_point_khr *sync_point,
                                       cl_mutable_command_khr *mutable_handle) {
  EntryPoint api("clCommandBarrierWithWaitListKHR");
  const RecordArguments arguments{
      command_buffer,       command_queue, properties,    num_sync_points_in_wait_list,
      sync_point_wait_list, sync_point,    mutable_handle};
  Recording recording(arguments);
  if (Check broken = recording.begin(api))
    return api.fail(broken);
  if (Check broken = recording.check_plain())
    return api.fail(broken);
  if (Check broken = recording.read_sync_points())
    return api.fail(broken);
  recording.add_barrier();
  return api.success();
}

} // namespace lockstep::opencl
