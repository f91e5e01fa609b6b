// The system has no thread or no descriptor left. Each call succeeds or returns an error that the
// specification allows, no enqueued command is lost, and the program continues once there are some
// again.
//
// Each number of threads has its own process, because the library creates its threads once. The
// parent never uses OpenCL.
#include "extension_functions.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <fcntl.h>
#include <functional>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

namespace {

std::atomic<bool> has_limit{false}, was_refused{false};
std::atomic<int> threads_left{0};

} // namespace

// Overrides the C library's function, for the library under test, too.
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                              void *(*function)(void *), void *data) noexcept {
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (has_limit && threads_left.fetch_sub(1) <= 0) {
    was_refused = true;
    return EAGAIN;
  }
  return real(thread, attributes, function, data);
}

namespace lockstep::test {
namespace {

constexpr int passed = 0, failed = 1, was_not_limited = 2; // exit codes of a child

// The actions of a program, step by step. A step that lacks an object is skipped.
class Walk {
public:
  explicit Walk(bool is_limited) : is_limited_(is_limited) {}
  bool is_right() const { return is_right_; }

  void all() {
    cl_int status = 0;
    device_ = find_device();
    if (!expect(device_ != nullptr, "there is a device"))
      return;
    const Context context(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status));
    if (!succeeds(status, "clCreateContext"))
      return;
    context_ = context;
    if (succeeds(clSetContextDestructorCallback(
                     context, [](cl_context, void *count) { ++*static_cast<Count *>(count); },
                     &contexts_),
                 "clSetContextDestructorCallback"))
      ++expected_contexts_;
    user_event();
    const Queue queue(clCreateCommandQueueWithProperties(context, device_, nullptr, &status));
    if (!succeeds(status, "clCreateCommandQueueWithProperties"))
      return;
    queue_ = queue;
    memory();
    semaphore();
    build();
    succeeds(clFinish(queue), "clFinish");
  }

  // Requires that all() has released its objects.
  void end() { called(contexts_, expected_contexts_, "the destructor callback of the context"); }

private:
  using Count = std::atomic<int>;

  bool expect(bool is_so, const char *what, cl_int status = 0) {
    if (!is_so)
      std::fprintf(stderr, "not so: %s (%d, %s)\n", what, status,
                   is_limited_ ? "limited" : "without limit");
    is_right_ &= is_so;
    return is_so;
  }
  bool succeeds(cl_int status, const char *what) {
    expect(status == CL_SUCCESS ||
               (is_limited_ && (status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY)),
           what, status);
    return status == CL_SUCCESS;
  }
  void called(const Count &count, int times, const char *what) {
    const auto begin = std::chrono::steady_clock::now();
    while (count < times && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    expect(count == times, what);
  }
  static void CL_CALLBACK count_event(cl_event, cl_int, void *count) {
    ++*static_cast<Count *>(count);
  }
  static void CL_CALLBACK count_program(cl_program, void *count) { ++*static_cast<Count *>(count); }

  void user_event() {
    cl_int status = 0;
    const Event event(clCreateUserEvent(context_, &status));
    if (!succeeds(status, "clCreateUserEvent"))
      return;
    Count calls = 0;
    const bool is_set = succeeds(clSetEventCallback(event, CL_COMPLETE, count_event, &calls),
                                 "clSetEventCallback of a user event");
    succeeds(clSetUserEventStatus(event, CL_COMPLETE), "clSetUserEventStatus");
    called(calls, is_set, "the callback of a user event");
  }

  void memory() {
    cl_int status = 0;
    Count calls = 0, destroyed = 0;
    bool is_set = false, is_reported = false;
    {
      const Memory buffer(clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, &status));
      if (!succeeds(status, "clCreateBuffer"))
        return;
      is_reported = succeeds(
          clSetMemObjectDestructorCallback(
              buffer, [](cl_mem, void *count) { ++*static_cast<Count *>(count); }, &destroyed),
          "clSetMemObjectDestructorCallback");
      const cl_int one = 1;
      Event event;
      if (succeeds(
              clEnqueueFillBuffer(queue_, buffer, &one, sizeof one, 0, 64, 0, nullptr, event.out()),
              "clEnqueueFillBuffer")) {
        is_set = succeeds(clSetEventCallback(event, CL_COMPLETE, count_event, &calls),
                          "clSetEventCallback of a command");
        expect(clWaitForEvents(1, &static_cast<const cl_event &>(event.get())) == CL_SUCCESS,
               "a command that was enqueued ends");
      }
      cl_int value = 0;
      if (succeeds(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 60, sizeof value, &value, 0,
                                       nullptr, nullptr),
                   "clEnqueueReadBuffer"))
        expect(value == 1, "it was filled");
    }
    called(calls, is_set, "the callback of a command");
    called(destroyed, is_reported, "the destructor callback of a buffer");
  }

