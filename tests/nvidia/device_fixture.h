// A context, a queue and a program of the NVIDIA device on the fake driver, for tests that use them
// through OpenCL's entry points.
#pragma once

#include "api/opencl/entry_points.h"
#include "tests/programs/late_notifications.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::opencl {

using Values = std::vector<cl_int>;
using Sizes = std::vector<size_t>;

class NvidiaDeviceTest : public testing::Test {
protected:
  NvidiaDeviceTest();
  ~NvidiaDeviceTest() override;

  static const char *const source; // of program_

  // The fixture releases these objects.
  cl_mem make(const Values &values);
  cl_kernel kernel(const char *name);

  cl_int launch(cl_kernel kernel, const Sizes &global, const Sizes &local = {},
                const Sizes &offset = {}, cl_event *event = nullptr);
  Values read(cl_mem buffer, size_t count);
  template <class T> static void set(cl_kernel kernel, cl_uint index, const T &value) {
    EXPECT_EQ(opencl::clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS);
  }

  // Runs `number`, and compares with what each work-item must have seen.
  void check_numbers(const Sizes &global, const Sizes &local, const Sizes &offset) {
    check_numbers(kernel("number"), global, local, offset);
  }
  void check_numbers(cl_kernel number, const Sizes &global, const Sizes &local,
                     const Sizes &offset);

  test::LateNotifications heard_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<cl_kernel> kernels_;
  std::vector<cl_mem> buffers_;
};

} // namespace lockstep::opencl
