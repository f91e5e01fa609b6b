#include "api/opencl/record.h"

#include <limits>

namespace lockstep::opencl {

using Dependency = runtime::RecordedGraph::Dependency;

Check Recording::begin(EntryPoint &api) {
  if (Check broken = check_command_buffer(api, given_.buffer))
    return broken;
  const auto &queues = buffer().queues;
  if (!given_.queue && queues.size() != 1)
    return failure(CL_INVALID_COMMAND_QUEUE,
                   "command_queue is null, but command_buffer was created with {} queues ({})",
                   queues.size(), command_buffer_section);
  if (given_.queue && !is_host_queue(given_.queue))
    return failure(CL_INVALID_COMMAND_QUEUE, "command_queue is not a valid host command queue ({})",
                   command_buffer_section);
  if (given_.queue && given_.queue->context.get() != buffer().context.get())
    return failure(CL_INVALID_CONTEXT,
                   "command_queue and command_buffer are of different contexts ({})",
                   command_buffer_section);
  while (given_.queue && queues[queue_].get() != given_.queue)
    if (++queue_ == queues.size())
      return failure(CL_INVALID_COMMAND_QUEUE,
                     "command_queue is none of those that command_buffer was created with ({})",
                     command_buffer_section);
  lock_ = std::unique_lock(buffer().mutex);
  if (buffer().is_finalized)
    return failure(CL_INVALID_OPERATION, "command_buffer is finalized ({})",
                   command_buffer_section);
  if (buffer().graph.size() == std::numeric_limits<cl_sync_point_khr>::max())
    return failure(CL_OUT_OF_RESOURCES,
                   "command_buffer has as many commands as can be counted "
                   "({})",
                   command_buffer_section);
  return {};
}

Check Recording::check_plain() const {
  if (given_.properties && given_.properties[0] != 0)
    return failure(CL_INVALID_VALUE,
                   "properties names {:#x}, which is not a property of this command ({})",
                   given_.properties[0], command_buffer_section);
  if (given_.handle)
    return failure(CL_INVALID_VALUE,
                   "mutable_handle is not null, but only launches can be changed "
                   "({})",
                   command_buffer_section);
  return {};
}

// A sync point is the number of its node plus 1.
Check Recording::read_sync_points() {
  if (!given_.sync_points != (given_.sync_point_count == 0))
    return failure(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
                   "sync_point_wait_list is {}null, but num_sync_points_in_wait_list is {} ({})",
                   given_.sync_points ? "not " : "", given_.sync_point_count,
                   command_buffer_section);
  for (cl_uint i = 0; i < given_.sync_point_count; ++i) {
    const cl_sync_point_khr point = given_.sync_points[i];
    if (point == 0 || point > buffer().graph.size())
      return failure(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
                     "sync_point_wait_list[{}] is {}, which no command of command_buffer has ({})",
                     i, point, command_buffer_section);
    dependencies_.push_back({point - 1, runtime::EdgeKind::needs});
  }
  return {};
}

_cl_command_buffer_khr::Node Recording::add(std::shared_ptr<runtime::Operation> operation,
                                            bool is_barrier) {
  buffer().add_implied(dependencies_, queue_);
  const auto node = buffer().add(std::move(operation), queue_, dependencies_, is_barrier);
  if (given_.sync_point)
    *given_.sync_point = node + 1;
  return node;
}

_cl_command_buffer_khr::Node Recording::add(std::shared_ptr<runtime::Operation> operation) {
  return add(std::move(operation), false);
}

void Recording::add_barrier() {
  if (dependencies_.empty())
    dependencies_ = buffer().all_so_far();
  add(nullptr, true);
}

} // namespace lockstep::opencl
