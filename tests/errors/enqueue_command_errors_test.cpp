// Tests every error of markers, barriers, waits and native kernels (OpenCL 3.0 API sections 5.10
// and 5.12), and of commands that no device supports.
#include "error_fixture.h"

using namespace lockstep::test;

namespace {

void CL_CALLBACK do_nothing(void *) {}

class EnqueueCommandErrors : public ErrorTest {};

TEST_F(EnqueueCommandErrors, MarkerAndBarrier) {
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(no_queue(), 0, nullptr, nullptr));
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(no_queue(), 0, nullptr, nullptr));
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return clEnqueueMarkerWithWaitList(queue_, count, list, nullptr);
  });
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return clEnqueueBarrierWithWaitList(queue_, count, list, nullptr);
  });
}

TEST_F(EnqueueCommandErrors, OldForms) {
  cl_event wrong[] = {no_event()}, other[] = {other_event_};
  Event event;
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(no_queue(), event.out()));
  expect(CL_INVALID_VALUE, clEnqueueMarker(queue_, nullptr), "event");
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(no_queue()));
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(no_queue(), 1, other));
  expect(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue_, 0, wrong), "num_events");
  expect(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue_, 1, nullptr), "event_list");
  expect(CL_INVALID_EVENT, clEnqueueWaitForEvents(queue_, 1, wrong), "event_list");
  expect(CL_INVALID_CONTEXT, clEnqueueWaitForEvents(queue_, 1, other), "event_wait_list[0]");
}

TEST_F(EnqueueCommandErrors, NativeKernel) {
  Memory buffer = make_buffer(64);
  struct {
    void *first, *second;
  } arguments{};
  cl_mem list[] = {buffer}, wrong[] = {no_buffer()}, other[] = {other_buffer_};
  const void *places[] = {&arguments.second};
  const void *outside[] = {&arguments + 1};
  auto call = [&](void(CL_CALLBACK * function)(void *), void *args, size_t bytes, cl_uint number,
                  const cl_mem *memory, const void **at, cl_uint count = 0,
                  const cl_event *events = nullptr) {
    return clEnqueueNativeKernel(queue_, function, args, bytes, number, memory, at, count, events,
                                 nullptr);
  };
  size_t bytes = sizeof arguments;
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueNativeKernel(no_queue(), do_nothing, nullptr, 0, 0,
                                                         nullptr, nullptr, 0, nullptr, nullptr));
  expect(CL_INVALID_VALUE, call(nullptr, nullptr, 0, 0, nullptr, nullptr), "user_func");
  expect(CL_INVALID_VALUE, call(do_nothing, nullptr, 16, 0, nullptr, nullptr), "args");
  expect(CL_INVALID_VALUE, call(do_nothing, nullptr, 0, 1, list, places), "args");
  expect(CL_INVALID_VALUE, call(do_nothing, &arguments, 0, 0, nullptr, nullptr), "cb_args");
  expect(CL_INVALID_VALUE, call(do_nothing, &arguments, bytes, 1, nullptr, places), "mem_list");
  expect(CL_INVALID_VALUE, call(do_nothing, &arguments, bytes, 1, list, nullptr), "args_mem_loc");
  expect(CL_INVALID_VALUE, call(do_nothing, &arguments, bytes, 0, list, nullptr), "mem_list");
  expect(CL_INVALID_VALUE, call(do_nothing, &arguments, bytes, 0, nullptr, places), "args_mem_loc");
  expect(CL_INVALID_VALUE, call(do_nothing, &arguments, bytes, 1, list, outside),
         "args_mem_loc[0]");
  expect(CL_INVALID_MEM_OBJECT, call(do_nothing, &arguments, bytes, 1, wrong, places), "mem_list");
  expect(CL_INVALID_CONTEXT, call(do_nothing, &arguments, bytes, 1, other, places), "mem_list");
  expect_wait_list_errors([&](cl_uint count, const cl_event *events) {
    return call(do_nothing, &arguments, bytes, 1, list, places, count, events);
  });
}

} // namespace
