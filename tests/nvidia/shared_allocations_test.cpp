// Memory that the program shares by address with a card and the CPU in one context, on the fake
// driver.
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/platform.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace lockstep::opencl {
namespace {

const char *const source = R"(
  kernel void step(global int *all) { size_t i = get_global_id(0); all[i] = all[i] * 3 + 1; }
  kernel void point(global ulong *to, global int *at) {
    size_t i = get_global_id(0);
    to[i] = (ulong)(at + i);
  })";

class SharedAllocations : public testing::Test {
protected:
  SharedAllocations() {
    fake_cuda::repair();
    static const std::array<cl_device_id, 2> both = {
        create_object<_cl_device_id>(the_platform(), test::fake_device()),
        create_object<_cl_device_id>(the_platform(), runtime::CpuDevice::root())};
    card_ = both[0];
    context_ = opencl::clCreateContext(nullptr, 2, both.data(), nullptr, nullptr, nullptr);
    program_ = opencl::clCreateProgramWithSource(context_, 1, const_cast<const char **>(&source),
                                                 nullptr, nullptr);
    EXPECT_EQ(opencl::clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    kernel_ = opencl::clCreateKernel(program_, "step", nullptr);
    for (size_t i = 0; i < 2; ++i)
      queues_[i] = opencl::clCreateCommandQueueWithProperties(context_, both[i], nullptr, nullptr);
  }
  ~SharedAllocations() override {
    for (cl_command_queue queue : queues_) {
      EXPECT_EQ(opencl::clFinish(queue), CL_SUCCESS);
      EXPECT_EQ(opencl::clReleaseCommandQueue(queue), CL_SUCCESS);
    }
    EXPECT_EQ(opencl::clReleaseKernel(kernel_), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseProgram(program_), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseContext(context_), CL_SUCCESS);
  }
  cl_int launch(cl_command_queue queue, const void *all) {
    EXPECT_EQ(opencl::clSetKernelArgMemPointerINTEL(kernel_, 0, all), CL_SUCCESS);
    return opencl::clEnqueueNDRangeKernel(queue, kernel_, 1, nullptr, &count, nullptr, 0, nullptr,
                                          nullptr);
  }

  static constexpr size_t count = 500;
  cl_device_id card_ = nullptr;
  cl_context context_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  std::array<cl_command_queue, 2> queues_{}; // of the card, of the CPU
};

// Section 5.6: kernels may store pointers to one buffer in another one, for any device and the host.
TEST_F(SharedAllocations, BuffersOnThemHaveTheirAddresses) {
  cl_kernel point = opencl::clCreateKernel(program_, "point", nullptr);
  const auto make = [&](void *at, size_t bytes) {
    cl_int status = 1;
    cl_mem made = opencl::clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, bytes, at, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  };
  auto *const places = static_cast<cl_ulong *>(
      opencl::clSVMAlloc(context_, CL_MEM_READ_WRITE, count * sizeof(cl_ulong), 0));
  auto *const numbers = static_cast<cl_int *>(
      opencl::clSVMAlloc(context_, CL_MEM_READ_WRITE, 2 * count * sizeof(cl_int), 0));
  cl_mem to = make(places, count * sizeof(cl_ulong));
  cl_mem whole = make(numbers, 2 * count * sizeof(cl_int));
  const cl_buffer_region half = {1024, 512};
  cl_mem part = opencl::clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, nullptr);
  for (cl_command_queue queue : queues_)
    for (cl_mem at : {whole, part}) {
      const size_t items = 100;
      EXPECT_EQ(opencl::clSetKernelArg(point, 0, sizeof to, &to), CL_SUCCESS);
      EXPECT_EQ(opencl::clSetKernelArg(point, 1, sizeof at, &at), CL_SUCCESS);
      ASSERT_EQ(opencl::clEnqueueNDRangeKernel(queue, point, 1, nullptr, &items, nullptr, 0,
                                               nullptr, nullptr),
                CL_SUCCESS);
      cl_int status = 1;
      const void *mapped =
          opencl::clEnqueueMapBuffer(queue, to, CL_TRUE, CL_MAP_READ, 0, count * sizeof(cl_ulong),
                                     0, nullptr, nullptr, &status);
      EXPECT_EQ(mapped, places);
      for (size_t i = 0; i < items; ++i)
        EXPECT_EQ(places[i], reinterpret_cast<cl_ulong>(
                                 numbers + (at == part ? 1024 / sizeof(cl_int) : 0) + i))
            << i;
      EXPECT_EQ(opencl::clEnqueueUnmapMemObject(queue, to, places, 0, nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(opencl::clFinish(queue), CL_SUCCESS);
    }
  for (cl_mem memory : {to, part, whole})
    EXPECT_EQ(opencl::clReleaseMemObject(memory), CL_SUCCESS);
  opencl::clSVMFree(context_, places);
  opencl::clSVMFree(context_, numbers);
  EXPECT_EQ(opencl::clReleaseKernel(point), CL_SUCCESS);
}

TEST_F(SharedAllocations, AreUsedByBothDevicesInTurns) {
  constexpr size_t bytes = count * sizeof(cl_int);
  const std::array<cl_int *, 3> all = {
      static_cast<cl_int *>(opencl::clHostMemAllocINTEL(context_, nullptr, bytes, 0, nullptr)),
      static_cast<cl_int *>(
          opencl::clSharedMemAllocINTEL(context_, nullptr, nullptr, bytes, 0, nullptr)),
      static_cast<cl_int *>(opencl::clSVMAlloc(context_, CL_MEM_READ_WRITE, bytes, 0))};
  for (cl_int *numbers : all) {
    ASSERT_NE(numbers, nullptr);
    for (size_t i = 0; i < count; ++i)
      numbers[i] = cl_int(i);
    std::array<cl_int, count> expected{};
    for (size_t i = 0; i < count; ++i)
      expected[i] = cl_int(i);
    for (int turn = 0; turn < 6; ++turn) {
      ASSERT_EQ(launch(queues_[turn % 2], numbers), CL_SUCCESS);
      ASSERT_EQ(opencl::clFinish(queues_[turn % 2]), CL_SUCCESS);
      for (cl_int &each : expected)
        each = each * 3 + 1;
    }
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), numbers));
  }
  EXPECT_EQ(opencl::clMemFreeINTEL(context_, all[0]), CL_SUCCESS);
  EXPECT_EQ(opencl::clMemFreeINTEL(context_, all[1]), CL_SUCCESS);
  opencl::clSVMFree(context_, all[2]);
}

