// Commands with and without an order: command_races CASE. check_commands_test.py has the verdicts.
#include "one_device.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace {

constexpr size_t count = 4096, bytes = count * sizeof(cl_int);
constexpr size_t counts = 64 * count; // enough work-items for a private copy in each worker
constexpr char source[] = R"(
kernel void number(global int *a) { a[get_global_id(0)] = get_global_id(0); }
kernel void add_one(global int *a) { a[get_global_id(0)] += 1; }
kernel void take(global int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }
kernel void smooth(global int *a, global int *b) {
  const int x = get_global_id(0) % 64, y = get_global_id(0) / 64;
  if (x != 0 && x != 63 && y != 0 && y != 63)
    b[64 * y + x] = a[64 * y + x - 1] + a[64 * y + x + 1] + a[64 * y + x - 64] + a[64 * y + x + 64];
}
kernel void sort_out(global int *a, global int *b) { if (get_global_id(0) % 3) b[get_global_id(0)] = a[get_global_id(0) * 7 % get_global_size(0)]; }
kernel void look_up(constant int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0) * 7 % (get_global_size(0) / 4)]; }
kernel void rows(global int *a) { a[128 * (get_group_id(0) + 1) + 1 + get_local_id(0)] = 1; }
kernel void spread(global int *a) {
  local int own[64];
  own[get_local_id(0)] = 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t event = async_work_group_strided_copy(a + 192 * get_group_id(0), own, 64, 3, 0);
  wait_group_events(1, &event);
}
kernel void count(global int *a) { atomic_add(&a[get_global_id(0) % 64 * 2], get_global_id(0) == 0); }
kernel void tally(global int *a) { atomic_inc(a); mem_fence(CLK_GLOBAL_MEM_FENCE); }
)";

constexpr char enqueues[] = R"(
kernel void lets_number(global int *a) {
  if (get_global_id(0) == 0)
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(get_global_size(0)), ^{ a[get_global_id(0)] = get_global_id(0); });
}
)";

struct Program : OneDevice {
  cl::CommandQueue free, free2, in_order, in_order2;
  cl::DeviceCommandQueue on_device;
  cl::Buffer a, b, c;
  std::vector<cl_int> host = std::vector<cl_int>(count);

  Program() : OneDevice(source) {
    for (cl::CommandQueue *queue : {&free, &free2})
      *queue = cl::CommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (cl::CommandQueue *queue : {&in_order, &in_order2})
      *queue = cl::CommandQueue(context, device);
    for (cl::Buffer *buffer : {&a, &b, &c})
      *buffer = cl::Buffer(context, CL_MEM_READ_WRITE, bytes);
  }

