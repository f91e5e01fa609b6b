// Tests that the library's threads allocate no memory while they start. A thread that has just
// started could not report the failure and would end the program. The thread that starts them
// allocates what they need, and gets any error.
#include "library_allocations.h"
#include "opencl_fixture.h"

#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace lockstep::test;

namespace {

thread_local bool is_of_program = false;
std::atomic<int> taken_by_others{0};

bool is_of_another_thread() {
  if (is_of_program)
    return false;
  ++taken_by_others;
  return true;
}

// Returns how many of the library's workers have started and sleep.
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

void CL_CALLBACK note_the_call(cl_event, cl_int, void *called) {
  static_cast<std::atomic<bool> *>(called)->store(true);
}

TEST(StartWithoutMemory, WorkersAndTheThreadOfCallbacks) {
  is_of_program = true;
  cl_platform_id platform = nullptr;
  ASSERT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS); // loads the library
  ASSERT_EQ(sleeping_workers(), 0u);
  watch_library_allocations(is_of_another_thread);
  cl_device_id device = nullptr;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
  cl_int status = 1;
  Context context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  Queue queue(clCreateCommandQueueWithProperties(context, device, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  cl_uint workers = 0;
  ASSERT_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof workers, &workers, nullptr),
            CL_SUCCESS);
  const auto begin = std::chrono::steady_clock::now();
  auto is_late = [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::seconds(60);
  };
  while (sleeping_workers() < workers) {
    ASSERT_FALSE(is_late());
    std::this_thread::yield();
  }
  std::atomic<bool> called{false};
  Event event(clCreateUserEvent(context, &status));
  ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, note_the_call, &called), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  while (!called) {
    ASSERT_FALSE(is_late());
    std::this_thread::yield();
  }
  watch_library_allocations(nullptr);
  EXPECT_EQ(taken_by_others, 0);
}

} // namespace
