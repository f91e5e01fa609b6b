#include "stress_program.h"

#include "session.h"

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define CAN_BE_SHORT 1
#include "../programs/library_allocations.h"
#else // the sanitizer replaces operator new, and needs more memory than any limit leaves
#define CAN_BE_SHORT 0
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <vector>

namespace lockstep::test {
namespace {

using Random = std::minstd_rand;

// Threads continue while exit() destroys static objects, so only these variables, which have no
// destructors, are static.
constinit std::atomic<bool> is_ending{false};  // from then on some calls may fail
constinit std::atomic<bool> is_limited{false}; // threads, descriptors or memory are short
constinit std::atomic<int> programs{0};        // numbers the sources
constinit std::atomic<unsigned> depth{0};      // nesting of fork()

void write_line(const std::string &line) { // unbuffered, since fork() would duplicate a buffer
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, line.data(), line.size());
}

void wrong(const std::string &what) {
  if (!is_ending)
    write_line("WRONG: " + what + "\n");
}

// Runs the action. While memory is limited, the program's own allocations fail, too; then the
// action stops in the middle.
template <class Action> void unless_memory_is_short(Action action) {
  try {
    action();
  } catch (const std::bad_alloc &) {
    if (!is_limited)
      write_line("WRONG: no memory, though there is no limit\n");
  }
}

// True for the errors that the specification has for exhausted resources.
bool is_shortage(cl_int status) {
  return status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY ||
         status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_COMPILER_NOT_AVAILABLE ||
         status == CL_BUILD_PROGRAM_FAILURE;
}

bool succeeds(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return true;
  // A child of fork() may be unable to compile.
  const bool may_fail = is_shortage(status) && (is_limited || depth > 0);
  if (!may_fail)
    wrong(std::string(what) + ": " + std::to_string(status));
  return false;
}

// The objects that all threads of a process share.
struct World {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr, other_queue = nullptr; // other_queue is out of order

  bool make() {
    cl_int status = CL_SUCCESS;
    device = find_device();
    if (!device) {
      if (!is_limited)
        wrong("no device");
      return false;
    }
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    if (!succeeds(status, "clCreateContext"))
      return false;
    queue = clCreateCommandQueue(context, device, 0, &status);
    if (!succeeds(status, "clCreateCommandQueue"))
      return false;
    other_queue =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    return succeeds(status, "clCreateCommandQueue");
  }
  cl_command_queue any_queue(Random &random) const { return random() % 2 ? queue : other_queue; }
};

constexpr size_t items = 512;

std::string random_source(Random &random, int plus) {
  // Some sources repeat, so that the cache has their code; the others are compiled.
  const std::string number =
      random() % 3 ? "0" : std::to_string(++programs) + std::to_string(getpid());
  return "kernel void k(global int *p) { int i = get_global_id(0); p[i] = i + " +
         std::to_string(plus) + " + (i == -1 ? " + number + " : 0); }";
}

cl_kernel make_kernel(const World &world, const std::string &source) {
  const char *text = source.c_str();
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(world.context, 1, &text, nullptr, &status);
  if (!succeeds(status, "clCreateProgramWithSource"))
    return nullptr;
  cl_kernel kernel = nullptr;
  if (succeeds(clBuildProgram(program, 1, &world.device, "", nullptr, nullptr), "clBuildProgram")) {
    kernel = clCreateKernel(program, "k", &status);
    succeeds(status, "clCreateKernel");
  }
  clReleaseProgram(program);
  return kernel;
}

cl_mem make_memory(const World &world) {
  cl_int status = CL_SUCCESS;
  cl_mem memory =
      clCreateBuffer(world.context, CL_MEM_READ_WRITE, items * sizeof(int), nullptr, &status);
  return succeeds(status, "clCreateBuffer") ? memory : nullptr;
}

// ---- the actions of a thread

void compute(const World &world, Random &random) {
  const int plus = int(random() % 7);
  cl_kernel kernel = make_kernel(world, random_source(random, plus));
  cl_mem memory = make_memory(world);
  if (kernel && memory) {
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    const cl_command_queue queue = world.any_queue(random);
    cl_event event = nullptr;
    if (succeeds(
            clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &event),
            "clEnqueueNDRangeKernel")) {
      std::array<int, items> result{};
      const cl_int read = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof result,
                                              result.data(), 1, &event, nullptr);
      // The launch itself may have failed for lack of memory.
      const bool has_failed = is_limited && read == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
      if (!has_failed && succeeds(read, "clEnqueueReadBuffer"))
        for (size_t i = 0; i < items; ++i)
          if (result[i] != int(i) + plus) {
            wrong("a result is " + std::to_string(result[i]) + ", not " +
                  std::to_string(int(i) + plus));
            break;
          }
      clReleaseEvent(event);
    }
  }
  if (memory)
    clReleaseMemObject(memory);
  if (kernel)
    clReleaseKernel(kernel);
}

void CL_CALLBACK release_program(cl_program program, void *) {
  clReleaseProgram(program);
}

