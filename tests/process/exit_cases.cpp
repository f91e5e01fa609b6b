#include "cases.h"
#include "session.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <thread>

namespace lockstep::test {
namespace {

constexpr int code = 3; // the expected exit code of the process

[[noreturn]] void wait_for_the_end() {
  for (;;)
    pause();
}

void CL_CALLBACK exit_when_built(cl_program, void *) {
  std::exit(code);
}
void CL_CALLBACK exit_at_status(cl_event, cl_int, void *) {
  std::exit(code);
}
void CL_CALLBACK quick_exit_at_status(cl_event, cl_int, void *) {
  std::quick_exit(code);
}
void CL_CALLBACK exit_when_destroyed(cl_mem, void *) {
  std::exit(code);
}
void CL_CALLBACK exit_in_kernel(void *) {
  std::exit(code);
}
void CL_CALLBACK nothing(cl_program, void *) {}

constexpr const char *quick = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }";
// Runs until the process ends: each work-group has one slow work-item, and there are many groups.
constexpr const char *slow = "kernel void k(global int *p) { int x = p[0]; for (int i = 0; i < "
                             "100000000; ++i) x = x * 3 + i; "
                             "p[get_global_id(0)] = x; }";
// Contains a data race, which the checker reports for each launch.
constexpr const char *racing =
    "kernel void k(global int *p) { p[(get_global_id(0) * 7) & 255] += (int)get_global_id(0); }";

void in_build_callback() {
  Session session;
  must(clBuildProgram(session.program(quick), 1, &session.device, "", exit_when_built, nullptr),
       "clBuildProgram");
  wait_for_the_end();
}

void at_event(void(CL_CALLBACK *callback)(cl_event, cl_int, void *)) {
  Session session;
  cl_event event = nullptr;
  session.launch(session.kernel(quick), session.buffer(4096), 1024, &event);
  must(clSetEventCallback(event, CL_COMPLETE, callback, nullptr), "clSetEventCallback");
  wait_for_the_end();
}

void in_destructor_callback() {
  Session session;
  cl_mem memory = session.buffer(4096);
  must(clSetMemObjectDestructorCallback(memory, exit_when_destroyed, nullptr), "callback");
  session.launch(session.kernel(quick), memory, 1024);
  clReleaseMemObject(memory);
  wait_for_the_end();
}

void in_native_kernel() {
  Session session;
  must(clEnqueueNativeKernel(session.queue, exit_in_kernel, nullptr, 0, 0, nullptr, nullptr, 0,
                             nullptr, nullptr),
       "clEnqueueNativeKernel");
  clFinish(session.queue);
  wait_for_the_end();
}

void during_background_build() {
  Session session;
  must(clBuildProgram(session.program(long_source(300)), 1, &session.device, "", nothing, nullptr),
       "clBuildProgram");
  usleep(50'000);
  std::exit(code);
}

void during_build_of_another_thread() {
  static Session session;
  std::thread([] { // the end of the process may make this call fail
    clBuildProgram(session.program(long_source(300)), 1, &session.device, "", nullptr, nullptr);
    wait_for_the_end();
  })
      .detach();
  usleep(50'000);
  std::exit(code);
}

void with_commands_running() {
  Session session;
  session.launch(session.kernel(slow), session.buffer(4096), 1024);
  must(clFlush(session.queue), "clFlush");
  usleep(20'000);
  std::exit(code);
}

// The first thread waits for a command while the second one calls exit().
void from_second_thread() {
  Session session;
  session.launch(session.kernel(slow), session.buffer(4096), 1024);
  std::thread([] {
    usleep(20'000);
    std::exit(code);
  }).detach();
  clFinish(session.queue);
  wait_for_the_end();
}

// The loader loads the library in the first call, in a thread of its own. LOADING_MICROSECONDS later
// the first thread calls exit().
void while_the_library_loads() {
  std::thread([] { // the end of the process may make these calls fail
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    const char *text = quick;
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    clBuildProgram(program, 1, &device, "", nullptr, nullptr);
    wait_for_the_end();
  })
      .detach();
  const char *delay = std::getenv("LOADING_MICROSECONDS");
  usleep(useconds_t(delay ? std::atoi(delay) : 0));
  std::exit(code);
}

// An object that the program created before it loaded the library is destroyed after LLVM's objects.
// Its destructor can use OpenCL, but no kernel is compiled there.
void in_static_destructor() {
  static struct {
    const Session *session = nullptr;
    cl_kernel compiled = nullptr, late = nullptr;
    cl_mem memory = nullptr;
  } used;
  static const struct AtEnd {
    ~AtEnd() {
      used.session->launch(used.compiled, used.memory, 16);
      int first = 0;
      must(clEnqueueReadBuffer(used.session->queue, used.memory, CL_TRUE, 0, sizeof first, &first,
                               0, nullptr, nullptr),
           "clEnqueueReadBuffer");
      const size_t items = 16;
      must(clSetKernelArg(used.late, 0, sizeof used.memory, &used.memory), "clSetKernelArg");
      const cl_int status = clEnqueueNDRangeKernel(used.session->queue, used.late, 1, nullptr,
                                                   &items, nullptr, 0, nullptr, nullptr);
      _exit(first == 1 && status == CL_OUT_OF_RESOURCES ? code : 94);
    }
  } at_end;
  used.session = new Session;
  used.compiled = used.session->kernel(quick);
  used.late = used.session->kernel("kernel void k(global int *p) { p[0] = 2; }");
  used.memory = used.session->buffer(64);
  used.session->launch(used.compiled, used.memory, 16);
  must(clFinish(used.session->queue), "clFinish");
  std::exit(code + 1);
}

void without_handlers() {
  Session().compute(1);
  _exit(code);
}

void with_findings() {
  Session session;
  cl_kernel kernel = session.kernel(racing);
  for (int i = 0; i < 50; ++i)
    session.launch(kernel, session.buffer(4096), 1 << 14);
  std::exit(code);
}

const std::map<std::string, std::function<void()>> cases = {
    {"in_build_callback", in_build_callback},
    {"in_event_callback", [] { at_event(exit_at_status); }},
    {"quick_in_event_callback", [] { at_event(quick_exit_at_status); }},
    {"in_destructor_callback", in_destructor_callback},
    {"in_native_kernel", in_native_kernel},
    {"during_background_build", during_background_build},
    {"during_build_of_another_thread", during_build_of_another_thread},
    {"with_commands_running", with_commands_running},
    {"from_second_thread", from_second_thread},
    {"while_the_library_loads", while_the_library_loads},
    {"in_static_destructor", in_static_destructor},
    {"without_handlers", without_handlers},
    {"with_findings", with_findings},
};

} // namespace

bool is_exit_case(const std::string &name) {
  return cases.contains(name);
}

void do_exit_case(const std::string &name) {
  cases.at(name)();
  _exit(92);
}

} // namespace lockstep::test