  using Events = std::vector<cl::Event>;
  cl::Event run(cl::CommandQueue &queue, const char *name, std::vector<cl::Buffer> arguments,
                const Events &after = {}, size_t offset = 0, size_t size = count) {
    cl::Kernel kernel(program, name);
    for (cl_uint i = 0; i < arguments.size(); ++i)
      kernel.setArg(i, arguments[i]);
    cl::Event event;
    queue.enqueueNDRangeKernel(kernel, offset, size, 64, &after, &event);
    return event;
  }
  // Writes the first half of `a` from a kernel that the launch enqueues.
  cl::Event let_number(cl::CommandQueue &queue) {
    on_device = cl::DeviceCommandQueue::makeDefault(context, device);
    cl::Program program(context, enqueues);
    program.build("-cl-std=CL3.0");
    cl::Kernel kernel(program, "lets_number");
    kernel.setArg(0, a);
    cl::Event event;
    queue.enqueueNDRangeKernel(kernel, 0, count / 2, 64, nullptr, &event);
    return event;
  }
  cl::Event read(cl::CommandQueue &queue, const Events &after = {}) {
    cl::Event event;
    queue.enqueueReadBuffer(a, CL_FALSE, 0, bytes, host.data(), &after, &event);
    return event;
  }
  cl::Event fill(cl::CommandQueue &queue, size_t begin, size_t end, const Events &after = {}) {
    cl::Event event;
    queue.enqueueFillBuffer(a, cl_int(7), begin, end - begin, &after, &event);
    return event;
  }
  cl::Event run_native(cl::CommandQueue &queue, const Events &after = {}) {
    struct Arguments {
      cl_int *memory;
    } arguments{};
    cl_mem memory = a();
    const void *place = &arguments.memory;
    cl_event event = nullptr;
    std::vector<cl_event> list;
    for (const cl::Event &one : after)
      list.push_back(one());
    clEnqueueNativeKernel(
        queue(), [](void *given) { static_cast<Arguments *>(given)->memory[0] = 5; }, &arguments,
        sizeof arguments, 1, &memory, &place, cl_uint(list.size()),
        list.empty() ? nullptr : list.data(), &event);
    return cl::Event(event);
  }
  // Writes half of each row of 128 bytes, from `begin` on.
  void rows(cl::CommandQueue &queue, size_t begin) {
    queue.enqueueWriteBufferRect(a, CL_FALSE, {begin, 0, 0}, {0, 0, 0}, {64, bytes / 128, 1}, 128,
                                 0, 64, 0, host.data());
  }
  void *map(cl::CommandQueue &queue, cl_map_flags flags, cl_bool waits = CL_TRUE) {
    return queue.enqueueMapBuffer(a, waits, flags, 0, bytes);
  }
  // Shared virtual memory mapped with `flags` before the kernel, unmapped before or after it.
  void run_on_shared(const char *name, cl_map_flags flags, bool is_unmapped_before) {
    auto *shared = static_cast<cl_int *>(clSVMAlloc(context(), CL_MEM_READ_WRITE, bytes, 0));
    clEnqueueSVMMap(in_order(), CL_TRUE, flags, shared, bytes, 0, nullptr, nullptr);
    auto unmap = [&] { clEnqueueSVMUnmap(in_order(), shared, 0, nullptr, nullptr); };
    if (is_unmapped_before)
      unmap();
    cl::Kernel kernel(program, name);
    clSetKernelArgSVMPointer(kernel(), 0, shared);
    if (std::string(name) == "take")
      kernel.setArg(1, b);
    in_order.enqueueNDRangeKernel(kernel, 0, count, 64);
    if (!is_unmapped_before)
      unmap();
    in_order.finish();
    clSVMFree(context(), shared);
  }
  // Coarse-grained shared virtual memory of whole pages, numbered by a kernel, between two maps.
  volatile cl_int *numbered_shared() {
    auto *shared = static_cast<cl_int *>(clSVMAlloc(context(), CL_MEM_READ_WRITE, bytes, 0));
    cl::Kernel kernel(program, "number");
    clSetKernelArgSVMPointer(kernel(), 0, shared);
    in_order.enqueueNDRangeKernel(kernel, 0, count, 64);
    in_order.finish();
    return shared;
  }
  void map(volatile cl_int *shared, cl_map_flags flags, cl_bool waits = CL_TRUE,
           size_t size = bytes) {
    clEnqueueSVMMap(in_order(), waits, flags, const_cast<cl_int *>(shared), size, 0, nullptr,
                    nullptr);
  }
  void unmap(volatile cl_int *shared) {
    clEnqueueSVMUnmap(in_order(), const_cast<cl_int *>(shared), 0, nullptr, nullptr);
  }
  void let_go(volatile cl_int *shared) {
    in_order.finish();
    clSVMFree(context(), const_cast<cl_int *>(shared));
  }
  void finish() {
    for (cl::CommandQueue *queue : {&free, &free2, &in_order, &in_order2})
      queue->finish();
  }
};

// Two sub-devices in a context of their own, with one queue each.
struct Parts {
  std::vector<cl::Device> devices;
  cl::Context context;
  cl::Buffer a, b;
  std::vector<cl::CommandQueue> queues;
  cl::Program program;

