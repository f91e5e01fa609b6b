// clEnqueueCommandBufferKHR: replays the recorded graph.
#include "api/opencl/command_buffer.h"
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"

namespace lockstep::opencl {
namespace {

// Checks the queues that replace those of the creation. The code does not check queue properties:
// CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR contains all of them, and none is
// required.
Check check_replacement(const _cl_command_buffer_khr &buffer, cl_uint count,
                        const cl_command_queue *queues) {
  if (!queues != (count == 0))
    return failure(CL_INVALID_VALUE, "queues is {}null, but num_queues is {} ({})",
                   queues ? "not " : "", count, command_buffer_section);
  if (count != 0 && count != buffer.queues.size())
    return failure(CL_INVALID_VALUE,
                   "num_queues is {}, but command_buffer was created with {} queues ({})", count,
                   buffer.queues.size(), command_buffer_section);
  if (Check broken = check_queues({queues, count}, buffer.context.get()))
    return broken;
  for (cl_uint i = 0; i < count; ++i)
    if (queues[i]->device.get() != buffer.queues[i]->device.get())
      return failure(
          CL_INVALID_DEVICE,
          "queues[{}] is of another device than the queue that command_buffer was created with "
          "({})",
          i, command_buffer_section);
  return {};
}

// Makes launches that enqueue kernels again, because the enqueued kernels belong to one run.
Check renew_launches(_cl_command_buffer_khr &buffer, const cl_command_queue *queues) {
  for (const cl_mutable_command_khr command : buffer.dispatches)
    if (const auto &checked = command->dispatch.of_each_run) {
      const uint32_t queue = buffer.graph.queue(command->node);
      LaunchRequest request = *checked;
      MadeOperation operation;
      if (Check broken = request.make(
              (queues ? queues[queue] : buffer.queues[queue].get())->place(), operation))
        return broken;
      buffer.graph.replace(command->node, std::move(operation));
    }
  return {};
}

} // namespace

cl_int clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue *queues,
                                 cl_command_buffer_khr command_buffer,
                                 cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                 cl_event *event) {
  EntryPoint api("clEnqueueCommandBufferKHR");
  if (Check broken = check_command_buffer(api, command_buffer))
    return api.fail(broken);
  const std::lock_guard lock(command_buffer->mutex);
  if (command_buffer->state() != CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR)
    return api.fail(CL_INVALID_OPERATION, "command_buffer {} ({})",
                    command_buffer->is_finalized ? "has launches whose arguments are not all set"
                                                 : "is not finalized",
                    command_buffer_section);
  if (Check broken = check_replacement(*command_buffer, num_queues, queues))
    return api.fail(broken);
  std::vector<runtime::CommandQueue *> on;
  for (size_t i = 0; i < command_buffer->queues.size(); ++i)
    on.push_back(&(queues ? queues[i] : command_buffer->queues[i].get())->commands);
  const cl_command_queue first = queues ? queues[0] : command_buffer->queues[0].get();
  WaitList wait_list;
  if (Check broken = read_wait_list(first, {num_events_in_wait_list, event_wait_list, event},
                                    wait_list, command_buffer_section))
    return api.fail(broken);
  if (command_buffer->has_launches_of_each_run)
    if (Check broken = renew_launches(*command_buffer, queues))
      return api.fail(broken);
  const runtime::CommandRef command = command_buffer->graph.enqueue(on, wait_list.commands());
  if (event)
    *event = create_object<_cl_event>(first->context.get(), on.size() == 1 ? first : nullptr,
                                      cl_command_type{CL_COMMAND_COMMAND_BUFFER_KHR}, command);
  return api.success();
}

} // namespace lockstep::opencl
