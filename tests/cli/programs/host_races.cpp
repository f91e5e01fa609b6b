// The program's own accesses beside those of commands, for a build with -fsanitize=thread:
// host_races CASE. host_races_test.py has the verdicts.
#include "one_device.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace {

constexpr size_t count = 4096, bytes = count * sizeof(cl_int);
constexpr char source[] =
    "kernel void number(global int *a) { a[get_global_id(0)] = get_global_id(0); }";

struct Program : OneDevice {
  cl::CommandQueue queue{context, device};
  std::vector<cl_int> host = std::vector<cl_int>(count), other = std::vector<cl_int>(count);
  cl::Buffer on_host{context, CL_MEM_USE_HOST_PTR, bytes, host.data()},
      on_device{context, CL_MEM_READ_WRITE, bytes};

  Program() : OneDevice(source) {}
  cl::Event number() {
    cl::Kernel kernel(program, "number");
    kernel.setArg(0, on_host);
    cl::Event event;
    queue.enqueueNDRangeKernel(kernel, 0, count, 64, nullptr, &event);
    queue.flush();
    return event;
  }
  cl::Event number_shared(cl_int *memory, size_t items) {
    cl::Kernel kernel(program, "number");
    kernel.setArg(0, memory);
    cl::Event event;
    queue.enqueueNDRangeKernel(kernel, 0, items, 64, nullptr, &event);
    queue.flush();
    return event;
  }
  cl::Event number_half() {
    cl::Kernel kernel(program, "number");
    kernel.setArg(0, on_host);
    cl::Event event;
    queue.enqueueNDRangeKernel(kernel, 0, count / 2, 64, nullptr, &event);
    queue.flush();
    return event;
  }
  // Reads the first four numbers of each of the host's rows of 16 numbers.
  cl::Event read_rows() {
    cl::Event event;
    queue.enqueueReadBufferRect(on_device, CL_FALSE, {0, 0, 0}, {0, 0, 0},
                                {4 * sizeof(cl_int), 8, 1}, 16 * sizeof(cl_int), 0,
                                16 * sizeof(cl_int), 0, other.data(), nullptr, &event);
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

// One thread waits for the event, another thread accesses the memory.
void hand_over(Program &p, std::memory_order gives, std::memory_order takes) {
  std::atomic<bool> is_there = false;
  std::thread second([&] {
    while (!is_there.load(takes))
      ;
    p.host[1] += 1;
  });
  p.number().wait();
  is_there.store(true, gives);
  second.join();
}

using Shared = std::vector<cl_int, cl::SVMAllocator<cl_int, cl::SVMTraitFine<>>>;

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
       static Heard heard; // not on the stack: nothing orders its next use after the callback
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
    {"two_threads",
     [](Program &p) {
       std::thread second([&p] {
         cl::CommandQueue queue(p.context, p.device);
         cl::Kernel kernel(p.program, "number");
         cl::Buffer own(p.context, CL_MEM_USE_HOST_PTR, bytes, p.other.data());
         kernel.setArg(0, own);
         queue.enqueueNDRangeKernel(kernel, 0, count, 64);
         queue.finish();
         p.other[1] += 1;
       });
       p.number().wait();
       p.host[1] += 1;
       second.join();
       p.other[2] += 1;
     }},
    {"handed_over_by_a_flag",
     [](Program &p) { hand_over(p, std::memory_order_release, std::memory_order_acquire); }},
    {"other_half_than_the_kernel",
     [](Program &p) {
       cl::Event event = p.number_half();
       p.host[count / 2] = 1;
       event.wait();
     }},
    {"beside_the_rows",
     [](Program &p) {
       cl::Event event = p.read_rows();
       p.other[4] = p.other[20] = 1;
       event.wait();
     }},
    {"shared_memory_waited_for",
     [](Program &p) {
       Shared memory(count, 0, Shared::allocator_type(p.context));
       memory[1] = 5;
       p.number_shared(&memory[0], count).wait();
       memory[1] += 1;
     }},
    {"mapped_and_unmapped",
     [](Program &p) {
       auto *mapped = static_cast<cl_int *>(
           p.queue.enqueueMapBuffer(p.on_host, CL_TRUE, CL_MAP_WRITE, 0, bytes));
       mapped[1] = 4;
       p.queue.enqueueUnmapMemObject(p.on_host, mapped);
       p.number();
       mapped = static_cast<cl_int *>(
           p.queue.enqueueMapBuffer(p.on_host, CL_TRUE, CL_MAP_READ, 0, bytes));
       p.other[1] = mapped[1];
       p.queue.enqueueUnmapMemObject(p.on_host, mapped);
     }},
    // ---- wrong
    {"slept_instead_of_waiting",
     [](Program &p) {
       cl::Event event = p.number();
       std::this_thread::sleep_for(std::chrono::milliseconds(200));
       p.host[1] += 1;
       event.wait();
     }},
    {"polled_instead_of_waiting", // a query of the status is not a synchronization point
     [](Program &p) {
       cl::Event event = p.number();
       while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE)
         std::this_thread::yield();
       p.host[1] += 1;
       event.wait();
     }},
    {"own_half_of_the_kernel",
     [](Program &p) {
       cl::Event event = p.number_half();
       p.host[count / 2 - 1] = 1;
       event.wait();
     }},
    {"in_the_rows",
     [](Program &p) {
       cl::Event event = p.read_rows();
       p.other[17] = 1;
       event.wait();
     }},
    {"shared_memory_read_too_early",
     [](Program &p) {
       Shared memory(count, 0, Shared::allocator_type(p.context));
       cl::Event event = p.number_shared(&memory[0], count);
       p.other[1] = memory[1];
       event.wait();
     }},
    {"handed_over_relaxed",
     [](Program &p) { hand_over(p, std::memory_order_relaxed, std::memory_order_relaxed); }},
    {"written_after_unmap",
     [](Program &p) {
       auto *mapped = static_cast<cl_int *>(
           p.queue.enqueueMapBuffer(p.on_host, CL_TRUE, CL_MAP_WRITE, 0, bytes));
       p.queue.enqueueUnmapMemObject(p.on_host, mapped);
       cl::Event event = p.number();
       mapped[1] = 4;
       event.wait();
     }},
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
  return run_case(cases, argc, argv);
}
