// Tests every error of the event functions (OpenCL 3.0 API sections 5.11 and 5.14).
#include "error_fixture.h"

using namespace lockstep::test;

namespace {

void CL_CALLBACK ignore(cl_event, cl_int, void *) {}

class EventErrors : public ErrorTest {};

TEST_F(EventErrors, CreateUserEvent) {
  expect_null(CL_INVALID_CONTEXT,
              [&](cl_int *status) { return clCreateUserEvent(no_context(), status); });
}

TEST_F(EventErrors, SetUserEventStatus) {
  Event event = make_user_event(), marker;
  expect(CL_INVALID_VALUE, clSetUserEventStatus(event, CL_RUNNING), "execution_status");
  expect(CL_INVALID_VALUE, clSetUserEventStatus(event, CL_SUBMITTED), "execution_status");
  expect(CL_SUCCESS, clSetUserEventStatus(event, CL_COMPLETE));
  expect(CL_INVALID_OPERATION, clSetUserEventStatus(event, CL_COMPLETE), "set before");
  expect(CL_INVALID_OPERATION, clSetUserEventStatus(event, -1), "set before");
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, marker.out()), CL_SUCCESS);
  expect(CL_INVALID_EVENT, clSetUserEventStatus(marker, CL_COMPLETE), "not a user event");
  expect(CL_INVALID_EVENT, clSetUserEventStatus(no_event(), CL_COMPLETE));
}

TEST_F(EventErrors, WaitForEvents) {
  Event done = make_user_event(), failed = make_user_event();
  ASSERT_EQ(clSetUserEventStatus(done, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(failed, -9), CL_SUCCESS);
  cl_event list[] = {done, failed};
  cl_event wrong[] = {done, no_event()};
  cl_event other[] = {done, other_event_};
  EXPECT_EQ(clWaitForEvents(0, list), CL_INVALID_VALUE);
  EXPECT_EQ(clWaitForEvents(1, nullptr), CL_INVALID_VALUE);
  notifications_.sentences.clear();
  expect(CL_INVALID_EVENT, clWaitForEvents(2, wrong), "event_list[1]");
  expect(CL_INVALID_CONTEXT, clWaitForEvents(2, other), "event_list[1]");
  expect(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(2, list), "-9");
  expect(CL_SUCCESS, clWaitForEvents(1, list));
}

TEST_F(EventErrors, StaleAndForeignHandles) {
  Event event = make_user_event();
  cl_event stale = event;
  event.reset();
  for (cl_event wrong : {stale, no_event()}) {
    expect(CL_INVALID_EVENT, clRetainEvent(wrong));
    expect(CL_INVALID_EVENT, clReleaseEvent(wrong));
    expect(CL_INVALID_EVENT, clGetEventInfo(wrong, CL_EVENT_CONTEXT, 0, nullptr, nullptr));
    expect(CL_INVALID_EVENT,
           clGetEventProfilingInfo(wrong, CL_PROFILING_COMMAND_END, 0, nullptr, nullptr));
    expect(CL_INVALID_EVENT, clSetEventCallback(wrong, CL_COMPLETE, ignore, nullptr));
  }
}

TEST_F(EventErrors, Callback) {
  Event event = make_user_event();
  expect(CL_INVALID_VALUE, clSetEventCallback(event, CL_COMPLETE, nullptr, nullptr), "pfn_notify");
  expect(CL_INVALID_VALUE, clSetEventCallback(event, CL_QUEUED, ignore, nullptr),
         "command_exec_callback_type");
  expect(CL_INVALID_VALUE, clSetEventCallback(event, -1, ignore, nullptr),
         "command_exec_callback_type");
}

TEST_F(EventErrors, Info) {
  Event event = make_user_event();
  cl_context value = nullptr;
  expect(CL_INVALID_VALUE, clGetEventInfo(event, 0x4711, sizeof value, &value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE, clGetEventInfo(event, CL_EVENT_CONTEXT, 1, &value, nullptr),
         "param_value_size");
}

TEST_F(EventErrors, ProfilingInfo) {
  Queue queue = make_queue(CL_QUEUE_PROFILING_ENABLE);
  Event event, user = make_user_event();
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 0, nullptr, event.out()), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  cl_ulong time = 0;
  expect(CL_INVALID_VALUE, clGetEventProfilingInfo(event, 0x4711, sizeof time, &time, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE,
         clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 1, &time, nullptr),
         "param_value_size");
  expect(CL_PROFILING_INFO_NOT_AVAILABLE,
         clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
         "user event");
  Event plain;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, plain.out()), CL_SUCCESS);
  expect(CL_PROFILING_INFO_NOT_AVAILABLE,
         clGetEventProfilingInfo(plain, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
         "CL_QUEUE_PROFILING_ENABLE");
}

// The program has released the user event without a status: commands that wait for it fail instead
// of waiting forever.
TEST_F(EventErrors, UserEventGivenUp) {
  Event gate = make_user_event(), marker;
  cl_event wait[] = {gate};
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, wait, marker.out()), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(gate, CL_COMPLETE, ignore, nullptr), CL_SUCCESS);
  gate.reset();
  cl_event list[] = {marker};
  expect(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, list), "event_list");
  expect(CL_SUCCESS, clFinish(queue_));
}

} // namespace
