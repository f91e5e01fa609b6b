// Checks a real NVIDIA card: vectors added by the card and the CPU in one context, a sum whose last
// work-group adds the others' results, messages passed by atomics, chains of launches, copies and
// fills, times, images, groups that wait for each other in any order, and deadlocks. docs/nvidia.md says how
// to run it. Exit code 77: there is no card.
#include "tests/nvidia/images_on_card.h"
#include "tests/nvidia/two_cards_on_card.h"

#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

const char *const source = R"(
  kernel void add(global const float *a, global const float *b, global float *to) {
    size_t i = get_global_id(0);
    to[i] = a[i] + b[i];
  }
  // The group that ends last adds the sums of all groups.
  kernel void sum(global const uint *values, global uint *sums, global atomic_uint *ended,
                  global uint *result, local uint *mine) {
    size_t l = get_local_id(0), n = get_local_size(0), groups = get_num_groups(0);
    mine[l] = values[get_global_id(0)];
    for (size_t step = n / 2; step; step /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < step) mine[l] += mine[l + step];
    }
    local uint is_last;
    if (l == 0) {
      sums[get_group_id(0)] = mine[0];
      is_last = atomic_fetch_add_explicit(ended, 1, memory_order_acq_rel, memory_scope_device) ==
                groups - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!is_last) return;
    uint all = 0;
    for (size_t i = l; i < groups; i += n) all += sums[i];
    mine[l] = all;
    for (size_t step = n / 2; step; step /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < step) mine[l] += mine[l + step];
    }
    if (l == 0) *result = mine[0];
  }
  // Even groups write a message, odd groups read that of the group before them if it is there.
  kernel void pass(global uint *messages, global atomic_uint *flags, global atomic_uint *seen,
                   global atomic_uint *wrong) {
    size_t pair = get_group_id(0) / 2;
    if (get_local_id(0) != 0) return;
    if (get_group_id(0) % 2 == 0) {
      messages[pair * 64] = (uint)pair + 1;
      atomic_fetch_add_explicit(flags + pair, 1, memory_order_release, memory_scope_device);
    } else
      for (int i = 0; i < 200; ++i)
        if (atomic_fetch_add_explicit(flags + pair, 0, memory_order_acquire,
                                      memory_scope_device)) {
          atomic_fetch_add(seen, 1u);
          if (messages[pair * 64] != (uint)pair + 1) atomic_fetch_add(wrong, 1u);
          break;
        }
  }
  kernel void step(global uint *x) {
    size_t i = get_global_id(0);
    x[i] = x[i] * 3 + 1;
  }
  // Each group waits for the one before.
  kernel void hand_on(global atomic_uint *to) {
    size_t g = get_group_id(0);
    if (get_local_id(0) != 0) return;
    uint before = 0;
    while (g > 0 && !before)
      before = atomic_load_explicit(to + g - 1, memory_order_acquire, memory_scope_device);
    atomic_store_explicit(to + g, before + 1, memory_order_release, memory_scope_device);
  }
  // A group adds 64 values, or the sums of up to 256 other groups, for which it waits.
  kernel void tree(global const uint *values, global const uint *order, global const uint2 *children,
                   global uint *sums, global atomic_uint *flags) {
    local uint mine[64];
    const uint node = order[get_group_id(0)], l = get_local_id(0), first = children[node].x,
               count = children[node].y;
    uint part = 0;
    if (count == 0)
      part = values[node * 64 + l];
    for (uint i = first + l; i < first + count; i += 64) {
      while (atomic_load_explicit(flags + i, memory_order_acquire, memory_scope_device) == 0) {}
      part += sums[i];
    }
    mine[l] = part;
    for (uint step = 32; step; step /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < step) mine[l] += mine[l + step];
    }
    if (l == 0) {
      sums[node] = mine[0];
      atomic_store_explicit(flags + node, 1, memory_order_release, memory_scope_device);
    }
  }
  // Work-items keep values in private and local memory while they wait for the group behind.
  kernel void keep(global uint *to, global atomic_uint *flags) {
    local uint mine[128];
    const uint g = get_group_id(0), l = get_local_id(0), n = get_num_groups(0);
    uint own[5];
    for (uint i = 0; i < 5; ++i)
      own[(i + l) % 5] = g * 1000 + l * 5 + i;
    mine[l] = g + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % 32 == 3 && g + 1 < n)
      while (atomic_load_explicit(flags + g + 1, memory_order_acquire, memory_scope_device) < 4) {}
    const uint other = sub_group_reduce_add(mine[127 - l]);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    to[g * 128 + l] = own[l % 5] + mine[127 - l] + other + (g + 1 < n ? to[(g + 1) * 128 + l] : 0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l % 32 == 3)
      atomic_fetch_add_explicit(flags + g, 1, memory_order_acq_rel, memory_scope_device);
  }
  // Groups at two edges are smaller. Each waits for the one behind.
  kernel void sizes(global uint *to, global atomic_uint *flags) {
    const uint number = get_group_id(1) * get_num_groups(0) + get_group_id(0),
               groups = get_num_groups(0) * get_num_groups(1), l = get_local_linear_id();
    if (l == 5 && number + 1 < groups)
      while (!atomic_load_explicit(flags + number + 1, memory_order_acquire, memory_scope_device)) {}
    const uint items = sub_group_reduce_add(1u), sum = work_group_reduce_add((uint)get_local_id(0));
    to[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
        items * 1000000 + sum * 1000 + get_local_size(0) * 10 + get_local_size(1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
      atomic_store_explicit(flags + number, 1, memory_order_release, memory_scope_device);
  }
  kernel void wait_for(global uint *to, global atomic_uint *flag) {
    while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {}
    to[get_global_id(0)] = get_group_id(0) + 1;
  }
  kernel void raise(global atomic_uint *flag) {
    atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
  }
  // Each group waits for the next one, and the last one for the first.
  kernel void circle(global atomic_uint *to) {
    if (get_local_id(0) != 1) return;
    while (atomic_load_explicit(to + (get_group_id(0) + 1) % get_num_groups(0),
                                memory_order_acquire, memory_scope_device) != 5) {}
    atomic_store_explicit(to + get_group_id(0), 5, memory_order_release, memory_scope_device);
  })";

void check(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  std::printf("FAILED: %s: error %d\n", what, status);
  std::exit(1);
}

std::string text(cl_device_id device, cl_device_info what) {
  std::vector<char> value(1000);
  check(clGetDeviceInfo(device, what, value.size() - 1, value.data(), nullptr), "clGetDeviceInfo");
  return value.data();
}

struct Devices {
  cl_device_id card = nullptr, cpu = nullptr, other_card = nullptr;
};

Devices find_devices() {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  Devices found;
  check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  for (cl_uint i = 0; i < count; ++i) {
    char name[100] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    if (std::string(name) != "Lockstep")
      continue;
    cl_device_id cards[2]{};
    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 2, cards, nullptr);
    found.card = cards[0];
    found.other_card = cards[1];
    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &found.cpu, nullptr);
  }
  return found;
}

