#include "tests/nvidia/two_cards_on_card.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace lockstep::test {
namespace {

const char *const source = R"(
  global uint launches_of_device = 5;
  kernel void step(global uint *data, uint factor) {
    size_t i = get_global_id(0);
    data[i] = data[i] * factor + 1;
  }
  kernel void count(global uint *seen) { seen[0] = ++launches_of_device; }
  kernel void spin(global uint *data, uint rounds) {
    uint x = data[get_global_id(0)];
    for (uint i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
    data[get_global_id(0)] = x;
  }
  // Each group waits for the one behind.
  kernel void wait_behind(global atomic_uint *flags) {
    size_t g = get_group_id(0);
    if (get_local_id(0) == 0) {
      if (g + 1 < get_num_groups(0))
        while (!atomic_load_explicit(flags + g + 1, memory_order_acquire, memory_scope_device)) {}
      atomic_store_explicit(flags + g, (uint)g + 1, memory_order_release, memory_scope_device);
    }
  })";

void check(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  std::printf("FAILED  %s: %d\n", what, status);
  std::exit(1);
}

bool report(const char *what, bool is_right) {
  std::printf("%-7s %s\n", is_right ? "ok" : "FAILED", what);
  return is_right;
}

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

class TwoCards {
public:
  TwoCards(cl_device_id first, cl_device_id second) : cards_{first, second} {
    cl_int status = 0;
    context_ = clCreateContext(nullptr, 2, cards_.data(), nullptr, nullptr, &status);
    check(status, "clCreateContext");
    for (std::size_t i : {0, 1}) {
      queues_[i] = clCreateCommandQueueWithProperties(context_, cards_[i], nullptr, &status);
      check(status, "clCreateCommandQueueWithProperties");
    }
    program_ = clCreateProgramWithSource(context_, 1, const_cast<const char **>(&source), nullptr,
                                         &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr),
          "clBuildProgram");
  }
  ~TwoCards() {
    clReleaseProgram(program_);
    for (cl_command_queue queue : queues_)
      clReleaseCommandQueue(queue);
    clReleaseContext(context_);
  }
  TwoCards(const TwoCards &) = delete;
  TwoCards &operator=(const TwoCards &) = delete;

