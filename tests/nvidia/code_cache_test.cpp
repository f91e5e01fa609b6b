// The disk cache of machine code that the driver has made, on the fake driver.
#include "runtime/launch/nvidia/nvidia_memory.h"
#include "runtime/launch/nvidia/nvidia_program.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

const std::string text = R"(
.version 7.8
.target sm_90
.visible .entry k(.param .u32 value) { ret; }
)";

// The process has one cache, so no test before these may use it.
const std::filesystem::path &cache_folder() {
  static const std::filesystem::path folder = [] {
    std::string name = testing::TempDir() + "code_cache_XXXXXX";
    EXPECT_TRUE(mkdtemp(name.data()));
    setenv("LOCKSTEP_CACHE_DIR", name.c_str(), 1);
    return name;
  }();
  return folder;
}

Result<std::shared_ptr<const LoadedKernel>> load(const std::string &ptx) {
  cache_folder();
  auto driver = CudaDriver::load(FAKE_CUDA_LIBRARY);
  EXPECT_TRUE(driver);
  auto context = std::make_shared<CudaContext>(*driver, (*driver)->cards().front());
  auto program = std::make_shared<NvidiaProgram>(
      context, std::make_shared<NvidiaMemory>(context),
      PtxCompiler{
          .kernel = [ptx](const auto &, auto, const auto &, auto) -> Result<compiler::PtxCode> {
            compiler::PtxCode code;
            code.text = ptx;
            code.entry = "k";
            return code;
          },
          .variables = nullptr},
      std::make_shared<compiler::KernelModule>());
  compiler::KernelInfo info;
  info.name = "k";
  return program->kernel(info, {}, compiler::PtxVariant::plain);
}

std::size_t assembled() {
  return fake_cuda::controls().assembled_texts;
}

TEST(CodeCache, TheDriverAssemblesATextOnce) {
  const std::size_t before = assembled();
  ASSERT_TRUE(load(text));
  EXPECT_EQ(assembled() - before, 1u);
  auto again = load(text);
  ASSERT_TRUE(again);
  EXPECT_TRUE((*again)->function);
  EXPECT_EQ(assembled() - before, 1u);
  ASSERT_TRUE(load(text + "// another"));
  EXPECT_EQ(assembled() - before, 2u);
  fake_cuda::controls().version = 12090; // another driver
  ASSERT_TRUE(load(text));
  fake_cuda::controls().version = 12080;
  EXPECT_EQ(assembled() - before, 3u);
  std::filesystem::remove_all(cache_folder());
}

// The driver assembles them as whole programs, and has a cache of its own.
TEST(CodeCache, KernelsWithBarriersAreLoadedAsTexts) {
  const std::size_t before = assembled();
  std::string with_barrier = text;
  with_barrier.replace(with_barrier.find("ret;"), 4, "\tbar.sync \t0;\n\tret;");
  auto loaded = load(with_barrier);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE((*loaded)->function);
  auto wrong = load("no PTX\n\tbar.sync \t0;");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("the driver says: no .version"), std::string::npos)
      << wrong.error().message;
  EXPECT_EQ(assembled(), before);
}

TEST(CodeCache, ErrorsOfTheAssemblerAreNotCached) {
  const std::size_t before = assembled();
  for (int i = 0; i < 2; ++i) {
    auto loaded = load("no PTX");
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("the driver says: no .version"), std::string::npos)
        << loaded.error().message;
  }
  EXPECT_EQ(assembled() - before, 2u);
}

} // namespace
} // namespace lockstep::runtime