class Session {
public:
  // `other` may be the CPU or a second card.
  Session(cl_device_id card, cl_device_id other) {
    const cl_device_id both[] = {card, other};
    cl_int status = 0;
    context_ = clCreateContext(
        nullptr, 2, both,
        [](const char *message, const void *, size_t, void *) { std::printf("  %s\n", message); },
        nullptr, &status);
    check(status, "clCreateContext");
    for (int i : {0, 1}) {
      queues[i] = clCreateCommandQueueWithProperties(context_, both[i], nullptr, &status);
      check(status, "clCreateCommandQueueWithProperties");
    }
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    free_queue = clCreateCommandQueueWithProperties(context_, card, properties, &status);
    check(status, "clCreateCommandQueueWithProperties");
    program_ = clCreateProgramWithSource(context_, 1, const_cast<const char **>(&source), nullptr,
                                         &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program_, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr);
    std::vector<char> log(10000);
    clGetProgramBuildInfo(program_, card, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(),
                          nullptr);
    check(status, log.data());
  }
  template <class T> cl_mem make(const std::vector<T> &values) {
    cl_int status = 0;
    cl_mem made = clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T),
                                 const_cast<T *>(values.data()), &status);
    check(status, "clCreateBuffer");
    return made;
  }
  template <class T> void read(cl_mem from, std::vector<T> &values) {
    check(clEnqueueReadBuffer(queues[0], from, CL_TRUE, 0, values.size() * sizeof(T), values.data(),
                              0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }
  template <class... Buffers> cl_kernel kernel(const char *name, Buffers... buffers) {
    cl_int status = 0;
    cl_kernel made = clCreateKernel(program_, name, &status);
    check(status, "clCreateKernel");
    cl_uint index = 0;
    (check(clSetKernelArg(made, index++, sizeof buffers, &buffers), "clSetKernelArg"), ...);
    return made;
  }
  void launch(int queue, cl_kernel kernel, size_t global, size_t local) {
    launch(queues[queue], kernel, global, local);
  }
  void launch(cl_command_queue queue, cl_kernel kernel, size_t global, size_t local) {
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }
  void finish(int queue) { check(clFinish(queues[queue]), "clFinish"); }

  cl_context context() const { return context_; }

  cl_command_queue queues[2]{};          // of the card, of the other device
  cl_command_queue free_queue = nullptr; // of the card: out of order, with times

private:
  cl_context context_ = nullptr;
  cl_program program_ = nullptr;
};

bool report(const char *what, bool is_right) {
  std::printf("%-7s %s\n", is_right ? "ok" : "FAILED", what);
  return is_right;
}

// The card adds, then the other device adds to the card's result, and so on.
bool add_on_both(Session &session, const char *what) {
  constexpr size_t count = 1 << 20;
  const std::vector<float> ones(count, 1.0f);
  std::vector<float> result(count);
  cl_mem one = session.make(ones), x = session.make(ones), y = session.make(result);
  cl_kernel forth = session.kernel("add", x, one, y), back = session.kernel("add", y, one, x);
  for (int i = 0; i < 5; ++i) {
    session.launch(0, forth, count, 256);
    session.finish(0);
    session.launch(1, back, count, 64);
    session.finish(1);
  }
  session.read(x, result);
  return report(what, result == std::vector<float>(count, 11.0f));
}

bool sum_in_one_launch(Session &session) {
  constexpr size_t count = 1 << 24, local = 256;
  std::vector<cl_uint> values(count), sums(count / local), zero(1), result(1);
  std::iota(values.begin(), values.end(), 12345u);
  cl_mem ended = session.make(zero), to = session.make(zero);
  cl_kernel sum = session.kernel("sum", session.make(values), session.make(sums), ended, to);
  check(clSetKernelArg(sum, 4, local * sizeof(cl_uint), nullptr), "clSetKernelArg");
  const auto begin = std::chrono::steady_clock::now();
  session.launch(0, sum, count, local);
  session.finish(0);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  session.read(to, result);
  std::printf("        the launch with its transfers took %.2f ms\n", time.count());
  return report("2^24 numbers added by one launch",
                result[0] == std::accumulate(values.begin(), values.end(), 0u));
}

bool pass_messages(Session &session) {
  constexpr size_t pairs = 1 << 14;
  std::vector<cl_uint> seen(1), wrong(1);
  cl_mem seen_buffer = session.make(seen), wrong_buffer = session.make(wrong);
  for (int i = 0; i < 10; ++i) {
    cl_kernel pass =
        session.kernel("pass", session.make(std::vector<cl_uint>(pairs * 64)),
                       session.make(std::vector<cl_uint>(pairs)), seen_buffer, wrong_buffer);
    session.launch(0, pass, 2 * pairs * 32, 32);
    session.finish(0);
  }
  session.read(seen_buffer, seen);
  session.read(wrong_buffer, wrong);
  std::printf("        %u messages seen, %u of them old\n", seen[0], wrong[0]);
  return report("messages passed by atomics", seen[0] > 0 && wrong[0] == 0);
}

using Milliseconds = std::chrono::duration<double, std::milli>;

// In order, then by events of an out-of-order queue.
bool run_chains(Session &session) {
  constexpr size_t count = 1024, launches = 1000;
  std::vector<cl_uint> values(count, 5u), expected(count, 5u);
  cl_mem x = session.make(values);
  cl_kernel step = session.kernel("step", x);
  cl_event last = nullptr;
  for (size_t i = 0; i < 2 * launches; ++i) {
    for (cl_uint &value : expected)
      value = value * 3 + 1;
    if (i < launches) {
      session.launch(0, step, count, 256);
      continue;
    }
    if (i == launches)
      session.finish(0);
    cl_event next = nullptr;
    const size_t local = 256;
    check(clEnqueueNDRangeKernel(session.free_queue, step, 1, nullptr, &count, &local, last ? 1 : 0,
                                 last ? &last : nullptr, &next),
          "clEnqueueNDRangeKernel");
    if (last)
      clReleaseEvent(last);
    last = next;
  }
  check(clWaitForEvents(1, &last), "clWaitForEvents");
  cl_ulong times[5]{};
  const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                     CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                     CL_PROFILING_COMMAND_COMPLETE};
  bool is_sorted = true;
  for (int i = 0; i < 5; ++i) {
    check(clGetEventProfilingInfo(last, names[i], sizeof times[i], &times[i], nullptr),
          "clGetEventProfilingInfo");
    is_sorted &= i == 0 || times[i - 1] <= times[i];
  }
  std::printf("        the last launch ran %.2f us, %.2f us after it was submitted\n",
              double(times[3] - times[2]) / 1e3, double(times[2] - times[1]) / 1e3);
  session.read(x, values);
  return report("chains of launches, in order and by events", values == expected && is_sorted);
}

