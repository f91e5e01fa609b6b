// Programs of commands for command_races.cpp, by theme: those in order, those out of order, and
// those in which the host accesses memory.
#pragma once

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

inline constexpr size_t count = 4096, bytes = count * sizeof(cl_int);
inline constexpr size_t counts = 64 * count; // enough work-items for a private copy in each worker
inline constexpr char source[] = R"(
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

inline constexpr char enqueues[] = R"(
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

// Until the status of the event is complete.
inline void poll(cl::CommandQueue &queue, const cl::Event &event) {
  queue.flush();
  while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE)
    std::this_thread::yield();
}

using Cases = std::map<std::string, std::function<void(Program &)>>;
extern const Cases ordered_cases, unordered_cases, host_cases;
