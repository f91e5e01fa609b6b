// clUpdateMutableCommandsKHR: applies all changes or none. Each changed launch is made again;
// replays in progress continue with the old launch (runtime/graph/recorded_graph.h).
#include "api/opencl/command_buffer.h"
#include "api/opencl/entry_points.h"

#include <algorithm>
#include <span>

namespace lockstep::opencl {
namespace {

constexpr const char *section =
    "section \"Mutable Commands\" of cl_khr_command_buffer_mutable_dispatch";

// A launch with the changes of this update.
struct Change {
  cl_mutable_command_khr command;
  Dispatch dispatch;
  bool owns_arguments = false; // true if this change has its own copy of the kernel
  MadeOperation operation{};
};

// Returns the kernel whose arguments the change may set; copies it on first use.
_cl_kernel &arguments_of(Change &change) {
  if (!change.owns_arguments)
    change.dispatch.arguments = std::make_shared<_cl_kernel>(*change.dispatch.arguments);
  change.owns_arguments = true;
  return *change.dispatch.arguments;
}

struct List {
  const char *name;
  const void *elements;
  cl_uint count;
  cl_mutable_dispatch_fields_khr field;
};

Check check_fields(const _cl_mutable_command_khr &command, const MutableDispatchConfig &config) {
  const List lists[] = {
      {"arg_list", config.arg_list, config.num_args, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR},
      {"arg_svm_list", config.arg_svm_list, config.num_svm_args, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR},
      {"exec_info_list", config.exec_info_list, config.num_exec_infos,
       CL_MUTABLE_DISPATCH_EXEC_INFO_KHR}};
  for (const List &list : lists)
    if (!list.elements != (list.count == 0))
      return failure(CL_INVALID_VALUE, "{} is {}null, but its number of elements is {} ({})",
                     list.name, list.elements ? "not " : "", list.count, section);
  if (config.work_dim != 0 && config.work_dim != command.dispatch.work_dim)
    return failure(CL_INVALID_OPERATION,
                   "work_dim is {}, but the launch was recorded with {} dimensions ({})",
                   config.work_dim, command.dispatch.work_dim, section);
  const List sizes[] = {
      {"global_work_offset", config.global_work_offset, 1, CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR},
      {"global_work_size", config.global_work_size, 1, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR},
      {"local_work_size", config.local_work_size, 1, CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR}};
  for (const std::span<const List> all :
       {std::span<const List>(lists), std::span<const List>(sizes)})
    for (const List &given : all)
      if (given.elements && !(command.updatable & given.field))
        return failure(CL_INVALID_OPERATION,
                       "{} is given, but the launch was not recorded with that among "
                       "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR ({})",
                       given.name, section);
  return {};
}

// Returns whether all work-groups have the same size; nothing if the program did not give both
// sizes.
std::optional<bool> is_uniform(const Dispatch &dispatch) {
  if (!dispatch.global || !dispatch.local)
    return std::nullopt;
  bool all = true;
  for (cl_uint d = 0; d < dispatch.work_dim; ++d) {
    const size_t global = (*dispatch.global)[d], local = (*dispatch.local)[d];
    if (local == 0)
      return std::nullopt; // an error that a later check reports
    all &= global % local == 0;
  }
  return all;
}

Check set_sizes(Change &change, const MutableDispatchConfig &config) {
  Dispatch &dispatch = change.dispatch;
  const auto set = [&](std::optional<Dispatch::Size> &to, const size_t *given) {
    if (given)
      to = size_of(given, dispatch.work_dim);
  };
  set(dispatch.offset, config.global_work_offset);
  set(dispatch.global, config.global_work_size);
  set(dispatch.local, config.local_work_size);
  const auto before = is_uniform(change.command->dispatch), after = is_uniform(dispatch);
  if (before && after && *before != *after)
    return failure(CL_INVALID_OPERATION,
                   "global_work_size and local_work_size make work-groups {}uniform, and the "
                   "launch had {}uniform ones ({})",
                   *after ? "" : "non-", *before ? "" : "non-", section);
  return {};
}

Check set_arguments(Change &change, const MutableDispatchConfig &config) {
  for (const auto &one : std::span(config.arg_list, config.num_args))
    if (Check broken =
            set_argument(arguments_of(change), one.arg_index, one.arg_size, one.arg_value))
      return broken;
  for (const auto &one : std::span(config.arg_svm_list, config.num_svm_args))
    if (Check broken = set_svm_argument(arguments_of(change), one.arg_index, one.arg_value))
      return broken;
  for (const auto &one : std::span(config.exec_info_list, config.num_exec_infos))
    if (Check broken = set_exec_info(arguments_of(change), one.param_name, one.param_value_size,
                                     one.param_value))
      return broken;
  return {};
}

Check add_change(cl_command_buffer_khr buffer, const MutableDispatchConfig &config,
                 std::vector<Change> &changes) {
  const cl_mutable_command_khr command = config.command;
  if (!is_valid(command) || command->buffer != buffer)
    return failure(CL_INVALID_MUTABLE_COMMAND_KHR,
                   "command is not a valid mutable command of command_buffer ({})", section);
  if (Check broken = check_fields(*command, config))
    return broken;
  auto change = std::ranges::find(changes, command, &Change::command);
  if (change == changes.end())
    change = changes.insert(change, {command, command->dispatch});
  if (Check broken = set_sizes(*change, config))
    return broken;
  return set_arguments(*change, config);
}

Check make(const _cl_command_buffer_khr &buffer, Change &change) {
  const Place place = buffer.queues[buffer.graph.queue(change.command->node)]->place();
  return change.dispatch.make(place, true, change.operation);
}

// Can only fail for lack of memory.
void apply(_cl_command_buffer_khr &buffer, std::vector<Change> &changes) {
  for (Change &change : changes) {
    const auto node = change.command->node;
    const bool was_complete = buffer.graph.operation(node) != nullptr;
    const bool is_complete = change.operation != nullptr;
    buffer.graph.replace(node, std::move(change.operation));
    buffer.incomplete -= !was_complete && is_complete;
    change.command->dispatch = std::move(change.dispatch);
  }
}

Check check_lists(cl_uint count, const cl_uint *types, const void **configs) {
  if (!types != (count == 0) || !configs != (count == 0))
    return failure(CL_INVALID_VALUE,
                   "num_configs is {}, but config_types is {}null and configs is {}null ({})",
                   count, types ? "not " : "", configs ? "not " : "", section);
  for (cl_uint i = 0; i < count; ++i) {
    if (types[i] != mutable_dispatch_config_type)
      return failure(CL_INVALID_VALUE,
                     "config_types[{}] is {}, which is not a type of a config ({})", i, types[i],
                     section);
    if (!configs[i])
      return failure(CL_INVALID_VALUE, "configs[{}] is null ({})", i, section);
  }
  return {};
}

} // namespace

cl_int clUpdateMutableCommandsKHR(cl_command_buffer_khr command_buffer, cl_uint num_configs,
                                  const cl_uint *config_types, const void **configs) {
  EntryPoint api("clUpdateMutableCommandsKHR");
  if (Check broken = check_command_buffer(api, command_buffer))
    return api.fail(broken);
  const std::lock_guard lock(command_buffer->mutex);
  if (!command_buffer->is_finalized)
    return api.fail(CL_INVALID_OPERATION, "command_buffer is not finalized ({})", section);
  if (!command_buffer->is_mutable())
    return api.fail(CL_INVALID_OPERATION,
                    "command_buffer was created without CL_COMMAND_BUFFER_MUTABLE_KHR ({})",
                    section);
  if (Check broken = check_lists(num_configs, config_types, configs))
    return api.fail(broken);
  std::vector<Change> changes;
  for (cl_uint i = 0; i < num_configs; ++i)
    if (Check broken = add_change(command_buffer,
                                  *static_cast<const MutableDispatchConfig *>(configs[i]), changes))
      return api.fail(broken);
  for (Change &change : changes)
    if (Check broken = make(*command_buffer, change))
      return api.fail(broken);
  apply(*command_buffer, changes);
  return api.success();
}

} // namespace lockstep::opencl
