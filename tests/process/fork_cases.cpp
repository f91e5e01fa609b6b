#include "cases.h"
#include "session.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <vector>

namespace lockstep::test {
namespace {

constexpr unsigned child_seconds = 40; // until SIGALRM ends a child that hangs

// Runs the function in a child and waits for the child's end. If its exit code is not `expected`,
// this process exits with code 80.
void in_child(const std::function<void()> &function, int expected = 0) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(child_seconds);
    function();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == expected)
    return;
  std::fprintf(stderr, "a child ended with %s %d\n", WIFEXITED(status) ? "exit code" : "signal",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  _exit(80);
}

void expect(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "not so: %s\n", what);
  _exit(81);
}

std::string last_sentence;
void CL_CALLBACK keep_sentence(const char *sentence, const void *, size_t, void *) {
  last_sentence = sentence;
}

constexpr const char *simple = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }";

// The parent's objects are not valid in the child. The child may release them, and can use a
// context of its own.
void own_and_inherited_objects() {
  Session parent(keep_sentence);
  cl_kernel kernel = parent.kernel(simple);
  cl_mem memory = parent.buffer(4096);
  cl_event event = nullptr;
  parent.launch(kernel, memory, 1024, &event);
  in_child([&] {
    const size_t items = 1024;
    expect(clEnqueueNDRangeKernel(parent.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr,
                                  nullptr) == CL_INVALID_COMMAND_QUEUE,
           "a queue of the parent is not valid");
    expect(last_sentence.find("fork()") != std::string::npos, "its context hears why");
    expect(clFinish(parent.queue) == CL_INVALID_COMMAND_QUEUE, "nor for clFinish");
    expect(clWaitForEvents(1, &event) != CL_SUCCESS, "an event of the parent is not waited for");
    expect(clSetKernelArg(kernel, 0, sizeof memory, &memory) == CL_INVALID_KERNEL, "nor a kernel");
    cl_int status = 0;
    clCreateBuffer(parent.context, 0, 64, nullptr, &status);
    expect(status == CL_INVALID_CONTEXT, "nor a context");
    Session own;
    expect(clEnqueueMarkerWithWaitList(own.queue, 1, &event, nullptr) == CL_INVALID_EVENT_WAIT_LIST,
           "nor an event in a wait list");
    own.compute(5);
    expect(clReleaseEvent(event) == CL_SUCCESS && clReleaseKernel(kernel) == CL_SUCCESS &&
               clReleaseMemObject(memory) == CL_SUCCESS &&
               clReleaseCommandQueue(parent.queue) == CL_SUCCESS &&
               clReleaseContext(parent.context) == CL_SUCCESS,
           "what is inherited can be released");
    in_child([] { Session().compute(6); }); // the child forks, too
    std::exit(0);
  });
  parent.compute(7); // its objects are unchanged
  must(clFinish(parent.queue), "clFinish");
}

// Handles of the platform and the device stay valid. The child has a copy of the parent's memory, and
// may release it. It can run another program.
void platform_and_memory() {
  Session parent;
  parent.compute(1);
  cl_mem memory = parent.buffer(4096);
  cl_int status = CL_SUCCESS;
  auto *mapped = static_cast<int *>(clEnqueueMapBuffer(parent.queue, memory, CL_TRUE, CL_MAP_WRITE,
                                                       0, 4096, 0, nullptr, nullptr, &status));
  must(status, "clEnqueueMapBuffer");
  auto *shared = static_cast<int *>(clSVMAlloc(parent.context, CL_MEM_READ_WRITE, 4096, 0));
  mapped[0] = 1;
  shared[0] = 2;
  in_child([&] {
    cl_uint units = 0;
    cl_platform_id platform = nullptr;
    must(clGetDeviceInfo(parent.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr),
         "clGetDeviceInfo");
    must(clGetDeviceInfo(parent.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr),
         "clGetDeviceInfo");
    expect(units != 0 && clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, nullptr) == 0,
           "the platform and the device are valid");
    expect(mapped[0] == 1 && shared[0] == 2, "memory has its contents");
    mapped[0] = shared[0] = 3;
    expect(clRetainMemObject(memory) == CL_SUCCESS && clReleaseMemObject(memory) == CL_SUCCESS &&
               clRetainContext(parent.context) == CL_SUCCESS &&
               clRetainCommandQueue(parent.queue) == CL_SUCCESS,
           "what is inherited can be retained");
    clSVMFree(parent.context, shared);
    Session().compute(2);
  });
  expect(mapped[0] == 1 && shared[0] == 2, "the child has written to its own copy");
  in_child(
      [] {
        execl("/bin/sh", "sh", "-c", "exit 6", nullptr);
        _exit(1);
      },
      6);
  clSVMFree(parent.context, shared);
  parent.compute(3);
}

