// Several threads create, enqueue, wait and release at the same time, on their own and on shared
// objects, in random order. The host checks the results. A run takes one second;
// LOCKSTEP_SOAK_SECONDS sets a longer time, and then the process's memory must not grow.
#include "opencl_fixture.h"
#include "soak.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <numeric>
#include <random>
#include <thread>
#include <unistd.h>

using namespace lockstep::test;

namespace {

constexpr const char *source = R"(
#ifndef MORE
#define MORE 0
#endif
kernel void scale(global int *to, global const int *from, int factor) {
  const size_t i = get_global_id(0);
  to[i] = from[i] * factor + MORE;
}
kernel void sum(global int *to, global const int *from, local int *part) {
  const size_t i = get_local_id(0);
  part[i] = from[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = get_local_size(0) / 2; step; step /= 2) {
    if (i < step) part[i] += part[i + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) atomic_add(to, part[0]);
}
)";

class ConcurrentUse : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    program_ = build(source);
    shared_queue_ = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    size_t length = 0;
    ASSERT_EQ(clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, nullptr),
              CL_SUCCESS);
    binary_.resize(length);
    unsigned char *to = binary_.data();
    ASSERT_EQ(clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr), CL_SUCCESS);
  }

  Program program_;
  Queue shared_queue_;
  std::vector<unsigned char> binary_;
  friend class User;
};

// The actions of one thread.
class User {
public:
  User(ConcurrentUse &test, unsigned seed) : test_(test), random_(seed) {}

  void act() {
    const std::array actions = {&User::scale,         &User::add_up,       &User::use_parts,
                                &User::wait_for_user, &User::share_memory, &User::fill_image,
                                &User::scale,         &User::release_early};
    if (random_() % 40 == 0)
      build_own();
    else
      (this->*actions[random_() % actions.size()])();
    ++acts;
  }
  uint64_t acts = 0;

private:
  static constexpr size_t items = 256;

