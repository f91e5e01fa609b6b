// A DeviceTest whose context has a callback. Tests check the error code of a failed call, and
// whether the message to the context names the invalid argument.
#pragma once

#include "../programs/opencl_fixture.h"

namespace lockstep::test {

class ErrorTest : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    queue_.reset();
    context_.reset();
    cl_int status = 1;
    context_ = Context(
        clCreateContext(nullptr, 1, &device_, Notifications::receive, &notifications_, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = make_queue(0);
    other_context_ = make_context();
    other_queue_ =
        Queue(clCreateCommandQueueWithProperties(other_context_, device_, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    other_buffer_ =
        Memory(clCreateBuffer(other_context_, CL_MEM_READ_WRITE, 4096, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    other_event_ = Event(clCreateUserEvent(other_context_, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    notifications_.sentences.clear();
  }

  // Expects that the call failed with `code` and reported one message that contains `word`. An
  // empty `word` means that no message is expected: the call has no valid context.
  void expect(cl_int code, cl_int got, const std::string &word = "") {
    EXPECT_EQ(got, code);
    if (word.empty()) {
      EXPECT_TRUE(notifications_.sentences.empty());
    } else {
      EXPECT_EQ(notifications_.sentences.size(), 1u);
      if (!notifications_.sentences.empty()) {
        EXPECT_NE(notifications_.sentences[0].find(word), std::string::npos)
            << notifications_.sentences[0];
        EXPECT_NE(notifications_.sentences[0].find("section "), std::string::npos)
            << notifications_.sentences[0];
      }
    }
    notifications_.sentences.clear();
  }

  // Like expect(), for functions that return a handle or a pointer:
  //
  //   expect_null(code, [](cl_int *status) { return clCreate...; });
  template <class Call> void expect_null(cl_int code, Call call, const std::string &word = "") {
    cl_int status = 1;
    EXPECT_EQ(call(&status), nullptr);
    expect(code, status, word);
    EXPECT_EQ(call(nullptr), nullptr) << "errcode_ret may be null";
    notifications_.sentences.clear();
  }

  // Returns a handle of another kind. A pointer that is not a handle cannot pass the loader, which
  // dereferences it.
  cl_command_queue no_queue() { return reinterpret_cast<cl_command_queue>(context_.get()); }
  cl_mem no_buffer() { return reinterpret_cast<cl_mem>(context_.get()); }
  cl_event no_event() { return reinterpret_cast<cl_event>(context_.get()); }
  cl_context no_context() { return reinterpret_cast<cl_context>(queue_.get()); }

  // Calls an enqueue function with each kind of invalid wait list: call(count, list) -> code.
  template <class Call> void expect_wait_list_errors(Call call) {
    cl_event wrong[] = {no_event()};
    cl_event other[] = {other_event_};
    expect(CL_INVALID_EVENT_WAIT_LIST, call(1, nullptr), "event_wait_list is null");
    expect(CL_INVALID_EVENT_WAIT_LIST, call(0, wrong), "num_events_in_wait_list is 0");
    expect(CL_INVALID_EVENT_WAIT_LIST, call(1, wrong), "event_wait_list[0]");
    expect(CL_INVALID_CONTEXT, call(1, other), "event_wait_list[0]");
    cl_event null[] = {nullptr};
    expect(CL_INVALID_EVENT_WAIT_LIST, call(1, null), "event_wait_list[0]");
  }

  Notifications notifications_;
  Context other_context_;
  Queue other_queue_;
  Memory other_buffer_;
  Event other_event_;
};

} // namespace lockstep::test
