#include "api/opencl/context.h"

#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/info.h"
#include "api/opencl/platform.h"
#include "api/opencl/queue.h"
#include "runtime/threads/callback_thread.h"

#include <algorithm>
#include <span>

using lockstep::opencl::Ref;

_cl_context::_cl_context(std::vector<Ref<_cl_device_id>> context_devices,
                         std::vector<cl_context_properties> context_properties,
                         NotifyFunction notify_function, void *notify_data)
    : devices(std::move(context_devices)), properties(std::move(context_properties)),
      notify_function_(notify_function), notify_data_(notify_data) {}

_cl_context::~_cl_context() {
  for (auto destructor = destructors_.rbegin(); destructor != destructors_.rend(); ++destructor)
    destructor->function(this, destructor->user_data);
}

void _cl_context::end() {
  if (auto destroys = std::move(destroys_))
    lockstep::runtime::call_when_settled(std::move(destroys));
  else
    lockstep::opencl::destroy_object(this);
}

bool _cl_context::has_device(cl_device_id device) const {
  return std::ranges::any_of(devices, [&](const auto &own) { return own.get() == device; });
}

void _cl_context::notify_later(const std::string &sentence) const {
  if (notify_function_)
    lockstep::runtime::call_later(lockstep::runtime::make_later_call(
        [keep = Ref<_cl_context>(const_cast<_cl_context *>(this)), sentence] {
          keep->notify_function_(sentence.c_str(), nullptr, 0, keep->notify_data_);
        }));
}

void _cl_context::notify(const std::string &sentence) const {
  if (notify_function_)
    notify_function_(sentence.c_str(), nullptr, 0, notify_data_);
}

Ref<_cl_command_queue> _cl_context::default_queue(cl_device_id device) {
  std::lock_guard lock(on_device_mutex);
  const auto found = on_device.find(device);
  return found == on_device.end() ? Ref<_cl_command_queue>()
                                  : Ref<_cl_command_queue>::of_living(found->second.default_queue);
}

void _cl_context::add_destructor(DestructorFunction function, void *user_data) {
  std::lock_guard lock(mutex_);
  if (!destroys_)
    destroys_ =
        lockstep::runtime::make_later_call([this] { lockstep::opencl::destroy_object(this); });
  destructors_.push_back({function, user_data});
}

