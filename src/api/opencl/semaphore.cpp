// clCreateSemaphoreWithPropertiesKHR, clRetainSemaphoreKHR, clReleaseSemaphoreKHR, clGetSemaphoreInfoKHR.
#include "api/opencl/semaphore.h"

#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/info.h"

#include <algorithm>

using lockstep::runtime::Command;
using lockstep::runtime::CommandRef;
using lockstep::runtime::EdgeKind;

// Nobody can signal it any more, so what waits for it fails, as for a user event that is given up.
_cl_semaphore_khr::~_cl_semaphore_khr() {
  for (const CommandRef &gate : gates_) {
    const CommandRef failed = Command::create_user_event();
    failed->set_user_status(lockstep::runtime::status::dependency_failed);
    gate->depend_on(*failed, EdgeKind::needs);
    gate->start();
  }
}

CommandRef _cl_semaphore_khr::take_signal(Command &wait) {
  if (!signals_.empty()) {
    taken_ = std::move(signals_.front());
    signals_.pop_front();
    wait_ = CommandRef(&wait);
    return taken_;
  }
  gates_.push_back(Command::create_marker());
  return gates_.back();
}

void _cl_semaphore_khr::give_signal(Command &signal) {
  if (!gates_.empty()) {
    const CommandRef gate = std::move(gates_.front());
    gates_.pop_front();
    gate->depend_on(signal, EdgeKind::needs);
    gate->start();
    return;
  }
  signals_.emplace_back(&signal);
}

cl_semaphore_payload_khr _cl_semaphore_khr::payload() const {
  const std::lock_guard lock(mutex);
  const auto is_complete = [](const CommandRef &one) { return one->status() == CL_COMPLETE; };
  const bool is_signalled = std::ranges::any_of(signals_, is_complete) ||
                            (taken_ && is_complete(taken_) && !wait_->settled());
  return is_signalled ? 1 : 0;
}

