#include "tools/lockstep/argument.h"
#include "tools/lockstep/value_text.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T> std::vector<T> as(const std::vector<std::byte> &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string error_of(std::string_view text) {
  auto argument = parse_argument(text);
  return argument ? "" : argument.error().message;
}

TEST(ElementType, SizesAreThoseOfOpenClC) {
  EXPECT_EQ(parse_element_type("float3")->size(), 16u);
  EXPECT_EQ(parse_element_type("uchar16")->size(), 16u);
  EXPECT_EQ(parse_element_type("half2")->size(), 4u);
  EXPECT_FALSE(parse_element_type("float5"));
  EXPECT_FALSE(parse_element_type("float04x"));
  EXPECT_FALSE(parse_element_type("bool"));
}

TEST(Argument, BufferIsFilled) {
  EXPECT_THAT(as<float>(parse_argument("buf:float:4=iota:2:0.5")->bytes),
              ElementsAre(2, 2.5, 3, 3.5));
  EXPECT_THAT(as<int>(parse_argument("buf:int:3")->bytes), ElementsAre(0, 0, 0));
  EXPECT_THAT(as<int>(parse_argument("buf:int:5=1,-2")->bytes), ElementsAre(1, -2, 1, -2, 1));
  EXPECT_THAT(as<int>(parse_argument("buf:int=7,8,9")->bytes), ElementsAre(7, 8, 9));
}

TEST(Argument, ThreeVectorsLeaveTheFourthLaneZero) {
  EXPECT_THAT(as<int>(parse_argument("buf:int3:2=iota:1")->bytes),
              ElementsAre(1, 2, 3, 0, 4, 5, 6, 0));
}

TEST(Argument, RandomIsRepeatableAndStaysInItsBounds) {
  auto first = as<int>(parse_argument("buf:int:1000=random:7:-5:5")->bytes);
  EXPECT_EQ(first, as<int>(parse_argument("buf:int:1000=random:7:-5:5")->bytes));
  EXPECT_NE(first, as<int>(parse_argument("buf:int:1000=random:8:-5:5")->bytes));
  EXPECT_EQ(*std::min_element(first.begin(), first.end()), -5);
  EXPECT_EQ(*std::max_element(first.begin(), first.end()), 5);
}

TEST(Argument, ValuesAreExact) {
  EXPECT_THAT(as<uint64_t>(parse_argument("ulong=18446744073709551615")->bytes),
              ElementsAre(~uint64_t(0)));
  EXPECT_THAT(as<int64_t>(parse_argument("long=-9223372036854775808")->bytes),
              ElementsAre(INT64_MIN));
  EXPECT_THAT(as<int>(parse_argument("int=0xffffffff")->bytes), ElementsAre(-1));
  EXPECT_THAT(as<float>(parse_argument("float=1.5f")->bytes), ElementsAre(1.5f));
  EXPECT_THAT(as<float>(parse_argument("float4=1,2,3,4")->bytes), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(as<float>(parse_argument("float2=3")->bytes), ElementsAre(3, 3));
}

TEST(Argument, OtherKinds) {
  EXPECT_EQ(parse_argument("local:1024")->local_size, 1024u);
  EXPECT_EQ(parse_argument("local:double:16")->local_size, 128u);
  EXPECT_EQ(parse_argument("null")->kind, Argument::Kind::null_buffer);
  EXPECT_THAT(as<uint8_t>(parse_argument("hex:00fF7a")->bytes), ElementsAre(0, 255, 0x7a));
}

TEST(Argument, ErrorsNameTheArgumentAndTheRule) {
  EXPECT_THAT(error_of("uchar=256"),
              AllOf(HasSubstr("--arg uchar=256"), HasSubstr("does not fit into 8 bits")));
  EXPECT_THAT(error_of("uint=-1"), HasSubstr("does not fit"));
  EXPECT_THAT(error_of("int=1.5"), HasSubstr("not a whole number"));
  EXPECT_THAT(error_of("float=abc"), HasSubstr("not a number"));
  EXPECT_THAT(error_of("flaot=1"), HasSubstr("'flaot' is not a type"));
  EXPECT_THAT(error_of("buf:int:0"), HasSubstr("positive whole number"));
  EXPECT_THAT(error_of("buf:int"), HasSubstr("number of elements is missing"));
  EXPECT_THAT(error_of("buf:int:4=itoa"), HasSubstr("not a whole number"));
  EXPECT_THAT(error_of("buf:int:4=random:1:2"), HasSubstr("not understood"));
  EXPECT_THAT(error_of("buf:int:4=random:1:5:2"), HasSubstr("above the upper bound"));
  EXPECT_THAT(error_of("buf:int=file:/nonexistent"), HasSubstr("cannot read /nonexistent"));
  EXPECT_THAT(error_of("float4=1,2"), HasSubstr("needs 4 values"));
  EXPECT_THAT(error_of("hex:123"), HasSubstr("two digits"));
  EXPECT_THAT(error_of("hello"), HasSubstr("expected buf:"));
}

TEST(Compare, ToleranceIsAbsoluteForSmallAndRelativeForLargeNumbers) {
  auto compare_floats = [](const char *actual, const char *expected, double tolerance) {
    ElementType type = *parse_element_type("float");
    return compare(type, parse_argument(actual)->bytes, parse_argument(expected)->bytes, tolerance)
        .count;
  };
  EXPECT_EQ(compare_floats("buf:float=1,2", "buf:float=1,2", 0), 0u);
  EXPECT_EQ(compare_floats("buf:float=1,2", "buf:float=1,2.0001", 0), 1u);
  EXPECT_EQ(compare_floats("buf:float=1000", "buf:float=1001", 0.01), 0u);
  EXPECT_EQ(compare_floats("buf:float=0.001", "buf:float=0.002", 0.01), 0u);
  EXPECT_EQ(compare_floats("buf:float=nan,0", "buf:float=nan,-0", 0), 0u);
  EXPECT_EQ(compare_floats("buf:float=nan", "buf:float=1", 100), 1u);
}

TEST(Compare, FirstDifferenceIsFound) {
  ElementType type = *parse_element_type("int2");
  Difference difference = compare(type, parse_argument("buf:int2=1,2,3,4")->bytes,
                                  parse_argument("buf:int2=1,2,3,9")->bytes, 0);
  EXPECT_EQ(difference.count, 1u);
  EXPECT_EQ(difference.first_element, 1u);
  EXPECT_EQ(difference.first_lane, 1u);
  EXPECT_EQ(difference.largest, 5);
}

TEST(Expectation, FillAndTolerance) {
  auto expectation = parse_expectation("out=iota:0:2~1e-3");
  EXPECT_EQ(expectation->argument, "out");
  EXPECT_EQ(expectation->fill.kind, Fill::Kind::iota);
  EXPECT_DOUBLE_EQ(expectation->tolerance, 1e-3);
  EXPECT_FALSE(parse_expectation("out"));
  EXPECT_FALSE(parse_expectation("out=1~x"));
}

} // namespace
} // namespace lockstep::cli
