#include "api/opencl/device.h"

#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/platform.h"

#include <algorithm>
#include <numeric>

namespace lockstep::opencl {

cl_device_type type_of(const runtime::Device &device) {
  switch (device.description().type) {
  case runtime::DeviceType::cpu:
    return CL_DEVICE_TYPE_CPU;
  case runtime::DeviceType::gpu:
    return CL_DEVICE_TYPE_GPU;
  case runtime::DeviceType::accelerator:
    return CL_DEVICE_TYPE_ACCELERATOR;
  case runtime::DeviceType::custom:
    break;
  }
  return CL_DEVICE_TYPE_CUSTOM;
}

// The first device is the default. CL_DEVICE_TYPE_ALL contains all bits, but does not select custom
// devices (section 4.2). Devices behind the first one are GPUs, and listing them loads drivers.
std::vector<cl_device_id> devices_of_type(cl_device_type type) {
  _cl_platform_id &platform = *the_platform();
  if (type == CL_DEVICE_TYPE_ALL)
    type &= ~cl_device_type{CL_DEVICE_TYPE_CUSTOM};
  const bool first_is_cpu = !platform.first->device->memory_space();
  const bool first_suffices = first_is_cpu && !(type & CL_DEVICE_TYPE_GPU);
  std::vector<cl_device_id> found;
  for (cl_device_id device : first_suffices ? std::vector{platform.first} : platform.devices())
    if ((type & type_of(*device->device)) ||
        ((type & CL_DEVICE_TYPE_DEFAULT) && device == platform.first))
      found.push_back(device);
  return found;
}

namespace {

using SubDevices = std::vector<std::shared_ptr<runtime::Device>>;

// The result of reading a partition request: the sub-devices, and the property list to report.
struct Partition {
  SubDevices devices;
  _cl_device_id::PartitionType type;
};

Failure partition_error(const Error &error) {
  if (error.kind == ErrorKind::out_of_host_memory)
    return {CL_OUT_OF_HOST_MEMORY, error.message};
  return {CL_DEVICE_PARTITION_FAILED, error.message + " (section 4.3)"};
}

Check partition_equally(_cl_device_id &device, const cl_device_partition_property *properties,
                        Partition &partition) {
  cl_device_partition_property count = properties[1];
  if (count <= 0)
    return failure(CL_INVALID_VALUE,
                   "properties ask for sub-devices of {} compute units (section 4.3)", count);
  if (properties[2] != 0)
    return failure(CL_INVALID_VALUE,
                   "properties name more than one partition scheme (section 4.3)");
  // More units than the device has is a wrong count. All units in one sub-device is a valid count
  // that does not divide the device.
  if (count >= device.device->compute_units())
    return failure(count > device.device->compute_units() ? CL_INVALID_DEVICE_PARTITION_COUNT
                                                          : CL_DEVICE_PARTITION_FAILED,
                   "properties ask for sub-devices of {} compute units, but in_device has only {} "
                   "(section 4.3)",
                   count, device.device->compute_units());
  auto made = device.device->partition_equally(static_cast<unsigned>(count));
  if (!made)
    return partition_error(made.error());
  partition.devices = std::move(*made);
  partition.type = {properties[0], count, 0};
  return {};
}

// The list ends with CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, which is 0. The code does not read
// beyond it, because many programs use this 0 as the end of all properties.
Check partition_by_counts(_cl_device_id &device, const cl_device_partition_property *properties,
                          Partition &partition) {
  const auto available = static_cast<cl_device_partition_property>(device.device->compute_units());
  std::vector<unsigned> counts;
  cl_device_partition_property total = 0;
  for (const auto *count = properties + 1; *count != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
       ++count) {
    if (*count < 0 || *count > available - total)
      return failure(CL_INVALID_DEVICE_PARTITION_COUNT,
                     "properties ask for {} compute units more than the {} that are left of "
                     "in_device (section 4.3)",
                     *count, available - total);
    total += *count;
    counts.push_back(static_cast<unsigned>(*count));
  }
  if (counts.empty())
    return failure(CL_INVALID_VALUE,
                   "properties list no count for CL_DEVICE_PARTITION_BY_COUNTS (section 4.3)");
  auto made = device.device->partition_by_counts(counts);
  if (!made)
    return partition_error(made.error());
  partition.devices = std::move(*made);
  partition.type.push_back(CL_DEVICE_PARTITION_BY_COUNTS);
  partition.type.insert(partition.type.end(), counts.begin(), counts.end());
  partition.type.insert(partition.type.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
  return {};
}

struct DomainName {
  cl_device_affinity_domain bit;
  runtime::AffinityDomain domain;
};
constexpr DomainName domains[] = {
    // The order of NEXT_PARTITIONABLE: outermost first.
    {CL_DEVICE_AFFINITY_DOMAIN_NUMA, runtime::AffinityDomain::numa},
    {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, runtime::AffinityDomain::l4_cache},
    {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, runtime::AffinityDomain::l3_cache},
    {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, runtime::AffinityDomain::l2_cache},
    {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, runtime::AffinityDomain::l1_cache},
};

Check partition_by_domain(_cl_device_id &device, const cl_device_partition_property *properties,
                          Partition &partition) {
  auto wanted = static_cast<cl_device_affinity_domain>(properties[1]);
  if (properties[2] != 0)
    return failure(CL_INVALID_VALUE,
                   "properties name more than one partition scheme (section 4.3)");
  const bool next = wanted == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
  if (!next &&
      std::ranges::none_of(domains, [&](const DomainName &name) { return name.bit == wanted; }))
    return failure(CL_INVALID_VALUE,
                   "properties name affinity domain {:#x}, which is not one (section 4.3)", wanted);
  const auto available = device.device->partition_domains();
  for (const DomainName &name : domains) {
    if ((!next && name.bit != wanted) ||
        std::ranges::find(available, name.domain) == available.end())
      continue;
    auto made = device.device->partition_by_domain(name.domain);
    if (!made)
      return partition_error(made.error());
    partition.devices = std::move(*made);
    // Reports the level that was found: CL_DEVICE_PARTITION_TYPE lets the user query it.
    partition.type = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                      static_cast<cl_device_partition_property>(name.bit), 0};
    return {};
  }
  return failure(CL_INVALID_VALUE,
                 "properties ask for affinity domain {:#x}, which is not among in_device's "
                 "CL_DEVICE_PARTITION_AFFINITY_DOMAIN (section 4.3)",
                 wanted);
}

struct Scheme {
  cl_device_partition_property name;
  Check (*partition)(_cl_device_id &, const cl_device_partition_property *, Partition &);
};
constexpr Scheme schemes[] = {
    {CL_DEVICE_PARTITION_EQUALLY, partition_equally},
    {CL_DEVICE_PARTITION_BY_COUNTS, partition_by_counts},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, partition_by_domain},
};

Check read_partition(_cl_device_id &device, const cl_device_partition_property *properties,
                     Partition &partition) {
  if (!properties)
    return failure(CL_INVALID_VALUE, "properties is null (section 4.3)");
  const auto scheme = std::ranges::find(schemes, properties[0], &Scheme::name);
  if (scheme == std::end(schemes))
    return failure(CL_INVALID_VALUE,
                   "properties begin with {:#x}, which is not a partition scheme (section 4.3)",
                   properties[0]);
  // CL_INVALID_VALUE is for devices that can be divided, but not as requested.
  if (device.device->compute_units() < 2)
    return failure(CL_DEVICE_PARTITION_FAILED, "in_device has a single compute unit (section 4.3)");
  return scheme->partition(device, properties, partition);
}

} // namespace

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                      cl_device_id *devices, cl_uint *num_devices) {
  EntryPoint api("clGetDeviceIDs");
  if (!is_platform(platform))
    return api.fail(CL_INVALID_PLATFORM, "platform is not a valid platform (section 4.2)");
  if (!is_device_type(device_type))
    return api.fail(CL_INVALID_DEVICE_TYPE, "device_type {:#x} is not a valid value (section 4.2)",
                    device_type);
  if (devices && num_entries == 0)
    return api.fail(CL_INVALID_VALUE, "num_entries is 0 but devices is not null (section 4.2)");
  if (!devices && !num_devices)
    return api.fail(CL_INVALID_VALUE, "devices and num_devices are both null (section 4.2)");
  const std::vector<cl_device_id> found = devices_of_type(device_type);
  if (num_devices)
    *num_devices = static_cast<cl_uint>(found.size());
  if (found.empty())
    return api.fail(CL_DEVICE_NOT_FOUND, "no device has device_type {:#x} (section 4.2)",
                    device_type);
  if (devices)
    std::copy_n(found.begin(), std::min<size_t>(num_entries, found.size()), devices);
  return api.success();
}

