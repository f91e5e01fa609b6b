#include "driver/code_table.h"
#include "process/run_with_stack.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace lockstep::compiler {
namespace {

using Table = CodeTable<int, int>;
using Made = Result<Table::Shared>;

TEST(CodeTable, MakesOnceWhileSomebodyHasIt) {
  Table table;
  int times = 0;
  auto make = [&]() -> Made { return std::make_shared<const int>(++times); };
  auto first = table.get_or_make(1, "testing", make),
       second = table.get_or_make(1, "testing", make);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  auto of_other_key = table.get_or_make(2, "testing", make);
  ASSERT_TRUE(of_other_key);
  EXPECT_EQ(**of_other_key, 2);
  *first = *second = nullptr;
  auto third = table.get_or_make(1, "testing", make);
  ASSERT_TRUE(third);
  EXPECT_EQ(**third, 3);
}

TEST(CodeTable, AFailureForGoodIsKept) {
  Table table;
  int times = 0;
  for (int attempt = 0; attempt != 3; ++attempt) {
    auto code = table.get_or_make(1, "testing", [&]() -> Made {
      ++times;
      return Error{ErrorKind::out_of_resources, "too large"};
    });
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().message, "too large");
  }
  EXPECT_EQ(times, 1);
}

// The next attempt may succeed.
TEST(CodeTable, ATransientFailureIsNot) {
  for (ErrorKind kind : {ErrorKind::out_of_host_memory, ErrorKind::io_failure}) {
    Table table;
    auto failed = table.get_or_make(1, "testing", [&]() -> Made { return Error{kind, "full"}; });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, kind);
    auto code =
        table.get_or_make(1, "testing", []() -> Made { return std::make_shared<const int>(7); });
    ASSERT_TRUE(code) << code.error().message;
    EXPECT_EQ(**code, 7);
  }
}

TEST(CodeTable, AnExceptionIsAnErrorForAllWhoWait) {
  Table table;
  std::atomic<int> asked{0}, told{0}, makers{0};
  auto ask = [&] {
    ++asked;
    auto code = table.get_or_make(1, "testing", [&]() -> Made {
      ++makers;
      while (asked != 4) // until all other threads are about to wait
        std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      throw std::bad_alloc();
    });
    told += !code && code.error().kind == ErrorKind::out_of_host_memory &&
            code.error().message.find("left for testing") != std::string::npos;
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back(ask);
  threads.clear();
  EXPECT_EQ(told, 4);
  EXPECT_GE(makers, 1); // a late thread has tried again
  auto code =
      table.get_or_make(1, "testing", []() -> Made { return std::make_shared<const int>(7); });
  ASSERT_TRUE(code);
  EXPECT_EQ(**code, 7);
}

// Work on a thread with a separate stack throws to the caller; otherwise std::terminate() would end
// the process.
TEST(RunWithStack, ExceptionsGetToTheCaller) {
  EXPECT_THROW(run_with_stack(size_t{64} << 20, [] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THROW(
      (void)on_big_stack(0, "testing", []() -> Result<int> { throw std::runtime_error("other"); }),
      std::runtime_error);
}

TEST(CodeTable, ForgetsWhatNobodyHas) {
  Table table;
  std::vector<Table::Shared> kept;
  int times = 0;
  auto make = [&]() -> Made { return std::make_shared<const int>(++times); };
  for (int round = 0; round != 2; ++round)
    for (int key = 0; key != 2 * int(Table::most_known); ++key) {
      auto code = table.get_or_make(key, "testing", make);
      ASSERT_TRUE(code);
      if (key % 100 == 0)
        kept.push_back(*code);
    }
  const std::size_t half = kept.size() / 2;
  for (std::size_t i = 0; i != half; ++i)
    EXPECT_EQ(kept[i], kept[i + half]) << "key " << 100 * i;
  EXPECT_EQ(std::size_t(times), 4 * Table::most_known - half);
}

} // namespace
} // namespace lockstep::compiler
