// What the NVIDIA device reports about itself, and several devices in one context, on the fake driver.
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/platform.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "tests/nvidia/device_fixture.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"

#include <string>
#include <utility>
#include <vector>

namespace lockstep::opencl {
namespace {

// What the device lacks must not be reported.
TEST_F(NvidiaDeviceTest, Queries) {
  const auto value = [this]<class T>(cl_device_info what, T value) {
    EXPECT_EQ(opencl::clGetDeviceInfo(device_, what, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  };
  EXPECT_EQ(value(CL_DEVICE_TYPE, cl_device_type{}), CL_DEVICE_TYPE_GPU);
  EXPECT_EQ(value(CL_DEVICE_IMAGE_SUPPORT, cl_bool{CL_FALSE}), CL_TRUE);
  EXPECT_EQ(value(CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t{}), 16384u);
  EXPECT_EQ(value(CL_DEVICE_PIPE_SUPPORT, cl_bool{CL_FALSE}), CL_TRUE);
  EXPECT_EQ(value(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_bitfield{1}), 0u);
  EXPECT_EQ(value(CL_DEVICE_SVM_CAPABILITIES, cl_bitfield{}), CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
  EXPECT_EQ(value(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, cl_bitfield{}), 1u);
  EXPECT_EQ(value(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, cl_bitfield{}), 3u); // and atomics
  EXPECT_EQ(value(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, cl_bitfield{}), 1u);
  EXPECT_EQ(value(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, cl_bitfield{}), 1u);
  EXPECT_EQ(value(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, cl_bitfield{1}), 0u);
  EXPECT_EQ(value(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool{CL_TRUE}), CL_FALSE);
  EXPECT_EQ(value(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint{}), 4u);
  EXPECT_EQ(value(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint{}), 32u);
  EXPECT_EQ(value(CL_DEVICE_SUB_GROUP_SIZES_INTEL, size_t{}), 32u);
  EXPECT_EQ(value(CL_DEVICE_PARTITION_PROPERTIES, cl_device_partition_property{1}), 0);
  EXPECT_EQ(value(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint{1}), 0u);
  std::vector<char> extensions(10000);
  ASSERT_EQ(opencl::clGetDeviceInfo(device_, CL_DEVICE_EXTENSIONS, extensions.size(),
                                    extensions.data(), nullptr),
            CL_SUCCESS);
  const std::string names = extensions.data();
  EXPECT_NE(names.find("cl_khr_subgroups"), names.npos);
  EXPECT_NE(names.find("cl_intel_unified_shared_memory"), names.npos);
  EXPECT_NE(names.find("cl_khr_image2d_from_buffer"), names.npos);
  EXPECT_EQ(names.find("external_memory"), names.npos) << names;
  EXPECT_EQ(names.find("svm"), names.npos) << names;
}

// A program for both devices is compiled for each.
TEST_F(NvidiaDeviceTest, MacrosAreThoseOfTheDevice) {
  static const cl_device_id cpu =
      create_object<_cl_device_id>(the_platform(), runtime::CpuDevice::root());
  const cl_device_id both[] = {device_, cpu};
  const char *macros = R"(
    kernel void k(global int *to) {
      *to = 1;
    #ifdef __opencl_c_images
      *to |= 2;
    #endif
    #ifdef __IMAGE_SUPPORT__
      *to |= 4;
    #endif
    #ifdef __opencl_c_device_enqueue
      *to |= 8;
    #endif
    #ifdef __opencl_c_pipes
      *to |= 64;
    #endif
    #ifdef cl_khr_depth_images
      *to |= 16;
    #endif
    #if defined(__opencl_c_subgroups) && defined(cl_khr_subgroup_shuffle)
      *to |= 32;
    #endif
    })";
  cl_context context = opencl::clCreateContext(nullptr, 2, both, nullptr, nullptr, nullptr);
  for (const bool in_steps : {false, true}) {
    cl_program program = opencl::clCreateProgramWithSource(context, 1, &macros, nullptr, nullptr);
    if (in_steps) {
      ASSERT_EQ(opencl::clCompileProgram(program, 0, nullptr, "-cl-std=CL3.0", 0, nullptr, nullptr,
                                         nullptr, nullptr),
                CL_SUCCESS);
      cl_program compiled =
          std::exchange(program, opencl::clLinkProgram(context, 0, nullptr, "", 1, &program,
                                                       nullptr, nullptr, nullptr));
      EXPECT_EQ(opencl::clReleaseProgram(compiled), CL_SUCCESS);
    } else {
      ASSERT_EQ(opencl::clBuildProgram(program, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr),
                CL_SUCCESS);
    }
    cl_kernel k = opencl::clCreateKernel(program, "k", nullptr);
    cl_mem to = opencl::clCreateBuffer(context, 0, sizeof(cl_int), nullptr, nullptr);
    set(k, 0, to);
    for (int i : {0, 1}) {
      cl_command_queue queue =
          opencl::clCreateCommandQueueWithProperties(context, both[i], nullptr, nullptr);
      const size_t one = 1;
      cl_int seen = 0;
      EXPECT_EQ(
          opencl::clEnqueueNDRangeKernel(queue, k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
          CL_SUCCESS);
      EXPECT_EQ(opencl::clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof seen, &seen, 0, nullptr,
                                            nullptr),
                CL_SUCCESS);
      EXPECT_EQ(seen, i == 0 ? 119 : 127) << in_steps;
      EXPECT_EQ(opencl::clReleaseCommandQueue(queue), CL_SUCCESS);
    }
    EXPECT_EQ(opencl::clReleaseMemObject(to), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseKernel(k), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseProgram(program), CL_SUCCESS);
  }
  EXPECT_EQ(opencl::clReleaseContext(context), CL_SUCCESS);
}

TEST_F(NvidiaDeviceTest, TwoCardsInOneContext) {
  static const cl_device_id second =
      create_object<_cl_device_id>(the_platform(), test::second_fake_device());
  const cl_device_id both[] = {device_, second};
  cl_context context = opencl::clCreateContext(nullptr, 2, both, nullptr, nullptr, nullptr);
  cl_command_queue queues[2];
  for (int i : {0, 1})
    queues[i] = opencl::clCreateCommandQueueWithProperties(context, both[i], nullptr, nullptr);
  cl_program program = opencl::clCreateProgramWithSource(
      context, 1, const_cast<const char **>(&source), nullptr, nullptr);
  ASSERT_EQ(opencl::clBuildProgram(program, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr),
            CL_SUCCESS);
  cl_kernel increase = opencl::clCreateKernel(program, "increase", nullptr);
  Values values(1000);
  cl_mem to = opencl::clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4000, values.data(), nullptr);
  set(increase, 0, to);
  const size_t global = 1000, copies = fake_cuda::controls().copies_between_devices;
  cl_event last = nullptr;
  for (int i = 0; i < 10; ++i) {
    cl_event next = nullptr;
    ASSERT_EQ(opencl::clEnqueueNDRangeKernel(queues[i % 2], increase, 1, nullptr, &global, nullptr,
                                             last ? 1 : 0, last ? &last : nullptr, &next),
              CL_SUCCESS);
    if (last)
      EXPECT_EQ(opencl::clReleaseEvent(last), CL_SUCCESS);
    last = next;
  }
  EXPECT_EQ(opencl::clEnqueueReadBuffer(queues[0], to, CL_TRUE, 0, 4000, values.data(), 1, &last,
                                        nullptr),
            CL_SUCCESS);
  EXPECT_EQ(values, Values(1000, 10));
  EXPECT_EQ(fake_cuda::controls().copies_between_devices - copies, 10u); // and for the read
  EXPECT_EQ(opencl::clReleaseEvent(last), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseMemObject(to), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseKernel(increase), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseProgram(program), CL_SUCCESS);
  for (cl_command_queue queue : queues)
    EXPECT_EQ(opencl::clReleaseCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseContext(context), CL_SUCCESS);
}

} // namespace
} // namespace lockstep::opencl
