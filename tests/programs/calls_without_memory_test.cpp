// Tests calls for which an allocation of the library fails, in the call or on a library thread. The
// call or its command reports the error, no wait hangs, and the next call works.
#include "extension_functions.h"
#include "library_allocations.h"

#include <atomic>
#include <deque>
#include <functional>
#include <thread>
#include <unistd.h>

using namespace lockstep::test;

namespace {

std::atomic<bool> is_armed{false};
std::atomic<int> allocations_left{0};

bool is_the_one_too_many() {
  return is_armed.load(std::memory_order_relaxed) && allocations_left.fetch_sub(1) == 0;
}

using Call = std::function<cl_int()>;

class CallsWithoutMemory : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    program_ = build("kernel void k(global int *a) { a[get_global_id(0)] += 1; }");
    kernel_ = make_kernel(program_, "k");
    buffer_ = make_buffer(size);
    set_buffer(kernel_);
    EXPECT_EQ(launch(), CL_SUCCESS); // compiles the kernel
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    watch_library_allocations(is_the_one_too_many);
    watch_standard_library_allocations(true);
  }
  void TearDown() override {
    watch_library_allocations(nullptr);
    watch_standard_library_allocations(false);
  }

  void set_buffer(cl_kernel kernel) {
    cl_mem handle = buffer_;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof handle, &handle), CL_SUCCESS);
  }
  cl_int launch(cl_event *event = nullptr) {
    const size_t items = size / sizeof(cl_int);
    return clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &items, nullptr, 0, nullptr, event);
  }

  // Repeats the call with one more successful allocation each time, until none fails. The commands
  // end each time, and other calls still work.
  void with_ever_more(const char *what, const Call &call) {
    SCOPED_TRACE(what);
    for (int allocations = 0; allocations < 1'000; ++allocations) {
      SCOPED_TRACE(allocations);
      allocations_left = allocations;
      is_armed = true;
      const cl_int status = call(), finished = clFinish(queue_);
      is_armed = false;
      EXPECT_TRUE(finished == CL_SUCCESS || finished == CL_OUT_OF_HOST_MEMORY) << finished;
      ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
      if (allocations_left >= 0) {
        EXPECT_EQ(status, CL_SUCCESS);
        return;
      }
      EXPECT_TRUE(status == CL_SUCCESS || status == CL_OUT_OF_HOST_MEMORY ||
                  status == CL_OUT_OF_RESOURCES)
          << status;
      refused_ += status != CL_SUCCESS;
      goes_on();
      if (HasFailure())
        return;
    }
    FAIL() << "it takes ever more";
  }
  void goes_on() {
    const cl_int zero = 0;
    ASSERT_EQ(
        clEnqueueFillBuffer(queue_, buffer_, &zero, sizeof zero, 0, size, 0, nullptr, nullptr),
        CL_SUCCESS);
    ASSERT_EQ(launch(), CL_SUCCESS);
    EXPECT_EQ(read<cl_int>(buffer_, 2), (std::vector<cl_int>{1, 1}));
  }

  int refused_ = 0; // failed calls
  static constexpr size_t size = 4096;
  Program program_;
  Kernel kernel_;
  Memory buffer_;
};

