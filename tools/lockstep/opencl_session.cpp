#include "tools/lockstep/opencl_session.h"

#include "tools/lockstep/terminal.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace lockstep::cli {
namespace {

struct ErrorName {
  cl_int code;
  const char *name;
};

#define ROW(name) {name, #name}
constexpr auto error_names = std::to_array<ErrorName>({
    ROW(CL_DEVICE_NOT_FOUND),
    ROW(CL_DEVICE_NOT_AVAILABLE),
    ROW(CL_COMPILER_NOT_AVAILABLE),
    ROW(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    ROW(CL_OUT_OF_RESOURCES),
    ROW(CL_OUT_OF_HOST_MEMORY),
    ROW(CL_PROFILING_INFO_NOT_AVAILABLE),
    ROW(CL_MEM_COPY_OVERLAP),
    ROW(CL_BUILD_PROGRAM_FAILURE),
    ROW(CL_MAP_FAILURE),
    ROW(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    ROW(CL_COMPILE_PROGRAM_FAILURE),
    ROW(CL_LINKER_NOT_AVAILABLE),
    ROW(CL_LINK_PROGRAM_FAILURE),
    ROW(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    ROW(CL_INVALID_VALUE),
    ROW(CL_INVALID_DEVICE_TYPE),
    ROW(CL_INVALID_PLATFORM),
    ROW(CL_INVALID_DEVICE),
    ROW(CL_INVALID_CONTEXT),
    ROW(CL_INVALID_QUEUE_PROPERTIES),
    ROW(CL_INVALID_COMMAND_QUEUE),
    ROW(CL_INVALID_MEM_OBJECT),
    ROW(CL_INVALID_BINARY),
    ROW(CL_INVALID_BUILD_OPTIONS),
    ROW(CL_INVALID_PROGRAM),
    ROW(CL_INVALID_PROGRAM_EXECUTABLE),
    ROW(CL_INVALID_KERNEL_NAME),
    ROW(CL_INVALID_KERNEL),
    ROW(CL_INVALID_ARG_INDEX),
    ROW(CL_INVALID_ARG_VALUE),
    ROW(CL_INVALID_ARG_SIZE),
    ROW(CL_INVALID_KERNEL_ARGS),
    ROW(CL_INVALID_WORK_DIMENSION),
    ROW(CL_INVALID_WORK_GROUP_SIZE),
    ROW(CL_INVALID_WORK_ITEM_SIZE),
    ROW(CL_INVALID_GLOBAL_OFFSET),
    ROW(CL_INVALID_EVENT_WAIT_LIST),
    ROW(CL_INVALID_EVENT),
    ROW(CL_INVALID_OPERATION),
    ROW(CL_INVALID_BUFFER_SIZE),
    ROW(CL_INVALID_GLOBAL_WORK_SIZE),
    ROW(CL_INVALID_PROPERTY),
    ROW(CL_INVALID_COMPILER_OPTIONS),
    ROW(CL_INVALID_LINKER_OPTIONS),
    {-1001,
     "CL_PLATFORM_NOT_FOUND_KHR (the loader found no OpenCL platform; see `lockstep doctor`)"},
});
#undef ROW

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS)
    return {};
  std::vector<cl_platform_id> ids(count);
  if (count && clGetPlatformIDs(count, ids.data(), nullptr) != CL_SUCCESS)
    return {};
  return ids;
}

// Skips warnings of Lockstep, which writes them to stderr itself.
void CL_CALLBACK print_notice(const char *text, const void *, size_t, void *is_lockstep) {
  constexpr std::string_view prefix = "warning: ";
  std::string_view sentence = text;
  if (sentence.starts_with(prefix)) {
    if (is_lockstep)
      return;
    sentence.remove_prefix(prefix.size());
  }
  report_warning(sentence);
}

} // namespace

std::string error_name(cl_int code) {
  for (const ErrorName &row : error_names)
    if (row.code == code)
      return row.name;
  return fmt::format("OpenCL error {}", code);
}

Result<void> expect(cl_int code, std::string_view what) {
  if (code == CL_SUCCESS)
    return {};
  bool invalid = code <= CL_INVALID_VALUE && code > -1000;
  return Error{invalid ? ErrorKind::invalid_argument : ErrorKind::out_of_resources,
               fmt::format("{}: {}", what, error_name(code))};
}

std::string build_tree_vendors() {
  std::error_code error;
  auto tool = std::filesystem::read_symlink("/proc/self/exe", error);
  auto vendors = tool.parent_path().parent_path() / "vendors";
  return !error && std::filesystem::exists(vendors / "lockstep.icd", error) ? vendors.string() : "";
}

void prefer_build_tree() {
  std::string vendors = build_tree_vendors();
  if (!vendors.empty())
    setenv("OCL_ICD_VENDORS", vendors.c_str(), 0);
}

std::vector<std::string> platform_names() {
  std::vector<std::string> names;
  for (cl_platform_id platform : platforms())
    names.push_back(text_info(platform, CL_PLATFORM_NAME));
  return names;
}

namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

bool is_wanted(cl_device_id device, const std::string &wanted) {
  if (wanted == "cpu" || wanted == "gpu")
    return device_info<cl_device_type>(device, CL_DEVICE_TYPE) &
           (wanted == "cpu" ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU);
  return lower(text_info(device, CL_DEVICE_NAME)).find(wanted) != std::string::npos ||
         lower(text_info(device, CL_DEVICE_VENDOR)).find(wanted) != std::string::npos;
}

// Returns all devices if none matches.
size_t index_of(std::span<const cl_device_id> devices, const std::string &wanted) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (error == std::errc() && end == wanted.data() + wanted.size())
    return std::min(index, devices.size());
  const auto found = std::ranges::find_if(devices, [text = lower(wanted)](cl_device_id device) {
    return !text.empty() && is_wanted(device, text);
  });
  return size_t(found - devices.begin());
}

} // namespace

