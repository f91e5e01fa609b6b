// Checks a real NVIDIA card: vectors added by the card and the CPU in one context, a sum whose last
// work-group adds the others' results, and messages passed by atomics. docs/nvidia.md says how to run
// it. Exit code 77: there is no card.
#include <CL/cl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
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
  cl_device_id card = nullptr, cpu = nullptr;
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
    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &found.card, nullptr);
    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &found.cpu, nullptr);
  }
  return found;
}

class Session {
public:
  explicit Session(const Devices &devices) {
    const cl_device_id both[] = {devices.card, devices.cpu};
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
    program_ = clCreateProgramWithSource(context_, 1, const_cast<const char **>(&source), nullptr,
                                         &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program_, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr);
    std::vector<char> log(10000);
    clGetProgramBuildInfo(program_, devices.card, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(),
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
    check(clEnqueueNDRangeKernel(queues[queue], kernel, 1, nullptr, &global, &local, 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
  }
  void finish(int queue) { check(clFinish(queues[queue]), "clFinish"); }

  cl_command_queue queues[2]{}; // of the card, of the CPU

private:
  cl_context context_ = nullptr;
  cl_program program_ = nullptr;
};

bool report(const char *what, bool is_right) {
  std::printf("%-7s %s\n", is_right ? "ok" : "FAILED", what);
  return is_right;
}

// The card adds, then the CPU adds to the card's result, and so on.
bool add_on_both(Session &session) {
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
  return report("vectors added by the card and the CPU in turns",
                result == std::vector<float>(count, 11.0f));
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
    std::printf("Lockstep has no NVIDIA card here; LOCKSTEP_NVIDIA=1 lists it, and `lockstep "
                "doctor` says what it found\n");
    return 77;
  }
  std::printf("card: %s\n", text(devices.card, CL_DEVICE_NAME).c_str());
  Session session(devices);
  bool is_right = add_on_both(session);
  is_right = sum_in_one_launch(session) && is_right;
  is_right = pass_messages(session) && is_right;
  time_launches(session);
  return is_right ? 0 : 1;
}
