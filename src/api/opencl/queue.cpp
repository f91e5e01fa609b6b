// Command queues: creation, queries, flush and finish (OpenCL 3.0 API sections 5.1 and 5.15).
#include "api/opencl/queue.h"

#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/host_memory_features.h"
#include "api/opencl/info.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <set>

_cl_command_queue::_cl_command_queue(cl_context queue_context, cl_device_id queue_device,
                                     cl_command_queue_properties queue_properties,
                                     std::vector<cl_queue_properties> given_properties)
    : context(queue_context), device(queue_device), properties(queue_properties),
      property_list(std::move(given_properties)),
      shared_commands(std::make_shared<lockstep::runtime::CommandQueue>(
          queue_device->device,
          properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
              ? lockstep::runtime::QueueOrder::out_of_order
              : lockstep::runtime::QueueOrder::in_order,
          properties & CL_QUEUE_PROFILING_ENABLE, &client)),
      commands(*shared_commands) {}

_cl_command_queue::_cl_command_queue(
    cl_context queue_context, cl_device_id queue_device,
    cl_command_queue_properties queue_properties,
    std::shared_ptr<lockstep::runtime::CommandQueue> queue_commands)
    : context(queue_context), device(queue_device), properties(queue_properties),
      shared_commands(std::move(queue_commands)), commands(*shared_commands) {}

_cl_command_queue::~_cl_command_queue() {
  if (!is_on_device())
    return;
  context->device_queues->remove(number);
  std::lock_guard lock(context->on_device_mutex);
  lockstep::opencl::QueuesOnDevice &queues = context->on_device[device.get()];
  if (!(properties & CL_QUEUE_ON_DEVICE_DEFAULT))
    --queues.count;
  if (queues.default_queue == this)
    queues.default_queue = nullptr;
}

