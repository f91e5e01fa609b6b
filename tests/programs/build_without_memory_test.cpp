// Builds for which the library gets no memory at one place or another: the call says so, no program
// stays "in progress", and the next build is as good as any.
#include "opencl_fixture.h"

#include <atomic>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <mutex>
#include <new>
#include <thread>

using namespace lockstep::test;

namespace {

// Where the library's own code lies. LLVM's is left alone: it ends the process when it has no memory.
struct Range {
  uintptr_t begin = 0, end = 0;
} library;

std::atomic<bool> is_armed{false};
std::atomic<int> allocations_left{0};

int find_library(dl_phdr_info *info, size_t, void *) {
  if (!std::strstr(info->dlpi_name, "liblockstep.so"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (const auto &part = info->dlpi_phdr[i]; part.p_type == PT_LOAD && (part.p_flags & PF_X))
      library = {info->dlpi_addr + part.p_vaddr, info->dlpi_addr + part.p_vaddr + part.p_memsz};
  return 1;
}

void *allocate(size_t size, const void *caller) {
  const auto place = reinterpret_cast<uintptr_t>(caller);
  if (is_armed.load(std::memory_order_relaxed) && place >= library.begin && place < library.end &&
      allocations_left.fetch_sub(1) == 0)
    throw std::bad_alloc();
  void *memory = std::malloc(size ? size : 1);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

} // namespace

void *operator new(size_t size) {
  return allocate(size, __builtin_return_address(0));
}
void operator delete(void *memory) noexcept {
  std::free(memory);
}
void operator delete(void *memory, size_t) noexcept {
  std::free(memory);
}

namespace {

// How many of the library's workers have started and sleep.
unsigned sleeping_workers() {
  unsigned count = 0;
  for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string state; // "12 (lockstep-0) S ..."
    std::getline(std::ifstream(thread.path() / "stat"), state);
    const bool is_worker = state.find("(lockstep-") != std::string::npos &&
                           std::isdigit(static_cast<unsigned char>(state[state.find('-') + 1]));
    count += is_worker && state.find(") S ") != std::string::npos;
  }
  return count;
}

class BuildWithoutMemory : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    // A thread that has just been started takes memory of its own, and is not what is tested here.
    cl_uint workers = 0;
    clGetDeviceInfo(device_, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof workers, &workers, nullptr);
    const auto begin = std::chrono::steady_clock::now();
    while (sleeping_workers() < workers) {
      ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
      std::this_thread::yield();
    }
    dl_iterate_phdr(find_library, nullptr);
    ASSERT_NE(library.begin, 0u);
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

  // Runs it with ever one allocation more, until it needs no more. Returns how often it had too few.
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

// If the call fails nobody is told, else somebody is, once.
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
