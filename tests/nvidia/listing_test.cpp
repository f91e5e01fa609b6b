// Which devices OpenCL programs find on a machine with a card, and when the driver is loaded. Each
// case is a process of its own, on the fake driver.
#include "tests/nvidia/in_child.h"

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace {

using lockstep::test::count_of;
using lockstep::test::driver_is_loaded;
using lockstep::test::Variables;

Variables with_card(const Variables &more = {}) {
  Variables all = {{"LOCKSTEP_CUDA_LIBRARY", FAKE_CUDA_LIBRARY}, {"LOCKSTEP_NVIDIA", ""}};
  for (const auto &[name, value] : more)
    all[name] = value;
  return all;
}

template <class Body> void in_child(const Variables &variables, Body body) {
  EXPECT_TRUE(lockstep::test::in_child(variables, [&] {
    body();
    return !testing::Test::HasFailure();
  }));
}

cl_platform_id platform() {
  cl_platform_id found = nullptr;
  EXPECT_EQ(clGetPlatformIDs(1, &found, nullptr), CL_SUCCESS);
  return found;
}

std::vector<cl_device_id> devices(cl_device_type type) {
  std::array<cl_device_id, 8> found{};
  cl_uint count = 0;
  const cl_int status =
      clGetDeviceIDs(platform(), type, cl_uint(found.size()), found.data(), &count);
  EXPECT_EQ(status, count == 0 ? CL_DEVICE_NOT_FOUND : CL_SUCCESS);
  return {found.begin(), found.begin() + count};
}

// "cpu", or the name of a card
std::string name_of(cl_device_id device) {
  if (cl_bool is_unified = CL_FALSE;
      clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof is_unified, &is_unified,
                      nullptr) == CL_SUCCESS &&
      is_unified)
    return "cpu";
  std::array<char, 256> name{};
  EXPECT_EQ(clGetDeviceInfo(device, CL_DEVICE_NAME, name.size(), name.data(), nullptr), CL_SUCCESS);
  return name.data();
}

std::vector<std::string> names(cl_device_type type) {
  std::vector<std::string> all;
  for (cl_device_id device : devices(type))
    all.push_back(name_of(device));
  return all;
}

using Names = std::vector<std::string>;
const char *const card = "Fake Card";

cl_bool is_available(cl_device_id device) {
  cl_bool answer = 2;
  EXPECT_EQ(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof answer, &answer, nullptr),
            CL_SUCCESS);
  return answer;
}