namespace lockstep::opencl {

void QueueClient::retain() {
  add_use(queue_);
}

void QueueClient::release() {
  drop_use(queue_);
}

// Does not report a command that was skipped because a dependency failed: that failure was reported
// already.
void QueueClient::failed(const Error &error) {
  if (error.kind != ErrorKind::invalid_argument)
    queue_->context->notify_later("a command failed: " + error.message);
}

void QueueClient::warn(const std::string &sentence) {
  queue_->context->notify_later(sentence);
}

namespace {

constexpr cl_command_queue_properties host_queue_bits =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
constexpr cl_command_queue_properties device_queue_bits =
    CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

Check check_place(EntryPoint &api, cl_context context, cl_device_id device) {
  if (!is_valid(context))
    return failure(CL_INVALID_CONTEXT, "context is not a valid context (section 5.1)");
  api.report_to(context);
  if (!is_valid(device))
    return failure(CL_INVALID_DEVICE, "device is not a valid device (section 5.1)");
  if (!context->has_device(device))
    return failure(CL_INVALID_DEVICE, "device is not one of the devices of context (section 5.1)");
  return {};
}

Check check_bits(cl_command_queue_properties bits, cl_command_queue_properties known) {
  if (bits & ~known)
    return failure(CL_INVALID_VALUE,
                   "properties has bits {:#x}, which are not queue properties (section 5.1)",
                   bits & ~known);
  if ((bits & CL_QUEUE_ON_DEVICE_DEFAULT) && !(bits & CL_QUEUE_ON_DEVICE))
    return failure(
        CL_INVALID_VALUE,
        "properties has CL_QUEUE_ON_DEVICE_DEFAULT without CL_QUEUE_ON_DEVICE (section 5.1)");
  if ((bits & CL_QUEUE_ON_DEVICE) && !(bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
    return failure(CL_INVALID_VALUE, "properties has CL_QUEUE_ON_DEVICE without "
                                     "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE (section 5.1)");
  return {};
}

struct QueueProperties {
  cl_command_queue_properties bits = 0;
  cl_uint size = runtime::preferred_queue_bytes;
  std::vector<cl_queue_properties> list; // as given, with the final 0
};

Check check_hint(cl_queue_properties name, cl_queue_properties value) {
  static_assert(CL_QUEUE_PRIORITY_HIGH_KHR == CL_QUEUE_THROTTLE_HIGH_KHR &&
                CL_QUEUE_PRIORITY_MED_KHR == CL_QUEUE_THROTTLE_MED_KHR &&
                CL_QUEUE_PRIORITY_LOW_KHR == CL_QUEUE_THROTTLE_LOW_KHR);
  if (value == CL_QUEUE_PRIORITY_HIGH_KHR || value == CL_QUEUE_PRIORITY_MED_KHR ||
      value == CL_QUEUE_PRIORITY_LOW_KHR)
    return {};
  return failure(CL_INVALID_VALUE,
                 "properties gives {} the value {:#x}, which is none of HIGH, MED and LOW (section "
                 "5.1)",
                 name == CL_QUEUE_PRIORITY_KHR ? "CL_QUEUE_PRIORITY_KHR" : "CL_QUEUE_THROTTLE_KHR",
                 value);
}

constexpr cl_queue_properties known_properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE,
                                                    CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR};

Check read_properties(const cl_queue_properties *given, QueueProperties &to) {
  if (!given)
    return {};
  std::set<cl_queue_properties> seen;
  Check wrong_hint;
  for (; *given; given += 2) {
    if (std::ranges::find(known_properties, given[0]) == std::end(known_properties))
      return failure(CL_INVALID_VALUE,
                     "properties names {:#x}, which is not a queue property (section 5.1)",
                     given[0]);
    if (!seen.insert(given[0]).second)
      return failure(CL_INVALID_VALUE, "properties names {:#x} twice (section 5.1)", given[0]);
    if (given[0] == CL_QUEUE_PROPERTIES)
      to.bits = given[1];
    if ((given[0] == CL_QUEUE_PRIORITY_KHR || given[0] == CL_QUEUE_THROTTLE_KHR) && !wrong_hint)
      wrong_hint = check_hint(given[0], given[1]);
    if (given[0] == CL_QUEUE_SIZE && (given[1] == 0 || given[1] > runtime::most_queue_bytes))
      return failure(given[1] == 0 ? CL_INVALID_VALUE : CL_INVALID_QUEUE_PROPERTIES,
                     "properties gives CL_QUEUE_SIZE the value {}, which is not 1 to "
                     "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, {} (section 5.1)",
                     given[1], runtime::most_queue_bytes);
    if (given[0] == CL_QUEUE_SIZE)
      to.size = static_cast<cl_uint>(given[1]);
    to.list.insert(to.list.end(), {given[0], given[1]});
  }
  to.list.push_back(0);
  if (Check broken = check_bits(to.bits, host_queue_bits | device_queue_bits))
    return broken;
  if (wrong_hint)
    return wrong_hint;
  const bool is_on_device = to.bits & CL_QUEUE_ON_DEVICE;
  if (is_on_device &&
      (seen.contains(CL_QUEUE_PRIORITY_KHR) || seen.contains(CL_QUEUE_THROTTLE_KHR)))
    return failure(CL_INVALID_QUEUE_PROPERTIES,
                   "properties has a hint, which belongs to queues of the host (section 5.1)");
  if (!is_on_device && seen.contains(CL_QUEUE_SIZE))
    return failure(CL_INVALID_VALUE, "properties has CL_QUEUE_SIZE, which belongs to queues with "
                                     "CL_QUEUE_ON_DEVICE (section 5.1)");
  return {};
}

// Creates the default queue of a device once; later requests return it while it exists.
cl_command_queue create_device_queue(EntryPoint &api, cl_context context, cl_device_id device,
                                     QueueProperties properties) {
  const bool is_default = properties.bits & CL_QUEUE_ON_DEVICE_DEFAULT;
  Ref<_cl_command_queue> known; // released after the lock
  std::unique_lock lock(context->on_device_mutex);
  QueuesOnDevice &queues = context->on_device[device];
  if (is_default && (known = Ref<_cl_command_queue>::of_living(queues.default_queue))) {
    retain(known.get());
    lock.unlock();
    return api.success(known.get());
  }
  if (!is_default && queues.count == runtime::most_device_queues) {
    return api.fail(CL_OUT_OF_RESOURCES,
                    "device has CL_DEVICE_MAX_ON_DEVICE_QUEUES, {}, in context (section 5.1)",
                    runtime::most_device_queues);
  }
  const uint64_t number = context->device_queues->add(
      std::make_shared<runtime::DeviceQueue>(*device->device, properties.size));
  cl_command_queue queue = nullptr;
  try {
    queue = create_object<_cl_command_queue>(context, device, properties.bits,
                                             std::move(properties.list));
  } catch (const std::bad_alloc &) {
    context->device_queues->remove(number);
    throw;
  }
  queue->size = properties.size;
  queue->number = number;
  if (is_default)
    queues.default_queue = queue;
  else
    ++queues.count;
  return api.success(queue);
}

cl_command_queue create_queue(EntryPoint &api, cl_context context, cl_device_id device,
                              cl_command_queue_properties bits,
                              std::vector<cl_queue_properties> list) {
  // The device's threads start with its first queue. If the system refuses threads, this call
  // reports it.
  if (auto started = device->device->start(); !started)
    return api.fail(failure(CL_OUT_OF_RESOURCES, "{}", started.error().message));
  return api.success(create_object<_cl_command_queue>(context, device, bits, std::move(list)));
}

cl_command_queue create_with_properties(EntryPoint &api, cl_context context, cl_device_id device,
                                        const cl_queue_properties *properties) {
  if (Check broken = check_place(api, context, device))
    return api.fail(broken);
  QueueProperties read;
  if (Check broken = read_properties(properties, read))
    return api.fail(broken);
  if (read.bits & CL_QUEUE_ON_DEVICE) {
    if (auto started = device->device->start(); !started)
      return api.fail(failure(CL_OUT_OF_RESOURCES, "{}", started.error().message));
    return create_device_queue(api, context, device, std::move(read));
  }
  return create_queue(api, context, device, read.bits, std::move(read.list));
}

// The check for functions that also accept on-device queues.
Check check_any_queue(EntryPoint &api, cl_command_queue queue) {
  if (!is_valid(queue))
    return failure(CL_INVALID_COMMAND_QUEUE,
                   "command_queue is not a valid command queue (section 5.1)");
  api.report_to(queue->context.get());
  return {};
}

constexpr InfoRow<_cl_command_queue> queue_info[] = {
    row<_cl_command_queue>(CL_QUEUE_CONTEXT, [](auto &queue) { return queue.context.get(); }),
    row<_cl_command_queue>(CL_QUEUE_DEVICE, [](auto &queue) { return queue.device.get(); }),
    row<_cl_command_queue>(CL_QUEUE_REFERENCE_COUNT,
                           [](auto &queue) -> cl_uint { return queue.references; }),
    row<_cl_command_queue>(CL_QUEUE_PROPERTIES, [](auto &queue) { return queue.properties; }),
    row<_cl_command_queue>(CL_QUEUE_PROPERTIES_ARRAY,
                           [](auto &queue) { return queue.property_list; }),
    row<_cl_command_queue>(CL_QUEUE_SIZE,
                           [](auto &queue, InfoAnswer &answer) {
                             if (queue.is_on_device())
                               return answer.put(queue.size);
                             answer.fail(
                                 failure(CL_INVALID_COMMAND_QUEUE,
                                         "CL_QUEUE_SIZE can be asked of device queues only"));
                           }),
    row<_cl_command_queue>(CL_QUEUE_DEVICE_DEFAULT,
                           [](auto &queue) -> cl_command_queue {
                             return queue.context->default_queue(queue.device.get()).get();
                           }),
};

} // namespace

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties,
                                                    cl_int *errcode_ret) {
  EntryPoint api("clCreateCommandQueueWithProperties", errcode_ret);
  return create_with_properties(api, context, device, properties);
}

cl_command_queue clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
                                                       const cl_queue_properties_khr *properties,
                                                       cl_int *errcode_ret) {
  static_assert(sizeof(cl_queue_properties_khr) == sizeof(cl_queue_properties));
  EntryPoint api("clCreateCommandQueueWithPropertiesKHR", errcode_ret);
  return create_with_properties(api, context, device,
                                reinterpret_cast<const cl_queue_properties *>(properties));
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *errcode_ret) {
  EntryPoint api("clCreateCommandQueue", errcode_ret);
  if (Check broken = check_place(api, context, device))
    return api.fail(broken);
  if (Check broken = check_bits(properties, host_queue_bits))
    return api.fail(broken);
  return create_queue(api, context, device, properties, {});
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue command_queue) {
  EntryPoint api("clSetDefaultDeviceCommandQueue");
  if (Check broken = check_place(api, context, device))
    return api.fail(broken);
  if (!has_feature(*device, "__opencl_c_device_enqueue"))
    return api.fail(
        CL_INVALID_OPERATION,
        "device has no queues on the device; CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES says "
        "which devices do (section 5.1)");
  if (!is_valid(command_queue) || !command_queue->is_on_device())
    return api.fail(CL_INVALID_COMMAND_QUEUE,
                    "command_queue is not a valid queue on a device (section 5.1)");
  if (command_queue->context.get() != context || command_queue->device.get() != device)
    return api.fail(CL_INVALID_COMMAND_QUEUE,
                    "command_queue is not of device in context (section 5.1)");
  std::lock_guard lock(context->on_device_mutex);
  context->on_device[device].default_queue = command_queue;
  return api.success();
}