// The host cannot touch the memory of the card: a command that did would end the process.
TEST_F(SharedAllocations, OfTheCardAreCopiedByAnyQueueAndElseRefusedOnTheCpu) {
  constexpr size_t bytes = count * sizeof(cl_int);
  void *of_card = opencl::clDeviceMemAllocINTEL(context_, card_, nullptr, bytes, 0, nullptr);
  ASSERT_NE(of_card, nullptr);
  std::array<cl_int, count> numbers{};
  numbers[7] = 4;
  const auto copy = [&](cl_command_queue queue, void *to, const void *from) {
    return opencl::clEnqueueMemcpyINTEL(queue, CL_TRUE, to, from, bytes, 0, nullptr, nullptr);
  };
  std::array<cl_int, count> got{};
  EXPECT_EQ(copy(queues_[1], of_card, numbers.data()), CL_SUCCESS);
  EXPECT_EQ(copy(queues_[1], got.data(), of_card), CL_SUCCESS);
  EXPECT_EQ(got, numbers);
  const cl_int zero = 0;
  EXPECT_EQ(
      opencl::clEnqueueMemFillINTEL(queues_[1], of_card, &zero, 4, bytes, 0, nullptr, nullptr),
      CL_INVALID_VALUE);
  EXPECT_NE(launch(queues_[1], of_card), CL_SUCCESS);

  numbers[8] = 5;
  EXPECT_EQ(copy(queues_[0], of_card, numbers.data()), CL_SUCCESS);
  EXPECT_EQ(launch(queues_[0], of_card), CL_SUCCESS);
  EXPECT_EQ(copy(queues_[0], numbers.data(), of_card), CL_SUCCESS);
  EXPECT_EQ(numbers[7], 13);
  EXPECT_EQ(numbers[8], 16);
  EXPECT_EQ(opencl::clMemFreeINTEL(context_, of_card), CL_SUCCESS);
}

} // namespace
} // namespace lockstep::opencl
