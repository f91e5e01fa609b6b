#include "platform/linux/privileges.h"
#include "platform/linux/thread_slots.h"
#include "support/environment.h"
#include "support/json.h"
#include "support/result.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

Result<std::unique_ptr<int>> positive(int value) {
  if (value <= 0)
    return Error{ErrorKind::invalid_argument, "value is not positive"};
  return std::make_unique<int>(value);
}

Result<void> need_positive(int value, bool &reached_the_end) {
  LOCKSTEP_TRY(positive(value));
  reached_the_end = true;
  return {};
}

TEST(Result, CarriesAValueOrAnError) {
  auto good = positive(3);
  ASSERT_TRUE(good);
  EXPECT_EQ(**good, 3);
  auto bad = positive(-1);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(bad.take_error().message, "value is not positive");
}

TEST(Result, TryReturnsTheErrorFromTheEnclosingFunction) {
  bool reached_the_end = false;
  EXPECT_EQ(need_positive(0, reached_the_end).error().message, "value is not positive");
  EXPECT_FALSE(reached_the_end);
  EXPECT_TRUE(need_positive(1, reached_the_end));
  EXPECT_TRUE(reached_the_end);
}

TEST(Environment, UnsetAndEmptyAreTheSame) {
  unsetenv("LOCKSTEP_SUPPORT_TEST");
  EXPECT_FALSE(environment("SUPPORT_TEST"));
  setenv("LOCKSTEP_SUPPORT_TEST", "", 1);
  EXPECT_FALSE(environment("SUPPORT_TEST"));
  setenv("LOCKSTEP_SUPPORT_TEST", "value", 1);
  EXPECT_EQ(environment("SUPPORT_TEST"), "value");
}

TEST(Environment, OtherVariablesHaveTheirWholeName) {
  setenv("SUPPORT_TEST", "value", 1);
  EXPECT_EQ(system_variable("SUPPORT_TEST"), "value");
  setenv("SUPPORT_TEST", "", 1);
  EXPECT_FALSE(system_variable("SUPPORT_TEST"));
  unsetenv("SUPPORT_TEST");
  EXPECT_FALSE(system_variable("SUPPORT_TEST"));
}

TEST(Privileges, OfATestAreThoseOfItsUser) {
  EXPECT_EQ(privilege_problem(), "");
}

TEST(Environment, WhatIsNoNumberIsReportedAndIgnored) {
  setenv("LOCKSTEP_SUPPORT_TEST", "-12", 1);
  EXPECT_EQ(environment_number("SUPPORT_TEST"), -12);
  for (const char *text : {"12x", "1.5", "99999999999999999999"}) {
    setenv("LOCKSTEP_SUPPORT_TEST", text, 1);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(environment_number("SUPPORT_TEST"));
    EXPECT_NE(testing::internal::GetCapturedStderr().find("LOCKSTEP_SUPPORT_TEST is '" +
                                                          std::string(text) + "'"),
              std::string::npos);
  }
}

TEST(Json, StringsAreUtf8WhateverTheyAreMadeOf) {
  EXPECT_EQ(json_string("a\"\\\n"), "\"a\\\"\\\\\\u000a\"");
  for (const char *valid : {"gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                            "\xf4\x8f\xbf\xbf", "\xef\xbf\xbd"})
    EXPECT_EQ(json_string(valid), std::string("\"") + valid + '"');
  const std::string unknown = "\xef\xbf\xbd";
  const std::pair<const char *, std::string> cases[] = {
      {"gr\xfc\xdf", "gr" + unknown + unknown}, // Latin 1
      {"\xc3", unknown},                        // truncated
      {"\xe2\x82", unknown},
      {"\xe2\x82z", unknown + "z"},
      {"\xf0\x9f\x98\"", unknown + "\\\""},
      {"\x80", unknown},               // not a first byte
      {"\xc0\xaf", unknown + unknown}, // overlong
      {"\xe0\x80\xaf", unknown + unknown + unknown},
      {"\xed\xa0\x80", unknown + unknown + unknown},               // half of a surrogate pair
      {"\xf4\x90\x80\x80", unknown + unknown + unknown + unknown}, // beyond U+10FFFF
      {"\xff\xfe", unknown + unknown},
  };
  for (const auto &[text, expected] : cases)
    EXPECT_EQ(json_string(text), '"' + expected + '"');
}

// More threads than a block of slots has, some with several pointers one after the other.
TEST(ThreadSlots, KeepThePointerOfEachThread) {
  static constinit ThreadSlots slots;
  EXPECT_EQ(slots.find(), nullptr);
  std::atomic<int> wrong = 0, ready = 0;
  constexpr int threads = 200;
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&] {
        int one = 0, other = 0;
        wrong += slots.find() != nullptr;
        wrong += !slots.set(&one) || slots.find() != &one;
        wrong += !slots.set(&other);
        ++ready;
        while (ready < threads)
          std::this_thread::yield();
        wrong += slots.find() != &other;
        wrong += !slots.set(nullptr) || slots.find() != nullptr;
      });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(slots.set(nullptr)); // none was set
}

} // namespace
} // namespace lockstep
