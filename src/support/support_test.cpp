#include "support/environment.h"
#include "support/result.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>

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

} // namespace
} // namespace lockstep
