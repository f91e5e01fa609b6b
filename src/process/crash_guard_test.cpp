#include "process/crash_guard.h"

#include "llvm/Support/ErrorHandling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <thread>
#include <vector>

namespace lockstep::compiler {
namespace {

using testing::HasSubstr;

// Opaque to the optimizer.
int *volatile null_pointer = nullptr;

__attribute__((no_sanitize("undefined"))) void write_to_null() {
  *null_pointer = 1;
}

TEST(Guarded, WorkThatEndsIsNoError) {
  int done = 0;
  EXPECT_TRUE(guarded("testing", [&] { done = 1; }));
  EXPECT_EQ(done, 1);
  auto result = guarded_result("testing", []() -> Result<int> { return 7; });
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 7);
}

TEST(Guarded, FatalErrorsAndFaultsAreErrorsThatSayWhatWasDone) {
  auto fatal = guarded("testing", [] { llvm::report_fatal_error("no such thing"); });
  ASSERT_FALSE(fatal);
  EXPECT_EQ(fatal.error().kind, ErrorKind::internal);
  EXPECT_THAT(fatal.error().message, HasSubstr("while testing (no such thing)"));
  auto fault = guarded("testing", write_to_null);
  ASSERT_FALSE(fault);
  EXPECT_THAT(fault.error().message, HasSubstr("Segmentation fault"));
}

TEST(Guarded, NoMemory) {
  auto from_llvm = guarded("testing", [] { llvm::report_bad_alloc_error("full"); });
  ASSERT_FALSE(from_llvm);
  EXPECT_EQ(from_llvm.error().kind, ErrorKind::out_of_host_memory);
  auto from_new = guarded("testing", [] { throw std::bad_alloc(); });
  ASSERT_FALSE(from_new);
  EXPECT_EQ(from_new.error().kind, ErrorKind::out_of_host_memory);
}

TEST(Guarded, AnInnerCrashLeavesTheOuterWorkAlone) {
  bool went_on = false;
  auto outer = guarded("outer", [&] {
    EXPECT_FALSE(guarded("inner", write_to_null));
    went_on = true;
  });
  EXPECT_TRUE(outer);
  EXPECT_TRUE(went_on);
}

TEST(Guarded, SeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_FALSE(guarded("testing", write_to_null));
        EXPECT_FALSE(guarded("testing", [] { llvm::report_fatal_error("again"); }));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(GuardedDeathTest, FaultsOutsideEndTheProcess) {
  EXPECT_TRUE(guarded("testing", [] {}));
  EXPECT_DEATH(write_to_null(), "");
}

} // namespace
} // namespace lockstep::compiler