namespace lockstep::opencl {

void ContextClient::retain() {
  add_use(context_);
}

void ContextClient::release() {
  drop_use(context_);
}

void ContextClient::failed(const Error &error) {
  if (error.kind != ErrorKind::invalid_argument) // else an earlier failure was reported already
    context_->notify_later("a command that a kernel has enqueued failed: " + error.message);
}

void ContextClient::warn(const std::string &sentence) {
  context_->notify_later(sentence);
}

namespace {

// Reads the property list, including its final 0, or returns the first violated rule.
Check read_properties(const cl_context_properties *given,
                      std::vector<cl_context_properties> &properties) {
  if (!given)
    return {};
  for (; *given; given += 2) {
    cl_context_properties name = given[0], value = given[1];
    for (size_t i = 0; i < properties.size(); i += 2)
      if (properties[i] == name)
        return failure(CL_INVALID_PROPERTY, "properties names {:#x} more than once (section 4.4)",
                       name);
    if (name == CL_CONTEXT_PLATFORM) {
      if (!is_valid(reinterpret_cast<cl_platform_id>(value)))
        return failure(CL_INVALID_PLATFORM,
                       "CL_CONTEXT_PLATFORM in properties is not a valid platform (section 4.4)");
    } else if (name == CL_CONTEXT_INTEROP_USER_SYNC) {
      if (value != CL_TRUE && value != CL_FALSE)
        return failure(CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC in properties is neither "
                                            "CL_TRUE nor CL_FALSE (section 4.4)");
    } else {
      return failure(CL_INVALID_PROPERTY,
                     "properties has {:#x}, which is not a supported property (section 4.4)", name);
    }
    properties.insert(properties.end(), {name, value});
  }
  properties.push_back(0);
  return {};
}

Check check_notify(_cl_context::NotifyFunction function, void *user_data) {
  if (!function && user_data)
    return failure(CL_INVALID_VALUE, "pfn_notify is null but user_data is not (section 4.4)");
  return {};
}

constexpr InfoRow<_cl_context> context_info[] = {
    row<_cl_context>(CL_CONTEXT_REFERENCE_COUNT,
                     [](auto &context) -> cl_uint { return context.references; }),
    row<_cl_context>(CL_CONTEXT_NUM_DEVICES,
                     [](auto &context) { return static_cast<cl_uint>(context.devices.size()); }),
    row<_cl_context>(CL_CONTEXT_DEVICES,
                     [](auto &context) {
                       std::vector<cl_device_id> devices;
                       for (const auto &device : context.devices)
                         devices.push_back(device.get());
                       return devices;
                     }),
    row<_cl_context>(CL_CONTEXT_PROPERTIES, [](auto &context) { return context.properties; }),
};

} // namespace

cl_context clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                           const cl_device_id *devices, _cl_context::NotifyFunction pfn_notify,
                           void *user_data, cl_int *errcode_ret) {
  EntryPoint api("clCreateContext", errcode_ret);
  std::vector<cl_context_properties> property_list;
  if (Check broken = read_properties(properties, property_list))
    return api.fail(broken);
  if (!devices)
    return api.fail(CL_INVALID_VALUE, "devices is null (section 4.4)");
  if (num_devices == 0)
    return api.fail(CL_INVALID_VALUE, "num_devices is 0 (section 4.4)");
  if (Check broken = check_notify(pfn_notify, user_data))
    return api.fail(broken);
  std::vector<Ref<_cl_device_id>> device_list;
  for (cl_device_id device : std::span(devices, num_devices)) {
    if (!is_valid(device))
      return api.fail(CL_INVALID_DEVICE, "devices[{}] is not a valid device (section 4.4)",
                      device_list.size());
    // Duplicates are ignored (footnote of section 4.4).
    if (std::ranges::none_of(device_list, [&](const auto &known) { return known.get() == device; }))
      device_list.emplace_back(device);
  }
  return api.success(create_object<_cl_context>(std::move(device_list), std::move(property_list),
                                                pfn_notify, user_data));
}

cl_context clCreateContextFromType(const cl_context_properties *properties,
                                   cl_device_type device_type,
                                   _cl_context::NotifyFunction pfn_notify, void *user_data,
                                   cl_int *errcode_ret) {
  EntryPoint api("clCreateContextFromType", errcode_ret);
  std::vector<cl_context_properties> property_list;
  if (Check broken = read_properties(properties, property_list))
    return api.fail(broken);
  if (Check broken = check_notify(pfn_notify, user_data))
    return api.fail(broken);
  if (!is_device_type(device_type))
    return api.fail(CL_INVALID_DEVICE_TYPE, "device_type {:#x} is not a valid value (section 4.4)",
                    device_type);
  std::vector<Ref<_cl_device_id>> device_list;
  for (cl_device_id device : devices_of_type(device_type))
    device_list.emplace_back(device);
  if (device_list.empty())
    return api.fail(CL_DEVICE_NOT_FOUND, "no device has device_type {:#x} (section 4.4)",
                    device_type);
  return api.success(create_object<_cl_context>(std::move(device_list), std::move(property_list),
                                                pfn_notify, user_data));
}

cl_int clRetainContext(cl_context context) {
  EntryPoint api("clRetainContext");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 4.4)");
  retain(context);
  return api.success();
}

cl_int clReleaseContext(cl_context context) {
  EntryPoint api("clReleaseContext");
  if (!is_valid(context) || !release(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 4.4)");
  return api.success();
}

cl_int clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetContextInfo");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 4.4)");
  api.report_to(context);
  return read_info(api, context_info, *context,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 4.4");
}

cl_int clSetContextDestructorCallback(cl_context context,
                                      _cl_context::DestructorFunction pfn_notify, void *user_data) {
  EntryPoint api("clSetContextDestructorCallback");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 4.4)");
  api.report_to(context);
  if (!pfn_notify)
    return api.fail(CL_INVALID_VALUE, "pfn_notify is null (section 4.4)");
  if (auto started = runtime::start_callback_thread(); !started)
    return api.fail(CL_OUT_OF_RESOURCES, "{} (section 4.4)", started.error().message);
  context->add_destructor(pfn_notify, user_data);
  return api.success();
}

} // namespace lockstep::opencl
