#include "api/opencl/platform.h"

#include "api/opencl/command_buffer_types.h"
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/extensions.h"
#include "api/opencl/info.h"
#include "api/opencl/inherited.h"
#include "api/opencl/semaphore.h"
#include "api/opencl/unified_svm.h"
#include "compiler/options/code_options.h"
#include "driver/compile.h"
#include "platform/linux/leaked.h"

namespace lockstep::opencl {

cl_platform_id the_platform() {
  // Never destroyed, because programs may call OpenCL from their own static destructors.
  return &leaked([] {
    // Reads the environment now, including the checker's options, so that a later setenv() does not
    // change how kernels are compiled.
    (void)compiler::code_options_of_process();
    auto *made = create_permanent_object<_cl_platform_id>();
    made->first = create_permanent_object<_cl_device_id>(made, runtime::first_root_device());
    return made;
  });
}

namespace {

constexpr InfoRow<_cl_platform_id> platform_info[] = {
    row<_cl_platform_id>(CL_PLATFORM_PROFILE, [](auto &) { return "FULL_PROFILE"; }),
    row<_cl_platform_id>(CL_PLATFORM_VERSION, [](auto &) { return opencl_version; }),
    row<_cl_platform_id>(CL_PLATFORM_NUMERIC_VERSION,
                         [](auto &) { return CL_MAKE_VERSION(3, 1, 0); }),
    row<_cl_platform_id>(CL_PLATFORM_NAME, [](auto &) { return "Lockstep"; }),
    row<_cl_platform_id>(CL_PLATFORM_VENDOR, [](auto &) { return "Lockstep"; }),
    row<_cl_platform_id>(CL_PLATFORM_EXTENSIONS,
                         [](auto &) { return joined_names(compiler::device_extensions); }),
    row<_cl_platform_id>(CL_PLATFORM_EXTENSIONS_WITH_VERSION,
                         [](auto &) { return with_versions(compiler::device_extensions); }),
    row<_cl_platform_id>(CL_PLATFORM_HOST_TIMER_RESOLUTION, [](auto &) -> cl_ulong { return 1; }),
    row<_cl_platform_id>(CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR,
                         [](auto &) -> cl_platform_command_buffer_capabilities_khr {
                           return CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR |
                                  CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR |
                                  CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR;
                         }),
    row<_cl_platform_id>(
        CL_PLATFORM_SEMAPHORE_TYPES_KHR,
        [](auto &) -> cl_semaphore_type_khr { return CL_SEMAPHORE_TYPE_BINARY_KHR; }),
    row<_cl_platform_id>(CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                         [](auto &) { return imported_semaphore_types; }),
    row<_cl_platform_id>(CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                         [](auto &) { return exported_semaphore_types; }),
    row<_cl_platform_id>(CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                         [](auto &) { return external_memory_types; }),
    row<_cl_platform_id>(CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR,
                         [](auto &) { return svm_capabilities_of(svm_types()); }),
    row<_cl_platform_id>(CL_PLATFORM_ICD_SUFFIX_KHR, [](auto &) { return "LOCKSTEP"; }),
};

} // namespace
} // namespace lockstep::opencl

const std::vector<cl_device_id> &_cl_platform_id::devices() {
  using namespace lockstep;
  const auto &all = leaked([this] {
    std::vector<cl_device_id> made = {first};
    for (const auto &device : runtime::root_devices())
      if (device != first->device)
        made.push_back(opencl::create_permanent_object<_cl_device_id>(this, device));
    return made;
  });
  devices_.store(&all, std::memory_order_release);
  return all;
}

std::vector<cl_device_id> _cl_platform_id::known_devices() const {
  const auto *all = devices_.load(std::memory_order_acquire);
  return all ? *all : std::vector{first};
}

namespace lockstep::opencl {

cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) {
  EntryPoint api("clGetPlatformIDs");
  if (platforms && num_entries == 0)
    return api.fail(CL_INVALID_VALUE, "num_entries is 0 but platforms is not null (section 4.1)");
  if (!platforms && !num_platforms)
    return api.fail(CL_INVALID_VALUE, "platforms and num_platforms are both null (section 4.1)");
  if (platforms)
    platforms[0] = the_platform();
  if (num_platforms)
    *num_platforms = 1;
  return api.success();
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                         size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetPlatformInfo");
  if (!is_platform(platform))
    return api.fail(CL_INVALID_PLATFORM, "platform is not a valid platform (section 4.1)");
  return read_info(api, platform_info, *the_platform(),
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 4.1");
}

} // namespace lockstep::opencl
