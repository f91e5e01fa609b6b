// Builds in which one of the library's allocations fails: the call returns an error, no program
// stays "in progress", and the next build works.
#include "library_allocations.h"
#include "opencl_fixture.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace lockstep::test;

namespace {

std::atomic<bool> is_armed{false};
std::atomic<int> allocations_left{0};

bool is_the_one_too_many() {
  return is_armed.load(std::memory_order_relaxed) && allocations_left.fetch_sub(1) == 0;
}

class BuildWithoutMemory : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    watch_library_allocations(is_the_one_too_many);
    const char *source = "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }";
    cl_int status = 1;
    Program program(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
    ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    size_t size = 0;
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
    binary_.resize(size);
    unsigned char *place = binary_.data();
    clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr);
  }

  Program load() {
    const unsigned char *place = binary_.data();
    const size_t size = binary_.size();
    cl_int status = 1;
    Program program(
        clCreateProgramWithBinary(context_, 1, &device_, &size, &place, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return program;
  }

  // Repeats the build with one more successful allocation each time, until none fails. Returns how
  // often the build failed.
  template <class Build> int with_ever_more(Build build) {
    for (int allocations = 0; allocations < 10'000; ++allocations) {
      Program program = load();
      allocations_left = allocations;
      is_armed = true;
      const cl_int status = build(program);
      is_armed = false;
      cl_build_status state = CL_BUILD_IN_PROGRESS;
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_STATUS, sizeof state, &state,
                            nullptr);
      EXPECT_NE(state, CL_BUILD_IN_PROGRESS) << allocations;
      if (allocations_left >= 0) {
        EXPECT_EQ(status, CL_SUCCESS);
        EXPECT_EQ(state, CL_BUILD_SUCCESS);
        return allocations;
      }
      EXPECT_TRUE(status == CL_OUT_OF_HOST_MEMORY || status == CL_SUCCESS) << status;
      EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    }
    return -1;
  }

  std::vector<unsigned char> binary_;
};

TEST_F(BuildWithoutMemory, LeavesNothingInProgress) {
  EXPECT_GT(with_ever_more([](cl_program program) {
              return clBuildProgram(program, 0, nullptr, "", nullptr, nullptr);
            }),
            3);
}

struct Told {
  std::mutex mutex;
  std::condition_variable changed;
  int calls = 0;
};

// If the call fails, the library does not call the callback; otherwise it calls it once.
TEST_F(BuildWithoutMemory, TellsOfItWhereItWasAskedTo) {
  EXPECT_GT(with_ever_more([](cl_program program) {
              Told told;
              const cl_int status = clBuildProgram(
                  program, 0, nullptr, "",
                  [](cl_program, void *user_data) {
                    Told &told = *static_cast<Told *>(user_data);
                    std::lock_guard lock(told.mutex);
                    ++told.calls;
                    told.changed.notify_all();
                  },
                  &told);
              if (status == CL_SUCCESS) {
                std::unique_lock lock(told.mutex);
                EXPECT_TRUE(told.changed.wait_for(lock, std::chrono::seconds(60),
                                                  [&] { return told.calls == 1; }));
              } else {
                EXPECT_EQ(told.calls, 0);
              }
              return status;
            }),
            3);
}

} // namespace
