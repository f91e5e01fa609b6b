// clCreateSemaphoreWithPropertiesKHR, clRetainSemaphoreKHR, clReleaseSemaphoreKHR,
// clGetSemaphoreInfoKHR; and clGetSemaphoreHandleForTypeKHR, clReImportSemaphoreSyncFdKHR
// (cl_khr_external_semaphore).
#include "api/opencl/semaphore.h"

#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/info.h"

#include <algorithm>
#include <cstring>

using lockstep::runtime::Command;
using lockstep::runtime::CommandRef;
using lockstep::runtime::EdgeKind;

// No thread can signal the semaphore after this, so waiting commands fail, as for an abandoned user
// event.
_cl_semaphore_khr::~_cl_semaphore_khr() {
  for (const CommandRef &gate : gates_) {
    const CommandRef failed = Command::create_user_event();
    failed->set_user_status(lockstep::runtime::status::dependency_failed);
    gate->depend_on(*failed, EdgeKind::needs);
    gate->start();
  }
}

lockstep::Result<CommandRef> _cl_semaphore_khr::take_signal(Command &wait) {
  if (shared)
    return shared->wait();
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

void _cl_semaphore_khr::import_signal(CommandRef signal) {
  const std::lock_guard lock(mutex);
  signals_.clear();
  taken_ = {};
  give_signal(*signal);
}

cl_semaphore_payload_khr _cl_semaphore_khr::payload() const {
  if (shared)
    return shared->is_there() ? 1 : 0;
  const std::lock_guard lock(mutex);
  const auto is_complete = [](const CommandRef &one) { return one->status() == CL_COMPLETE; };
  const bool is_signalled = std::ranges::any_of(signals_, is_complete) ||
                            (taken_ && is_complete(taken_) && !wait_->settled());
  return is_signalled ? 1 : 0;
}

namespace lockstep::opencl {
namespace {

constexpr const char *section = "section \"Semaphores\" of cl_khr_semaphore";

constexpr const char *external_section =
    "section \"Exporting and Importing Semaphore External Handles\" of cl_khr_external_semaphore";

using Name = cl_semaphore_properties_khr;
constexpr Name opaque_file = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
constexpr Name sync_file = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;

struct Read {
  _cl_semaphore_khr::Made made;
  std::vector<Name> names; // the names in the list
  int file = -1;           // imported handle; -1 if there is none

  bool has(Name name) const { return std::ranges::find(names, name) != names.end(); }
};

// The property is a list with its own terminator.
Check read_devices(const cl_semaphore_properties_khr *&given, cl_context context, Read &to) {
  _cl_semaphore_khr::Made &made = to.made;
  for (; *given != CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR; ++given) {
    made.properties.push_back(*given);
    auto *const device = reinterpret_cast<cl_device_id>(*given);
    if (!is_valid(device) || !context->has_device(device))
      return failure(CL_INVALID_DEVICE,
                     "sema_props lists {:#x}, which is not a device of context ({})", *given,
                     section);
    made.devices.push_back(device);
  }
  made.properties.push_back(*given++);
  if (made.devices.size() != 1)
    return failure(CL_INVALID_DEVICE, "sema_props lists {} devices, not one ({})",
                   made.devices.size(), section);
  return {};
}

// This property is also a list with its own terminator.
Check read_exported(const cl_semaphore_properties_khr *&given, Read &to) {
  _cl_semaphore_khr::Made &made = to.made;
  for (; *given != CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR; ++given) {
    made.properties.push_back(*given);
    made.exported.push_back(cl_external_semaphore_handle_type_khr(*given));
    if (std::ranges::find(exported_semaphore_types, made.exported.back()) ==
        exported_semaphore_types.end())
      return failure(
          CL_INVALID_PROPERTY,
          "sema_props lists {:#x}, which is not a type of handle that can be exported ({})", *given,
          external_section);
  }
  made.properties.push_back(*given++);
  if (made.exported.size() > 1)
    return failure(CL_INVALID_VALUE, "sema_props lists {} types of handles, not one ({})",
                   made.exported.size(), external_section);
  return {};
}

Check read_type(Name value) {
  if (value != CL_SEMAPHORE_TYPE_BINARY_KHR)
    return failure(CL_INVALID_PROPERTY,
                   "sema_props gives CL_SEMAPHORE_TYPE_KHR the value {:#x}, which is not a type of "
                   "semaphores ({})",
                   value, section);
  return {};
}

Check read_property(Name name, const Name *&given, cl_context context, Read &to) {
  switch (name) {
  case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
    return read_devices(given, context, to);
  case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
    return read_exported(given, to);
  }
  to.made.properties.push_back(*given);
  if (name != CL_SEMAPHORE_TYPE_KHR)
    to.file = int(*given);
  const Name value = *given++;
  return name == CL_SEMAPHORE_TYPE_KHR ? read_type(value) : Check();
}

// Checks that the properties are complete and compatible.
Check check_read(cl_context context, Read &read) {
  if (!read.has(CL_SEMAPHORE_TYPE_KHR))
    return failure(CL_INVALID_VALUE, "sema_props does not name CL_SEMAPHORE_TYPE_KHR ({})",
                   section);
  if (!read.has(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR) && context->devices.size() > 1)
    return failure(CL_INVALID_PROPERTY,
                   "sema_props does not name CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, but context has "
                   "several devices ({})",
                   section);
  if (read.has(opaque_file) && read.has(sync_file))
    return failure(CL_INVALID_PROPERTY, "sema_props has two handles to import ({})",
                   external_section);
  if ((read.has(opaque_file) || read.has(sync_file)) &&
      read.has(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR))
    return failure(
        CL_INVALID_OPERATION,
        "sema_props has a handle to import and CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR ({})",
        external_section);
  if (read.made.devices.empty())
    read.made.devices.push_back(context->devices.front().get());
  return {};
}

Check read_properties(const cl_semaphore_properties_khr *given, cl_context context, Read &to) {
  constexpr Name known[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                            CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, opaque_file, sync_file};
  if (!given)
    return failure(CL_INVALID_VALUE, "sema_props is null ({})", section);
  while (*given) {
    const Name name = *given++;
    if (std::ranges::find(known, name) == std::end(known))
      return failure(CL_INVALID_PROPERTY,
                     "sema_props names {:#x}, which is not a property of semaphores ({})", name,
                     section);
    if (to.has(name))
      return failure(CL_INVALID_PROPERTY, "sema_props names {:#x} twice ({})", name, section);
    to.names.push_back(name);
    to.made.properties.push_back(name);
    if (Check broken = read_property(name, given, context, to))
      return broken;
  }
  to.made.properties.push_back(0);
  return check_read(context, to);
}

Check make_shared_signal(Read &read) {
  if (!read.has(opaque_file) && read.made.exported.empty())
    return {};
  auto made = read.has(opaque_file) ? runtime::SharedSignal::import(read.file)
                                    : runtime::SharedSignal::make();
  if (!made)
    return failure(code_of(made.error().kind, CL_INVALID_PROPERTY), "{} ({})", made.error().message,
                   external_section);
  read.made.shared = std::move(*made);
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
    row<Semaphore>(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                   [](auto &semaphore) { return semaphore.exported; }),
    row<Semaphore>(
        CL_SEMAPHORE_EXPORTABLE_KHR,
        [](auto &semaphore) -> cl_bool { return semaphore.exported.empty() ? CL_FALSE : CL_TRUE; }),
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
  if (Check broken = make_shared_signal(read))
    return api.fail(broken);
  read.made.is_of_sync_file = read.has(sync_file);
  runtime::CommandRef signal;
  if (read.has(sync_file)) {
    auto imported = runtime::wait_for_sync_file(read.file);
    if (!imported)
      return api.fail(code_of(imported.error().kind, CL_INVALID_PROPERTY), "{} ({})",
                      imported.error().message, external_section);
    signal = std::move(*imported);
  } else if (read.has(opaque_file)) {
    read.made.shared->take_descriptor();
  }
  cl_semaphore_khr semaphore = create_object<_cl_semaphore_khr>(context, std::move(read.made));
  if (signal)
    semaphore->import_signal(std::move(signal));
  return api.success(semaphore);
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

cl_int clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr sema_object, cl_device_id device,
                                      cl_external_semaphore_handle_type_khr handle_type,
                                      size_t handle_size, void *handle_ptr,
                                      size_t *handle_size_ret) {
  EntryPoint api("clGetSemaphoreHandleForTypeKHR");
  if (Check broken = check_semaphore(api, sema_object))
    return api.fail(broken);
  if (!is_valid(device) ||
      std::ranges::find(sema_object->devices, device) == sema_object->devices.end())
    return api.fail(CL_INVALID_DEVICE, "device is none that sema_object was made for ({})",
                    external_section);
  if (std::ranges::find(sema_object->exported, handle_type) == sema_object->exported.end())
    return api.fail(CL_INVALID_VALUE,
                    "handle_type is {:#x}, which sema_object was not made to be exported as ({})",
                    handle_type, external_section);
  if (handle_ptr && handle_size < sizeof(int))
    return api.fail(CL_INVALID_VALUE, "handle_size is {}, but the handle has {} bytes ({})",
                    handle_size, sizeof(int), external_section);
  if (handle_ptr) {
    const auto file = sema_object->shared->duplicate();
    if (!file)
      return api.fail(CL_OUT_OF_HOST_MEMORY, "{} ({})", file.error().message, external_section);
    std::memcpy(handle_ptr, &*file, sizeof(int));
  }
  if (handle_size_ret)
    *handle_size_ret = sizeof(int);
  return api.success();
}

cl_int clReImportSemaphoreSyncFdKHR(cl_semaphore_khr sema_object,
                                    cl_semaphore_properties_khr *reimport_props, int fd) {
  EntryPoint api("clReImportSemaphoreSyncFdKHR");
  if (Check broken = check_semaphore(api, sema_object))
    return api.fail(broken);
  if (!sema_object->is_of_sync_file)
    return api.fail(CL_INVALID_SEMAPHORE_KHR, "sema_object was not imported from a sync file ({})",
                    external_section);
  if (reimport_props && *reimport_props)
    return api.fail(CL_INVALID_VALUE, "reimport_props has {:#x}; the extension defines none ({})",
                    *reimport_props, external_section);
  auto imported = runtime::wait_for_sync_file(fd);
  if (!imported)
    return api.fail(code_of(imported.error().kind, CL_INVALID_VALUE), "{} ({})",
                    imported.error().message, external_section);
  sema_object->import_signal(std::move(*imported));
  return api.success();
}

} // namespace lockstep::opencl
