// The program's own accesses beside commands', for a build with -fsanitize=thread: host_races CASE. host_races_test.py has the
// verdicts.
#include "one_device.h"

#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

namespace {

constexpr size_t count = 4096, bytes = count * sizeof(cl_int);
constexpr char source[] =
    "kernel void number(global int *a) { a[get_global_id(0)] = get_global_id(0); }";

struct Program : OneDevice {
  cl::CommandQueue queue{context, device};
  std::vector<cl_int> host = std::vector<cl_int>(count), other = std::vector<cl_int>(count);
  cl::Buffer on_host{context, CL_MEM_USE_HOST_PTR, bytes, host.data()};

  Program() : OneDevice(source) {}
  cl::Event number() {
    cl::Kernel kernel(program, "number");
    kernel.setArg(0, on_host);
    cl::Event event;
    queue.enqueueNDRangeKernel(kernel, 0, count, 64, nullptr, &event);
    queue.flush();
    return event;
  }
  cl::Event read(const cl::Buffer &buffer) {
    cl::Event event;
    queue.enqueueReadBuffer(buffer, CL_FALSE, 0, bytes, other.data(), nullptr, &event);
    queue.flush();
    return event;
  }
};

struct Heard {
  int value = 0;
  std::atomic<bool> is_done = false;
};
void CL_CALLBACK hear(cl_event, cl_int, void *data) {
  auto &heard = *static_cast<Heard *>(data);
  heard.value += 1;
  heard.is_done.store(true, std::memory_order_relaxed);
}

using Case = std::function<void(Program &)>;
const std::map<std::string, Case> cases = {
    {"waits_for_event",
     [](Program &p) {
       p.host[1] = 5;
       p.number().wait();
       p.host[1] += 1;
     }},
    {"finishes",
     [](Program &p) {
       p.number();
       p.read(p.on_host);
       p.queue.finish();
       p.host[1] = p.other[1];
     }},
    {"callback_before_wait",
     [](Program &p) {
       Heard heard;
       heard.value = 1;
       cl::Event event = p.number();
       event.setCallback(CL_COMPLETE, hear, &heard);
       event.wait();
       while (!heard.is_done.load(std::memory_order_acquire))
         ;
       p.host[1] = 1;
     }},
    {"user_event",
     [](Program &p) {
       cl::UserEvent gate(p.context);
       const std::vector<cl::Event> after{gate};
       cl::Event event;
       p.queue.enqueueReadBuffer(p.on_host, CL_FALSE, 0, bytes, p.other.data(), &after, &event);
       p.other[1] = 7;
       gate.setStatus(CL_COMPLETE);
       event.wait();
       p.other[1] += 1;
     }},
    // ---- wrong
    {"writes_beside_kernel",
     [](Program &p) {
       cl::Event event = p.number();
       p.host[1] = 5;
       event.wait();
     }},
    {"uses_what_is_read_too_early",
     [](Program &p) {
       cl::Event event = p.read(p.on_host);
       p.other[1] += 1;
       event.wait();
     }},
    {"waits_for_the_wrong_event",
     [](Program &p) {
       cl::Event first = p.number(), second = p.read(p.on_host);
       first.wait();
       p.other[1] += 1;
       second.wait();
     }},
};

} // namespace

int main(int argc, char **argv) {
  const auto found = cases.find(argc == 2 ? argv[1] : "");
  if (found == cases.end())
    return 2;
  Program program;
  found->second(program);
  program.queue.finish();
  return 0;
}