  explicit Parts(cl::Device &device) {
    const auto half = cl_device_partition_property(
        std::max(1u, device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>() / 2));
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, half, 0};
    device.createSubDevices(equally, &devices);
    if (devices.size() < 2)
      std::exit(77); // there is only one core
    context = cl::Context(devices);
    for (cl::Buffer *buffer : {&a, &b})
      *buffer = cl::Buffer(context, CL_MEM_READ_WRITE, bytes);
    for (const cl::Device &part : devices)
      queues.emplace_back(context, part);
    program = cl::Program(context, source);
    program.build(devices);
  }
  cl::Event run(size_t part, const char *name, std::vector<cl::Buffer> arguments,
                const std::vector<cl::Event> &after = {}) {
    cl::Kernel kernel(program, name);
    for (cl_uint i = 0; i < arguments.size(); ++i)
      kernel.setArg(i, arguments[i]);
    cl::Event event;
    queues[part].enqueueNDRangeKernel(kernel, 0, count, 64, &after, &event);
    return event;
  }
  void finish() {
    for (cl::CommandQueue &queue : queues)
      queue.finish();
  }
};

using Case = std::function<void(Program &)>;
const std::map<std::string, Case> cases = {
    // ---- right
    {"parts_by_event",
     [](Program &p) {
       Parts parts(p.device);
       cl::Event made = parts.run(0, "number", {parts.a});
       parts.run(1, "take", {parts.a, parts.b}, {made});
       parts.finish();
     }},
    {"native_kernel_by_event",
     [](Program &p) {
       cl::Event made = p.run(p.free, "number", {p.a});
       p.run_native(p.free, {made});
     }},
    {"rows_side_by_side",
     [](Program &p) {
       p.rows(p.free, 0);
       p.rows(p.free2, 64);
     }},
    {"in_order",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       p.run(p.in_order, "add_one", {p.a});
       p.read(p.in_order);
     }},
    {"by_events",
     [](Program &p) {
       cl::Event made = p.run(p.free, "number", {p.a});
       cl::Event one = p.run(p.free2, "take", {p.a, p.b}, {made});
       cl::Event other = p.run(p.in_order, "take", {p.a, p.c}, {made});
       p.fill(p.free, 0, bytes, {one, other});
     }},
    {"by_barrier",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       p.free.enqueueBarrierWithWaitList();
       p.read(p.free);
     }},
    {"by_marker",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       cl::Event all;
       p.free.enqueueMarkerWithWaitList(nullptr, &all);
       p.read(p.in_order, {all});
     }},
    {"by_finish",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       p.free.finish();
       p.read(p.free2);
     }},
    {"by_wait_for_a_later_one",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       p.run(p.in_order, "number", {p.b}).wait();
       p.read(p.free);
     }},
    {"by_polling",
     [](Program &p) {
       cl::Event made = p.run(p.in_order, "number", {p.a});
       p.in_order.flush();
       while (made.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE)
         std::this_thread::yield();
       p.read(p.free);
     }},
    {"by_user_event",
     [](Program &p) {
       cl::UserEvent go(p.context);
       cl::Event later = p.read(p.free, {go});
       p.run(p.in_order, "number", {p.a}).wait();
       go.setStatus(CL_COMPLETE);
       later.wait();
     }},
    {"two_readers",
     [](Program &p) {
       p.run(p.free, "take", {p.a, p.b});
       p.run(p.free, "take", {p.a, p.c});
       p.read(p.free2);
     }},
    {"halves",
     [](Program &p) {
       p.run(p.free, "number", {p.a}, {}, 0, count / 2);
       p.run(p.free2, "number", {p.a}, {}, count / 2, count / 2);
       p.free.finish();
       p.free2.finish();
       p.fill(p.free, 0, bytes / 2);
       p.fill(p.free, bytes / 2, bytes);
     }},
    {"maps_waited_for",
     [](Program &p) {
       auto map = [&p](cl::CommandQueue &queue, cl::Event &event) {
         return static_cast<volatile cl_int *>(queue.enqueueMapBuffer(
             p.a, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, nullptr, &event));
       };
       auto use = [&p](volatile cl_int *mapped) {
         mapped[7] = mapped[8] + 1;
         p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
         p.in_order.finish();
       };
       cl::Event event;
       auto *mapped = map(p.in_order, event);
       p.in_order.finish();
       use(mapped);
       mapped = map(p.in_order, event);
       event.wait();
       use(mapped);
       mapped = map(p.free, event);
       cl::Event marker;
       const Program::Events after{event};
       p.free2.enqueueMarkerWithWaitList(&after, &marker);
       marker.wait();
       use(mapped);
       mapped = map(p.in_order, event);
       p.in_order.flush();
       while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE)
         std::this_thread::yield();
       use(mapped);
       mapped = map(p.in_order, event);
       static std::atomic<bool> is_called = false;
       event.setCallback(CL_COMPLETE, [](cl_event, cl_int, void *) { is_called = true; });
       p.in_order.flush();
       while (!is_called)
         std::this_thread::yield();
       use(mapped);
       mapped = map(p.in_order, event);
       p.in_order.enqueueReadBuffer(p.b, CL_TRUE, 0, bytes, p.host.data());
       use(mapped);
     }},
    {"gathered_beside",
     [](Program &p) {
       p.run(p.free, "sort_out", {p.a, p.b}, {}, 0, count / 4);
       p.run(p.free2, "number", {p.a}, {}, count / 2, count / 2);
       p.free.finish();
       p.free2.finish();
     }},
    {"constant_memory_by_event",
     [](Program &p) {
       cl::Event made = p.run(p.free, "number", {p.a});
       cl::Event used = p.run(p.free2, "look_up", {p.a, p.b}, {made});
       p.fill(p.free, 0, bytes, {used});
     }},
    {"constant_memory_beside",
     [](Program &p) {
       p.run(p.free, "look_up", {p.a, p.b});
       p.run(p.free2, "number", {p.a}, {}, count / 2, count / 2);
     }},
    {"steps_of_stencil_by_events",
     [](Program &p) {
       const cl::Event first = p.run(p.free, "smooth", {p.a, p.b});
       p.run(p.free, "smooth", {p.b, p.c}, {first});
       p.free.finish();
     }},
    {"counted_in_copies_beside", // each worker has a private copy of some words
     [](Program &p) {
       p.run(p.free, "count", {p.a}, {}, 0, counts);
       p.run(p.free2, "count", {p.a}, {}, 0, counts);
       p.fill(p.free, 128 * sizeof(cl_int), bytes);
       p.finish();
     }},
    {"counted_in_copies_and_filled",
     [](Program &p) {
       p.run(p.free, "count", {p.a}, {}, 0, counts);
       p.fill(p.free, 126 * sizeof(cl_int), bytes);
       p.finish();
     }},
    {"word_between_counters_is_filled",
     [](Program &p) {
       p.run(p.free, "count", {p.a}, {}, 0, counts);
       p.fill(p.free, 63 * sizeof(cl_int), 64 * sizeof(cl_int));
       p.finish();
     }},
    {"filled_beside_long_rows", // the launch knows its own footprint
     [](Program &p) {
       p.run(p.free, "rows", {p.a}, {}, 0, 30 * 64);
       cl::Event before = p.fill(p.free2, 0, 129 * sizeof(cl_int));
       for (size_t row = 1; row != 31; ++row)
         before = p.fill(p.free2, (128 * row + 65) * sizeof(cl_int),
                         (128 * row + 129) * sizeof(cl_int), {before});
       p.finish();
     }},
    {"filled_in_a_long_row",
     [](Program &p) {
       p.run(p.free, "rows", {p.a}, {}, 0, 30 * 64);
       p.fill(p.free, (128 * 5 + 64) * sizeof(cl_int), (128 * 5 + 65) * sizeof(cl_int));
       p.finish();
     }},
    {"filled_between_what_is_copied", // every third word
     [](Program &p) {
       p.run(p.free, "spread", {p.a}, {}, 0, count / 4);
       p.fill(p.free, 4, 12);
       p.fill(p.free, count / 256 * 192 * sizeof(cl_int), bytes);
       p.finish();
     }},
    {"filled_where_it_is_copied",
     [](Program &p) {
       p.run(p.free, "spread", {p.a}, {}, 0, count / 4);
       p.fill(p.free, 187 * sizeof(cl_int), 190 * sizeof(cl_int));
       p.finish();
     }},
    {"atomics", // both add to one word at the same time
     [](Program &p) {
       p.fill(p.free, 0, bytes).wait();
       p.run(p.free, "tally", {p.a});
       p.run(p.free2, "tally", {p.a});
       p.finish();
       p.read(p.free).wait();
       if (p.host[0] != cl_int(7 + 2 * count)) {
         std::fprintf(stderr, "the sum is %d\n", p.host[0]);
         std::exit(1);
       }
     }},
    {"halves_of_a_child", // the first launch covers all that it enqueues
     [](Program &p) {
       p.let_number(p.free);
       p.fill(p.free2, bytes / 2, bytes);
       p.finish();
     }},
    {"child_by_event",
     [](Program &p) {
       const auto event = p.let_number(p.free);
       p.read(p.free2, {event});
       p.finish();
     }},
    {"other_buffers_later", // memory may be at an address that another buffer had before
     [](Program &p) {
       for (int i = 0; i < 200; ++i) {
         p.a = cl::Buffer(p.context, CL_MEM_READ_WRITE, bytes);
         p.run(p.free, "number", {p.a});
       }
     }},
    {"unmapped_before",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_WRITE);
       static_cast<cl_int *>(mapped)[0] = 7;
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       p.run(p.in_order, "take", {p.a, p.b});
     }},
    {"unmapped_by_event",
     [](Program &p) {
       void *mapped = p.map(p.free, CL_MAP_READ | CL_MAP_WRITE);
       cl::Event unmapped;
       p.free.enqueueUnmapMemObject(p.a, mapped, nullptr, &unmapped);
       p.run(p.free2, "number", {p.a}, {unmapped});
     }},
    {"read_while_mapped_for_reading",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_READ);
       p.run(p.in_order, "take", {p.a, p.b});
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"runs_when_it_is_unmapped", // although it was enqueued before
     [](Program &p) {
       cl::UserEvent go(p.context);
       void *mapped = p.map(p.free, CL_MAP_WRITE);
       p.run(p.free2, "number", {p.a}, {go});
       cl::Event unmapped;
       p.free.enqueueUnmapMemObject(p.a, mapped, nullptr, &unmapped);
       unmapped.wait();
       go.setStatus(CL_COMPLETE);
     }},
    {"mapped_again",
     [](Program &p) {
       for (int i = 0; i < 3; ++i) {
         void *mapped = p.map(p.in_order, CL_MAP_WRITE, CL_FALSE);
         p.in_order.enqueueUnmapMemObject(p.a, mapped);
         p.run(p.in_order, "add_one", {p.a});
       }
     }},
    {"touched_while_mapped",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       auto *mapped = static_cast<cl_int *>(p.map(p.in_order, CL_MAP_READ | CL_MAP_WRITE));
       if (mapped[7] != 7)
         std::abort();
       mapped[count - 1] = 5;
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       p.run(p.in_order, "add_one", {p.a});
       p.in_order.enqueueReadBuffer(p.a, CL_TRUE, 0, bytes, p.host.data());
       if (p.host[7] != 8 || p.host[count - 1] != 6)
         std::abort();
     }},
    {"other_part_stays_mapped",
     [](Program &p) {
       auto *one = p.in_order.enqueueMapBuffer(p.a, CL_TRUE, CL_MAP_READ, 0, 64);
       auto *other =
           static_cast<cl_int *>(p.in_order.enqueueMapBuffer(p.a, CL_TRUE, CL_MAP_WRITE, 64, 64));
       p.in_order.enqueueUnmapMemObject(p.a, one);
       other[0] = 1;
       p.in_order.enqueueUnmapMemObject(p.a, other);
     }},
    {"shared_is_unmapped_before",
     [](Program &p) { p.run_on_shared("number", CL_MAP_READ | CL_MAP_WRITE, true); }},
    {"shared_is_read_while_mapped_for_reading",
     [](Program &p) { p.run_on_shared("take", CL_MAP_READ, false); }},
    // ---- wrong
    {"shared_is_read_while_mapped_for_writing",
     [](Program &p) { p.run_on_shared("take", CL_MAP_WRITE, false); }},
    {"shared_is_written_while_mapped",
     [](Program &p) { p.run_on_shared("number", CL_MAP_READ, false); }},
    {"read_while_mapped_for_writing",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_WRITE);
       p.run(p.in_order, "take", {p.a, p.b});
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"written_while_mapped",
     [](Program &p) {
       p.map(p.in_order, CL_MAP_READ);
       p.run(p.in_order, "number", {p.a});
     }},
    {"unmapped_without_event",
     [](Program &p) {
       cl::UserEvent go(p.context);
       void *mapped = p.map(p.free, CL_MAP_WRITE);
       const Program::Events wait = {go};
       p.free.enqueueUnmapMemObject(p.a, mapped, &wait);
       p.run(p.free, "number", {p.a}).wait();
       go.setStatus(CL_COMPLETE);
     }},
    {"parts_without_event",
     [](Program &p) {
       Parts parts(p.device);
       parts.run(0, "number", {parts.a});
       parts.run(1, "take", {parts.a, parts.b});
       parts.finish();
     }},
    {"native_kernel_without_event",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       p.run_native(p.free);
     }},
    {"rows_that_overlap",
     [](Program &p) {
       p.rows(p.free, 0);
       p.fill(p.free2, 0, bytes);
     }},
    {"read_without_event",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       p.read(p.free);
     }},
    {"child_without_event",
     [](Program &p) {
       p.let_number(p.free);
       p.read(p.free2);
       p.finish();
     }},
    {"read_long_after",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       p.in_order.flush();
       std::this_thread::sleep_for(std::chrono::milliseconds(300));
       p.read(p.free);
     }},
    {"two_queues",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       p.run(p.in_order2, "take", {p.a, p.b});
     }},
    {"waits_for_the_wrong_event",
     [](Program &p) {
       p.run(p.free, "number", {p.a});
       cl::Event other = p.run(p.free, "number", {p.b});
       p.read(p.free, {other});
     }},
    {"written_while_read",
     [](Program &p) {
       p.run(p.free, "take", {p.a, p.b});
       p.fill(p.free2, 0, bytes);
     }},
    {"fills_that_overlap",
     [](Program &p) {
       p.fill(p.free, 0, bytes / 2 + 4);
       p.fill(p.free, bytes / 2, bytes);
     }},
    {"rows_that_meet_rows",
     [](Program &p) {
       p.rows(p.free, 0);
       p.rows(p.free2, 32);
     }},
    {"rest_is_read_and_written", // neither accesses all of the buffer
     [](Program &p) {
       p.run(p.free, "number", {p.a}, {}, 0, count / 2);
       p.run(p.free, "take", {p.a, p.b}, {}, 0, count / 2);
     }},
    {"steps_of_stencil",
     [](Program &p) {
       p.run(p.free, "smooth", {p.a, p.b});
       p.run(p.free, "smooth", {p.b, p.c});
     }},
    {"constant_memory_while_written",
     [](Program &p) {
       p.run(p.free, "look_up", {p.a, p.b});
       p.run(p.free2, "number", {p.a}, {}, 0, count / 4);
     }},
    {"gathered_while_written",
     [](Program &p) {
       p.run(p.free, "sort_out", {p.a, p.b}, {}, 0, count / 4);
       p.run(p.free2, "sort_out", {p.c, p.a}, {}, 0, count / 2);
     }},
    {"native_kernel_beside_a_half",
     [](Program &p) {
       p.run(p.free, "number", {p.a}, {}, 0, count / 2);
       p.run_native(p.free);
     }},
    {"halves_that_overlap",
     [](Program &p) {
       p.run(p.free, "number", {p.a}, {}, 0, count / 2 + 64);
       p.run(p.free2, "number", {p.a}, {}, count / 2, count / 2);
     }},
    {"host_reads_unmapped",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_READ));
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
       p.in_order.finish();
       if (mapped[3] != 3) // HOST READS
         std::abort();
     }},
    {"host_writes_unmapped",
     [](Program &p) {
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_WRITE));
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
       mapped[3] = 77; // HOST WRITES
       p.in_order.enqueueReadBuffer(p.a, CL_TRUE, 0, bytes, p.host.data());
       if (p.host[3] != 77)
         std::abort();
     }},
    {"another_thread_reads_unmapped",
     [](Program &p) {
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_WRITE));
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
       std::thread([mapped] { mapped[0] = 1; }).join();
     }},
    {"host_reads_before_map_has_ended",
     [](Program &p) {
       cl::UserEvent gate(p.context);
       const Program::Events after{gate};
       auto *mapped = static_cast<volatile cl_int *>(
           p.in_order.enqueueMapBuffer(p.a, CL_FALSE, CL_MAP_READ, 0, bytes, &after));
       p.host[0] = mapped[0];
       gate.setStatus(CL_COMPLETE);
     }},
    {"host_reads_long_after_map_has_ended", // nothing has waited for it
     [](Program &p) {
       cl::Event mapped_event;
       auto *mapped = static_cast<volatile cl_int *>(p.in_order.enqueueMapBuffer(
           p.a, CL_FALSE, CL_MAP_READ, 0, bytes, nullptr, &mapped_event));
       p.in_order.flush();
       std::this_thread::sleep_for(std::chrono::milliseconds(100));
       p.host[0] = mapped[0];
     }},
    {"host_writes_what_is_mapped_for_reading",
     [](Program &p) {
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_READ));
       mapped[0] = 1;
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
     }},
    {"commands_use_what_is_mapped", // between map and unmap; the program waits for neither
     [](Program &p) {
       cl::UserEvent go(p.context);
       const Program::Events after{go};
       p.run(p.in_order, "number", {p.b});
       void *mapped = p.in_order.enqueueMapBuffer(p.a, CL_FALSE, CL_MAP_WRITE, 0, bytes, &after);
       p.in_order.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes, mapped);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       mapped = p.map(p.in_order, CL_MAP_READ, CL_FALSE);
       p.in_order.enqueueWriteBuffer(p.c, CL_FALSE, 0, bytes, mapped);
       p.in_order.enqueueWriteBufferRect(p.c, CL_FALSE, {64, 0, 0}, {64, 0, 0},
                                         {64, bytes / 128, 1}, 128, 0, 128, 0, mapped);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       go.setStatus(CL_COMPLETE);
       p.in_order.enqueueReadBuffer(p.c, CL_TRUE, 0, bytes, p.host.data());
       if (p.host[3] != 3 || p.host[count - 1] != count - 1)
         std::abort();
     }},
    {"read_into_what_is_mapped_for_reading",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_READ);
       p.in_order.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes, mapped);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"read_into_what_was_unmapped",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_WRITE);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       p.in_order.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes, mapped);
     }},
    {"read_into_more_than_is_mapped",
     [](Program &p) {
       void *mapped = p.in_order.enqueueMapBuffer(p.a, CL_TRUE, CL_MAP_WRITE, 0, bytes / 2);
       p.in_order.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes / 2 + 4, mapped);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"written_from_what_another_queue_unmaps",
     [](Program &p) {
       void *mapped = p.map(p.free, CL_MAP_READ | CL_MAP_WRITE);
       p.free.enqueueWriteBuffer(p.b, CL_FALSE, 0, bytes, mapped);
       p.free2.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"read_into_what_kernel_uses", // it may read what is mapped for reading, but not during a write
     [](Program &p) {
       void *mapped = p.map(p.free, CL_MAP_READ);
       p.run(p.free, "take", {p.a, p.c});
       p.free.enqueueReadBuffer(p.b, CL_FALSE, 0, bytes, mapped);
       p.finish();
       p.free.enqueueUnmapMemObject(p.a, mapped);
     }},
    {"host_copies_unmapped",
     [](Program &p) {
       void *mapped = p.map(p.in_order, CL_MAP_READ);
       p.in_order.enqueueUnmapMemObject(p.a, mapped);
       std::memcpy(p.host.data(), mapped, bytes); // HOST COPIES
     }},
    {"host_reads_unmapped_while_stderr_is_locked", // a report needs the lock
     [](Program &p) {
       auto *mapped = static_cast<volatile cl_int *>(p.map(p.in_order, CL_MAP_READ));
       p.in_order.enqueueUnmapMemObject(p.a, const_cast<cl_int *>(mapped));
       flockfile(stderr);
       const cl_int read = mapped[3]; // HOST READS LOCKED
       std::fprintf(stderr, "the program has read %d\n", read);
       funlockfile(stderr);
     }},

    // ---- coarse-grained shared virtual memory
    {"shared_is_touched_while_mapped",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       for (int round = 0; round < 3; ++round) {
         p.map(shared, CL_MAP_READ | CL_MAP_WRITE);
         if (shared[7] != 7 + round)
           std::abort();
         shared[7] = 8 + round;
         p.unmap(shared);
       }
       p.map(shared, CL_MAP_READ);
       std::thread([shared] { // a thread that started while it was mapped
         if (shared[7] != 10 || shared[count - 1] != count - 1)
           std::abort();
       })
           .join();
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_touched_by_commands",
     [](Program &p) {
       auto *shared = const_cast<cl_int *>(p.numbered_shared());
       const cl_int seven = 7;
       clEnqueueSVMMemFill(p.in_order(), shared, &seven, sizeof seven, 64, 0, nullptr, nullptr);
       clEnqueueSVMMemcpy(p.in_order(), CL_TRUE, p.host.data(), shared, bytes, 0, nullptr, nullptr);
       if (p.host[15] != 7 || p.host[16] != 16)
         std::abort();
       p.host[3] = 33;
       clEnqueueSVMMemcpy(p.in_order(), CL_TRUE, shared, p.host.data(), 16, 0, nullptr, nullptr);
       p.in_order.enqueueWriteBuffer(p.a, CL_TRUE, 0, bytes, shared);
       p.in_order.enqueueReadBuffer(p.a, CL_TRUE, 0, bytes, p.host.data());
       if (p.host[3] != 33 || p.host[count - 1] != count - 1)
         std::abort();
       p.let_go(shared);
     }},
    {"shared_is_read_unmapped",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       if (shared[3] != 3) // SHARED READS
         std::abort();
       p.let_go(shared);
     }},
    {"shared_is_written_after_unmap",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.map(shared, CL_MAP_READ | CL_MAP_WRITE);
       shared[3] = 5;
       p.unmap(shared);
       shared[3] = 77; // SHARED WRITES
       p.map(shared, CL_MAP_READ);
       if (shared[3] != 77)
         std::abort();
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_read_before_map_has_ended",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.map(shared, CL_MAP_READ, CL_FALSE);
       p.host[0] = shared[0]; // SHARED READS EARLY
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_read_where_it_is_not_mapped",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.map(shared, CL_MAP_READ, CL_TRUE, 4096);
       p.host[0] = shared[0] + shared[count - 1]; // SHARED READS BESIDE
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_written_while_mapped_for_reading",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.map(shared, CL_MAP_READ);
       shared[1] = shared[0]; // SHARED WRITES FOR READING
       p.unmap(shared);
       p.let_go(shared);
     }},
    {"shared_is_written_by_native_kernel",
     [](Program &p) {
       auto *shared = p.numbered_shared();
       p.in_order.enqueueNativeKernel(
           [](void *given) { **static_cast<cl_int *volatile *>(given) = 5; }, // SHARED NATIVE
           {&shared, sizeof shared});
       p.let_go(shared);
     }},
    {"memory_of_device_is_written",
     [](Program &p) {
       p.run(p.in_order, "number", {p.a});
       auto allocate = reinterpret_cast<void *(*)(cl_context, cl_device_id, const cl_ulong *,
                                                  size_t, cl_uint, cl_int *)>(
           clGetExtensionFunctionAddressForPlatform(
               cl::Platform(p.device.getInfo<CL_DEVICE_PLATFORM>())(), "clDeviceMemAllocINTEL"));
       auto free = reinterpret_cast<cl_int (*)(cl_context, void *)>(
           clGetExtensionFunctionAddressForPlatform(
               cl::Platform(p.device.getInfo<CL_DEVICE_PLATFORM>())(), "clMemFreeINTEL"));
       auto *memory = static_cast<volatile cl_int *>(
           allocate(p.context(), p.device(), nullptr, bytes, 0, nullptr));
       memory[5] = 6; // DEVICE WRITES
       free(p.context(), const_cast<cl_int *>(memory));
     }},
};

} // namespace

int main(int argc, char **argv) {
  const auto found = argc == 2 ? cases.find(argv[1]) : cases.end();
  if (found == cases.end()) {
    std::fprintf(stderr, "command_races: no such case\n");
    return 1;
  }
  Program program;
  found->second(program);
  program.finish();
  return 0;
}
