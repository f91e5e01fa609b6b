// Tests every error of the command queue functions (OpenCL 3.0 API sections 5.1 and 5.15).
#include "error_fixture.h"

#include <CL/cl_ext.h>

using namespace lockstep::test;

namespace {

class QueueErrors : public ErrorTest {
protected:
  void expect_create(cl_int code, std::vector<cl_queue_properties> properties,
                     const std::string &word) {
    properties.push_back(0);
    expect_null(
        code,
        [&](cl_int *status) {
          return clCreateCommandQueueWithProperties(context_, device_, properties.data(), status);
        },
        word);
  }
};

TEST_F(QueueErrors, ContextAndDevice) {
  auto no_device = reinterpret_cast<cl_device_id>(context_.get());
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateCommandQueueWithProperties(no_context(), device_, nullptr, status);
  });
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateCommandQueue(no_context(), device_, 0, status);
  });
  expect_null(
      CL_INVALID_DEVICE,
      [&](cl_int *status) {
        return clCreateCommandQueueWithProperties(context_, no_device, nullptr, status);
      },
      "device");
  expect_null(
      CL_INVALID_DEVICE,
      [&](cl_int *status) {
        return clCreateCommandQueueWithProperties(context_, nullptr, nullptr, status);
      },
      "device");
  expect_null(
      CL_INVALID_DEVICE,
      [&](cl_int *status) { return clCreateCommandQueue(context_, no_device, 0, status); },
      "device");
}

TEST_F(QueueErrors, DeviceOfAnotherContext) {
  cl_uint units = device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  if (units < 2)
    GTEST_SKIP() << "the device has one compute unit and cannot be partitioned";
  const cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                     CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id part = nullptr;
  ASSERT_EQ(clCreateSubDevices(device_, properties, 1, &part, nullptr), CL_SUCCESS);
  expect_null(
      CL_INVALID_DEVICE,
      [&](cl_int *status) {
        return clCreateCommandQueueWithProperties(context_, part, nullptr, status);
      },
      "device");
  EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
}

TEST_F(QueueErrors, Properties) {
  expect_create(CL_INVALID_VALUE, {0x4711, 1}, "properties");
  expect_create(CL_INVALID_VALUE, {CL_QUEUE_PROPERTIES, cl_queue_properties{1} << 20},
                "properties");
  expect_create(CL_INVALID_VALUE, {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0}, "twice");
  expect_create(CL_INVALID_VALUE, {CL_QUEUE_SIZE, 4096}, "CL_QUEUE_SIZE");
  expect_create(CL_INVALID_VALUE, {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE}, "CL_QUEUE_ON_DEVICE");
  expect_create(CL_INVALID_VALUE, {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT},
                "CL_QUEUE_ON_DEVICE_DEFAULT");
  const cl_queue_properties on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  const cl_uint most = device_info<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
  expect_create(CL_INVALID_VALUE, {CL_QUEUE_PROPERTIES, on_device, CL_QUEUE_SIZE, 0},
                "CL_QUEUE_SIZE");
  expect_create(CL_INVALID_QUEUE_PROPERTIES,
                {CL_QUEUE_PROPERTIES, on_device, CL_QUEUE_SIZE, cl_queue_properties{most} + 1},
                "CL_QUEUE_SIZE");
  expect_create(CL_INVALID_QUEUE_PROPERTIES,
                {CL_QUEUE_PROPERTIES, on_device, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR},
                "hint");
  for (cl_command_queue_properties wrong :
       {cl_command_queue_properties{1} << 20, cl_command_queue_properties{CL_QUEUE_ON_DEVICE}})
    expect_null(
        CL_INVALID_VALUE,
        [&](cl_int *status) { return clCreateCommandQueue(context_, device_, wrong, status); },
        "properties");
}