  void semaphore() {
    const auto create =
        function<clCreateSemaphoreWithPropertiesKHR_fn>("clCreateSemaphoreWithPropertiesKHR");
    const cl_semaphore_properties_khr list[] = {CL_SEMAPHORE_TYPE_KHR,
                                                CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                0,
                                                0};
    cl_int status = 0;
    cl_semaphore_khr semaphore = create(context_, list, &status);
    if (!succeeds(status, "clCreateSemaphoreWithPropertiesKHR"))
      return;
    Event waits;
    const auto wait = function<clEnqueueWaitSemaphoresKHR_fn>("clEnqueueWaitSemaphoresKHR");
    const auto signal = function<clEnqueueSignalSemaphoresKHR_fn>("clEnqueueSignalSemaphoresKHR");
    const Queue other(clCreateCommandQueueWithProperties(context_, device_, nullptr, &status));
    if (succeeds(status, "a second queue") &&
        succeeds(wait(other, 1, &semaphore, nullptr, 0, nullptr, waits.out()),
                 "clEnqueueWaitSemaphoresKHR")) {
      while (!succeeds(signal(queue_, 1, &semaphore, nullptr, 0, nullptr, nullptr),
                       "clEnqueueSignalSemaphoresKHR") &&
             is_right_)
        ;
      expect(clFinish(other) == CL_SUCCESS, "a wait for a signal ends");
    }
    function<clReleaseSemaphoreKHR_fn>("clReleaseSemaphoreKHR")(semaphore);
  }

  Program source(const char *text) {
    cl_int status = 0;
    Program program(clCreateProgramWithSource(context_, 1, &text, nullptr, &status));
    succeeds(status, "clCreateProgramWithSource");
    return program;
  }

  void build() {
    const Program noted = source("kernel void noted(global int *a) { *a = 2; }");
    Count calls = 0;
    if (noted && succeeds(clBuildProgram(noted, 1, &device_, "", count_program, &calls),
                          "clBuildProgram with a callback"))
      called(calls, 1, "the callback of a build");
    const Program program = source("kernel void k(global int *a) { a[get_global_id(0)] = 3; }");
    if (!program ||
        !succeeds(clBuildProgram(program, 1, &device_, "", nullptr, nullptr), "clBuildProgram"))
      return;
    cl_int status = 0;
    const Kernel kernel(clCreateKernel(program, "k", &status));
    const Memory buffer(clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, &status));
    cl_mem handle = buffer;
    if (!kernel || !buffer ||
        !succeeds(clSetKernelArg(kernel, 0, sizeof handle, &handle), "clSetKernelArg"))
      return;
    const size_t items = 16;
    Event event;
    if (!succeeds(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr,
                                         event.out()),
                  "clEnqueueNDRangeKernel"))
      return;
    cl_int values[16] = {};
    if (succeeds(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof values, values, 0, nullptr,
                                     nullptr),
                 "clEnqueueReadBuffer"))
      expect(values[15] == 3, "the kernel has run");
  }

  const bool is_limited_;
  bool is_right_ = true;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr; // of all()
  cl_command_queue queue_ = nullptr;
  Count contexts_ = 0;
  int expected_contexts_ = 0;
};

bool walk(bool is_limited) {
  Walk steps(is_limited);
  steps.all();
  steps.end();
  return steps.is_right();
}