TEST_F(CallsWithoutMemory, ThatMakeObjects) {
  cl_int status = 1;
  with_ever_more("context", [&] {
    Context made(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status));
    return status;
  });
  for (const cl_command_queue_properties order : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE})
    with_ever_more("queue", [&] {
      const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, order, 0};
      Queue made(clCreateCommandQueueWithProperties(context_, device_, list, &status));
      return status;
    });
  with_ever_more("buffer", [&] {
    Memory made(clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, &status));
    return status;
  });
  with_ever_more("sub-buffer", [&] {
    const cl_buffer_region region{0, 64};
    Memory made(clCreateSubBuffer(buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    return status;
  });
  with_ever_more("image", [&] {
    const cl_image_format format{CL_RGBA, CL_FLOAT};
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    description.image_width = description.image_height = 4;
    Memory made(
        clCreateImage(context_, CL_MEM_READ_WRITE, &format, &description, nullptr, &status));
    return status;
  });
  with_ever_more("pipe", [&] {
    Memory made(clCreatePipe(context_, 0, 4, 4, nullptr, &status));
    return status;
  });
  with_ever_more("kernel", [&] {
    Kernel made(clCreateKernel(program_, "k", &status));
    return status;
  });
  with_ever_more("clone of a kernel", [&] {
    Kernel made(clCloneKernel(kernel_, &status));
    return status;
  });
  with_ever_more("program", [&] {
    const char *source = "kernel void other() {}";
    Program made(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
    return status;
  });
  with_ever_more("sampler", [&] {
    cl_sampler made = clCreateSamplerWithProperties(context_, nullptr, &status);
    if (made)
      clReleaseSampler(made);
    return status;
  });
  with_ever_more("shared virtual memory", [&] {
    void *made = clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0);
    clSVMFree(context_, made);
    return CL_SUCCESS;
  });
  EXPECT_GT(refused_, 20);
}

TEST_F(CallsWithoutMemory, ThatEnqueue) {
  std::vector<cl_int> host(size / sizeof(cl_int));
  const cl_int pattern = 5;
  Memory other = make_buffer(size);
  for (const cl_bool blocking : {CL_FALSE, CL_TRUE}) {
    with_ever_more("read", [&] {
      return clEnqueueReadBuffer(queue_, other, blocking, 0, size, host.data(), 0, nullptr,
                                 nullptr);
    });
    with_ever_more("write", [&] {
      Event event;
      return clEnqueueWriteBuffer(queue_, other, blocking, 0, size, host.data(), 0, nullptr,
                                  event.out());
    });
  }
  with_ever_more("fill", [&] {
    return clEnqueueFillBuffer(queue_, other, &pattern, sizeof pattern, 0, size, 0, nullptr,
                               nullptr);
  });
  with_ever_more("copy", [&] {
    return clEnqueueCopyBuffer(queue_, buffer_, other, 0, 0, size, 0, nullptr, nullptr);
  });
  with_ever_more("map and unmap", [&] {
    cl_int status = 1;
    void *mapped = clEnqueueMapBuffer(queue_, other, CL_TRUE, CL_MAP_WRITE, 0, size, 0, nullptr,
                                      nullptr, &status);
    if (!mapped)
      return status;
    while ((status = clEnqueueUnmapMemObject(queue_, other, mapped, 0, nullptr, nullptr)) ==
           CL_OUT_OF_HOST_MEMORY)
      ;
    return status;
  });
  // The event's memory is allocated after the region has been counted as mapped or unmapped. Live
  // events ensure that no freed memory is reused for the next ones.
  std::deque<Event> living(2000);
  for (Event &event : living)
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, event.out()), CL_SUCCESS);
  with_ever_more("map and unmap with events", [&] {
    cl_int status = 1;
    void *mapped = clEnqueueMapBuffer(queue_, other, CL_FALSE, CL_MAP_WRITE, 0, size, 0, nullptr,
                                      living.emplace_back().out(), &status);
    if (!mapped)
      return status;
    while ((status = clEnqueueUnmapMemObject(queue_, other, mapped, 0, nullptr,
                                             living.emplace_back().out())) == CL_OUT_OF_HOST_MEMORY)
      ;
    return status;
  });
  with_ever_more("launch", [&] { return launch(); });
  with_ever_more("launch with an event", [&] {
    Event event;
    if (const cl_int status = launch(event.out()))
      return status;
    const cl_event handle = event;
    const cl_int waited = clWaitForEvents(1, &handle);
    return waited == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? status_of(event) : waited;
  });
  with_ever_more("marker",
                 [&] { return clEnqueueMarkerWithWaitList(queue_, 0, nullptr, nullptr); });
  with_ever_more("barrier",
                 [&] { return clEnqueueBarrierWithWaitList(queue_, 0, nullptr, nullptr); });
  with_ever_more("native kernel", [&] {
    static std::atomic<int> calls = 0;
    const int before = calls;
    const cl_int status = clEnqueueNativeKernel(
        queue_, [](void *) { ++calls; }, nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr);
    if (status == CL_SUCCESS && clFinish(queue_) == CL_SUCCESS)
      EXPECT_EQ(calls, before + 1);
    return status;
  });
  EXPECT_GT(refused_, 3);
}