// Times `function`, which moves `bytes`.
template <class Function> void measure(const char *what, size_t bytes, Function function) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    function();
    best = std::min(best, Milliseconds(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("        %s of %zu MiB: %.3f ms, %.1f GB/s\n", what, bytes >> 20, best,
              double(bytes) / best / 1e6);
}

bool copy_and_fill(Session &session) {
  constexpr size_t count = 1 << 24, bytes = count * sizeof(cl_uint);
  std::vector<cl_uint> values(count), expected(count);
  cl_mem a = session.make(values), b = session.make(values);
  cl_kernel step = session.kernel("step", a);
  session.launch(0, step, count, 256);
  const cl_uint pattern[] = {1, 2, 3, 4};
  cl_command_queue queue = session.queues[0];
  measure("a fill", bytes, [&] {
    check(clEnqueueFillBuffer(queue, a, pattern, sizeof pattern, 0, bytes, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
    session.finish(0);
  });
  session.launch(0, step, count, 256);
  measure("a copy on the card", bytes, [&] {
    check(clEnqueueCopyBuffer(queue, a, b, 0, 0, bytes, 0, nullptr, nullptr),
          "clEnqueueCopyBuffer");
    session.finish(0);
  });
  const size_t from[] = {64, 2, 1}, to[] = {0, 1, 2}, region[] = {256, 30, 20};
  check(clEnqueueCopyBufferRect(queue, a, b, from, to, region, 512, 16384, 1024, 65536, 0, nullptr,
                                nullptr),
        "clEnqueueCopyBufferRect");
  measure("a read", bytes, [&] { session.read(b, values); });
  const auto value = [&](size_t i) { return pattern[i % 4] * 3 + 1; };
  for (size_t i = 0; i < count; ++i)
    expected[i] = value(i);
  for (size_t z = 0; z < 20; ++z)
    for (size_t y = 0; y < 30; ++y)
      for (size_t x = 0; x < 64; ++x)
        expected[(z + 2) * 16384 + (y + 1) * 256 + x] =
            value((z + 1) * 4096 + (y + 2) * 128 + x + 16);
  bool is_right = values == expected;
  std::iota(values.begin(), values.end(), 7u);
  measure("a write", bytes, [&] {
    check(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  });
  cl_uint some[4]{};
  check(clEnqueueReadBuffer(queue, b, CL_TRUE, bytes - 16, 16, some, 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  for (size_t i = 0; i < 4; ++i)
    is_right &= some[i] == values[count - 4 + i];
  return report("fills, copies, reads and writes", is_right);
}

// Fewer groups than fit on the card, and more.
bool wait_for_groups(Session &session) {
  bool is_right = true;
  for (const size_t groups : {size_t{100}, size_t{1} << 17}) {
    std::vector<cl_uint> values(groups), expected(groups);
    std::iota(expected.begin(), expected.end(), 1u);
    cl_mem to = session.make(values);
    cl_kernel hand_on = session.kernel("hand_on", to);
    const auto begin = std::chrono::steady_clock::now();
    session.launch(0, hand_on, groups * 64, 64);
    session.finish(0);
    std::printf("        %zu groups that wait took %.2f ms\n", groups,
                Milliseconds(std::chrono::steady_clock::now() - begin).count());
    session.read(to, values);
    is_right &= values == expected;
  }
  return report("groups that wait for the group before", is_right);
}

struct Tree {
  std::vector<cl_uint2> children; // first, count
  cl_uint leaves = 0;
};

Tree make_tree(cl_uint leaves) {
  Tree tree{std::vector<cl_uint2>(leaves), leaves};
  for (cl_uint begin = 0, end = leaves; end - begin > 1;) {
    for (cl_uint i = begin; i < end; i += 256)
      tree.children.push_back({{i, std::min(256u, end - i)}});
    begin = end;
    end = cl_uint(tree.children.size());
  }
  return tree;
}

// More groups than fit on the card, which begin in any order.
bool sum_in_any_order(Session &session) {
  const Tree tree = make_tree(1 << 20);
  const size_t nodes = tree.children.size();
  std::vector<cl_uint> values(size_t{tree.leaves} * 64), order(nodes), zero(nodes), sums(nodes);
  std::iota(values.begin(), values.end(), 12345u);
  std::iota(order.begin(), order.end(), 0u);
  const cl_uint expected = std::accumulate(values.begin(), values.end(), 0u);
  cl_mem from = session.make(values), children = session.make(tree.children);
  bool is_right = true;
  for (const char *name : {"first", "last", "in random order"}) {
    if (name[0] == 'l')
      std::reverse(order.begin(), order.end());
    if (name[0] == 'i')
      std::shuffle(order.begin(), order.end(), std::mt19937(1));
    for (int i = 0; i < 3; ++i) {
      cl_mem to = session.make(zero);
      cl_kernel kernel =
          session.kernel("tree", from, session.make(order), children, to, session.make(zero));
      const auto begin = std::chrono::steady_clock::now();
      session.launch(0, kernel, nodes * 64, 64);
      session.finish(0);
      std::printf("        %zu groups, those that feed others %s: %.2f ms\n", nodes, name,
                  Milliseconds(std::chrono::steady_clock::now() - begin).count());
      session.read(to, sums);
      is_right &= sums.back() == expected;
    }
  }
  return report("2^26 numbers added in one launch, in any order of the groups", is_right);
}

bool keep_values(Session &session) {
  bool is_right = true;
  for (const size_t groups : {size_t{50}, size_t{20000}}) {
    std::vector<cl_uint> values(groups * 128), expected(values), zero(groups);
    cl_mem to = session.make(values);
    cl_kernel keep = session.kernel("keep", to, session.make(zero));
    const auto begin = std::chrono::steady_clock::now();
    session.launch(0, keep, groups * 128, 128);
    session.finish(0);
    std::printf("        %zu groups that wait for the group behind took %.2f ms\n", groups,
                Milliseconds(std::chrono::steady_clock::now() - begin).count());
    session.read(to, values);
    for (size_t g = groups; g-- > 0;)
      for (size_t l = 0; l < 128; ++l) {
        cl_uint sum = cl_uint(g * 1000 + l * 5);
        sum += cl_uint(g + 127 - l);
        for (size_t i = l / 32 * 32; i < l / 32 * 32 + 32; ++i)
          sum += cl_uint(g + 127 - i);
        expected[g * 128 + l] = sum + (g + 1 < groups ? expected[(g + 1) * 128 + l] : 0);
      }
    is_right &= values == expected;
  }
  return report("what waiting groups keep", is_right);
}

// The launch that ends the wait is enqueued behind launches that fill the card, and its code is new.
bool launches_that_wait(Session &session) {
  constexpr size_t items = 512000, local = 256;
  std::vector<cl_uint> zero(items), values, expected(items);
  for (size_t i = 0; i < items; ++i)
    expected[i] = cl_uint(i / local + 1);
  cl_mem flag = session.make(std::vector<cl_uint>(1));
  std::array<cl_mem, 2> to = {session.make(zero), session.make(zero)};
  for (cl_mem each : to)
    session.launch(session.free_queue, session.kernel("wait_for", each, flag), items, local);
  check(clFlush(session.free_queue), "clFlush");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto begin = std::chrono::steady_clock::now();
  session.launch(session.queues[0], session.kernel("raise", flag), 1, 1);
  session.finish(0);
  check(clFinish(session.free_queue), "clFinish");
  std::printf("        from the launch that ends the wait on: %.2f ms\n",
              Milliseconds(std::chrono::steady_clock::now() - begin).count());
  bool is_right = true;
  for (cl_mem each : to) {
    session.read(each, values = zero);
    is_right &= values == expected;
  }
  return report("two launches that fill the card and wait for a third", is_right);
}

bool groups_of_sizes(Session &session) {
  constexpr size_t width = 1003, height = 30, across = 16, down = 4;
  std::vector<cl_uint> values(width * height), expected(values), zero(1000);
  cl_mem to = session.make(values);
  cl_kernel kernel = session.kernel("sizes", to, session.make(zero));
  const size_t global[] = {width, height}, local[] = {across, down};
  check(clEnqueueNDRangeKernel(session.queues[0], kernel, 2, nullptr, global, local, 0, nullptr,
                               nullptr),
        "clEnqueueNDRangeKernel");
  session.read(to, values);
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      const size_t wide = std::min(across, width - x / across * across),
                   high = std::min(down, height - y / down * down), items = wide * high,
                   item = y % down * wide + x % across;
      expected[y * width + x] = cl_uint(std::min<size_t>(32, items - item / 32 * 32) * 1000000 +
                                        high * (wide * (wide - 1) / 2) * 1000 + wide * 10 + high);
    }
  return report("groups of several sizes that wait for the group behind", values == expected);
}

bool report_deadlock(Session &session) {
  bool is_right = true;
  for (const size_t groups : {size_t{10}, size_t{100000}}) {
    std::vector<cl_uint> values(groups);
    cl_kernel circle = session.kernel("circle", session.make(values));
    const size_t global = groups * 64, local = 64;
    cl_event event = nullptr;
    const auto begin = std::chrono::steady_clock::now();
    check(clEnqueueNDRangeKernel(session.free_queue, circle, 1, nullptr, &global, &local, 0,
                                 nullptr, &event),
          "clEnqueueNDRangeKernel");
    const cl_int status = clWaitForEvents(1, &event);
    std::printf("        the deadlock of %zu groups took %.2f ms; status %d\n", groups,
                Milliseconds(std::chrono::steady_clock::now() - begin).count(), status);
    is_right &= status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return report("deadlocks that end", is_right) &&
         add_on_both(session, "vectors added after the deadlocks");
}

void time_launches(Session &session) {
  constexpr int launches = 1000;
  const std::vector<float> ones(1024, 1.0f);
  cl_mem x = session.make(ones), y = session.make(ones);
  cl_kernel add = session.kernel("add", x, x, y);
  session.launch(0, add, 1024, 256);
  session.finish(0);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i)
    session.launch(0, add, 1024, 256);
  session.finish(0);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  std::printf("        %.1f us for each launch of a chain\n", time.count() / launches);
}

} // namespace

int main() {
  const Devices devices = find_devices();
  if (!devices.card) {
    std::printf("Lockstep lists no NVIDIA card; `lockstep doctor` says why\n");
    return 77;
  }
  std::printf("card: %s\n", text(devices.card, CL_DEVICE_NAME).c_str());
  Session session(devices.card, devices.cpu);
  bool is_right = add_on_both(session, "vectors added by the card and the CPU in turns");
  if (devices.other_card) {
    Session cards(devices.card, devices.other_card);
    is_right = add_on_both(cards, "vectors added by two cards in turns") && is_right;
    is_right = lockstep::test::check_two_cards(devices.card, devices.other_card) && is_right;
  }
  is_right = sum_in_one_launch(session) && is_right;
  is_right = pass_messages(session) && is_right;
  is_right = run_chains(session) && is_right;
  is_right = copy_and_fill(session) && is_right;
  time_launches(session);
  is_right = check_images(session.context(), session.queues[0], session.queues[1]) && is_right;
  std::fflush(stdout);
  is_right = wait_for_groups(session) && is_right; // these would hang if they did not work
  std::fflush(stdout);
  is_right = keep_values(session) && is_right;
  is_right = groups_of_sizes(session) && is_right;
  is_right = launches_that_wait(session) && is_right;
  std::fflush(stdout);
  is_right = sum_in_any_order(session) && is_right;
  std::fflush(stdout);
  is_right = report_deadlock(session) && is_right;
  return is_right ? 0 : 1;
}
