// How Lockstep finds NVIDIA's driver and its cards, and what it says where it cannot use them.
#include "runtime/launch/nvidia/cuda_driver.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

using fake_cuda::controls;
using testing::HasSubstr;

class CudaDriverTest : public testing::Test {
protected:
  CudaDriverTest() {
    controls().version = 12080;
    controls().devices = 1;
    controls().capability = 90;
    controls().init_status = cuda::success;
  }
  static Result<std::shared_ptr<const CudaDriver>> load() {
    return CudaDriver::load(FAKE_CUDA_LIBRARY);
  }
  static std::string obstacle() {
    auto driver = load();
    EXPECT_TRUE(driver && (*driver)->cards().size() == 1u);
    return (*driver)->cards().front().obstacle;
  }
};

TEST_F(CudaDriverTest, ListsTheCards) {
  controls().devices = 2;
  auto driver = load();
  ASSERT_TRUE(driver) << driver.error().message;
  EXPECT_EQ((*driver)->version(), 12080);
  ASSERT_EQ((*driver)->cards().size(), 2u);
  const CudaCard &card = (*driver)->cards()[1];
  EXPECT_EQ(card.index, 1);
  EXPECT_EQ(card.name, "Fake Card");
  EXPECT_EQ(card.capability, 90);
  EXPECT_EQ(card.memory_bytes, uint64_t{1} << 30);
  EXPECT_EQ(card.obstacle, "");
}

TEST_F(CudaDriverTest, AMachineWithoutADriver) {
  auto driver = CudaDriver::load("libcuda_of_no_machine.so.1");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(driver.error().message, HasSubstr("no NVIDIA driver: libcuda_of_no_machine.so.1"));
}

TEST_F(CudaDriverTest, ALibraryWithoutAFunction) {
  auto driver = CudaDriver::load("libc.so.6");
  ASSERT_FALSE(driver);
  EXPECT_THAT(driver.error().message, HasSubstr("libc.so.6 has no function cuInit"));
}

TEST_F(CudaDriverTest, ADriverThatIsTooOld) {
  controls().version = 10020;
  controls().init_status = cuda::no_device; // it is not even started
  auto driver = load();
  ASSERT_FALSE(driver);
  EXPECT_THAT(driver.error().message, HasSubstr("has CUDA 10.2, but Lockstep needs 11.0"));
}

TEST_F(CudaDriverTest, ADriverThatFindsNoCard) {
  controls().init_status = cuda::no_device;
  auto driver = load();
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().message,
            "cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
  controls().init_status = cuda::success;
  controls().devices = 0;
  driver = load();
  ASSERT_FALSE(driver);
  EXPECT_THAT(driver.error().message, HasSubstr("lists no card"));
}

TEST_F(CudaDriverTest, ACardThatIsTooOldOrTooNew) {
  controls().capability = 61;
  EXPECT_THAT(obstacle(), HasSubstr("compute capability is 6.1, but Lockstep needs 7.0"));
  controls().capability = 70;
  controls().version = 11000;
  EXPECT_EQ(obstacle(), "");
  controls().capability = 90;
  EXPECT_THAT(obstacle(),
              HasSubstr("needs a driver with CUDA 11.8 or later, but this one has 11.0"));
  controls().capability = 120;
  controls().version = 12080;
  EXPECT_EQ(obstacle(), "");
}

TEST_F(CudaDriverTest, ErrorsHaveCudasNameAndKind) {
  auto driver = load();
  ASSERT_TRUE(driver);
  const CudaDriver &cuda = **driver;
  EXPECT_TRUE(cuda.checked(cuda::success, "cuInit"));
  auto memory = cuda.checked(cuda::out_of_memory, "cuMemAlloc of 5 bytes");
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().kind, ErrorKind::out_of_resources);
  EXPECT_EQ(memory.error().message,
            "cuMemAlloc of 5 bytes failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  auto fault = cuda.checked(cuda::illegal_address, "the kernel");
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().kind, ErrorKind::kernel_fault);
  auto unknown = cuda.checked(12345, "cuThis");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::internal);
  EXPECT_THAT(unknown.error().message, HasSubstr("CUDA error 12345"));
  EXPECT_TRUE(CudaDriver::loses_context(cuda::illegal_address));
  EXPECT_FALSE(CudaDriver::loses_context(cuda::out_of_memory));
}

TEST_F(CudaDriverTest, AForkedChildCannotUseIt) {
  auto driver = load();
  ASSERT_TRUE(driver && (*driver)->check_process());
  const pid_t child = fork();
  if (child == 0)
    _exit((*driver)->check_process() ? 1 : 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace lockstep::runtime
