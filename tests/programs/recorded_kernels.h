// Shared by the command buffer tests: kernels to record, and helpers to record and run them.
#pragma once

#include "command_buffer_fixture.h"

#include <numeric>
#include <vector>

namespace lockstep::test {

namespace cb = command_buffers;

inline constexpr const char *recorded_kernels = R"(
kernel void step(global int *data, int factor, int summand) {
  const size_t i = get_global_id(0);
  data[i] = data[i] * factor + summand;
}
kernel void add(global const int *a, global const int *b, global int *to) {
  const size_t i = get_global_id(0);
  to[i] = a[i] + b[i];
}
kernel void where(global int *to, global int *groups) {
  to[get_global_id(0)] = (int)get_global_id(0) + 1;
  if (get_local_id(0) == 0)
    groups[get_group_id(0)] = (int)get_local_size(0);
}
kernel void count(global int *to, int amount) { atomic_add(to, amount); }
kernel void wait_for(global atomic_int *flag, global int *to) {
  while (atomic_load(flag) == 0)
    ;
  to[0] = 1;
}
kernel void say(int what) { printf("said %d\n", what); }
)";

class CommandBuffers : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    program_ = build(recorded_kernels, "-cl-std=CL3.0");
  }

  template <class... Arguments> Kernel kernel(const char *name, const Arguments &...arguments) {
    Kernel made = make_kernel(program_, name);
    cl_uint index = 0;
    cl_int status = CL_SUCCESS;
    ((status |= clSetKernelArg(made, index++, sizeof arguments, &arguments)), ...);
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }
  void record(cl_command_buffer_khr buffer, cl_kernel launched, size_t items,
              const std::vector<cl_sync_point_khr> &after = {}, cl_sync_point_khr *point = nullptr,
              cl_command_queue queue = nullptr) {
    EXPECT_EQ(f.launch(buffer, queue, nullptr, launched, 1, nullptr, &items, nullptr,
                       cl_uint(after.size()), after.empty() ? nullptr : after.data(), point,
                       nullptr),
              CL_SUCCESS);
  }
  cl_mutable_command_khr record_mutable(cl_command_buffer_khr buffer, cl_kernel launched,
                                        size_t items, size_t local = 0) {
    cl_mutable_command_khr command = nullptr;
    EXPECT_EQ(f.launch(buffer, nullptr, nullptr, launched, 1, nullptr, &items,
                       local ? &local : nullptr, 0, nullptr, nullptr, &command),
              CL_SUCCESS);
    EXPECT_NE(command, nullptr);
    return command;
  }
  void finalize(const cb::Owned &buffer) { ASSERT_EQ(f.finalize(buffer.get()), CL_SUCCESS); }
  void run(const cb::Owned &buffer) {
    EXPECT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, nullptr), CL_SUCCESS);
  }
  template <class T> T info(cl_command_buffer_khr buffer, cl_uint name) {
    T value{};
    EXPECT_EQ(f.info(buffer, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
  std::vector<int> iota(size_t count) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
  }

  const cb::Functions &f = cb::functions();
  Program program_;
};

} // namespace lockstep::test