// Runs the program in a child process with a time limit of 60 s.
int in_child(const std::function<int()> &program) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(program());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : failed;
}

// Runs the actions with increasing limits until the limit no longer matters. Each child repeats
// them without a limit.
void for_each_limit(const std::function<void(int)> &limit, const std::function<void()> &lift) {
  for (int most = 0; most < 64; ++most) {
    const int result = in_child([&] {
      if (!find_platform()) // loads the library
        return failed;
      limit(most);
      const bool is_right = walk(true), is_limit = was_refused;
      lift();
      return !is_right || !walk(false) ? failed : is_limit ? passed : was_not_limited;
    });
    ASSERT_NE(result, failed) << "with " << most;
    if (result == was_not_limited) {
      EXPECT_GT(most, 3); // the library needs at least that many
      return;
    }
  }
  FAIL() << "it takes ever more";
}

TEST(ProcessLimits, Threads) {
  for_each_limit(
      [](int most) {
        threads_left = most;
        has_limit = true;
      },
      [] { has_limit = false; });
}

// The limit applies to descriptor numbers, and the system always assigns the lowest free one.
void limit_descriptors(int most) {
  const int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(lowest);
  const rlimit few{rlim_t(lowest + most), 4096};
  setrlimit(RLIMIT_NOFILE, &few);
}

void lift_limit_of_descriptors() {
  const rlimit many{4096, 4096};
  setrlimit(RLIMIT_NOFILE, &many);
}

TEST(ProcessLimits, Descriptors) {
  for (int most : {0, 1, 2, 3, 4, 6, 10}) {
    EXPECT_EQ(in_child([&] {
                if (!find_platform())
                  return failed;
                limit_descriptors(most);
                const bool is_right = walk(true);
                lift_limit_of_descriptors();
                return is_right && walk(false) ? passed : failed;
              }),
              passed)
        << "with " << most;
  }
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

// Two commands of a queue each wait for a semaphore that another process could signal. Before the
// second one the process loses the right to open files.
int wait_for_signals_without_files() {
  const cl_device_id device = find_device();
  cl_int status = 0;
  const Context context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
  const auto create =
      function<clCreateSemaphoreWithPropertiesKHR_fn>("clCreateSemaphoreWithPropertiesKHR");
  const auto wait = function<clEnqueueWaitSemaphoresKHR_fn>("clEnqueueWaitSemaphoresKHR");
  const auto signal = function<clEnqueueSignalSemaphoresKHR_fn>("clEnqueueSignalSemaphoresKHR");
  const auto release = function<clReleaseSemaphoreKHR_fn>("clReleaseSemaphoreKHR");
  const cl_semaphore_properties_khr list[] = {CL_SEMAPHORE_TYPE_KHR,
                                              CL_SEMAPHORE_TYPE_BINARY_KHR,
                                              CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                              CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                              0,
                                              0};
  const Queue waits(clCreateCommandQueueWithProperties(context, device, nullptr, &status)),
      signals(clCreateCommandQueueWithProperties(context, device, nullptr, &status));
  cl_semaphore_khr one = create(context, list, &status), other = create(context, list, &status);
  status |= wait(waits, 1, &one, nullptr, 0, nullptr, nullptr);
  const rlimit none{0, 4096};
  setrlimit(RLIMIT_NOFILE, &none);
  status |= wait(waits, 1, &other, nullptr, 0, nullptr, nullptr);
  const double before = cpu_seconds();
  usleep(150'000);
  const double spent = cpu_seconds() - before;
  status |= signal(signals, 1, &one, nullptr, 0, nullptr, nullptr);
  status |= signal(signals, 1, &other, nullptr, 0, nullptr, nullptr);
  status |= clFinish(waits);
  status |= release(one) | release(other);
  return status == CL_SUCCESS && spent < 0.075 ? passed : failed;
}

// poll() fails if it gets more files than the process may open. A thread that waits for files must
// then neither spin nor miss a signal.
TEST(ProcessLimits, AThreadThatWaitsForFilesSleepsWhereTheirLimitIsLowered) {
  EXPECT_EQ(in_child(wait_for_signals_without_files), passed);
}

} // namespace
} // namespace lockstep::test
