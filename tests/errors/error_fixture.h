// A DeviceTest whose context reports, so that a test can ask not only for the code of a failure but
// also whether its sentence names what is wrong.
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

  // The call has failed with this code, and told the context so in one sentence that has `word` in
  // it. An empty word: no context is known where this is found out.
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

  // The same for functions that return a handle or pointer: call([](cl_int *status) { return
  // clCreate...; }).
  template <class Call> void expect_null(cl_int code, Call call, const std::string &word = "") {
    cl_int status = 1;
    EXPECT_EQ(call(&status), nullptr);
    expect(code, status, word);
    EXPECT_EQ(call(nullptr), nullptr) << "errcode_ret may be null";
    notifications_.sentences.clear();
  }

  // A handle of another kind. (What is no handle at all cannot come through the loader, which
  // follows it.)
  cl_command_queue no_queue() { return reinterpret_cast<cl_command_queue>(context_.get()); }
  cl_mem no_buffer() { return reinterpret_cast<cl_mem>(context_.get()); }
  cl_event no_event() { return reinterpret_cast<cl_event>(context_.get()); }
  cl_context no_context() { return reinterpret_cast<cl_context>(queue_.get()); }

  // Calls an enqueue function with each wait list that is wrong: call(count, list) -> code.
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
