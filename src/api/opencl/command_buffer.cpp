// clCreateCommandBufferKHR, clFinalizeCommandBufferKHR, and the reference counting of command
// buffers.
#include "api/opencl/command_buffer.h"

#include "api/opencl/entry_points.h"

#include <algorithm>

using lockstep::runtime::EdgeKind;

_cl_command_buffer_khr::_cl_command_buffer_khr(cl_context buffer_context, Queues buffer_queues,
                                               Properties given_properties)
    : context(buffer_context), queues(std::move(buffer_queues)),
      properties(std::move(given_properties)), last_of_queue_(queues.size()) {}

_cl_command_buffer_khr::~_cl_command_buffer_khr() {
  for (cl_mutable_command_khr command : dispatches)
    lockstep::opencl::drop_use(command);
}

void _cl_command_buffer_khr::add_implied(std::vector<Graph::Dependency> &dependencies,
                                         uint32_t queue) const {
  const auto names = [&](Node node) {
    return std::ranges::any_of(dependencies, [=](auto &one) { return one.before == node; });
  };
  const bool is_in_order =
      queues[queue]->commands.order() == lockstep::runtime::QueueOrder::in_order;
  if (const auto last = last_of_queue_[queue]; is_in_order && last && !names(*last))
    dependencies.push_back({*last, EdgeKind::after});
  // A dependency on a command recorded after the barrier implies the barrier.
  if (barrier_ &&
      std::ranges::none_of(dependencies, [&](auto &one) { return one.before >= *barrier_; }))
    dependencies.push_back({*barrier_, EdgeKind::after});
}

std::vector<_cl_command_buffer_khr::Graph::Dependency> _cl_command_buffer_khr::all_so_far() const {
  std::vector<Graph::Dependency> all;
  for (Node node = barrier_.value_or(0); node < graph.size(); ++node)
    if (!graph.has_dependants(node))
      all.push_back({node, EdgeKind::after});
  return all;
}

_cl_command_buffer_khr::Node
_cl_command_buffer_khr::add(std::shared_ptr<lockstep::runtime::Operation> operation, uint32_t queue,
                            std::span<const Graph::Dependency> dependencies, bool is_barrier) {
  const Node node = graph.add(std::move(operation), queue, dependencies);
  last_of_queue_[queue] = node;
  if (is_barrier)
    barrier_ = node;
  return node;
}

cl_command_buffer_state_khr _cl_command_buffer_khr::state() const {
  if (!is_finalized)
    return CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
  return incomplete ? CL_COMMAND_BUFFER_STATE_FINALIZED_KHR
                    : CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
}

