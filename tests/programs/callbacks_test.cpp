// Callbacks may call Lockstep and wait for other commands. So Lockstep calls them without a lock,
// and not on the only worker (CMakeLists.txt sets the number of workers to one).
#include "kernel_arguments.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <unistd.h>

using namespace lockstep::test;

namespace {

// A callback runs a kernel on a queue of its own and waits for it.
struct Work {
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr; // with its arguments set
  std::atomic<int> calls = 0, failures = 0;

  void run() {
    const size_t one = 1;
    failures += clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr,
                                       nullptr) != CL_SUCCESS;
    failures += clFinish(queue) != CL_SUCCESS;
    ++calls;
  }
};

void wait_until(const std::atomic<int> &calls, int wanted) {
  while (calls < wanted) // an alarm ends a program that hangs
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class Callbacks : public DeviceTest {
protected:
  void SetUp() override {
    alarm(60);
    DeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    queue_.reset();
    cl_int status = 1;
    context_ = Context(clCreateContext(nullptr, 1, &device_, on_notify, &notified_, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = make_queue(0);
    other_ = make_queue(0);
    program_ = build(R"(
      kernel void add(global int *p) { ++*p; }
      kernel void fault(global int *p) { *(volatile global int *)64 = 1; }
      kernel void waits(global atomic_int *flag) {
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices) == 0);
      })",
                     "-cl-std=CL3.0");
    counter_ = make_buffer(sizeof(cl_int));
    write(counter_, std::vector<cl_int>{0});
    kernel_ = make_kernel(program_, "add");
    set_arguments(kernel_, counter_);
    work_.queue = notified_.work.queue = other_;
    work_.kernel = notified_.work.kernel = kernel_;
  }
  void TearDown() override {
    EXPECT_EQ(work_.failures + notified_.work.failures, 0);
    alarm(0);
  }
  static void CL_CALLBACK on_notify(const char *, const void *, size_t, void *data) {
    auto &notified = *static_cast<Notified *>(data);
    if (notified.does_work)
      notified.work.run();
  }

  static void CL_CALLBACK run_native(void *argument) { (*static_cast<Work **>(argument))->run(); }

  struct Notified {
    Work work;
    bool does_work = false;
  } notified_;
  Queue other_;
  Program program_;
  Memory counter_;
  Kernel kernel_;
  Work work_;
};

TEST_F(Callbacks, OfACommandThatFails) {
  notified_.does_work = true;
  const size_t one = 1;
  Kernel fault = make_kernel(program_, "fault");
  set_arguments(fault, counter_);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, fault, 1, nullptr, &one, &one, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  wait_until(notified_.work.calls, 1);
  EXPECT_EQ(read<cl_int>(counter_, 1)[0], 1);
}

// The deadlock detection stops the launch and all other waiting launches while it inspects it.
TEST_F(Callbacks, OfALaunchThatStandsStill) {
  notified_.does_work = true;
  auto *flag = static_cast<std::atomic<cl_int> *>(clSVMAlloc(
      context_, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 64));
  ASSERT_NE(flag, nullptr);
  flag->store(0);
  Kernel waits = make_kernel(program_, "waits");
  ASSERT_EQ(clSetKernelArgSVMPointer(waits, 0, flag), CL_SUCCESS);
  const size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, waits, 1, nullptr, &one, &one, 0, nullptr, nullptr),
            CL_SUCCESS);
  wait_until(notified_.work.calls, 1);
  flag->store(1);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  clSVMFree(context_, flag);
}

TEST_F(Callbacks, OfAMemoryObject) {
  auto on_end = [](cl_mem, void *work) { static_cast<Work *>(work)->run(); };
  Memory memory = make_buffer(64);
  ASSERT_EQ(clSetMemObjectDestructorCallback(memory, on_end, &work_), CL_SUCCESS);
  memory.reset();
  wait_until(work_.calls, 1);
}

TEST_F(Callbacks, OfAnEvent) {
  Event event;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, event.out()), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(
                event, CL_COMPLETE,
                [](cl_event, cl_int, void *work) { static_cast<Work *>(work)->run(); }, &work_),
            CL_SUCCESS);
  wait_until(work_.calls, 1);
}

TEST_F(Callbacks, OfABuild) {
  const char *source = "kernel void other(global int *p) { *p = 2; }";
  cl_int status = 1;
  Program program(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
  ASSERT_EQ(clBuildProgram(
                program, 1, &device_, "",
                [](cl_program, void *work) { static_cast<Work *>(work)->run(); }, &work_),
            CL_SUCCESS);
  wait_until(work_.calls, 1);
}

TEST_F(Callbacks, NativeKernelsMayWaitForOtherCommands) {
  Work *argument = &work_;
  ASSERT_EQ(clEnqueueNativeKernel(queue_, run_native, &argument, sizeof argument, 0, nullptr,
                                  nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(work_.calls, 1);
  EXPECT_EQ(read<cl_int>(counter_, 1)[0], 1);
}

// Each native kernel waits for the next one.
TEST_F(Callbacks, NativeKernelsMayWaitForEachOther) {
  static std::atomic<int> begun;
  begun = 0;
  constexpr int many = 4;
  std::vector<Queue> queues;
  for (int i = 0; i < many; ++i) {
    queues.push_back(make_queue(0));
    ASSERT_EQ(clEnqueueNativeKernel(
                  queues.back(),
                  [](void *) {
                    ++begun;
                    wait_until(begun, many);
                  },
                  nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  for (Queue &queue : queues)
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

TEST_F(Callbacks, FunctionsThatFreeMemoryMayWaitForOtherCommands) {
  void *memory = clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0);
  ASSERT_NE(memory, nullptr);
  struct Both {
    Work &work;
    cl_context context;
  } both{work_, context_};
  auto on_free = [](cl_command_queue, cl_uint, void *pointers[], void *data) {
    auto &own = *static_cast<Both *>(data);
    own.work.run();
    clSVMFree(own.context, pointers[0]);
  };
  ASSERT_EQ(clEnqueueSVMFree(queue_, 1, &memory, on_free, &both, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(work_.calls, 1);
}

} // namespace