void build_in_background(const World &world, Random &random) {
  const std::string source =
      random() % 4 ? random_source(random, 1) : long_source(int(random() % 60));
  const char *text = source.c_str();
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(world.context, 1, &text, nullptr, &status);
  if (!succeeds(status, "clCreateProgramWithSource"))
    return;
  succeeds(clBuildProgram(program, 1, &world.device, "", release_program, nullptr),
           "clBuildProgram");
}

// A fault is an error of its own command only.
void fault(const World &world, Random &random) {
  cl_kernel kernel =
      make_kernel(world, "kernel void k(global int *p) { if (get_global_id(0) == 7) "
                         "*(global volatile int *)(ulong)(get_global_id(0) + 1) = 1; }");
  cl_mem memory = make_memory(world);
  if (kernel && memory) {
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    cl_event event = nullptr;
    if (succeeds(clEnqueueNDRangeKernel(world.any_queue(random), kernel, 1, nullptr, &items,
                                        nullptr, 0, nullptr, &event),
                 "clEnqueueNDRangeKernel")) {
      const cl_int waited = clWaitForEvents(1, &event);
      if (waited != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST &&
          !(is_limited && is_shortage(waited)))
        wrong("a kernel that faults ends with " + std::to_string(waited));
      clReleaseEvent(event);
    }
  }
  if (memory)
    clReleaseMemObject(memory);
  if (kernel)
    clReleaseKernel(kernel);
}

// Commands wait for a user event, which completes, fails, or is released without a status.
void cancel(const World &world, Random &random) {
  cl_int status = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(world.context, &status);
  cl_mem memory = succeeds(status, "clCreateUserEvent") ? make_memory(world) : nullptr;
  if (memory) {
    const int pattern = 3;
    cl_event filled = nullptr;
    const bool is_enqueued =
        succeeds(clEnqueueFillBuffer(world.other_queue, memory, &pattern, sizeof pattern, 0,
                                     items * sizeof(int), 1, &gate, &filled),
                 "clEnqueueFillBuffer");
    const unsigned how = unsigned(random() % 3);
    if (how < 2)
      succeeds(clSetUserEventStatus(gate, how == 0 ? CL_COMPLETE : -5), "clSetUserEventStatus");
    clReleaseEvent(gate); // without a status: commands that wait for it fail
    if (is_enqueued) {
      const cl_int waited = clWaitForEvents(1, &filled);
      if ((waited == CL_SUCCESS) != (how == 0) && !is_limited)
        wrong("a wait for a command behind a user event ends with " + std::to_string(waited));
      clReleaseEvent(filled);
    }
    clReleaseMemObject(memory);
  } else if (gate) {
    clReleaseEvent(gate);
  }
}

void map(const World &world, Random &random) {
  cl_mem memory = make_memory(world);
  if (!memory)
    return;
  const cl_command_queue queue = world.any_queue(random);
  cl_int status = CL_SUCCESS;
  void *mapped =
      clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, nullptr, nullptr, &status);
  if (succeeds(status, "clEnqueueMapBuffer")) {
    std::memset(mapped, 1, 64);
    succeeds(clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr),
             "clEnqueueUnmapMemObject");
  }
  clReleaseMemObject(memory);
}

void CL_CALLBACK ignore(cl_event, cl_int, void *) {}
void CL_CALLBACK ignore_memory(cl_mem, void *) {}

void call_back(const World &world, Random &random) {
  cl_mem memory = make_memory(world);
  if (!memory)
    return;
  const int pattern = 3;
  cl_event event = nullptr;
  clSetMemObjectDestructorCallback(memory, ignore_memory, nullptr);
  if (succeeds(clEnqueueFillBuffer(world.any_queue(random), memory, &pattern, sizeof pattern, 0,
                                   items * sizeof(int), 0, nullptr, &event),
               "clEnqueueFillBuffer")) {
    succeeds(clSetEventCallback(event, CL_COMPLETE, ignore, nullptr), "clSetEventCallback");
    clReleaseEvent(event);
  }
  clReleaseMemObject(memory);
}

void finish(const World &world, Random &random) {
  succeeds(clFinish(world.any_queue(random)), "clFinish");
}

void do_something(const World &world, Random &random);

#if CAN_BE_SHORT
void limit_resource(int what, const World &world, Random &random) {
  rlimit before{};
  if (getrlimit(__rlimit_resource(what), &before) != 0)
    return;
  is_limited = true;
  rlimit none = before;
  none.rlim_cur = what == RLIMIT_NOFILE ? 3 : 64 << 20;
  setrlimit(__rlimit_resource(what), &none);
  unless_memory_is_short([&] { compute(world, random); });
  unless_memory_is_short([&] { call_back(world, random); });
  setrlimit(__rlimit_resource(what), &before);
}

constinit std::atomic<unsigned> one_fails_of{0}, allocations{0};

