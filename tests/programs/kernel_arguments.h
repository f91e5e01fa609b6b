// Sets a kernel's arguments in order: objects, and values with the types that the kernel declares.
#pragma once

#include "opencl_fixture.h"

namespace lockstep::test {

template <class Handle, cl_int(CL_API_CALL *release)(Handle)>
Handle argument_value(const Owned<Handle, release> &object) {
  return object;
}
template <class T>
  requires std::is_arithmetic_v<T>
T argument_value(T value) {
  return value;
}

template <class... Arguments> void set_arguments(cl_kernel kernel, const Arguments &...arguments) {
  cl_uint index = 0;
  auto set = [&](auto value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS) << index;
    ++index;
  };
  (set(argument_value(arguments)), ...);
}

// Enqueues a one-dimensional launch; `local` may be 0. Returns the event.
template <class... Arguments>
Event enqueue_kernel(cl_command_queue queue, cl_kernel kernel, size_t global, size_t local,
                     const Arguments &...arguments) {
  set_arguments(kernel, arguments...);
  Event event;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, local ? &local : nullptr, 0,
                                   nullptr, event.out()),
            CL_SUCCESS);
  return event;
}

} // namespace lockstep::test
