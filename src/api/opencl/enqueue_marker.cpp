// Markers, barriers and waits in a queue, including the functions of OpenCL 1.0 (OpenCL 3.0 API
// section 5.12).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"

namespace lockstep::opencl {
namespace {

constexpr const char *section = "section 5.12";

// clEnqueueWaitForEvents is older than wait lists and has its own error codes.
Check read_event_list(cl_command_queue queue, const EventArguments &arguments, WaitList &to) {
  if (arguments.count == 0)
    return failure(CL_INVALID_VALUE, "num_events is 0 ({})", section);
  if (!arguments.list)
    return failure(CL_INVALID_VALUE, "event_list is null ({})", section);
  Check broken = read_wait_list(queue, arguments, to, section);
  if (broken.code == CL_INVALID_EVENT_WAIT_LIST)
    return failure(CL_INVALID_EVENT, "event_list holds an event that is not valid ({})", section);
  return broken;
}

} // namespace

cl_int clEnqueueMarkerWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event) {
  EntryPoint api("clEnqueueMarkerWithWaitList");
  if (Check broken = check_queue(api, command_queue, section))
    return api.fail(broken);
  WaitList wait_list;
  if (Check broken = read_wait_list(
          command_queue, {num_events_in_wait_list, event_wait_list, event}, wait_list, section))
    return api.fail(broken);
  give_event(command_queue, CL_COMMAND_MARKER,
             command_queue->commands.enqueue_marker(wait_list.commands()), event);
  return api.success();
}

cl_int clEnqueueMarker(cl_command_queue command_queue, cl_event *event) {
  EntryPoint api("clEnqueueMarker");
  if (Check broken = check_queue(api, command_queue, section))
    return api.fail(broken);
  if (!event)
    return api.fail(CL_INVALID_VALUE, "event is null ({})", section);
  give_event(command_queue, CL_COMMAND_MARKER, command_queue->commands.enqueue_marker(), event);
  return api.success();
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event) {
  EntryPoint api("clEnqueueBarrierWithWaitList");
  if (Check broken = check_queue(api, command_queue, section))
    return api.fail(broken);
  WaitList wait_list;
  if (Check broken = read_wait_list(
          command_queue, {num_events_in_wait_list, event_wait_list, event}, wait_list, section))
    return api.fail(broken);
  give_event(command_queue, CL_COMMAND_BARRIER,
             command_queue->commands.enqueue_barrier(wait_list.commands()), event);
  return api.success();
}

cl_int clEnqueueBarrier(cl_command_queue command_queue) {
  EntryPoint api("clEnqueueBarrier");
  if (Check broken = check_queue(api, command_queue, section))
    return api.fail(broken);
  command_queue->commands.enqueue_barrier();
  return api.success();
}

// Enqueues a barrier that waits for the events, so that later commands of the queue run after them.
cl_int clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events,
                              const cl_event *event_list) {
  EntryPoint api("clEnqueueWaitForEvents");
  if (Check broken = check_queue(api, command_queue, section))
    return api.fail(broken);
  WaitList wait_list;
  if (Check broken = read_event_list(command_queue, {num_events, event_list, nullptr}, wait_list))
    return api.fail(broken);
  command_queue->commands.enqueue_barrier(wait_list.commands());
  return api.success();
}

} // namespace lockstep::opencl