  std::vector<cl_int> numbers() {
    std::vector<cl_int> numbers(items);
    for (cl_int &number : numbers)
      number = cl_int(random_() % 100000);
    return numbers;
  }
  Queue queue() {
    return test_.make_queue(random_() % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
  }
  void set(cl_kernel kernel, cl_uint index, cl_mem memory) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof memory, &memory), CL_SUCCESS);
  }
  // Writes, launches and reads: three commands in a chain of events.
  std::vector<cl_int> run_scale(cl_program program, const std::vector<cl_int> &from, cl_int factor,
                                cl_command_queue queue) {
    Memory input = test_.make_buffer(items * 4), output = test_.make_buffer(items * 4);
    Kernel kernel = test_.make_kernel(program, "scale");
    set(kernel, 0, output);
    set(kernel, 1, input);
    EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof factor, &factor), CL_SUCCESS);
    Event written, launched;
    EXPECT_EQ(clEnqueueWriteBuffer(queue, input, CL_FALSE, 0, items * 4, from.data(), 0, nullptr,
                                   written.out()),
              CL_SUCCESS);
    cl_event list = written;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 1, &list,
                                     launched.out()),
              CL_SUCCESS);
    input.reset(); // the commands retain it
    kernel.reset();
    std::vector<cl_int> got(items);
    list = launched;
    EXPECT_EQ(
        clEnqueueReadBuffer(queue, output, CL_TRUE, 0, items * 4, got.data(), 1, &list, nullptr),
        CL_SUCCESS);
    return got;
  }
  void expect_scaled(const std::vector<cl_int> &from, const std::vector<cl_int> &got, cl_int factor,
                     cl_int more) {
    for (size_t i = 0; i < items; ++i)
      ASSERT_EQ(got[i], from[i] * factor + more) << i;
  }

  void scale() {
    const std::vector<cl_int> from = numbers();
    const cl_int factor = cl_int(random_() % 1000);
    Queue own = queue();
    expect_scaled(from,
                  run_scale(test_.program_, from, factor,
                            random_() % 2 ? own.get() : test_.shared_queue_.get()),
                  factor, 0);
  }

  void add_up() {
    std::vector<cl_int> from = numbers();
    Queue own = queue();
    Memory input = test_.make_buffer(items * 4, CL_MEM_USE_HOST_PTR, from.data());
    Memory output = test_.make_buffer(4);
    Kernel kernel = test_.make_kernel(test_.program_, "sum");
    const size_t local = size_t{1} << (random_() % 7);
    set(kernel, 0, output);
    set(kernel, 1, input);
    EXPECT_EQ(clSetKernelArg(kernel, 2, local * 4, nullptr), CL_SUCCESS);
    const cl_int zero = 0;
    Event filled, launched;
    EXPECT_EQ(clEnqueueFillBuffer(own, output, &zero, 4, 0, 4, 0, nullptr, filled.out()),
              CL_SUCCESS);
    cl_event list = filled;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(own, kernel, 1, nullptr, &items, &local, 1, &list, launched.out()),
        CL_SUCCESS);
    list = launched;
    EXPECT_EQ(clWaitForEvents(1, &list), CL_SUCCESS);
    cl_int got = 0;
    EXPECT_EQ(clEnqueueReadBuffer(own, output, CL_TRUE, 0, 4, &got, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(got, std::accumulate(from.begin(), from.end(), 0));
  }

  void use_parts() {
    Queue own = test_.make_queue(0);
    Memory whole = test_.make_buffer(8192);
    Memory part = test_.make_sub_buffer(whole, 4096, 4096);
    const cl_int pattern = cl_int(random_());
    EXPECT_EQ(clEnqueueFillBuffer(own, part, &pattern, 4, 0, 4096, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clEnqueueCopyBuffer(own, part, whole, 0, 0, 4096, 0, nullptr, nullptr), CL_SUCCESS);
    cl_int status = 1;
    auto *mapped = static_cast<cl_int *>(clEnqueueMapBuffer(own, whole, CL_TRUE, CL_MAP_READ, 0,
                                                            8192, 0, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_TRUE(std::all_of(mapped, mapped + 2048, [&](cl_int one) { return one == pattern; }));
    EXPECT_EQ(clEnqueueUnmapMemObject(own, whole, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  }

  // A command waits for a user event, which completes or fails. This thread or another one sets it.
  void wait_for_user() {
    Queue own = queue();
    Event gate = test_.make_user_event(), written;
    Memory buffer = test_.make_buffer(64);
    const std::vector<cl_int> data(16, 7);
    cl_event list = gate;
    EXPECT_EQ(
        clEnqueueWriteBuffer(own, buffer, CL_FALSE, 0, 64, data.data(), 1, &list, written.out()),
        CL_SUCCESS);
    const bool fails = random_() % 4 == 0;
    std::thread other;
    auto let_go = [&] {
      EXPECT_EQ(clSetUserEventStatus(gate, fails ? -7 : CL_COMPLETE), CL_SUCCESS);
    };
    if (random_() % 8 == 0)
      other = std::thread(let_go);
    else
      let_go();
    list = written;
    EXPECT_EQ(clWaitForEvents(1, &list),
              fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
    EXPECT_EQ(status_of(written),
              fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE);
    if (other.joinable())
      other.join();
  }

  void share_memory() {
    if (!(test_.device_info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES) &
          CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
      return;
    Queue own = queue();
    auto *memory = static_cast<unsigned char *>(clSVMAlloc(test_.context_, 0, 4096, 64));
    ASSERT_NE(memory, nullptr);
    const auto pattern = static_cast<unsigned char>(random_());
    Event filled;
    EXPECT_EQ(clEnqueueSVMMemFill(own, memory, &pattern, 1, 4096, 0, nullptr, filled.out()),
              CL_SUCCESS);
    cl_event list = filled;
    EXPECT_EQ(clEnqueueSVMMap(own, CL_TRUE, CL_MAP_READ, memory, 4096, 1, &list, nullptr),
              CL_SUCCESS);
    EXPECT_TRUE(
        std::all_of(memory, memory + 4096, [&](unsigned char one) { return one == pattern; }));
    EXPECT_EQ(clEnqueueSVMUnmap(own, memory, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(own), CL_SUCCESS); // the free below may otherwise come first
    void *freed = memory;
    EXPECT_EQ(clEnqueueSVMFree(own, 1, &freed, nullptr, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  }

  void fill_image() {
    Queue own = test_.make_queue(0);
    const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    description.image_width = 16;
    description.image_height = 8;
    cl_int status = 1;
    Memory image(clCreateImage(test_.context_, 0, &format, &description, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    const cl_uint color[4] = {1, 2, 3, cl_uint(random_() % 256)};
    const size_t origin[3] = {}, region[3] = {16, 8, 1};
    EXPECT_EQ(clEnqueueFillImage(own, image, color, origin, region, 0, nullptr, nullptr),
              CL_SUCCESS);
    std::array<unsigned char, 16 * 8 * 4> got{};
    EXPECT_EQ(clEnqueueReadImage(own, image, CL_TRUE, origin, region, 0, 0, got.data(), 0, nullptr,
                                 nullptr),
              CL_SUCCESS);
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], color[i % 4]) << i;
  }

  // Releases the context while its queue still uses it, and never waits for the commands.
  void release_early() {
    Context context = test_.make_context();
    cl_int status = 1;
    Queue queue(clCreateCommandQueueWithProperties(context, test_.device_, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    Memory from(clCreateBuffer(context, 0, 4096, nullptr, &status)),
        to(clCreateBuffer(context, 0, 4096, nullptr, &status));
    context.reset();
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(clEnqueueCopyBuffer(queue, from, to, 0, 0, 4096, 0, nullptr, nullptr), CL_SUCCESS);
    from.reset();
  }

  // Builds from source with one of a few constants, or from the binary.
  void build_own() {
    cl_int status = 1, more = 0;
    Program program;
    if (random_() % 2) {
      const unsigned char *bytes = test_.binary_.data();
      const size_t length = test_.binary_.size();
      program = Program(clCreateProgramWithBinary(test_.context_, 1, &test_.device_, &length,
                                                  &bytes, nullptr, &status));
      ASSERT_EQ(status, CL_SUCCESS);
      EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    } else {
      more = cl_int(random_() % 4);
      program = test_.build(source, ("-DMORE=" + std::to_string(more)).c_str());
    }
    const std::vector<cl_int> from = numbers();
    Queue own = queue();
    expect_scaled(from, run_scale(program, from, 3, own), 3, more);
  }

  ConcurrentUse &test_;
  std::mt19937 random_;
};

size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * size_t(sysconf(_SC_PAGESIZE));
}

TEST_F(ConcurrentUse, OfEverything) {
  const auto asked = soak_seconds();
  const std::chrono::duration<double> whole(asked.value_or(1));
  std::atomic<bool> end = false;
  std::vector<std::thread> threads;
  std::array<uint64_t, 4> acts{};
  for (unsigned i = 0; i < acts.size(); ++i)
    threads.emplace_back([&, i] {
      User user(*this, i);
      while ((!end || user.acts < 20) && !HasFailure())
        user.act();
      acts[i] = user.acts;
    });
  std::vector<size_t> resident;
  for (int tenth = 0; tenth < 10; ++tenth) {
    std::this_thread::sleep_for(whole / 10);
    resident.push_back(resident_bytes());
  }
  end = true;
  for (std::thread &thread : threads)
    thread.join();
  if (!asked)
    return;
  std::string course;
  for (size_t bytes : resident)
    course += " " + std::to_string(bytes >> 20);
  printf("%lu acts; MiB after each tenth:%s\n", std::accumulate(acts.begin(), acts.end(), 0ul),
         course.c_str());
  EXPECT_LE(resident.back(),
            *std::max_element(resident.begin(), resident.begin() + 3) + (16 << 20));
}

} // namespace
