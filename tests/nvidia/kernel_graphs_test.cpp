#include "runtime/launch/nvidia/kernel_graphs.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace lockstep::runtime {
namespace {

using fake_cuda::controls;

const char *const text = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry add(
  .param .b32 add_param_0
)
{ ret; }
)";

std::atomic<uint64_t> sum_of_parameters = 0;

class KernelGraphsTest : public testing::Test {
protected:
  KernelGraphsTest() : driver_(*CudaDriver::load(FAKE_CUDA_LIBRARY)) {
    fake_cuda::repair();
    fake_cuda::set_runner([](const fake_cuda::Launch &launch) {
      uint32_t value = 0;
      std::memcpy(&value, launch.parameters[0].data(), sizeof value);
      sum_of_parameters += value;
      return cuda::success;
    });
    context_ = std::make_shared<CudaContext>(driver_, driver_->cards()[0]);
    EXPECT_TRUE(context_->start());
    use_ = std::make_unique<CudaContext::Use>(*context_);
    EXPECT_EQ(driver_->create_stream(&stream_, cuda::non_blocking_stream), cuda::success);
    EXPECT_EQ(driver_->load_module(&module_, text, 0, nullptr, nullptr), cuda::success);
    EXPECT_EQ(driver_->find_function(&function_, module_, "add"), cuda::success);
    before_ = controls().graphs;
  }
  ~KernelGraphsTest() override { // other tests have another runner
    EXPECT_EQ(driver_->synchronize_stream(stream_), cuda::success);
    EXPECT_EQ(driver_->unload_module(module_), cuda::success);
  }
  std::unique_ptr<KernelGraphs> make() {
    return std::make_unique<KernelGraphs>(context_, cuda::KernelNode{.function = function_,
                                                                     .grid_x = 1,
                                                                     .grid_y = 1,
                                                                     .grid_z = 1,
                                                                     .block_x = 1,
                                                                     .block_y = 1,
                                                                     .block_z = 1});
  }
  // Whether a graph was launched.
  bool launch(KernelGraphs &graphs, uint32_t value = 0) {
    void *parameters[] = {&value};
    return graphs.launch(stream_, std::as_bytes(std::span(&value, 1)), [&] { return parameters; });
  }
  int launch_often(KernelGraphs &graphs, uint32_t count) {
    int by_graph = 0;
    for (uint32_t i = 0; i < count; ++i)
      by_graph += launch(graphs);
    return by_graph;
  }
  std::size_t graphs() const { return controls().graphs - before_; }

  const std::shared_ptr<const CudaDriver> driver_;
  std::shared_ptr<CudaContext> context_;
  std::unique_ptr<CudaContext::Use> use_;
  cuda::Stream *stream_ = nullptr;
  cuda::Module *module_ = nullptr;
  cuda::Function *function_ = nullptr;
  std::size_t before_ = 0;
};

constexpr uint32_t enough = KernelGraphs::launches_before;

TEST_F(KernelGraphsTest, TheGraphThatWasLaunchedLongestAgoMakesRoom) {
  std::vector<std::unique_ptr<KernelGraphs>> kernels(GraphsOfCard::most);
  for (auto &kernel : kernels) {
    kernel = make();
    EXPECT_EQ(launch_often(*kernel, enough), 1);
  }
  EXPECT_EQ(graphs(), GraphsOfCard::most);
  EXPECT_TRUE(launch(*kernels[0])); // now the second one has the earliest launch
  const auto one_more = make();
  EXPECT_EQ(launch_often(*one_more, enough), 1);
  EXPECT_EQ(graphs(), GraphsOfCard::most);
  EXPECT_TRUE(launch(*kernels[0]) && launch(*kernels[2]) && launch(*one_more));
  // Its stream counts again, and takes the place of the fourth one.
  EXPECT_EQ(launch_often(*kernels[1], enough - 1), 0);
  EXPECT_TRUE(launch(*kernels[1]) && launch(*kernels[1]));
  EXPECT_FALSE(launch(*kernels[3]));
  kernels.clear();
  EXPECT_EQ(graphs(), 1u);
}

TEST_F(KernelGraphsTest, ParametersAreThoseOfEachLaunch) {
  const auto kernel = make();
  launch_often(*kernel, enough);
  EXPECT_EQ(driver_->synchronize_stream(stream_), cuda::success);
  sum_of_parameters = 0;
  for (uint32_t value : {1, 1, 10, 100, 100})
    EXPECT_TRUE(launch(*kernel, value));
  EXPECT_EQ(driver_->synchronize_stream(stream_), cuda::success);
  EXPECT_EQ(sum_of_parameters, 212u);
}

TEST_F(KernelGraphsTest, AFailureLeavesNothing) {
  const auto kernel = make();
  launch_often(*kernel, enough - 1);
  controls().graph_status = cuda::out_of_memory;
  EXPECT_EQ(launch_often(*kernel, 3 * enough), 0);
  EXPECT_EQ(graphs(), 0u);
  const auto other = make();
  launch_often(*other, enough);
  controls().launch_status = cuda::out_of_memory;
  EXPECT_FALSE(launch(*other));
  EXPECT_EQ(graphs(), 0u);
}

} // namespace
} // namespace lockstep::runtime