namespace lockstep::opencl {

std::optional<Dispatch::Size> size_of(const size_t *given, cl_uint work_dim) {
  if (!given)
    return std::nullopt;
  Dispatch::Size size{};
  std::copy_n(given, std::min<size_t>(work_dim, size.size()), size.begin());
  return size;
}

LaunchRequest Dispatch::request() const {
  const auto given = [](const std::optional<Size> &size) { return size ? size->data() : nullptr; };
  return {CL_COMMAND_NDRANGE_KERNEL,
          arguments.get(),
          work_dim,
          given(offset),
          given(global),
          given(local)};
}

Check Dispatch::make(const Place &place, bool may_lack_arguments, MadeOperation &operation) {
  LaunchRequest made = request();
  const bool lacks_arguments = may_lack_arguments && !arguments->has_all_arguments();
  if (!lacks_arguments)
    if (Check broken = made.check_arguments(place))
      return broken;
  if (Check broken = made.check_sizes(place))
    return broken;
  of_each_run.reset();
  if (lacks_arguments)
    return {};
  if (arguments->info.enqueues) {
    LaunchRequest kept = made;
    kept.global_offset = kept.global_size = kept.local_size = nullptr; // the geometry contains them
    of_each_run = std::make_shared<const LaunchRequest>(std::move(kept));
  }
  return made.make(place, operation);
}

Check check_command_buffer(EntryPoint &api, cl_command_buffer_khr buffer) {
  if (!is_valid(buffer))
    return failure(CL_INVALID_COMMAND_BUFFER_KHR,
                   "command_buffer is not a valid command buffer ({})", command_buffer_section);
  api.report_to(buffer->context.get());
  return {};
}

Check check_queues(std::span<const cl_command_queue> queues, cl_context of) {
  for (size_t i = 0; i < queues.size(); ++i) {
    if (!is_host_queue(queues[i]))
      return failure(CL_INVALID_COMMAND_QUEUE, "queues[{}] is not a valid host command queue ({})",
                     i, command_buffer_section);
    if (queues[i]->context.get() != (of ? of : queues[0]->context.get()))
      return failure(CL_INVALID_CONTEXT, "queues[{}] and {} are of different contexts ({})", i,
                     of ? "command_buffer" : "queues[0]", command_buffer_section);
  }
  return {};
}

namespace {

constexpr cl_command_buffer_flags_khr known_flags = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR |
                                                    CL_COMMAND_BUFFER_MUTABLE_KHR |
                                                    CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;

struct KnownProperty {
  cl_command_buffer_properties_khr name;
  cl_bitfield bits;
  cl_bitfield _cl_command_buffer_khr::Properties::*value;
};
constexpr KnownProperty known_properties[] = {
    {CL_COMMAND_BUFFER_FLAGS_KHR, known_flags, &_cl_command_buffer_khr::Properties::flags},
    {CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
     CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
     &_cl_command_buffer_khr::Properties::asserts},
};

// Stops at the first invalid value, because the list may have no terminator.
Check read_properties(const cl_command_buffer_properties_khr *given,
                      _cl_command_buffer_khr::Properties &to) {
  if (!given)
    return {};
  for (; *given; given += 2) {
    const auto known = std::ranges::find(known_properties, given[0], &KnownProperty::name);
    if (known == std::end(known_properties))
      return failure(CL_INVALID_VALUE,
                     "properties names {:#x}, which is not a property of command buffers ({})",
                     given[0], command_buffer_section);
    for (size_t i = 0; i < to.list.size(); i += 2)
      if (to.list[i] == given[0])
        return failure(CL_INVALID_VALUE, "properties names {:#x} twice ({})", given[0],
                       command_buffer_section);
    if (given[1] & ~known->bits)
      return failure(CL_INVALID_VALUE,
                     "properties gives {:#x} the value {:#x}, which has unknown bits ({})",
                     given[0], given[1], command_buffer_section);
    to.*known->value = given[1];
    to.list.insert(to.list.end(), {given[0], given[1]});
  }
  to.list.push_back(0);
  return {};
}

} // namespace

cl_command_buffer_khr clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue *queues,
                                               const cl_command_buffer_properties_khr *properties,
                                               cl_int *errcode_ret) {
  EntryPoint api("clCreateCommandBufferKHR", errcode_ret);
  if (num_queues == 0)
    return api.fail(CL_INVALID_VALUE, "num_queues is 0 ({})", command_buffer_section);
  if (!queues)
    return api.fail(CL_INVALID_VALUE, "queues is null ({})", command_buffer_section);
  const std::span all(queues, num_queues);
  if (is_valid(queues[0]))
    api.report_to(queues[0]->context.get());
  if (Check broken = check_queues(all, nullptr))
    return api.fail(broken);
  _cl_command_buffer_khr::Properties read;
  if (Check broken = read_properties(properties, read))
    return api.fail(broken);
  _cl_command_buffer_khr::Queues kept;
  for (cl_command_queue queue : all)
    kept.emplace_back(queue);
  return api.success(create_object<_cl_command_buffer_khr>(queues[0]->context.get(),
                                                           std::move(kept), std::move(read)));
}

cl_int clFinalizeCommandBufferKHR(cl_command_buffer_khr command_buffer) {
  EntryPoint api("clFinalizeCommandBufferKHR");
  if (Check broken = check_command_buffer(api, command_buffer))
    return api.fail(broken);
  const std::lock_guard lock(command_buffer->mutex);
  if (command_buffer->is_finalized)
    return api.fail(CL_INVALID_OPERATION, "command_buffer is finalized already ({})",
                    command_buffer_section);
  command_buffer->is_finalized = true;
  return api.success();
}

cl_int clRetainCommandBufferKHR(cl_command_buffer_khr command_buffer) {
  EntryPoint api("clRetainCommandBufferKHR");
  if (Check broken = check_command_buffer(api, command_buffer))
    return api.fail(broken);
  retain(command_buffer);
  return api.success();
}

cl_int clReleaseCommandBufferKHR(cl_command_buffer_khr command_buffer) {
  EntryPoint api("clReleaseCommandBufferKHR");
  if (Check broken = check_command_buffer(api, command_buffer))
    return api.fail(broken);
  if (!release(command_buffer))
    return api.fail(CL_INVALID_COMMAND_BUFFER_KHR,
                    "command_buffer was released as often as it was retained ({})",
                    command_buffer_section);
  return api.success();
}

} // namespace lockstep::opencl