Result<Device> find_device(const std::string &platform_name, const std::string &wanted) {
  if (platform_name == "Lockstep") {
    prefer_build_tree();
    if (lower(wanted) == "nvidia" || lower(wanted) == "gpu")
      setenv("LOCKSTEP_NVIDIA", "1", 0); // under a check, too
  }
  for (cl_platform_id platform : platforms()) {
    if (text_info(platform, CL_PLATFORM_NAME) != platform_name)
      continue;
    std::array<cl_device_id, 64> devices{};
    cl_uint count = 0;
    // The first device of Lockstep is the default one. Listing the others may load drivers.
    const bool is_default = platform_name == "Lockstep" && wanted == "0";
    const cl_device_type type = is_default ? CL_DEVICE_TYPE_DEFAULT : CL_DEVICE_TYPE_ALL;
    LOCKSTEP_TRY(expect(clGetDeviceIDs(platform, type, devices.size(), devices.data(), &count),
                        "clGetDeviceIDs"));
    const std::span all(devices.data(), std::min<size_t>(count, devices.size()));
    const size_t index = index_of(all, wanted);
    if (index == all.size()) {
      std::vector<std::string> names;
      for (cl_device_id device : all)
        names.push_back(text_info(device, CL_DEVICE_NAME));
      return Error{ErrorKind::invalid_argument,
                   fmt::format("--device {}: platform {} has no such device; it has {}, counted "
                               "from 0: {}",
                               wanted, platform_name, count, fmt::join(names, ", "))};
    }
    return Device{platform, devices[index]};
  }
  std::vector<std::string> names = platform_names();
  return Error{
      ErrorKind::invalid_argument,
      fmt::format("the OpenCL loader finds no platform '{}' ({}); `lockstep doctor` says why",
                  platform_name,
                  names.empty() ? "it finds none at all"
                                : fmt::format("it finds: {}", fmt::join(names, ", ")))};
}

Result<Session> open_session(const std::string &platform_name, const std::string &wanted) {
  auto device = find_device(platform_name, wanted);
  if (!device)
    return device.take_error();
  Session session;
  session.device = *device;
  cl_int code = CL_SUCCESS;
  static bool is_lockstep = true;
  session.context.reset(clCreateContext(nullptr, 1, &device->device, print_notice,
                                        platform_name == "Lockstep" ? &is_lockstep : nullptr,
                                        &code));
  LOCKSTEP_TRY(expect(code, "clCreateContext"));
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  session.queue.reset(
      clCreateCommandQueueWithProperties(session.context.get(), device->device, properties, &code));
  LOCKSTEP_TRY(expect(code, "clCreateCommandQueueWithProperties"));
  cl_device_device_enqueue_capabilities enqueues = 0; // unknown to devices before OpenCL 3.0
  clGetDeviceInfo(device->device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof enqueues, &enqueues,
                  nullptr);
  if (enqueues & CL_DEVICE_QUEUE_SUPPORTED) {
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT |
                                                 CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                             0};
    session.device_queue.reset(clCreateCommandQueueWithProperties(
        session.context.get(), device->device, on_device, &code));
    LOCKSTEP_TRY(expect(code, "clCreateCommandQueueWithProperties"));
  }
  return session;
}

std::string text_info(cl_platform_id platform, cl_platform_info name) {
  size_t size = 0;
  if (clGetPlatformInfo(platform, name, 0, nullptr, &size) != CL_SUCCESS || size == 0)
    return "";
  std::string text(size, '\0');
  clGetPlatformInfo(platform, name, size, text.data(), nullptr);
  return text.c_str();
}

std::string text_info(cl_device_id device, cl_device_info name) {
  size_t size = 0;
  if (clGetDeviceInfo(device, name, 0, nullptr, &size) != CL_SUCCESS || size == 0)
    return "";
  std::string text(size, '\0');
  clGetDeviceInfo(device, name, size, text.data(), nullptr);
  return text.c_str();
}

} // namespace lockstep::cli