TEST_F(QueueErrors, StaleAndForeignHandles) {
  Queue queue = make_queue(0);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  cl_command_queue stale = queue;
  queue.reset();
  for (cl_command_queue wrong : {stale, no_queue()}) {
    expect(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(wrong));
    expect(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(wrong));
    expect(CL_INVALID_COMMAND_QUEUE,
           clGetCommandQueueInfo(wrong, CL_QUEUE_CONTEXT, 0, nullptr, nullptr));
    expect(CL_INVALID_COMMAND_QUEUE, clSetCommandQueueProperty(wrong, 0, CL_TRUE, nullptr));
    expect(CL_INVALID_COMMAND_QUEUE, clFlush(wrong));
    expect(CL_INVALID_COMMAND_QUEUE, clFinish(wrong));
  }
}

TEST_F(QueueErrors, Info) {
  cl_context value = nullptr;
  expect(CL_INVALID_VALUE, clGetCommandQueueInfo(queue_, 0x4711, sizeof value, &value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE, clGetCommandQueueInfo(queue_, CL_QUEUE_CONTEXT, 1, &value, nullptr),
         "param_value_size");
  cl_uint size = 0;
  expect(CL_INVALID_COMMAND_QUEUE,
         clGetCommandQueueInfo(queue_, CL_QUEUE_SIZE, sizeof size, &size, nullptr),
         "CL_QUEUE_SIZE");
}

TEST_F(QueueErrors, WhatNoDeviceHas) {
  expect(CL_INVALID_OPERATION,
         clSetCommandQueueProperty(queue_, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, nullptr),
         "cannot be changed");
}

TEST_F(QueueErrors, DefaultQueueOfADevice) {
  expect(CL_INVALID_COMMAND_QUEUE, clSetDefaultDeviceCommandQueue(context_, device_, queue_),
         "queue on a device");
  expect(CL_INVALID_COMMAND_QUEUE, clSetDefaultDeviceCommandQueue(context_, device_, no_queue()),
         "queue on a device");
  expect(CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(no_context(), device_, queue_));
  expect(CL_INVALID_DEVICE, clSetDefaultDeviceCommandQueue(context_, nullptr, queue_), "device");
  const Queue on_device = make_queue(CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  expect(CL_INVALID_COMMAND_QUEUE,
         clSetDefaultDeviceCommandQueue(other_context_, device_, on_device));
}

// The host can neither enqueue commands in an on-device queue nor wait for it.
TEST_F(QueueErrors, QueuesOnDevices) {
  const Queue on_device = make_queue(CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const std::string word = "";
  expect(CL_INVALID_COMMAND_QUEUE, clFlush(on_device), word);
  expect(CL_INVALID_COMMAND_QUEUE, clFinish(on_device), word);
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(on_device, 0, nullptr, nullptr),
         word);
  const Memory buffer = make_buffer(64);
  cl_int value = 0;
  expect(CL_INVALID_COMMAND_QUEUE,
         clEnqueueFillBuffer(on_device, buffer, &value, sizeof value, 0, 64, 0, nullptr, nullptr),
         word);
}

TEST_F(QueueErrors, QueuesAsArguments) {
  const Program program = build("kernel void k(queue_t queue) {}", "-cl-std=CL3.0");
  const Kernel kernel = make_kernel(program, "k");
  auto set = [&](cl_command_queue queue) {
    return clSetKernelArg(kernel, 0, sizeof queue, &queue);
  };
  expect(CL_INVALID_DEVICE_QUEUE, set(queue_), "queue on a device");
  expect(CL_INVALID_DEVICE_QUEUE, set(nullptr), "queue on a device");
  expect(CL_INVALID_DEVICE_QUEUE, set(no_queue()), "queue on a device");
  expect(CL_INVALID_DEVICE_QUEUE, clSetKernelArg(kernel, 0, sizeof(cl_command_queue), nullptr),
         "queue on a device");
  const Queue on_device = make_queue(CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_command_queue handle = on_device;
  expect(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &handle), "device queue");
  EXPECT_EQ(set(on_device), CL_SUCCESS);
}

} // namespace