cl_int clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties,
                          cl_uint num_devices, cl_device_id *out_devices,
                          cl_uint *num_devices_ret) {
  EntryPoint api("clCreateSubDevices");
  if (!is_valid(in_device))
    return api.fail(CL_INVALID_DEVICE, "in_device is not a valid device (section 4.3)");
  Partition partition;
  if (Check broken = read_partition(*in_device, properties, partition))
    return api.fail(broken);
  const auto count = static_cast<cl_uint>(partition.devices.size());
  if (out_devices && num_devices < count)
    return api.fail(CL_INVALID_VALUE,
                    "num_devices is {}, but there are {} sub-devices (section 4.3)", num_devices,
                    count);
  if (out_devices)
    for (cl_uint i = 0; i < count; ++i)
      out_devices[i] = create_object<_cl_device_id>(in_device->platform, partition.devices[i],
                                                    in_device, partition.type);
  if (num_devices_ret)
    *num_devices_ret = count;
  return api.success();
}

cl_int clRetainDevice(cl_device_id device) {
  EntryPoint api("clRetainDevice");
  if (!is_valid(device))
    return api.fail(CL_INVALID_DEVICE, "device is not a valid device (section 4.3)");
  if (!device->is_root())
    retain(device);
  return api.success();
}

cl_int clReleaseDevice(cl_device_id device) {
  EntryPoint api("clReleaseDevice");
  if (!is_valid(device) || (!device->is_root() && !release(device)))
    return api.fail(CL_INVALID_DEVICE, "device is not a valid device (section 4.3)");
  return api.success();
}

// Host and device share one clock, so one reading serves for both times.
cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
                               cl_ulong *host_timestamp) {
  EntryPoint api("clGetDeviceAndHostTimer");
  if (!is_valid(device))
    return api.fail(CL_INVALID_DEVICE, "device is not a valid device (section 4.2)");
  if (!device_timestamp || !host_timestamp)
    return api.fail(CL_INVALID_VALUE, "{} is null (section 4.2)",
                    device_timestamp ? "host_timestamp" : "device_timestamp");
  *device_timestamp = *host_timestamp = runtime::now_nanoseconds();
  return api.success();
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp) {
  EntryPoint api("clGetHostTimer");
  if (!is_valid(device))
    return api.fail(CL_INVALID_DEVICE, "device is not a valid device (section 4.2)");
  if (!host_timestamp)
    return api.fail(CL_INVALID_VALUE, "host_timestamp is null (section 4.2)");
  *host_timestamp = runtime::now_nanoseconds();
  return api.success();
}

} // namespace lockstep::opencl
