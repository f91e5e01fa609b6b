#include "abi/printf_format.h"
#include "back_ends/cpu/host_functions/device_printf.h"

#include <bit>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace lockstep::compiler {
namespace {

// Packs arguments as the compiled kernel does: each at the next multiple of its size.
class Pack {
public:
  template <class T> Pack &add(T value) { return add_vector(std::vector<T>{value}, sizeof(T)); }
  template <class T> Pack &add_vector(const std::vector<T> &values, size_t packed_size = 0) {
    if (!packed_size)
      packed_size = sizeof(T) * (values.size() == 3 ? 4 : values.size());
    size_t at = (bytes_.size() + packed_size - 1) / packed_size * packed_size;
    bytes_.resize(at + packed_size);
    std::memcpy(bytes_.data() + at, values.data(), sizeof(T) * values.size());
    return *this;
  }
  std::string print(const char *format) const {
    std::string text;
    EXPECT_TRUE(
        format_device_printf(text, format, bytes_.data(), static_cast<uint32_t>(bytes_.size())))
        << format;
    return text;
  }

private:
  std::vector<char> bytes_;
};

template <class T> std::string host(const char *format, T value) {
  char buffer[4096];
  int length = std::snprintf(buffer, sizeof buffer, format, value);
  return std::string(buffer, static_cast<size_t>(length));
}

TEST(DevicePrintf, TextAndPercent) {
  EXPECT_EQ(Pack().print("plain\n"), "plain\n");
  EXPECT_EQ(Pack().print(""), "");
  EXPECT_EQ(Pack().print("100%% of %%"), "100% of %");
}

TEST(DevicePrintf, IntegersAsOnTheHost) {
  for (const char *flags : {"", "-", "+", " ", "0", "#", "-+", "+0", "# 0"})
    for (const char *size : {"", "1", "12", ".0", ".5", "12.5", "3."})
      for (char specifier : std::string("dioxuX"))
        for (int value : {0, 1, -1, 42, 123456789, std::numeric_limits<int>::min()}) {
          std::string format = std::string("<%") + flags + size + specifier + ">";
          EXPECT_EQ(Pack().add(value).print(format.c_str()), host(format.c_str(), value)) << format;
        }
}

TEST(DevicePrintf, LengthModifiersCutScalars) {
  EXPECT_EQ(Pack().add(0x1234567f).print("%hhd"), "127");
  EXPECT_EQ(Pack().add(-1).print("%hhu %%"), "255 %");
  EXPECT_EQ(Pack().add(0x12348000).print("%hd"), "-32768");
  EXPECT_EQ(Pack().add(-2).print("%hx"), "fffe");
  EXPECT_EQ(Pack().add(int64_t{-5000000000}).print("%ld"), "-5000000000");
  EXPECT_EQ(Pack().add(~uint64_t{0}).print("%lx"), "ffffffffffffffff");
}

TEST(DevicePrintf, FloatsAsOnTheHost) {
  const double values[] = {0.0,
                           -0.0,
                           1.0,
                           -1.5,
                           3.14159265358979,
                           1e-10,
                           123456789.125,
                           1e300,
                           5e-324,
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           std::nan("")};
  for (const char *flags : {"", "-", "+", " ", "0", "#", "-#", "+0"})
    for (const char *size : {"", "20", ".0", ".3", "25.10", "."})
      for (char specifier : std::string("fFeEgGaA"))
        for (double value : values) {
          std::string format = std::string("%") + flags + size + specifier + "|";
          EXPECT_EQ(Pack().add(value).print(format.c_str()), host(format.c_str(), value)) << format;
        }
}

TEST(DevicePrintf, VectorsAreSeparatedByCommas) {
  EXPECT_EQ(Pack().add_vector<float>({1, 2, 3, 4}).print("f4 = %2.2v4hlf"),
            "f4 = 1.00,2.00,3.00,4.00");
  EXPECT_EQ(Pack().add_vector<uint8_t>({0xfa, 0xfb, 0xfc, 0xfd}).print("uc = %#v4hhx"),
            "uc = 0xfa,0xfb,0xfc,0xfd");
  EXPECT_EQ(Pack().add_vector<int16_t>({-1, 2}).print("%v2hd"), "-1,2");
  EXPECT_EQ(Pack().add_vector<int64_t>({-1, 2, 3}).print("%v3ld"), "-1,2,3");
  EXPECT_EQ(Pack().add_vector<double>({0.5, 0.25}).print("%v2lf"), "0.500000,0.250000");
  EXPECT_EQ(Pack().add_vector<_Float16>({_Float16(0.5), _Float16(-2)}).print("%v2hg"), "0.5,-2");
  EXPECT_EQ(Pack()
                .add_vector<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
                .print("%v16hli"),
            "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");
  EXPECT_EQ(Pack().add_vector<int>({1, 2}).print("[%5v2hld]"), "[    1,    2]");
}

TEST(DevicePrintf, ArgumentsFollowEachOtherAligned) {
  Pack pack;
  pack.add('x' + 0).add(2.5).add(7).add_vector<float>({1, 2, 3}).add(int64_t{9}).add("literal");
  EXPECT_EQ(pack.print("%c %g %d %.0v3hlf %ld %s."), "x 2.5 7 1,2,3 9 literal.");
}

TEST(DevicePrintf, StringsAndPointers) {
  EXPECT_EQ(Pack().add("abcdef").print("[%.3s]"), "[abc]");
  EXPECT_EQ(Pack().add("ab").print("[%-5s]"), "[ab   ]");
  EXPECT_EQ(Pack().add(static_cast<const char *>(nullptr)).print("%s"), "(null)");
  int variable = 0;
  EXPECT_EQ(Pack().add(&variable).print("%p"), host("%p", static_cast<void *>(&variable)));
}

TEST(DevicePrintf, LongOutputIsNotCut) {
  EXPECT_EQ(Pack().add(7).print("%1000d").size(), 1000u);
  EXPECT_EQ(Pack().add(1.0).print("%.900f").size(), 902u);
}

TEST(DevicePrintf, TooFewArgumentsAreZeros) {
  EXPECT_EQ(Pack().add(7).print("%d %d %ld %g"), "7 0 0 0");
  EXPECT_EQ(Pack().print("%v4hld"), "0,0,0,0");
}

TEST(DevicePrintf, MalformedFormatsFail) {
  for (const char *format : {"%", "%y", "%v5hld", "%v4s", "%*d", "%99999999999d", "%v"}) {
    std::string text;
    EXPECT_FALSE(format_device_printf(text, format, nullptr, 0)) << format;
  }
  EXPECT_EQ(lockstep_device_printf(nullptr, nullptr, 0), -1);
}

TEST(DevicePrintf, DecimalPointOfC) {
  const char *comma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8"); // where installed
  EXPECT_EQ(Pack().add(1.5).print("%.1f"), "1.5");
  if (comma)
    std::setlocale(LC_NUMERIC, "C");
}

TEST(DevicePrintf, WritesToStdout) {
  testing::internal::CaptureStdout();
  int number = 5;
  EXPECT_EQ(lockstep_device_printf("n=%d\n", &number, sizeof number), 0);
  flush_device_printf();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "n=5\n");
}

} // namespace
} // namespace lockstep::compiler
