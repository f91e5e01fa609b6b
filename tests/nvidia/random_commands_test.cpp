// Random commands on queues of the NVIDIA device and of the CPU in one context, on the fake driver. A
// model on the host says what the buffers contain. Only events order the commands.
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/platform.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <span>
#include <vector>

namespace lockstep::opencl {
namespace {

using Values = std::vector<cl_int>;

const char *source = "kernel void increase(global int *to) { ++to[get_global_id(0)]; }";
constexpr size_t count = 320, bytes = count * sizeof(cl_int);

class RandomCommands : public testing::Test {
protected:
  RandomCommands() {
    fake_cuda::repair();
    static const cl_device_id both[] = {
        create_object<_cl_device_id>(the_platform(), test::fake_device()),
        create_object<_cl_device_id>(the_platform(), runtime::CpuDevice::root())};
    const cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES,
                                                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    context_ = opencl::clCreateContext(nullptr, 2, both, nullptr, nullptr, nullptr);
    queues_ = {opencl::clCreateCommandQueueWithProperties(context_, both[0], nullptr, nullptr),
               opencl::clCreateCommandQueueWithProperties(context_, both[0], out_of_order, nullptr),
               opencl::clCreateCommandQueueWithProperties(context_, both[1], nullptr, nullptr)};
    program_ = opencl::clCreateProgramWithSource(context_, 1, &source, nullptr, nullptr);
    EXPECT_EQ(opencl::clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    increase_ = opencl::clCreateKernel(program_, "increase", nullptr);
    for (int i = 0; i < 3; ++i) {
      expected_[i].resize(count, 1000 * i);
      memory_[i] = opencl::clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, bytes,
                                          expected_[i].data(), nullptr);
    }
  }
  ~RandomCommands() override {
    EXPECT_EQ(opencl::clReleaseEvent(last_), CL_SUCCESS);
    for (cl_mem memory : memory_)
      EXPECT_EQ(opencl::clReleaseMemObject(memory), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseKernel(increase_), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseProgram(program_), CL_SUCCESS);
    for (cl_command_queue queue : queues_)
      EXPECT_EQ(opencl::clReleaseCommandQueue(queue), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseContext(context_), CL_SUCCESS);
  }

  void add(int number) {
    const unsigned from = random_() % 3, to = (from + 1 + random_() % 2) % 3;
    begin_ = random_() % 10 * 16;
    size_ = (1 + random_() % 5) * 16;
    queue_ = queues_[random_() % 7 < 6 ? random_() % 2 : 2];
    const cl_uint waits = last_ ? 1 : 0;
    const cl_event *before = last_ ? &last_ : nullptr;
    cl_event next = nullptr;
    EXPECT_EQ(enqueue(number, from, to, waits, before, &next), CL_SUCCESS);
    if (last_)
      EXPECT_EQ(opencl::clReleaseEvent(last_), CL_SUCCESS);
    last_ = next;
  }

  cl_int enqueue(int number, unsigned from, unsigned to, cl_uint waits, const cl_event *before,
                 cl_event *next) {
    const size_t offset = begin_ * sizeof(cl_int), length = size_ * sizeof(cl_int);
    switch (random_() % 10) {
    case 0:
      std::ranges::fill(part(expected_[to]), number);
      sources_.emplace_back(size_, number);
      return opencl::clEnqueueWriteBuffer(queue_, memory_[to], CL_FALSE, offset, length,
                                          sources_.back().data(), waits, before, next);
    case 1: {
      const std::span<cl_int> wanted = part(expected_[from]);
      reads_.emplace_back(Values(size_), Values(wanted.begin(), wanted.end()));
      return opencl::clEnqueueReadBuffer(queue_, memory_[from], CL_FALSE, offset, length,
                                         reads_.back().first.data(), waits, before, next);
    }
    case 2:
      std::ranges::copy(part(expected_[from]), part(expected_[to]).begin());
      return opencl::clEnqueueCopyBuffer(queue_, memory_[from], memory_[to], offset, offset, length,
                                         waits, before, next);
    case 3: {
      const Values pattern = {number, number + 1, number + 2, number + 3};
      const size_t words = size_t{1} << random_() % 3;
      for (size_t i = 0; i < size_; ++i)
        expected_[to][begin_ + i] = pattern[i % words];
      return opencl::clEnqueueFillBuffer(queue_, memory_[to], pattern.data(),
                                         words * sizeof(cl_int), offset, length, waits, before,
                                         next);
    }
    case 4: { // a box of 2 slices of 3 rows of 8 numbers
      const size_t there[] = {32, 1, 0}, here[] = {64, 0, 1}, region[] = {32, 3, 2};
      for (size_t z = 0; z < 2; ++z)
        for (size_t y = 0; y < 3; ++y)
          for (size_t x = 0; x < 8; ++x)
            expected_[to][(z + 1) * 96 + y * 32 + 16 + x] =
                expected_[from][z * 120 + (y + 1) * 24 + 8 + x];
      return opencl::clEnqueueCopyBufferRect(queue_, memory_[from], memory_[to], there, here,
                                             region, 96, 480, 128, 384, waits, before, next);
    }
    default:
      for (cl_int &value : expected_[to])
        ++value;
      EXPECT_EQ(opencl::clSetKernelArg(increase_, 0, sizeof(cl_mem), &memory_[to]), CL_SUCCESS);
      return opencl::clEnqueueNDRangeKernel(queue_, increase_, 1, nullptr, &count, nullptr, waits,
                                            before, next);
    }
  }

  std::span<cl_int> part(Values &values) const { return std::span(values).subspan(begin_, size_); }

  cl_context context_ = nullptr;
  std::array<cl_command_queue, 3> queues_{};
  cl_program program_ = nullptr;
  cl_kernel increase_ = nullptr;
  std::array<cl_mem, 3> memory_{};
  std::array<Values, 3> expected_;
  std::deque<std::pair<Values, Values>> reads_; // result, expected
  std::deque<Values> sources_;
  std::minstd_rand random_{3};
  cl_event last_ = nullptr;
  cl_command_queue queue_ = nullptr; // of the command that is being made
  size_t begin_ = 0, size_ = 0;      // the range that it uses
};

TEST_F(RandomCommands, HaveTheResultsOfTheModel) {
  for (int i = 0; i < 600; ++i)
    add(i);
  EXPECT_EQ(opencl::clWaitForEvents(1, &last_), CL_SUCCESS);
  for (const auto &[result, wanted] : reads_)
    EXPECT_EQ(result, wanted);
  for (int i = 0; i < 3; ++i) {
    Values result(count);
    EXPECT_EQ(opencl::clEnqueueReadBuffer(queues_[2], memory_[i], CL_TRUE, 0, bytes, result.data(),
                                          0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(result, expected_[i]) << i;
  }
}

} // namespace
} // namespace lockstep::opencl
