// clGetCommandBufferInfoKHR and clGetMutableCommandInfoKHR.
#include "api/opencl/command_buffer.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/info.h"

namespace lockstep::opencl {
namespace {

using Buffer = _cl_command_buffer_khr;

constexpr InfoRow<Buffer> buffer_info[] = {
    row<Buffer>(CL_COMMAND_BUFFER_NUM_QUEUES_KHR,
                [](auto &buffer) -> cl_uint { return cl_uint(buffer.queues.size()); }),
    row<Buffer>(CL_COMMAND_BUFFER_QUEUES_KHR,
                [](auto &buffer) {
                  std::vector<cl_command_queue> queues;
                  for (const auto &queue : buffer.queues)
                    queues.push_back(queue.get());
                  return queues;
                }),
    row<Buffer>(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR,
                [](auto &buffer) -> cl_uint { return buffer.references; }),
    row<Buffer>(CL_COMMAND_BUFFER_STATE_KHR, [](auto &buffer) { return buffer.state(); }),
    row<Buffer>(CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR,
                [](auto &buffer) { return buffer.properties.list; }),
    row<Buffer>(CL_COMMAND_BUFFER_CONTEXT_KHR, [](auto &buffer) { return buffer.context.get(); }),
};

using Command = _cl_mutable_command_khr;

// Returns one size for each dimension of the launch; zeros if the program gave none.
std::vector<size_t> sizes(const std::optional<Dispatch::Size> &given, cl_uint work_dim) {
  const Dispatch::Size size = given.value_or(Dispatch::Size{});
  return {size.begin(), size.begin() + work_dim};
}

constexpr InfoRow<Command> command_info[] = {
    row<Command>(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR,
                 [](auto &command) {
                   return command.buffer->queues[command.buffer->graph.queue(command.node)].get();
                 }),
    row<Command>(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR,
                 [](auto &command) { return command.buffer; }),
    row<Command>(CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR,
                 [](auto &) -> cl_command_type { return CL_COMMAND_NDRANGE_KERNEL; }),
    row<Command>(CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR,
                 [](auto &command) { return command.properties; }),
    row<Command>(CL_MUTABLE_DISPATCH_KERNEL_KHR,
                 [](auto &command) { return command.kernel.get(); }),
    row<Command>(CL_MUTABLE_DISPATCH_DIMENSIONS_KHR,
                 [](auto &command) { return command.dispatch.work_dim; }),
    row<Command>(
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR,
        [](auto &command) { return sizes(command.dispatch.offset, command.dispatch.work_dim); }),
    row<Command>(
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR,
        [](auto &command) { return sizes(command.dispatch.global, command.dispatch.work_dim); }),
    row<Command>(
        CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR,
        [](auto &command) { return sizes(command.dispatch.local, command.dispatch.work_dim); }),
};

} // namespace

cl_int clGetCommandBufferInfoKHR(cl_command_buffer_khr command_buffer,
                                 cl_command_buffer_info_khr param_name, size_t param_value_size,
                                 void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetCommandBufferInfoKHR");
  if (Check broken = check_command_buffer(api, command_buffer))
    return api.fail(broken);
  const std::lock_guard lock(command_buffer->mutex);
  return read_info(api, buffer_info, *command_buffer,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   command_buffer_section);
}

cl_int clGetMutableCommandInfoKHR(cl_mutable_command_khr command,
                                  cl_mutable_command_info_khr param_name, size_t param_value_size,
                                  void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetMutableCommandInfoKHR");
  if (!is_valid(command))
    return api.fail(CL_INVALID_MUTABLE_COMMAND_KHR, "command is not a valid mutable command ({})",
                    command_buffer_section);
  api.report_to(command->buffer->context.get());
  const std::lock_guard lock(command->buffer->mutex);
  return read_info(api, command_info, *command,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   command_buffer_section);
}

} // namespace lockstep::opencl
