// Tests every error of the device functions (OpenCL 3.0 API sections 4.2 and 4.3).
#include "error_fixture.h"

#include <CL/cl_ext.h>

using namespace lockstep::test;

namespace {

class DeviceErrors : public ErrorTest {
protected:
  cl_device_id no_device() { return reinterpret_cast<cl_device_id>(context_.get()); }
  // Returns a sub-device with one compute unit, which cannot be partitioned further.
  cl_device_id single_unit() {
    const cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                       CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id device = nullptr;
    EXPECT_EQ(clCreateSubDevices(device_, properties, 1, &device, nullptr), CL_SUCCESS);
    return device;
  }
  cl_int partition(std::vector<cl_device_partition_property> properties) {
    properties.push_back(0);
    properties.push_back(0);
    cl_uint count = 0;
    return clCreateSubDevices(device_, properties.data(), 0, nullptr, &count);
  }
};

TEST_F(DeviceErrors, GetDeviceIDs) {
  cl_platform_id platform = find_platform();
  cl_device_id device = nullptr;
  cl_uint count = 0;
  EXPECT_EQ(clGetDeviceIDs(reinterpret_cast<cl_platform_id>(context_.get()), CL_DEVICE_TYPE_ALL, 1,
                           &device, &count),
            CL_INVALID_PLATFORM);
  EXPECT_EQ(clGetDeviceIDs(platform, 0, 1, &device, &count), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(clGetDeviceIDs(platform, 1 << 20, 1, &device, &count), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &device, &count), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, nullptr), CL_INVALID_VALUE);
  for (cl_device_type type :
       {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM}) {
    count = 7;
    EXPECT_EQ(clGetDeviceIDs(platform, type, 1, &device, &count), CL_DEVICE_NOT_FOUND);
    EXPECT_EQ(count, 0u);
  }
}

TEST_F(DeviceErrors, GetDeviceInfo) {
  cl_uint value = 0;
  EXPECT_EQ(clGetDeviceInfo(no_device(), CL_DEVICE_VENDOR_ID, sizeof value, &value, nullptr),
            CL_INVALID_DEVICE);
  EXPECT_EQ(clGetDeviceInfo(device_, CL_CONTEXT_DEVICES, sizeof value, &value, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceInfo(device_, CL_DEVICE_VENDOR_ID, sizeof value - 1, &value, nullptr),
            CL_INVALID_VALUE);
  // The query belongs to an extension that the device does not report.
  EXPECT_EQ(clGetDeviceInfo(device_, CL_DEVICE_HALF_FP_CONFIG, sizeof value, &value, nullptr),
            CL_INVALID_VALUE);
}

TEST_F(DeviceErrors, CreateSubDevicesArguments) {
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id devices[2];
  EXPECT_EQ(clCreateSubDevices(no_device(), equally, 2, devices, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(clCreateSubDevices(device_, nullptr, 2, devices, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(partition({}), CL_INVALID_VALUE);
  EXPECT_EQ(partition({CL_DEVICE_NAME, 1}), CL_INVALID_VALUE);
  if (device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS) < 2)
    GTEST_SKIP() << "a device of one compute unit has no sub-devices";
  EXPECT_EQ(clCreateSubDevices(device_, equally, 1, devices, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(partition({CL_DEVICE_PARTITION_EQUALLY, 1, CL_DEVICE_PARTITION_EQUALLY, 1}),
            CL_INVALID_VALUE);
}

TEST_F(DeviceErrors, CreateSubDevicesSizes) {
  const auto units =
      static_cast<cl_device_partition_property>(device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS));
  if (units < 2)
    GTEST_SKIP() << "a device of one compute unit has no sub-devices";
  EXPECT_EQ(partition({CL_DEVICE_PARTITION_EQUALLY, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(partition({CL_DEVICE_PARTITION_EQUALLY, units + 1}), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(partition({CL_DEVICE_PARTITION_EQUALLY, units}), CL_DEVICE_PARTITION_FAILED)
      << "one part is no division";
  EXPECT_EQ(partition({CL_DEVICE_PARTITION_BY_COUNTS, units + 1}),
            CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(partition({CL_DEVICE_PARTITION_BY_COUNTS, units, 1}),
            CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(partition({CL_DEVICE_PARTITION_BY_COUNTS, -1}), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(partition({CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 1 << 20}), CL_INVALID_VALUE);
  const auto listed = device_info<cl_device_affinity_domain>(CL_DEVICE_PARTITION_AFFINITY_DOMAIN);
  for (cl_device_affinity_domain domain :
       {CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE})
    EXPECT_EQ(partition({CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                         static_cast<cl_device_partition_property>(domain)}),
              listed & domain ? CL_SUCCESS : CL_INVALID_VALUE)
        << "domain " << domain
        << ", valid, is supported as CL_DEVICE_PARTITION_AFFINITY_DOMAIN says";

  cl_device_id single = single_unit();
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  const cl_device_partition_property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                               CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
  cl_uint count = 0;
  EXPECT_EQ(clCreateSubDevices(single, equally, 0, nullptr, &count), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(clCreateSubDevices(single, next, 0, nullptr, &count), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(clReleaseDevice(single), CL_SUCCESS);
}

TEST_F(DeviceErrors, RetainAndRelease) {
  EXPECT_EQ(clRetainDevice(no_device()), CL_INVALID_DEVICE);
  EXPECT_EQ(clReleaseDevice(no_device()), CL_INVALID_DEVICE);
  if (device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS) < 2)
    return;
  cl_device_id stale = single_unit();
  EXPECT_EQ(clReleaseDevice(stale), CL_SUCCESS);
  EXPECT_EQ(clReleaseDevice(stale), CL_INVALID_DEVICE);
  EXPECT_EQ(clRetainDevice(stale), CL_INVALID_DEVICE);
  cl_uint value = 0;
  EXPECT_EQ(clGetDeviceInfo(stale, CL_DEVICE_VENDOR_ID, sizeof value, &value, nullptr),
            CL_INVALID_DEVICE);
}

TEST_F(DeviceErrors, Timers) {
  cl_ulong device_time = 0, host_time = 0;
  EXPECT_EQ(clGetDeviceAndHostTimer(no_device(), &device_time, &host_time), CL_INVALID_DEVICE);
  EXPECT_EQ(clGetDeviceAndHostTimer(device_, nullptr, &host_time), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceAndHostTimer(device_, &device_time, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetHostTimer(no_device(), &host_time), CL_INVALID_DEVICE);
  EXPECT_EQ(clGetHostTimer(device_, nullptr), CL_INVALID_VALUE);
}

} // namespace