  bool run() const {
    bool is_right = take_turns();
    is_right = write_halves() && is_right;
    is_right = own_variables() && is_right;
    is_right = copy_between() && is_right;
    is_right = spin_on_both() && is_right;
    is_right = wait_on_both() && is_right;
    return have_no_parts() && is_right;
  }

private:
  cl_mem make(std::size_t bytes, const void *values = nullptr) const {
    cl_int status = 0;
    cl_mem made = clCreateBuffer(context_, values ? CL_MEM_COPY_HOST_PTR : 0, bytes,
                                 const_cast<void *>(values), &status);
    check(status, "clCreateBuffer");
    return made;
  }
  template <class... Arguments> cl_kernel kernel(const char *name, Arguments... arguments) const {
    cl_int status = 0;
    cl_kernel made = clCreateKernel(program_, name, &status);
    check(status, "clCreateKernel");
    cl_uint index = 0;
    (check(clSetKernelArg(made, index++, sizeof arguments, &arguments), "clSetKernelArg"), ...);
    return made;
  }
  cl_event launch(std::size_t card, cl_kernel kernel, std::size_t items, std::size_t local,
                  cl_event before = nullptr) const {
    cl_event done = nullptr;
    check(clEnqueueNDRangeKernel(queues_[card], kernel, 1, nullptr, &items, &local, before ? 1 : 0,
                                 before ? &before : nullptr, &done),
          "clEnqueueNDRangeKernel");
    clReleaseKernel(kernel);
    return done;
  }
  std::vector<cl_uint> read(std::size_t card, cl_mem from, std::size_t count) const {
    std::vector<cl_uint> values(count);
    check(clEnqueueReadBuffer(queues_[card], from, CL_TRUE, 0, count * sizeof(cl_uint),
                              values.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return values;
  }
  void wait(std::array<cl_event, 2> events) const {
    for (cl_event event : events) {
      check(clWaitForEvents(1, &event), "clWaitForEvents");
      clReleaseEvent(event);
    }
  }

  // The order is that of events only: the host waits at the end.
  bool take_turns() const {
    constexpr std::size_t count = 1 << 16;
    std::vector<cl_uint> expected(count);
    std::iota(expected.begin(), expected.end(), 0u);
    cl_mem data = make(count * sizeof(cl_uint), expected.data());
    cl_event last = nullptr;
    for (cl_uint i = 0; i < 100; ++i) {
      cl_event next = launch(i % 2, kernel("step", data, i), count, 256, last);
      if (last)
        clReleaseEvent(last);
      last = next;
      for (cl_uint &value : expected)
        value = value * i + 1;
    }
    check(clFlush(queues_[0]), "clFlush");
    check(clWaitForEvents(1, &last), "clWaitForEvents");
    clReleaseEvent(last);
    const bool is_right = read(0, data, count) == expected && read(1, data, count) == expected;
    clReleaseMemObject(data);
    return report("100 launches of two cards in turns, ordered by events", is_right);
  }

  // Each card writes a half of one buffer, then the other card the same half.
  bool write_halves() const {
    constexpr std::size_t half = 1 << 20;
    std::vector<cl_uint> expected(2 * half, 3u);
    cl_mem whole = make(2 * half * sizeof(cl_uint), expected.data());
    std::array<cl_mem, 2> halves{};
    for (std::size_t i : {0, 1}) {
      const cl_buffer_region region{i * half * sizeof(cl_uint), half * sizeof(cl_uint)};
      cl_int status = 0;
      halves[i] = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
      check(status, "clCreateSubBuffer");
    }
    for (std::size_t round : {0, 1})
      wait({launch(0, kernel("step", halves[round], cl_uint{7}), half, 256),
            launch(1, kernel("step", halves[1 - round], cl_uint{10}), half, 128)});
    for (std::size_t i = 0; i < 2 * half; ++i)
      expected[i] = i < half ? (3 * 7 + 1) * 10 + 1 : (3 * 10 + 1) * 7 + 1;
    const bool is_right = read(1, whole, 2 * half) == expected;
    for (cl_mem memory : {halves[0], halves[1], whole})
      clReleaseMemObject(memory);
    return report("halves of one buffer, which two cards write at once", is_right);
  }

  bool own_variables() const {
    std::array<cl_uint, 2> seen{};
    for (std::size_t card : {0, 1, 1}) {
      cl_mem to = make(sizeof(cl_uint));
      cl_event done = launch(card, kernel("count", to), 1, 1);
      clReleaseEvent(done);
      seen[card] = read(card, to, 1)[0];
      clReleaseMemObject(to);
    }
    return report("a variable of the program on each card", seen == std::array<cl_uint, 2>{6, 7});
  }

  // A copy on a card of what the other one has written.
  bool copy_between() const {
    constexpr std::size_t count = std::size_t{16} << 20, bytes = count * sizeof(cl_uint);
    cl_mem from = make(bytes), to = make(bytes);
    const cl_uint zero = 0;
    std::array<double, 3> times{};
    bool is_right = true;
    for (cl_uint i = 0; i < 3; ++i) {
      check(
          clEnqueueFillBuffer(queues_[0], from, &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
      wait({launch(0, kernel("step", from, i), count, 256),
            launch(1, kernel("step", to, i), count, 256)});
      const auto begin = std::chrono::steady_clock::now();
      check(clEnqueueCopyBuffer(queues_[1], from, to, 0, 0, bytes, 0, nullptr, nullptr),
            "clEnqueueCopyBuffer");
      check(clFinish(queues_[1]), "clFinish");
      times[i] = ms_since(begin);
      clReleaseEvent(launch(1, kernel("step", to, cl_uint{5}), count, 256));
      is_right &= read(1, to, count) == std::vector<cl_uint>(count, 6u);
    }
    std::printf("        64 MiB from one card to the other: %.2f, %.2f, %.2f ms\n", times[0],
                times[1], times[2]);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    return report("a copy of what the other card has written", is_right);
  }

  bool spin_on_both() const {
    constexpr std::size_t count = 1 << 18;
    const std::vector<cl_uint> ones(count, 1u);
    std::array<cl_mem, 2> data = {make(count * sizeof(cl_uint), ones.data()),
                                  make(count * sizeof(cl_uint), ones.data())};
    const auto spin = [&](std::size_t card, cl_uint rounds) {
      return launch(card, kernel("spin", data[card], rounds), count, 256);
    };
    wait({spin(0, 10), spin(1, 10)});
    auto begin = std::chrono::steady_clock::now();
    cl_event one = spin(0, 1'000'000);
    check(clWaitForEvents(1, &one), "clWaitForEvents");
    clReleaseEvent(one);
    const double alone = ms_since(begin);
    begin = std::chrono::steady_clock::now();
    wait({spin(0, 1'000'000), spin(1, 1'000'000)});
    std::printf("        a long kernel on one card %.2f ms, on both at once %.2f ms\n", alone,
                ms_since(begin));
    cl_uint once = 1;
    for (cl_uint i = 0; i < 1'000'010; ++i)
      once = once * 1664525u + 1013904223u;
    const bool is_right = read(1, data[1], count) == std::vector<cl_uint>(count, once);
    for (cl_mem memory : data)
      clReleaseMemObject(memory);
    return report("a long kernel on both cards at once", is_right);
  }

  // More groups than a card runs at once.
  bool wait_on_both() const {
    constexpr std::size_t groups = 5000;
    const std::vector<cl_uint> zeros(groups);
    std::array<cl_mem, 2> flags = {make(groups * sizeof(cl_uint), zeros.data()),
                                   make(groups * sizeof(cl_uint), zeros.data())};
    wait({launch(0, kernel("wait_behind", flags[0]), groups * 64, 64),
          launch(1, kernel("wait_behind", flags[1]), groups * 64, 64)});
    std::vector<cl_uint> expected(groups);
    std::iota(expected.begin(), expected.end(), 1u);
    const bool is_right = read(0, flags[0], groups) == expected && // and from the other card
                          read(0, flags[1], groups) == expected;
    for (cl_mem memory : flags)
      clReleaseMemObject(memory);
    return report("groups that wait for those behind, on both cards at once", is_right);
  }

  // A card has no sub-devices (OpenCL 3.0, section 4.3).
  bool have_no_parts() const {
    bool is_right = true;
    for (cl_device_id card : cards_) {
      const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
      cl_device_id parts[64];
      cl_uint count = 0, most = 99;
      is_right &=
          clCreateSubDevices(card, equally, 64, parts, &count) == CL_DEVICE_PARTITION_FAILED &&
          clGetDeviceInfo(card, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, nullptr) ==
              CL_SUCCESS &&
          most == 0;
    }
    return report("sub-devices of cards are refused", is_right);
  }

  const std::array<cl_device_id, 2> cards_;
  cl_context context_ = nullptr;
  std::array<cl_command_queue, 2> queues_{};
  cl_program program_ = nullptr;
};

} // namespace

bool check_two_cards(cl_device_id first, cl_device_id second) {
  return TwoCards(first, second).run();
}

} // namespace lockstep::test
