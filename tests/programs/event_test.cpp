// Tests events: user events, states, callbacks, propagation of failures, profiling times.
#include "opencl_fixture.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace lockstep::test;

namespace {

// Logs callbacks, which may run on another thread and after the wait has returned.
class CallLog {
public:
  static void CL_CALLBACK call(cl_event, cl_int status, void *self) {
    static_cast<CallLog *>(self)->add(status);
  }
  void add(cl_int status) {
    std::lock_guard lock(mutex_);
    statuses_.push_back(status);
    changed_.notify_all();
  }
  std::vector<cl_int> wait(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return statuses_.size() >= count; });
    return statuses_;
  }
  size_t count() {
    std::lock_guard lock(mutex_);
    return statuses_.size();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<cl_int> statuses_;
};

class EventTest : public DeviceTest {
protected:
  Event marker(cl_command_queue queue, std::vector<cl_event> wait = {}) {
    Event event;
    EXPECT_EQ(clEnqueueMarkerWithWaitList(queue, wait.size(), wait.empty() ? nullptr : wait.data(),
                                          event.out()),
              CL_SUCCESS);
    return event;
  }
  static cl_int wait_for(cl_event event) { return clWaitForEvents(1, &event); }
};

TEST_F(EventTest, UserEventTellsWhatItIs) {
  Event event = make_user_event();
  EXPECT_EQ(event_info<cl_command_queue>(event, CL_EVENT_COMMAND_QUEUE), nullptr);
  EXPECT_EQ(event_info<cl_context>(event, CL_EVENT_CONTEXT), context_.get());
  EXPECT_EQ(event_info<cl_command_type>(event, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_USER});
  EXPECT_EQ(event_info<cl_uint>(event, CL_EVENT_REFERENCE_COUNT), 1u);
  EXPECT_EQ(status_of(event), CL_SUBMITTED);
  EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(status_of(event), CL_COMPLETE);
  EXPECT_EQ(wait_for(event), CL_SUCCESS);
}

TEST_F(EventTest, RetainAndReleaseCount) {
  Event event = make_user_event();
  EXPECT_EQ(clRetainEvent(event), CL_SUCCESS);
  EXPECT_EQ(event_info<cl_uint>(event, CL_EVENT_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(event_info<cl_uint>(event, CL_EVENT_REFERENCE_COUNT), 1u);
}

TEST_F(EventTest, CommandTypes) {
  Memory a = make_buffer(4096), b = make_buffer(4096);
  std::vector<char> host(4096);
  const size_t origin[] = {0, 0, 0}, region[] = {8, 8, 1};
  Event e;
  auto expect = [&](cl_int status, cl_command_type type) {
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(event_info<cl_command_type>(e, CL_EVENT_COMMAND_TYPE), type);
    EXPECT_EQ(event_info<cl_command_queue>(e, CL_EVENT_COMMAND_QUEUE), queue_.get());
    EXPECT_EQ(event_info<cl_context>(e, CL_EVENT_CONTEXT), context_.get());
  };
  void *p = host.data();
  expect(clEnqueueReadBuffer(queue_, a, CL_FALSE, 0, 64, p, 0, nullptr, e.out()),
         CL_COMMAND_READ_BUFFER);
  expect(clEnqueueWriteBuffer(queue_, a, CL_FALSE, 0, 64, p, 0, nullptr, e.out()),
         CL_COMMAND_WRITE_BUFFER);
  expect(clEnqueueCopyBuffer(queue_, a, b, 0, 0, 64, 0, nullptr, e.out()), CL_COMMAND_COPY_BUFFER);
  expect(clEnqueueFillBuffer(queue_, a, "x", 1, 0, 64, 0, nullptr, e.out()),
         CL_COMMAND_FILL_BUFFER);
  expect(clEnqueueReadBufferRect(queue_, a, CL_FALSE, origin, origin, region, 0, 0, 0, 0, p, 0,
                                 nullptr, e.out()),
         CL_COMMAND_READ_BUFFER_RECT);
  expect(clEnqueueWriteBufferRect(queue_, a, CL_FALSE, origin, origin, region, 0, 0, 0, 0, p, 0,
                                  nullptr, e.out()),
         CL_COMMAND_WRITE_BUFFER_RECT);
  expect(clEnqueueCopyBufferRect(queue_, a, b, origin, origin, region, 0, 0, 0, 0, 0, nullptr,
                                 e.out()),
         CL_COMMAND_COPY_BUFFER_RECT);
  expect(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, e.out()), CL_COMMAND_MARKER);
  expect(clEnqueueMarker(queue_, e.out()), CL_COMMAND_MARKER);
  expect(clEnqueueBarrierWithWaitList(queue_, 0, nullptr, e.out()), CL_COMMAND_BARRIER);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

TEST_F(EventTest, CommandWaitsForTheUserEvent) {
  Event gate = make_user_event();
  Event command = marker(queue_, {gate});
  ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cl_int status = status_of(command);
  EXPECT_TRUE(status == CL_QUEUED || status == CL_SUBMITTED) << status;
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(wait_for(command), CL_SUCCESS);
  EXPECT_EQ(status_of(command), CL_COMPLETE);
}

TEST_F(EventTest, UserEventIsSetByAnotherThreadWhileWaiting) {
  Event gate = make_user_event();
  std::thread setter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    clSetUserEventStatus(gate, CL_COMPLETE);
  });
  EXPECT_EQ(wait_for(gate), CL_SUCCESS);
  setter.join();
}