// Only OpenCL 1.0 devices need it, and Lockstep has none.
cl_int clSetCommandQueueProperty(cl_command_queue command_queue,
                                 cl_command_queue_properties properties, cl_bool enable,
                                 cl_command_queue_properties *old_properties) {
  EntryPoint api("clSetCommandQueueProperty");
  if (Check broken = check_any_queue(api, command_queue))
    return api.fail(broken);
  return api.fail(CL_INVALID_OPERATION,
                  "the properties of a command queue cannot be changed (section 5.1)");
}

cl_int clRetainCommandQueue(cl_command_queue command_queue) {
  EntryPoint api("clRetainCommandQueue");
  if (Check broken = check_any_queue(api, command_queue))
    return api.fail(broken);
  retain(command_queue);
  return api.success();
}

// The implicit flush has nothing to do: commands start when they are enqueued, and retain the queue
// until they complete.
cl_int clReleaseCommandQueue(cl_command_queue command_queue) {
  EntryPoint api("clReleaseCommandQueue");
  if (Check broken = check_any_queue(api, command_queue))
    return api.fail(broken);
  if (!release(command_queue))
    return api.fail(CL_INVALID_COMMAND_QUEUE,
                    "command_queue was released as often as it was retained (section 5.1)");
  return api.success();
}

cl_int clGetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name,
                             size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret) {
  EntryPoint api("clGetCommandQueueInfo");
  if (Check broken = check_any_queue(api, command_queue))
    return api.fail(broken);
  return read_info(api, queue_info, *command_queue,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.1");
}

cl_int clFlush(cl_command_queue command_queue) {
  EntryPoint api("clFlush");
  if (Check broken = check_queue(api, command_queue, "section 5.15"))
    return api.fail(broken);
  command_queue->commands.flush();
  return api.success();
}

cl_int clFinish(cl_command_queue command_queue) {
  EntryPoint api("clFinish");
  if (Check broken = check_queue(api, command_queue, "section 5.15"))
    return api.fail(broken);
  Ref<_cl_command_queue> keep(command_queue); // another thread may release it during the wait
  command_queue->commands.finish();
  return api.success();
}

} // namespace lockstep::opencl