bool fails_at_random() {
  const unsigned number = allocations.fetch_add(1, std::memory_order_relaxed) * 2654435761u;
  return (number >> 8) % one_fails_of == 0;
}

// Makes some allocations of the library fail, on any thread. RLIMIT_AS fails other allocations:
// few, and large ones.
void fail_allocations(const World &world, Random &random) {
  is_limited = true;
  one_fails_of = std::array{3u, 30u, 300u}[random() % 3];
  allocations = unsigned(random());
  watch_library_allocations(fails_at_random);
  for (unsigned i = 0; i < 3; ++i)
    do_something(world, random);
  watch_library_allocations(nullptr);
}
#endif

// For a while the process gets no new file descriptor, or no more memory.
void be_short(const World &world, Random &random) {
#if CAN_BE_SHORT
  switch (random() % 3) {
  case 0:
    return limit_resource(RLIMIT_NOFILE, world, random);
  case 1:
    return limit_resource(RLIMIT_AS, world, random);
  default:
    return fail_allocations(world, random);
  }
#else
  compute(world, random);
#endif
}

[[noreturn]] void end(Random &random) {
  const int code = int(random() % 50) + 1;
  is_ending = true;
  if (depth == 0)
    write_line("ends " + std::to_string(code) + "\n");
  switch (random() % 4) {
  case 0:
    std::quick_exit(code);
  case 1:
    _exit(code);
  default:
    std::exit(code);
  }
}

// The child uses its own objects, its parent's, or both, and exits with code 0.
[[noreturn]] void be_a_child(const World &parent, uint64_t seed) {
  alarm(100);
  ++depth;
  Random random{unsigned(seed)};
  if (random() % 3 == 0)
    clReleaseContext(parent.context);
  if (random() % 3 == 0) {
    const cl_int finished = clFinish(parent.queue);
    if (finished != CL_INVALID_COMMAND_QUEUE && !(is_limited && is_shortage(finished)))
      wrong("clFinish of a parent's queue: " + std::to_string(finished));
  }
  if (random() % 4 != 0) {
    unless_memory_is_short([&] {
      World own;
      if (own.make())
        for (unsigned i = 0; i < 1 + random() % 3; ++i)
          do_something(own, random);
    });
  }
  is_ending = true;
  if (random() % 2)
    std::exit(0);
  _exit(0);
}

void make_child(const World &world, Random &random) {
  const uint64_t seed = random();
  const pid_t child = fork();
  if (child == 0)
    be_a_child(world, seed);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return;
  const bool has_no_memory = is_limited && WIFEXITED(status) && WEXITSTATUS(status) == 127;
  if (!has_no_memory && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
    wrong(std::string("a child ends with ") + (WIFEXITED(status) ? "exit code " : "signal ") +
          std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)));
}

void do_something(const World &world, Random &random) {
  using Action = void (*)(const World &, Random &);
  constexpr Action actions[] = {compute, compute,   build_in_background, fault,
                                cancel,  map,       call_back,           finish,
                                compute, make_child};
  const unsigned limit = depth < 2 ? std::size(actions) : std::size(actions) - 1;
  unless_memory_is_short([&] { actions[random() % limit](world, random); });
}

// Limits the number of threads: switches to a user that may have no more than these.
void limit_threads(Random &random) {
#if CAN_BE_SHORT
  is_limited = true;
  const rlimit most{1 + random() % 8, 1 + random() % 8};
  const rlimit limits{std::min(most.rlim_cur, most.rlim_max), most.rlim_max};
  if (getuid() == 0 && setuid(uid_t(200'000 + getpid() % 1'000'000)) != 0)
    return;
  setrlimit(RLIMIT_NPROC, &limits);
#endif
}

// Returns false if the system cannot start another thread.
bool start_thread(std::function<void()> work) {
  try {
    std::thread(std::move(work)).detach();
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

} // namespace

void run_random_process(uint64_t seed) {
  Random random{unsigned(seed * 2654435761u + 1)};
  if (random() % 12 == 0)
    limit_threads(random);
  World &world = *new World;
  if (!world.make())
    end(random);
  const unsigned threads = unsigned(random() % 4);
  for (unsigned i = 0; i < threads; ++i) {
    const uint64_t own = random();
    start_thread([&world, own] {
      Random random{unsigned(own)};
      while (!is_ending)
        do_something(world, random);
    });
  }
  bool is_ended_by_other = threads > 0 && random() % 3 == 0;
  const unsigned moment = unsigned(random() % 300'000); // in microseconds
  if (is_ended_by_other)
    is_ended_by_other = start_thread([own = random(), moment] {
      usleep(moment);
      Random random{unsigned(own)};
      end(random);
    });
  const auto begin = std::chrono::steady_clock::now();
  const bool is_short = random() % 10 == 0;
  while (is_ended_by_other ||
         std::chrono::steady_clock::now() - begin < std::chrono::microseconds(moment)) {
    do_something(world, random);
    if (is_short)
      be_short(world, random);
  }
  end(random);
}

} // namespace lockstep::test