// Makes a context and a queue, and writes and reads memory by the queue.
cl_int use(std::span<const cl_device_id> context_devices, cl_device_id device) {
  cl_int status = 1;
  cl_context context = clCreateContext(nullptr, cl_uint(context_devices.size()),
                                       context_devices.data(), nullptr, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
  if (queue) {
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 1000, 0);
    EXPECT_NE(shared, nullptr);
    const int seven = 7;
    int seen = 0;
    cl_mem buffer = clCreateBuffer(context, 0, sizeof seen, nullptr, nullptr);
    EXPECT_EQ(clEnqueueFillBuffer(queue, buffer, &seven, sizeof seven, 0, sizeof seven, 0, nullptr,
                                  nullptr),
              CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof seen, &seen, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(seen, 7);
    clSVMFree(context, shared);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
  }
  clReleaseContext(context);
  return status;
}

TEST(Listing, TheCardIsBehindTheCpu) {
  for (const char *value : {"", "1", "yes"}) // the last one is reported, and ignored
    in_child(with_card({{"LOCKSTEP_NVIDIA", value}}), [] {
      EXPECT_EQ(names(CL_DEVICE_TYPE_ALL), (Names{"cpu", card}));
      EXPECT_EQ(names(CL_DEVICE_TYPE_GPU), Names{card});
      EXPECT_EQ(names(CL_DEVICE_TYPE_CPU), Names{"cpu"});
      EXPECT_EQ(names(CL_DEVICE_TYPE_DEFAULT), Names{"cpu"});
      EXPECT_EQ(names(CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_GPU), (Names{"cpu", card}));
      EXPECT_EQ(names(CL_DEVICE_TYPE_ACCELERATOR), Names{});
      EXPECT_EQ(devices(CL_DEVICE_TYPE_ALL)[1], devices(CL_DEVICE_TYPE_GPU)[0]);
      EXPECT_EQ(devices(CL_DEVICE_TYPE_ALL)[0], devices(CL_DEVICE_TYPE_CPU)[0]);
      EXPECT_EQ(use(devices(CL_DEVICE_TYPE_GPU), devices(CL_DEVICE_TYPE_GPU)[0]), CL_SUCCESS);
      EXPECT_EQ(use(devices(CL_DEVICE_TYPE_ALL), devices(CL_DEVICE_TYPE_CPU)[0]), CL_SUCCESS);
    });
}

TEST(Listing, TheVariableHidesTheCardOrPutsItFirst) {
  in_child(with_card({{"LOCKSTEP_NVIDIA", "0"}}), [] {
    EXPECT_EQ(names(CL_DEVICE_TYPE_ALL), Names{"cpu"});
    EXPECT_EQ(names(CL_DEVICE_TYPE_GPU), Names{});
    EXPECT_FALSE(driver_is_loaded());
  });
  in_child(with_card({{"LOCKSTEP_NVIDIA", "first"}}), [] {
    EXPECT_EQ(names(CL_DEVICE_TYPE_ALL), (Names{card, "cpu"}));
    EXPECT_EQ(names(CL_DEVICE_TYPE_DEFAULT), Names{card});
    EXPECT_EQ(names(CL_DEVICE_TYPE_CPU), Names{"cpu"});
  });
  in_child(with_card({{"LOCKSTEP_DEVICE_TYPE", "gpu"}}), [] {
    EXPECT_EQ(names(CL_DEVICE_TYPE_GPU), (Names{"cpu", card}));
    EXPECT_EQ(names(CL_DEVICE_TYPE_CPU), Names{});
  });
}

TEST(Listing, NoCardIsListedThatCannotBeUsed) {
  in_child(with_card({{"FAKE_CUDA_CAPABILITY", "61"}}),
           [] { EXPECT_EQ(names(CL_DEVICE_TYPE_ALL), Names{"cpu"}); });
  in_child(with_card({{"FAKE_CUDA_VERSION", "10020"}}), [] {
    EXPECT_EQ(names(CL_DEVICE_TYPE_ALL), Names{"cpu"});
    EXPECT_EQ(count_of("fake_cuda_inits"), 0u);
  });
  in_child(with_card({{"LOCKSTEP_CUDA_LIBRARY", "libcuda_of_no_machine.so.1"}}),
           [] { EXPECT_EQ(names(CL_DEVICE_TYPE_ALL), Names{"cpu"}); });
}

TEST(Listing, ProgramsOnTheCpuLoadNoDriver) {
  in_child(with_card(), [] {
    const auto cpu = devices(CL_DEVICE_TYPE_CPU);
    EXPECT_EQ(devices(CL_DEVICE_TYPE_DEFAULT), cpu);
    EXPECT_EQ(use(cpu, cpu[0]), CL_SUCCESS);
    const cl_context_properties of_platform[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform()), 0};
    cl_int status = 1;
    cl_context context =
        clCreateContextFromType(of_platform, CL_DEVICE_TYPE_CPU, nullptr, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(clReleaseContext(context), CL_SUCCESS);
    EXPECT_FALSE(driver_is_loaded());

    const auto all = devices(CL_DEVICE_TYPE_ALL);
    EXPECT_EQ(devices(CL_DEVICE_TYPE_GPU)[0], all[1]);
    EXPECT_EQ(count_of("fake_cuda_inits"), 1u);
    EXPECT_EQ(count_of("fake_cuda_contexts"), 0u) << "listing makes no context";
    EXPECT_EQ(use(std::span(all).subspan(1), all[1]), CL_SUCCESS);
    EXPECT_EQ(count_of("fake_cuda_contexts"), 1u);
  });
}

TEST(Listing, AChildOfForkUsesTheCardIfTheParentHasNotListedIt) {
  in_child(with_card(), [] {
    const auto cpu = devices(CL_DEVICE_TYPE_CPU);
    EXPECT_EQ(use(cpu, cpu[0]), CL_SUCCESS);
    in_child({}, [&] {
      const auto found = devices(CL_DEVICE_TYPE_GPU);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(is_available(found[0]), CL_TRUE);
      EXPECT_EQ(use(found, found[0]), CL_SUCCESS);
    });
    EXPECT_FALSE(driver_is_loaded());
    const auto found = devices(CL_DEVICE_TYPE_GPU); // the parent, afterwards
    EXPECT_EQ(use(found, found[0]), CL_SUCCESS);
  });
}

TEST(Listing, AChildOfForkUsesTheCpuIfTheParentHasListedTheCard) {
  in_child(with_card(), [] {
    const auto all = devices(CL_DEVICE_TYPE_ALL);
    EXPECT_EQ(is_available(all[1]), CL_TRUE);
    in_child({}, [&] {
      ASSERT_EQ(devices(CL_DEVICE_TYPE_ALL), all);
      EXPECT_EQ(is_available(all[0]), CL_TRUE);
      EXPECT_EQ(is_available(all[1]), CL_FALSE);
      EXPECT_EQ(use(all, all[0]), CL_SUCCESS) << "with shared memory in a context with the card";
      EXPECT_EQ(use(all, all[1]), CL_OUT_OF_RESOURCES);
    });
    EXPECT_EQ(use(all, all[1]), CL_SUCCESS);
  });
}

// The checker and gdb see kernels of the CPU only.
TEST(Listing, ACheckHidesTheCard) {
  for (const Variables &variables :
       {Variables{{"LOCKSTEP_CHECK", "1"}}, Variables{{"LOCKSTEP_DEBUGGER", "1"}}}) {
    in_child(with_card(variables), [] {
      testing::internal::CaptureStderr();
      EXPECT_EQ(names(CL_DEVICE_TYPE_ALL), Names{"cpu"});
      EXPECT_EQ(names(CL_DEVICE_TYPE_GPU), Names{});
      const std::string said = testing::internal::GetCapturedStderr();
      const std::string end = "kernels on the CPU only, so Fake Card is not listed as a device; "
                              "LOCKSTEP_NVIDIA=1 lists it\n";
      EXPECT_TRUE(said.ends_with(end)) << said;
      EXPECT_EQ(said.find(end), said.rfind(end)) << "said once";
    });
    Variables listed = variables;
    listed["LOCKSTEP_NVIDIA"] = "1";
    in_child(with_card(listed), [] {
      testing::internal::CaptureStderr();
      EXPECT_EQ(names(CL_DEVICE_TYPE_ALL), (Names{"cpu", card}));
      EXPECT_NE(testing::internal::GetCapturedStderr().find(
                    "kernels on the CPU only, not those that run on Fake Card\n"),
                std::string::npos);
    });
    Variables hidden = variables;
    hidden["LOCKSTEP_NVIDIA"] = "0";
    in_child(with_card(hidden), [] {
      testing::internal::CaptureStderr();
      EXPECT_EQ(names(CL_DEVICE_TYPE_ALL), Names{"cpu"});
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    });
  }
}

} // namespace