TEST_F(EventTest, FailureSpreadsToEverythingThatWaits) {
  Queue other = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Memory buffer = make_buffer(64);
  write<int>(buffer, std::vector<int>(16, 1));
  Event gate = make_user_event();
  Event first, second, third, unrelated;
  const int two = 2;
  cl_event on_gate[] = {gate};
  ASSERT_EQ(clEnqueueFillBuffer(other, buffer, &two, 4, 0, 64, 1, on_gate, first.out()),
            CL_SUCCESS);
  second = marker(other, {first});
  third = marker(other, {second});
  unrelated = marker(other, {});
  ASSERT_EQ(clFlush(other), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(gate, -4711), CL_SUCCESS);
  EXPECT_EQ(wait_for(third), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(status_of(gate), -4711);
  EXPECT_LT(status_of(first), 0);
  EXPECT_LT(status_of(second), 0);
  EXPECT_LT(status_of(third), 0);
  EXPECT_EQ(clFinish(other), CL_SUCCESS);
  EXPECT_EQ(read<int>(buffer, 16), std::vector<int>(16, 1)) << "the failed fill must not have run";
}

TEST_F(EventTest, BlockingCommandReportsTheFailedWaitList) {
  Memory buffer = make_buffer(64);
  Event gate = make_user_event();
  ASSERT_EQ(clSetUserEventStatus(gate, -1), CL_SUCCESS);
  cl_event wait[] = {gate};
  std::vector<char> host(64);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 64, host.data(), 1, wait, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, 64, host.data(), 1, wait, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  const size_t origin[] = {0, 0, 0}, region[] = {8, 8, 1};
  EXPECT_EQ(clEnqueueReadBufferRect(queue_, buffer, CL_TRUE, origin, origin, region, 0, 0, 0, 0,
                                    host.data(), 1, wait, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  cl_int status = 1;
  EXPECT_EQ(
      clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 1, wait, nullptr, &status),
      nullptr);
  EXPECT_EQ(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(memory_info<cl_uint>(buffer, CL_MEM_MAP_COUNT), 0u);
}

TEST_F(EventTest, CallbackForEachState) {
  CallLog submitted, running, complete;
  Event gate = make_user_event();
  Event command = marker(queue_, {gate});
  ASSERT_EQ(clSetEventCallback(command, CL_SUBMITTED, CallLog::call, &submitted), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(command, CL_RUNNING, CallLog::call, &running), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(command, CL_COMPLETE, CallLog::call, &complete), CL_SUCCESS);
  ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
  EXPECT_EQ(running.count() + complete.count(), 0u);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(wait_for(command), CL_SUCCESS);
  EXPECT_EQ(submitted.wait(1), std::vector<cl_int>{CL_SUBMITTED});
  EXPECT_EQ(running.wait(1), std::vector<cl_int>{CL_RUNNING});
  EXPECT_EQ(complete.wait(1), std::vector<cl_int>{CL_COMPLETE});
}

TEST_F(EventTest, CallbackOnAnEventThatIsDoneIsCalled) {
  CallLog log;
  Event command = marker(queue_);
  ASSERT_EQ(wait_for(command), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(command, CL_COMPLETE, CallLog::call, &log), CL_SUCCESS);
  EXPECT_EQ(log.wait(1), std::vector<cl_int>{CL_COMPLETE});
}

TEST_F(EventTest, CallbacksOfAFailedCommandGetItsCode) {
  CallLog of_user, of_command, running;
  Event gate = make_user_event();
  Event command = marker(queue_, {gate});
  ASSERT_EQ(clSetEventCallback(gate, CL_COMPLETE, CallLog::call, &of_user), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(command, CL_COMPLETE, CallLog::call, &of_command), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(command, CL_RUNNING, CallLog::call, &running), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, -77), CL_SUCCESS);
  EXPECT_EQ(of_user.wait(1), std::vector<cl_int>{-77});
  std::vector<cl_int> got = of_command.wait(1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0], status_of(command));
  EXPECT_LT(got[0], 0);
  // The callback for CL_RUNNING is called, too, although the command never ran.
  EXPECT_EQ(running.wait(1), got);
}

// The callback can use the event's handle, even if the program has released the event before.
TEST_F(EventTest, EventIsAliveInItsCallback) {
  struct Probe {
    CallLog log;
    static void CL_CALLBACK call(cl_event event, cl_int, void *self) {
      cl_command_type type = 0;
      cl_int status = clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
      static_cast<Probe *>(self)->log.add(status == CL_SUCCESS ? static_cast<cl_int>(type)
                                                               : status);
    }
  } probe;
  Event gate = make_user_event();
  Event command = marker(queue_, {gate});
  ASSERT_EQ(clSetEventCallback(command, CL_COMPLETE, Probe::call, &probe), CL_SUCCESS);
  command.reset();
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(probe.log.wait(1), std::vector<cl_int>{CL_COMMAND_MARKER});
}

// A callback may enqueue more work without waiting for it.
TEST_F(EventTest, CallbackEnqueues) {
  struct Chain {
    cl_command_queue queue;
    cl_mem buffer;
    CallLog log;
    static void CL_CALLBACK call(cl_event, cl_int, void *self) {
      auto *chain = static_cast<Chain *>(self);
      const int six = 6;
      cl_int status =
          clEnqueueFillBuffer(chain->queue, chain->buffer, &six, 4, 0, 64, 0, nullptr, nullptr);
      clFlush(chain->queue);
      chain->log.add(status);
    }
  };
  Memory buffer = make_buffer(64);
  Chain chain{queue_, buffer, {}};
  Event command = marker(queue_);
  ASSERT_EQ(clSetEventCallback(command, CL_COMPLETE, Chain::call, &chain), CL_SUCCESS);
  EXPECT_EQ(chain.log.wait(1), std::vector<cl_int>{CL_SUCCESS});
  EXPECT_EQ(read<int>(buffer, 16), std::vector<int>(16, 6));
}

TEST_F(EventTest, WaitsForSeveralEventsOfSeveralQueues) {
  std::vector<Queue> queues;
  std::vector<Event> events;
  std::vector<cl_event> list;
  Event gate = make_user_event();
  for (int i = 0; i < 8; ++i) {
    queues.push_back(make_queue(i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
    events.push_back(marker(queues.back(), {gate}));
    list.push_back(events.back());
    clFlush(queues.back());
  }
  std::thread setter([&] { clSetUserEventStatus(gate, CL_COMPLETE); });
  EXPECT_EQ(clWaitForEvents(list.size(), list.data()), CL_SUCCESS);
  for (cl_event event : list)
    EXPECT_EQ(status_of(event), CL_COMPLETE);
  setter.join();
}

TEST_F(EventTest, MarkerWithoutListWaitsForAllBeforeIt) {
  Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Event gate = make_user_event();
  Event blocked = marker(queue, {gate});
  Event all = marker(queue);
  Event later = marker(queue, {all});
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GT(status_of(all), CL_RUNNING);
  EXPECT_GT(status_of(later), CL_RUNNING);
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(wait_for(later), CL_SUCCESS);
  EXPECT_EQ(status_of(blocked), CL_COMPLETE);
}

TEST_F(EventTest, BarrierHoldsBackWhatFollows) {
  Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Memory buffer = make_buffer(64);
  Event gate = make_user_event(), barrier, fill;
  cl_event wait[] = {gate};
  const int one = 1;
  ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 1, wait, barrier.out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &one, 4, 0, 64, 0, nullptr, fill.out()), CL_SUCCESS);
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GT(status_of(fill), CL_RUNNING);
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(status_of(fill), CL_COMPLETE);
}

TEST_F(EventTest, OldFormsOfMarkerBarrierAndWait) {
  Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Event gate = make_user_event(), after;
  cl_event wait[] = {gate};
  ASSERT_EQ(clEnqueueWaitForEvents(queue, 1, wait), CL_SUCCESS);
  ASSERT_EQ(clEnqueueBarrier(queue), CL_SUCCESS);
  ASSERT_EQ(clEnqueueMarker(queue, after.out()), CL_SUCCESS);
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GT(status_of(after), CL_RUNNING);
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(wait_for(after), CL_SUCCESS);
}

cl_ulong profile(cl_event event, cl_profiling_info name, cl_int expected = CL_SUCCESS) {
  cl_ulong value = 0;
  EXPECT_EQ(clGetEventProfilingInfo(event, name, sizeof value, &value, nullptr), expected);
  return value;
}

TEST_F(EventTest, ProfilingTimesGrow) {
  Queue queue = make_queue(CL_QUEUE_PROFILING_ENABLE);
  Memory buffer = make_buffer(1 << 20);
  cl_ulong previous_end = 0;
  for (int i = 0; i < 20; ++i) {
    Event event;
    ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &i, 4, 0, 1 << 20, 0, nullptr, event.out()),
              CL_SUCCESS);
    ASSERT_EQ(wait_for(event), CL_SUCCESS);
    cl_ulong queued = profile(event, CL_PROFILING_COMMAND_QUEUED);
    cl_ulong submit = profile(event, CL_PROFILING_COMMAND_SUBMIT);
    cl_ulong start = profile(event, CL_PROFILING_COMMAND_START);
    cl_ulong end = profile(event, CL_PROFILING_COMMAND_END);
    cl_ulong complete = profile(event, CL_PROFILING_COMMAND_COMPLETE);
    EXPECT_GT(queued, 0u);
    EXPECT_LE(queued, submit);
    EXPECT_LE(submit, start);
    EXPECT_LT(start, end);
    EXPECT_LE(end, complete);
    EXPECT_LE(previous_end, start) << "in-order commands do not overlap";
    previous_end = end;
  }
}

