// Tests records of printf: the card's code writes them, compiled for the host, and the runtime prints
// them.
#include "runtime/launch/nvidia/printf_records.h"

#include "abi/printf_format.h"
#include "device_lib/nvidia/printf_records.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace lockstep::runtime {
namespace {

class PrintfRecords : public testing::Test {
protected:
  // The arguments are words of 8 bytes: numbers and addresses.
  int write(const std::string &format, const std::vector<uint64_t> &arguments) {
    std::vector<lockstep_printf_string> strings;
    for (const compiler::PrintfString &string : compiler::printf_strings(format))
      strings.push_back({string.offset, string.limit});
    formats_.push_back(format);
    return write_printf_record(
        buffer(), unsigned(formats_.size() - 1), reinterpret_cast<const u8 *>(arguments.data()),
        unsigned(arguments.size() * 8), strings.data(), unsigned(strings.size()));
  }
  std::string printed() {
    testing::internal::CaptureStdout();
    const std::size_t used = std::min<std::size_t>(buffer()->used, capacity);
    print_records({memory_.data() + sizeof(lockstep_printf_buffer), used}, formats_);
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }
  lockstep_printf_buffer *buffer() {
    return reinterpret_cast<lockstep_printf_buffer *>(memory_.data());
  }
  static uint64_t address(const char *text) { return reinterpret_cast<uint64_t>(text); }

  static constexpr std::size_t capacity = 256;
  void SetUp() override { *buffer() = {.capacity = capacity, .used = 0}; }

  alignas(8) std::array<std::byte, sizeof(lockstep_printf_buffer) + capacity> memory_{};
  std::vector<std::string> formats_;
};

TEST_F(PrintfRecords, StringsAreCopied) {
  std::string text = "first";
  EXPECT_EQ(write("%s and %d, %ld, %s.\n", {address(text.c_str()), 7, 8, address("second")}), 0);
  text = "gone"; // the record has what was there
  EXPECT_EQ(write("no string: %ld\n", {9}), 0);
  EXPECT_EQ(write("[%s]\n", {address("")}), 0);
  EXPECT_EQ(printed(), "first and 7, 8, second.\nno string: 9\n[]\n");
}

TEST_F(PrintfRecords, WidthAndFlags) {
  EXPECT_EQ(write("[%8s|%-8s|%s]\n", {address("right"), address("left"), 0}), 0);
  EXPECT_EQ(printed(), "[   right|left    |(null)]\n");
}

// With a precision, the string needs no zero at its end (OpenCL C 6.15.14.2).
TEST_F(PrintfRecords, PrecisionLimitsWhatIsRead) {
  std::vector<char> text(3, 'x'); // ASan knows its end
  EXPECT_EQ(write("[%.3s|%.0s|%.9s]\n",
                  {address(text.data()), address(text.data() + 3), address("short")}),
            0);
  EXPECT_EQ(printed(), "[xxx||short]\n");
}

TEST_F(PrintfRecords, NoRoomForAString) {
  const std::string longest(capacity - sizeof(lockstep_printf_record) - 8 - 1, 'a');
  EXPECT_EQ(write("%s\n", {address((longest + "b").c_str())}), -1);
  EXPECT_GT(buffer()->used, capacity);
  EXPECT_EQ(printed(), "");
  SetUp();
  EXPECT_EQ(write("%s\n", {address(longest.c_str())}), 0);
  EXPECT_EQ(write("%ld\n", {1}), -1);
  EXPECT_EQ(printed().substr(0, longest.size() + 1), longest + "\n");
}

// A string without a zero would be read until the card's memory ends.
TEST_F(PrintfRecords, ReadsNotMoreThanThereIsRoomFor) {
  std::vector<char> text(capacity, 'x');
  EXPECT_EQ(write("%s\n", {address(text.data())}), -1);
}

// Undefined, but the host must not read elsewhere.
TEST_F(PrintfRecords, FewerArgumentsThanTheFormatHas) {
  EXPECT_EQ(write("%s, %s, %ld\n", {address("one")}), 0);
  EXPECT_EQ(printed(), "one, (null), 0\n");
}

TEST_F(PrintfRecords, DamagedRecords) {
  EXPECT_EQ(write("%s\n", {address("text")}), 0);
  const uint64_t outside = 1 << 20;
  std::byte *record = memory_.data() + sizeof(lockstep_printf_buffer);
  std::memcpy(record + sizeof(lockstep_printf_record), &outside, sizeof outside);
  EXPECT_EQ(printed(), "(null)\n");
  const unsigned size = std::numeric_limits<unsigned>::max();
  std::memcpy(record, &size, sizeof size);
  EXPECT_EQ(printed(), "");
}

} // namespace
} // namespace lockstep::runtime
