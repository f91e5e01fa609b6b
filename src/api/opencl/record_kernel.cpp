// clCommandNDRangeKernelKHR: records a launch. The launch is made during recording and can be
// changed later (update_commands.cpp).
#include "api/opencl/entry_points.h"
#include "api/opencl/record.h"

#include <algorithm>

namespace lockstep::opencl {
namespace {

struct DispatchProperties {
  std::vector<CommandProperties> list; // as given; empty if null
  cl_mutable_dispatch_fields_khr updatable = mutable_dispatch_fields;
  cl_bitfield asserts = 0;
  bool lists_updatable = false;
};

// Stops at the first invalid value, because the list may have no terminator.
Check read_properties(const CommandProperties *given, DispatchProperties &to) {
  if (!given)
    return {};
  for (; *given; given += 2) {
    const bool lists_updatable = given[0] == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
    if (!lists_updatable && given[0] != CL_MUTABLE_DISPATCH_ASSERTS_KHR)
      return failure(CL_INVALID_VALUE,
                     "properties names {:#x}, which is not a property of launches ({})", given[0],
                     command_buffer_section);
    for (size_t i = 0; i < to.list.size(); i += 2)
      if (to.list[i] == given[0])
        return failure(CL_INVALID_VALUE, "properties names {:#x} twice ({})", given[0],
                       command_buffer_section);
    const cl_bitfield known = lists_updatable
                                  ? mutable_dispatch_fields
                                  : CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
    if (given[1] & ~known)
      return failure(CL_INVALID_VALUE,
                     "properties gives {:#x} the value {:#x}, which has unknown bits ({})",
                     given[0], given[1], command_buffer_section);
    (lists_updatable ? to.updatable : to.asserts) = given[1];
    to.lists_updatable |= lists_updatable;
    to.list.insert(to.list.end(), {given[0], given[1]});
  }
  to.list.push_back(0);
  return {};
}

// The number of work-groups is known only if there is a local size.
Check check_asserts(const _cl_command_buffer_khr &buffer, const DispatchProperties &properties,
                    const size_t *local_work_size) {
  if (local_work_size || !((buffer.properties.asserts | properties.asserts) &
                           CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR))
    return {};
  return failure(CL_INVALID_VALUE,
                 "local_work_size is null, but "
                 "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR is asserted ({})",
                 command_buffer_section);
}

// Allows missing arguments if the program declared that it will update them.
Check record_launch(Recording &recording, Dispatch dispatch, cl_kernel kernel,
                    DispatchProperties properties) {
  _cl_command_buffer_khr &buffer = recording.buffer();
  const bool may_lack_arguments = buffer.is_mutable() && properties.lists_updatable &&
                                  (properties.updatable & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR);
  MadeOperation operation;
  if (Check broken = dispatch.make(recording.place(), may_lack_arguments, operation))
    return broken;
  if (Check broken = recording.read_sync_points())
    return broken;
  const bool is_incomplete = !operation;
  buffer.has_launches_of_each_run |= kernel->info.enqueues;
  buffer.dispatches.push_back(create_object<_cl_mutable_command_khr>(
      &buffer, cl_uint(buffer.graph.size()), kernel, std::move(properties.list),
      properties.updatable, std::move(dispatch)));
  recording.add(std::move(operation));
  buffer.incomplete += is_incomplete;
  if (recording.given().handle)
    *recording.given().handle = buffer.dispatches.back();
  return {};
}

} // namespace

cl_int
clCommandNDRangeKernelKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                          const CommandProperties *properties, cl_kernel kernel, cl_uint work_dim,
                          const size_t *global_work_offset, const size_t *global_work_size,
                          const size_t *local_work_size, cl_uint num_sync_points_in_wait_list,
                          const cl_sync_point_khr *sync_point_wait_list,
                          cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle) {
  EntryPoint api("clCommandNDRangeKernelKHR");
  const RecordArguments arguments{
      command_buffer,       command_queue, properties,    num_sync_points_in_wait_list,
      sync_point_wait_list, sync_point,    mutable_handle};
  Recording recording(arguments);
  if (Check broken = recording.begin(api))
    return api.fail(broken);
  DispatchProperties read;
  if (Check broken = read_properties(properties, read))
    return api.fail(broken);
  const LaunchRequest given{CL_COMMAND_NDRANGE_KERNEL, kernel,           work_dim,
                            global_work_offset,        global_work_size, local_work_size};
  if (Check broken = given.check_handle(recording.place()))
    return api.fail(broken);
  if (Check broken = check_asserts(*command_buffer, read, local_work_size))
    return api.fail(broken);
  Dispatch dispatch{std::make_shared<_cl_kernel>(*kernel), work_dim,
                    size_of(global_work_offset, work_dim), size_of(global_work_size, work_dim),
                    size_of(local_work_size, work_dim)};
  if (Check broken = record_launch(recording, std::move(dispatch), kernel, std::move(read)))
    return api.fail(broken);
  return api.success();
}

} // namespace lockstep::opencl