// Whatever the parent's other threads do during fork(), a child can create and use its own objects
// and can exit.
void while_threads_are_busy() {
  Session parent;
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  auto repeat = [&](std::function<void()> work) {
    threads.emplace_back([&ends, work = std::move(work)] {
      while (!ends)
        work();
    });
  };
  cl_kernel kernel = parent.kernel(simple);
  cl_mem memory = parent.buffer(4096);
  must(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
  repeat([&] {
    const size_t items = 1024;
    cl_event event = nullptr;
    clEnqueueNDRangeKernel(parent.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &event);
    clSetEventCallback(event, CL_COMPLETE, [](cl_event, cl_int, void *) {}, nullptr);
    clReleaseEvent(event);
  });
  repeat([&] { clFinish(parent.queue); });
  repeat([&] { clReleaseMemObject(parent.buffer(64)); });
  repeat([&, number = 0]() mutable {
    clReleaseKernel(
        parent.kernel("kernel void k(global int *p) { p[" + std::to_string(++number) + "] = 1; }"));
  });
  for (int i = 0; i < 4; ++i) {
    in_child([&] {
      clReleaseMemObject(memory);
      if (i % 2 == 0)
        Session().compute(i);
      std::exit(0);
    });
    usleep(3000 * unsigned(i));
  }
  ends = true;
  for (std::thread &thread : threads)
    thread.join();
}

// A callback on a thread of the library forks. The child can compute, and exits when the callback
// returns.
void in_a_callback() {
  static Session parent;
  static std::atomic<bool> is_done{false};
  static std::atomic<int> ended{-1};
  cl_event event = nullptr;
  parent.launch(parent.kernel(simple), parent.buffer(4096), 1024, &event);
  must(clSetEventCallback(
           event, CL_COMPLETE,
           [](cl_event, cl_int, void *) {
             const pid_t child = fork();
             if (child == 0) {
               alarm(child_seconds);
               Session().compute(1);
               return;
             }
             int status = 0;
             waitpid(child, &status, 0);
             ended = status;
             is_done = true;
           },
           nullptr),
       "clSetEventCallback");
  while (!is_done)
    usleep(1000);
  expect(ended == 0, "the child ends with exit code 0");
  parent.compute(2);
}

// The number of sockets for `lockstep top` that the process has.
int sockets_of(pid_t process) {
  int count = 0;
  std::error_code error;
  for (const auto &file : std::filesystem::directory_iterator(
           std::string(std::getenv("XDG_RUNTIME_DIR")) + "/lockstep", error))
    count += file.path().filename().string().starts_with(std::to_string(process) + ".");
  return count;
}

// Parent and child each have a socket once they run a command, and exit() removes it.
void sockets_of_top() {
  constexpr const char *endless =
      "kernel void k(global int *p) { int x = p[0]; for (long i = 0; i < 1000000000000; ++i) "
      "x = x * 3 + (int)i; p[get_global_id(0)] = x; }";
  auto run_until_watched = [] {
    auto *session = new Session; // the command needs it until exit()
    session->launch(session->kernel(endless), session->buffer(64), 16);
    must(clFlush(session->queue), "clFlush");
    while (sockets_of(getpid()) == 0)
      usleep(50'000);
  };
  run_until_watched();
  const pid_t parent = getpid();
  in_child([&] {
    expect(sockets_of(getpid()) == 0, "a child has no socket");
    run_until_watched();
    expect(sockets_of(parent) == 1, "the parent keeps its own");
    std::exit(0);
  });
  expect(sockets_of(parent) == 1, "the end of a child leaves the parent's");
}

// The checker prints one summary: the child has checked nothing.
void exit_of_a_child_that_does_nothing() {
  Session parent;
  parent.compute(1);
  in_child([] { std::exit(0); });
}

// Parent and child print a summary each.
void exit_of_a_child_that_computes() {
  Session parent;
  parent.compute(1);
  in_child([] {
    Session().compute(2);
    std::exit(0);
  });
}

const std::map<std::string, std::function<void()>> cases = {
    {"own_and_inherited_objects", own_and_inherited_objects},
    {"platform_and_memory", platform_and_memory},
    {"while_threads_are_busy", while_threads_are_busy},
    {"in_a_callback", in_a_callback},
    {"sockets_of_top", sockets_of_top},
    {"exit_of_a_child_that_does_nothing", exit_of_a_child_that_does_nothing},
    {"exit_of_a_child_that_computes", exit_of_a_child_that_computes},
};

} // namespace

void do_fork_case(const std::string &name) {
  const auto found = cases.find(name);
  if (found == cases.end())
    _exit(93);
  found->second();
  std::exit(0);
}

} // namespace lockstep::test