TEST_F(EventTest, ProfilingTimesAreOfTheDeviceTimer) {
  cl_ulong device_before = 0, host = 0, device_after = 0;
  if (clGetDeviceAndHostTimer(device_, &device_before, &host) == CL_INVALID_OPERATION)
    GTEST_SKIP() << "the platform has no host timer";
  Queue queue = make_queue(CL_QUEUE_PROFILING_ENABLE);
  Event event = marker(queue);
  ASSERT_EQ(wait_for(event), CL_SUCCESS);
  ASSERT_EQ(clGetDeviceAndHostTimer(device_, &device_after, &host), CL_SUCCESS);
  EXPECT_LE(device_before, profile(event, CL_PROFILING_COMMAND_QUEUED));
  EXPECT_GE(device_after, profile(event, CL_PROFILING_COMMAND_COMPLETE));
}

TEST_F(EventTest, ProfilingIsNotAvailable) {
  Event plain = marker(queue_);
  ASSERT_EQ(wait_for(plain), CL_SUCCESS);
  profile(plain, CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_INFO_NOT_AVAILABLE);
  Event user = make_user_event();
  profile(user, CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_INFO_NOT_AVAILABLE);
  Queue queue = make_queue(CL_QUEUE_PROFILING_ENABLE);
  Event pending = marker(queue, {user});
  clFlush(queue);
  profile(pending, CL_PROFILING_COMMAND_START, CL_PROFILING_INFO_NOT_AVAILABLE);
  ASSERT_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(wait_for(pending), CL_SUCCESS);
  profile(pending, CL_PROFILING_COMMAND_START);
}

// Two threads release the last two references of a user event that has no status. A callback still
// uses the event. The commands that wait for it still fail, and the callback is called.
TEST_F(EventTest, AbandonedByTwoThreadsAtOnce) {
  for (int round = 0; round < 300; ++round) {
    cl_event event = clCreateUserEvent(context_, nullptr);
    ASSERT_EQ(clRetainEvent(event), CL_SUCCESS);
    CallLog log;
    ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, CallLog::call, &log), CL_SUCCESS);
    std::atomic<int> ready = 0;
    auto give_up = [&] {
      for (++ready; ready < 2;)
        continue;
      EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
    };
    std::thread other(give_up);
    give_up();
    other.join();
    ASSERT_EQ(log.wait(1).size(), 1u) << "round " << round;
    ASSERT_LT(log.wait(1)[0], 0);
  }
}

} // namespace