namespace lockstep::opencl {
namespace {

constexpr const char *section = "section \"Semaphores\" of cl_khr_semaphore";

struct Read {
  _cl_semaphore_khr::Properties list;
  _cl_semaphore_khr::Devices devices;
  bool has_type = false, has_devices = false;
};

// The property is a list itself, with an end of its own.
Check read_devices(const cl_semaphore_properties_khr *&given, cl_context context, Read &to) {
  for (; *given != CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR; ++given) {
    to.list.push_back(*given);
    auto *const device = reinterpret_cast<cl_device_id>(*given);
    if (!is_valid(device) || !context->has_device(device))
      return failure(CL_INVALID_DEVICE,
                     "sema_props lists {:#x}, which is no device of context ({})", *given, section);
    to.devices.push_back(device);
  }
  to.list.push_back(*given++);
  if (to.devices.size() != 1)
    return failure(CL_INVALID_DEVICE, "sema_props lists {} devices, not one ({})",
                   to.devices.size(), section);
  return {};
}

Check read_properties(const cl_semaphore_properties_khr *given, cl_context context, Read &to) {
  if (!given)
    return failure(CL_INVALID_VALUE, "sema_props is null ({})", section);
  while (*given) {
    const cl_semaphore_properties_khr name = *given++;
    const bool is_type = name == CL_SEMAPHORE_TYPE_KHR;
    if (!is_type && name != CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR)
      return failure(CL_INVALID_PROPERTY,
                     "sema_props names {:#x}, which is no property of semaphores ({})", name,
                     section);
    bool &is_there = is_type ? to.has_type : to.has_devices;
    if (std::exchange(is_there, true))
      return failure(CL_INVALID_PROPERTY, "sema_props names {:#x} twice ({})", name, section);
    to.list.push_back(name);
    if (!is_type) {
      if (Check broken = read_devices(given, context, to))
        return broken;
      continue;
    }
    to.list.push_back(*given);
    if (*given++ != CL_SEMAPHORE_TYPE_BINARY_KHR)
      return failure(CL_INVALID_PROPERTY,
                     "sema_props gives CL_SEMAPHORE_TYPE_KHR the value {:#x}, which is no type of "
                     "semaphores ({})",
                     to.list.back(), section);
  }
  to.list.push_back(0);
  if (!to.has_type)
    return failure(CL_INVALID_VALUE, "sema_props does not name CL_SEMAPHORE_TYPE_KHR ({})",
                   section);
  if (!to.has_devices && context->devices.size() > 1)
    return failure(CL_INVALID_PROPERTY,
                   "sema_props does not name CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, but context has "
                   "several devices ({})",
                   section);
  if (!to.has_devices)
    to.devices.push_back(context->devices.front().get());
  return {};
}

using Semaphore = _cl_semaphore_khr;

constexpr InfoRow<Semaphore> semaphore_info[] = {
    row<Semaphore>(CL_SEMAPHORE_CONTEXT_KHR,
                   [](auto &semaphore) { return semaphore.context.get(); }),
    row<Semaphore>(CL_SEMAPHORE_REFERENCE_COUNT_KHR,
                   [](auto &semaphore) -> cl_uint { return semaphore.references; }),
    row<Semaphore>(CL_SEMAPHORE_PROPERTIES_KHR,
                   [](auto &semaphore) { return semaphore.properties; }),
    row<Semaphore>(CL_SEMAPHORE_TYPE_KHR,
                   [](auto &) -> cl_semaphore_type_khr { return CL_SEMAPHORE_TYPE_BINARY_KHR; }),
    row<Semaphore>(CL_SEMAPHORE_PAYLOAD_KHR, [](auto &semaphore) { return semaphore.payload(); }),
    row<Semaphore>(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                   [](auto &semaphore) { return semaphore.devices; }),
};

Check check_semaphore(EntryPoint &api, cl_semaphore_khr semaphore) {
  if (!is_valid(semaphore))
    return failure(CL_INVALID_SEMAPHORE_KHR, "sema_object is not a valid semaphore ({})", section);
  api.report_to(semaphore->context.get());
  return {};
}

} // namespace

cl_semaphore_khr clCreateSemaphoreWithPropertiesKHR(cl_context context,
                                                    const cl_semaphore_properties_khr *sema_props,
                                                    cl_int *errcode_ret) {
  EntryPoint api("clCreateSemaphoreWithPropertiesKHR", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(context);
  Read read;
  if (Check broken = read_properties(sema_props, context, read))
    return api.fail(broken);
  return api.success(
      create_object<_cl_semaphore_khr>(context, std::move(read.list), std::move(read.devices)));
}

cl_int clRetainSemaphoreKHR(cl_semaphore_khr sema_object) {
  EntryPoint api("clRetainSemaphoreKHR");
  if (Check broken = check_semaphore(api, sema_object))
    return api.fail(broken);
  retain(sema_object);
  return api.success();
}

cl_int clReleaseSemaphoreKHR(cl_semaphore_khr sema_object) {
  EntryPoint api("clReleaseSemaphoreKHR");
  if (Check broken = check_semaphore(api, sema_object))
    return api.fail(broken);
  if (!release(sema_object))
    return api.fail(CL_INVALID_SEMAPHORE_KHR,
                    "sema_object was released as often as it was retained ({})", section);
  return api.success();
}

cl_int clGetSemaphoreInfoKHR(cl_semaphore_khr sema_object, cl_semaphore_info_khr param_name,
                             size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret) {
  EntryPoint api("clGetSemaphoreInfoKHR");
  if (Check broken = check_semaphore(api, sema_object))
    return api.fail(broken);
  return read_info(api, semaphore_info, *sema_object,
                   {param_name, param_value_size, param_value, param_value_size_ret}, section);
}

// Programs, the Khronos suite among them, look this up beside the others. There are no types of handles: a file that the
// kernel knows as a fence cannot be made by a process, and nobody else would understand another one.
cl_int clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr sema_object, cl_device_id,
                                      cl_external_semaphore_handle_type_khr handle_type, size_t,
                                      void *, size_t *) {
  EntryPoint api("clGetSemaphoreHandleForTypeKHR");
  if (Check broken = check_semaphore(api, sema_object))
    return api.fail(broken);
  return api.fail(CL_INVALID_VALUE,
                  "handle_type is {:#x}, and semaphores have no handles to give away ({})",
                  handle_type, section);
}

} // namespace lockstep::opencl