// Builds or loads from the cache, launches and releases a kernel. There are so many allocations
// that the test skips some.
TEST_F(CallsWithoutMemory, OfNewCode) {
  int sources = 0;
  for (const bool is_new : {true, false}) {
    SCOPED_TRACE(is_new);
    bool is_enough = false;
    for (int allocations = 0; !is_enough; allocations += 1 + allocations / 16) {
      SCOPED_TRACE(allocations);
      ASSERT_LT(allocations, 10'000'000) << "it takes ever more";
      const std::string text = "kernel void k(global int *a) { a[get_global_id(0)] += " +
                               std::to_string(is_new ? getpid() + sources++ : 7) + "; }";
      const char *source = text.c_str();
      cl_int status = 1, finished = CL_SUCCESS;
      {
        Program program(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
        ASSERT_EQ(status, CL_SUCCESS);
        watch_standard_library_allocations(false); // LLVM uses the C++ standard library
        allocations_left = allocations;
        is_armed = true;
        status = clBuildProgram(program, 1, &device_, "", nullptr, nullptr);
        if (status == CL_SUCCESS) {
          Kernel kernel(clCreateKernel(program, "k", &status));
          cl_mem handle = buffer_;
          const size_t items = size / sizeof(cl_int);
          if (kernel && (status = clSetKernelArg(kernel, 0, sizeof handle, &handle)) == CL_SUCCESS)
            status = clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr,
                                            nullptr);
          finished = clFinish(queue_);
        }
      } // the release must not need memory either
      is_armed = false;
      EXPECT_TRUE(finished == CL_SUCCESS || finished == CL_OUT_OF_HOST_MEMORY) << finished;
      is_enough = allocations_left >= 0;
      EXPECT_TRUE(status == CL_SUCCESS || (!is_enough && (status == CL_OUT_OF_HOST_MEMORY ||
                                                          status == CL_OUT_OF_RESOURCES)))
          << status;
      refused_ += status != CL_SUCCESS;
      goes_on();
      if (HasFailure())
        return;
    }
  }
  EXPECT_GT(refused_, 20);
}

// Tests each wait list and each callback of a failing command: no waiting command may remain.
TEST_F(CallsWithoutMemory, OfEventsAndCallbacks) {
  with_ever_more("user event", [&] {
    cl_int status = 1;
    Event event(clCreateUserEvent(context_, &status));
    if (!event)
      return status;
    Event end;
    const cl_event handle = event;
    status = clEnqueueMarkerWithWaitList(queue_, 1, &handle, end.out());
    std::atomic<int> calls = 0;
    cl_int callback = CL_SUCCESS;
    if (status == CL_SUCCESS)
      callback = clSetEventCallback(
          end, CL_COMPLETE,
          [](cl_event, cl_int, void *calls) { ++*static_cast<std::atomic<int> *>(calls); }, &calls);
    EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
    while (callback == CL_SUCCESS && status == CL_SUCCESS && calls == 0)
      std::this_thread::yield();
    return status ? status : callback;
  });
  with_ever_more("user event that fails", [&] {
    cl_int status = 1;
    Event event(clCreateUserEvent(context_, &status));
    if (!event)
      return status;
    Event end;
    const cl_event handle = event;
    status = clEnqueueMarkerWithWaitList(queue_, 1, &handle, end.out());
    EXPECT_EQ(clSetUserEventStatus(event, -1), CL_SUCCESS);
    if (status == CL_SUCCESS) {
      const cl_event waits = end;
      cl_int waited = CL_SUCCESS;
      while ((waited = clWaitForEvents(1, &waits)) == CL_OUT_OF_HOST_MEMORY)
        ;
      EXPECT_EQ(waited, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      EXPECT_LT(status_of(end), 0);
    }
    return status;
  });
  with_ever_more("destructor callback", [&] {
    std::atomic<int> calls = 0;
    cl_int status = 1;
    {
      Memory made(clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, &status));
      if (!made)
        return status;
      status = clSetMemObjectDestructorCallback(
          made, [](cl_mem, void *calls) { ++*static_cast<std::atomic<int> *>(calls); }, &calls);
    }
    EXPECT_EQ(calls, status == CL_SUCCESS);
    return status;
  });
}

} // namespace
