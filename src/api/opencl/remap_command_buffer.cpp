// clRemapCommandBufferKHR: copies a command buffer for other queues. Launches are made again for
// the device of their queue. Other operations work on the host's memory, or move it, on any device.
#include "api/opencl/command_buffer.h"
#include "api/opencl/entry_points.h"

#include <algorithm>
#include <memory>
#include <span>

namespace lockstep::opencl {
namespace {

constexpr const char *section =
    "section \"Remapping Command-Buffers\" of cl_khr_command_buffer_multi_device";

struct Handles {
  cl_uint count;
  const cl_mutable_command_khr *given;
  cl_mutable_command_khr *copies;
};

Check check_handles(const _cl_command_buffer_khr &buffer, const Handles &handles) {
  if (!handles.given != (handles.count == 0) || !handles.copies != (handles.count == 0))
    return failure(
        CL_INVALID_VALUE, "num_handles is {}, but handles is {}null and handles_ret is {}null ({})",
        handles.count, handles.given ? "not " : "", handles.copies ? "not " : "", section);
  for (cl_uint i = 0; i < handles.count; ++i)
    if (!is_valid(handles.given[i]) || handles.given[i]->buffer != &buffer)
      return failure(CL_INVALID_VALUE, "handles[{}] is not a handle of command_buffer ({})", i,
                     section);
  return {};
}

struct ReleaseBuffer {
  void operator()(cl_command_buffer_khr buffer) const { drop_use(buffer); }
};
using NewBuffer = std::unique_ptr<_cl_command_buffer_khr, ReleaseBuffer>;

// Returns the launch of a node, or null if the node is not a launch.
cl_mutable_command_khr dispatch_at(const _cl_command_buffer_khr &buffer,
                                   _cl_command_buffer_khr::Node node) {
  const auto found =
      std::ranges::lower_bound(buffer.dispatches, node, {}, &_cl_mutable_command_khr::node);
  return found != buffer.dispatches.end() && (*found)->node == node ? *found : nullptr;
}

// Maps old queues to new queues modulo their number. The commands of a queue stay together, because
// the program may rely on their order.
Check copy_commands(const _cl_command_buffer_khr &from, _cl_command_buffer_khr &to) {
  for (_cl_command_buffer_khr::Node node = 0; node < from.graph.size(); ++node) {
    const auto queue = uint32_t(from.graph.queue(node) % to.queues.size());
    std::shared_ptr<runtime::Operation> operation = from.graph.operation(node);
    if (const cl_mutable_command_khr command = dispatch_at(from, node)) {
      MadeOperation launch;
      Dispatch dispatch = command->dispatch; // updates do not change shared arguments
      if (Check broken = dispatch.make(to.queues[queue]->place(), true, launch))
        return broken;
      to.incomplete += !launch;
      operation = std::move(launch);
      to.dispatches.push_back(create_object<_cl_mutable_command_khr>(
          &to, node, command->kernel.get(), command->properties, command->updatable,
          std::move(dispatch)));
    }
    to.add(std::move(operation), queue, from.graph.dependencies(node), from.is_last_barrier(node));
  }
  return {};
}

} // namespace

cl_command_buffer_khr clRemapCommandBufferKHR(cl_command_buffer_khr command_buffer,
                                              cl_bool automatic, cl_uint num_queues,
                                              const cl_command_queue *queues, cl_uint num_handles,
                                              const cl_mutable_command_khr *handles,
                                              cl_mutable_command_khr *handles_ret,
                                              cl_int *errcode_ret) {
  EntryPoint api("clRemapCommandBufferKHR", errcode_ret);
  if (Check broken = check_command_buffer(api, command_buffer))
    return api.fail(broken);
  const std::lock_guard lock(command_buffer->mutex);
  if (num_queues == 0 || !queues)
    return api.fail(CL_INVALID_VALUE, "num_queues is {} and queues is {}null ({})", num_queues,
                    queues ? "not " : "", section);
  if (!automatic && num_queues != command_buffer->queues.size())
    return api.fail(CL_INVALID_VALUE,
                    "num_queues is {}, but command_buffer was created with {} queues ({})",
                    num_queues, command_buffer->queues.size(), section);
  const Handles requested{num_handles, handles, handles_ret};
  if (Check broken = check_handles(*command_buffer, requested))
    return api.fail(broken);
  if (Check broken = check_queues({queues, num_queues}, command_buffer->context.get()))
    return api.fail(broken);
  _cl_command_buffer_khr::Queues kept;
  for (cl_command_queue queue : std::span(queues, num_queues))
    kept.emplace_back(queue);
  NewBuffer copy(create_object<_cl_command_buffer_khr>(
      command_buffer->context.get(), std::move(kept), command_buffer->properties));
  if (Check broken = copy_commands(*command_buffer, *copy))
    return api.fail(broken);
  copy->is_finalized = command_buffer->is_finalized;
  copy->has_launches_of_each_run = command_buffer->has_launches_of_each_run;
  for (cl_uint i = 0; i < num_handles; ++i)
    handles_ret[i] = dispatch_at(*copy, handles[i]->node);
  return api.success(copy.release());
}

} // namespace lockstep::opencl
