// The fake driver makes the mistakes visible that a real card would hide.
#include "runtime/launch/nvidia/cuda_driver.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

using fake_cuda::controls;

const char *const text = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry add(
  .param .u64 .ptr .global .align 4 add_param_0,
  .param .align 8 .b8 add_param_1[12],
  .param .b32 add_param_2
)
{ ret; }
)";

class FakeCudaTest : public testing::Test {
protected:
  FakeCudaTest() {
    fake_cuda::repair();
    fake_cuda::set_runner([](const fake_cuda::Launch &) { return cuda::success; });
    auto loaded = CudaDriver::load(FAKE_CUDA_LIBRARY);
    EXPECT_TRUE(loaded);
    driver_ = *loaded;
    cuda::Context *context = nullptr;
    EXPECT_EQ(driver_->retain_primary_context(&context, 0), cuda::success);
    EXPECT_EQ(driver_->push_context(context), cuda::success);
    for (cuda::Stream *&stream : streams_)
      EXPECT_EQ(driver_->create_stream(&stream, cuda::non_blocking_stream), cuda::success);
    EXPECT_EQ(driver_->allocate(&device_, 4096), cuda::success);
    void *pinned = nullptr;
    EXPECT_EQ(driver_->allocate_pinned(&pinned, 4096, 0), cuda::success);
    host_ = static_cast<int *>(pinned);
  }
  ~FakeCudaTest() override {
    fake_cuda::repair();
    EXPECT_EQ(driver_->free(device_), cuda::success);
    EXPECT_EQ(driver_->free_pinned(host_), cuda::success);
    cuda::Context *context = nullptr;
    EXPECT_EQ(driver_->pop_context(&context), cuda::success);
  }
  cuda::Function *load() {
    cuda::Module *module = nullptr;
    cuda::Function *function = nullptr;
    EXPECT_EQ(driver_->load_module(&module, text, 0, nullptr, nullptr), cuda::success);
    EXPECT_EQ(driver_->find_function(&function, module, "add"), cuda::success);
    return function;
  }
  cuda::Status launch(cuda::Function *function, cuda::Stream *stream) {
    uint64_t address = device_;
    std::array<char, 12> block{"eleven here"};
    uint32_t offset = 7;
    void *parameters[] = {&address, &block, &offset};
    return driver_->launch(function, 2, 3, 1, 32, 1, 1, 16, stream, parameters, nullptr);
  }

  std::shared_ptr<const CudaDriver> driver_;
  std::array<cuda::Stream *, 2> streams_{};
  cuda::Address device_ = 0;
  int *host_ = nullptr;
};

TEST_F(FakeCudaTest, LaunchesHaveWhatWasPassed) {
  fake_cuda::Launch seen;
  fake_cuda::set_runner([&](const fake_cuda::Launch &launch) {
    seen = launch;
    return cuda::success;
  });
  ASSERT_EQ(launch(load(), streams_[0]), cuda::success);
  ASSERT_EQ(driver_->synchronize_stream(streams_[0]), cuda::success);
  EXPECT_EQ(seen.image, text);
  EXPECT_EQ(seen.function, "add");
  EXPECT_EQ(seen.grid, (std::array<uint32_t, 3>{2, 3, 1}));
  EXPECT_EQ(seen.block, (std::array<uint32_t, 3>{32, 1, 1}));
  EXPECT_EQ(seen.shared_bytes, 16u);
  ASSERT_EQ(seen.parameters.size(), 3u);
  uint64_t address = 0;
  std::memcpy(&address, seen.parameters[0].data(), sizeof address);
  EXPECT_EQ(address, device_);
  EXPECT_EQ(seen.parameters[1].size(), 12u);
  EXPECT_STREQ(reinterpret_cast<const char *>(seen.parameters[1].data()), "eleven here");
  EXPECT_EQ(seen.parameters[2].size(), 4u);
}

// Each value is written by one stream and read by the other one, in the order of events.
TEST_F(FakeCudaTest, EventsOrderStreams) {
  cuda::Event *event = nullptr;
  ASSERT_EQ(driver_->create_event(&event, cuda::event_without_timing), cuda::success);
  for (int i = 0; i < 50; ++i) {
    host_[0] = i;
    host_[1] = -1;
    ASSERT_EQ(driver_->copy_to_device(device_, host_, sizeof(int), streams_[0]), cuda::success);
    ASSERT_EQ(driver_->record_event(event, streams_[0]), cuda::success);
    ASSERT_EQ(driver_->wait_in_stream(streams_[1], event, 0), cuda::success);
    ASSERT_EQ(driver_->copy_to_host(host_ + 1, device_, sizeof(int), streams_[1]), cuda::success);
    ASSERT_EQ(driver_->synchronize_stream(streams_[1]), cuda::success);
    EXPECT_EQ(host_[1], i);
    EXPECT_EQ(driver_->query_event(event), cuda::success);
  }
}

TEST_F(FakeCudaTest, OperationsAreLate) {
  cuda::Event *event = nullptr;
  ASSERT_EQ(driver_->create_event(&event, cuda::event_without_timing), cuda::success);
  bool was_late = false;
  for (int i = 0; i < 1000 && !was_late; ++i) {
    ASSERT_EQ(driver_->copy_to_device(device_, host_, sizeof(int), nullptr), cuda::success);
    ASSERT_EQ(driver_->record_event(event, nullptr), cuda::success);
    was_late = driver_->query_event(event) == cuda::not_ready;
    ASSERT_EQ(driver_->synchronize_event(event), cuda::success);
  }
  EXPECT_TRUE(was_late);
}

TEST_F(FakeCudaTest, TheHostCannotTouchDeviceMemory) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  // The system call fails where an access of the program would end it.
  EXPECT_EQ(write(ends[1], reinterpret_cast<const void *>(device_), 1), -1);
  EXPECT_EQ(errno, EFAULT);
  EXPECT_EQ(write(ends[1], host_, 1), 1);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(FakeCudaTest, RefusesWhatARealDriverWouldMake) {
  int unpinned = 0;
  EXPECT_EQ(driver_->copy_to_device(device_, &unpinned, sizeof(int), streams_[0]),
            cuda::invalid_value);
  EXPECT_EQ(driver_->copy_to_device(device_ + 4094, host_, sizeof(int), streams_[0]),
            cuda::invalid_value);
  cuda::Address more = 0;
  EXPECT_EQ(driver_->allocate(&more, (std::size_t{1} << 30) - 100), cuda::out_of_memory);
  cuda::Context *context = nullptr;
  ASSERT_EQ(driver_->pop_context(&context), cuda::success);
  EXPECT_EQ(driver_->allocate(&more, 8), cuda::invalid_context);
  ASSERT_EQ(driver_->push_context(context), cuda::success);
  cuda::Module *module = nullptr;
  std::array<char, 100> log{};
  std::array<int, 2> options = {cuda::error_log_buffer, cuda::error_log_buffer_bytes};
  std::array<void *, 2> values = {log.data(), reinterpret_cast<void *>(log.size())};
  EXPECT_EQ(driver_->load_module(&module, ".version 8.6\n.target sm_100\n", 2, options.data(),
                                 values.data()),
            cuda::invalid_ptx);
  EXPECT_STREQ(log.data(), "compiled for sm_100");
}

TEST_F(FakeCudaTest, AFaultIsReportedByAllLaterCalls) {
  fake_cuda::set_runner([](const fake_cuda::Launch &) { return cuda::illegal_address; });
  cuda::Function *function = load();
  ASSERT_EQ(launch(function, streams_[0]), cuda::success);
  EXPECT_EQ(driver_->synchronize_stream(streams_[0]), cuda::illegal_address);
  EXPECT_EQ(launch(function, streams_[1]), cuda::illegal_address);
  cuda::Address more = 0;
  EXPECT_EQ(driver_->allocate(&more, 8), cuda::illegal_address);
}

} // namespace
} // namespace lockstep::runtime
