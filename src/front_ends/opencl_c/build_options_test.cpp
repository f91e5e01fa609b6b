#include "front_ends/opencl_c/build_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> split(std::string_view text) {
  auto words = split_options(text);
  EXPECT_TRUE(words) << text;
  return words ? *words : std::vector<std::string>{};
}

CompileOptions parsed(std::string_view text) {
  auto options = parse_compile_options(text);
  EXPECT_TRUE(options) << text << ": " << (options ? "" : options.error().message);
  return options ? *options : CompileOptions{};
}

std::string refused(std::string_view text) {
  auto options = parse_compile_options(text);
  EXPECT_FALSE(options) << text;
  if (options)
    return {};
  EXPECT_EQ(options.error().kind, ErrorKind::invalid_argument) << text;
  return options.error().message;
}

TEST(SplitOptions, WhiteSpaceAndQuotes) {
  EXPECT_THAT(split(""), IsEmpty());
  EXPECT_THAT(split(" \t\n "), IsEmpty());
  EXPECT_THAT(split("-w  -g\t-Werror\n"), ElementsAre("-w", "-g", "-Werror"));
  EXPECT_THAT(split("-I \"/a dir/b\" -D'X=1 2'"), ElementsAre("-I", "/a dir/b", "-DX=1 2"));
  EXPECT_THAT(split(R"(-DTEXT=\"hello\")"), ElementsAre(R"(-DTEXT="hello")"));
  EXPECT_THAT(split(R"(-D "TEXT=\"a b\"")"), ElementsAre("-D", R"(TEXT="a b")"));
  EXPECT_THAT(split(R"(-I /a\ b)"), ElementsAre("-I", "/a b"));
  EXPECT_THAT(split(R"(-DP=C:\dir)"), ElementsAre(R"(-DP=C:\dir)"));
  EXPECT_THAT(split("''"), ElementsAre(""));
  EXPECT_FALSE(split_options("-D \"open"));
  EXPECT_FALSE(split_options("'"));
}

TEST(CompileOptions, Definitions) {
  EXPECT_THAT(parsed("-D A -DB -D C=1 -DF(x)=x").definitions,
              ElementsAre("A", "B", "C=1", "F(x)=x"));
  EXPECT_THAT(parsed("-D 'A=1\n2'").definitions, ElementsAre("A=1")); // cut at the newline, 5.8.6.1
  EXPECT_THAT(refused("-D"), HasSubstr("-D"));
  EXPECT_THAT(refused("-D 1X=2"), HasSubstr("1X=2"));
  EXPECT_THAT(refused("-D -w"), HasSubstr("-w"));
  EXPECT_THAT(refused("-D ''"), HasSubstr("name"));
}

TEST(CompileOptions, Includes) {
  EXPECT_THAT(parsed("-I a -Ib -I \"c d\"").include_directories, ElementsAre("a", "b", "c d"));
  EXPECT_THAT(refused("-w -I"), HasSubstr("-I"));
}

TEST(CompileOptions, EveryFlagOfTheSpecification) {
  EXPECT_TRUE(parsed("-cl-kernel-arg-info").kernel_arg_info);
  EXPECT_TRUE(parsed("-w").no_warnings);
  EXPECT_TRUE(parsed("-Werror").warnings_are_errors);
  EXPECT_TRUE(parsed("-g").debug_info);
  EXPECT_TRUE(parsed("").optimize);
  EXPECT_FALSE(parsed("-cl-opt-disable").optimize);
  EXPECT_TRUE(parsed("-cl-strict-aliasing").strict_aliasing);
  EXPECT_TRUE(parsed("-cl-denorms-are-zero").denorms_are_zero);
  EXPECT_TRUE(parsed("-cl-fast-relaxed-math").denorms_are_zero);
  EXPECT_FALSE(parsed("-cl-finite-math-only").denorms_are_zero);
  parsed("-cl-no-subgroup-ifp");
  for (const char *flag :
       {"-cl-single-precision-constant", "-cl-fp32-correctly-rounded-divide-sqrt",
        "-cl-uniform-work-group-size", "-cl-mad-enable", "-cl-no-signed-zeros",
        "-cl-unsafe-math-optimizations", "-cl-finite-math-only", "-cl-fast-relaxed-math"})
    EXPECT_THAT(parsed(flag).clang_flags, ElementsAre(flag));
}

TEST(CompileOptions, LanguageVersions) {
  EXPECT_EQ(parsed("").language_version, 120u); // the highest 1.x, 5.8.6.5
  EXPECT_EQ(parsed("-cl-std=CL1.1").language_version, 110u);
  EXPECT_EQ(parsed("-cl-std=CL3.0").language_version, 300u);
  EXPECT_EQ(parsed("-cl-std=CL2.0").language_version, 200u);
  EXPECT_EQ(parsed("-cl-std=CL3.1").language_version, 310u);
  EXPECT_THAT(refused("-cl-std=CL9.9"), HasSubstr("CL9.9"));
  EXPECT_EQ(parsed("-cl-std=CL3.0").cxx_version, 0u);
  EXPECT_EQ(parsed("-cl-std=CLC++").cxx_version, 100u);
  EXPECT_EQ(parsed("-cl-std=CLC++1.0").cxx_version, 100u);
  EXPECT_EQ(parsed("-cl-std=CLC++2021").cxx_version, 202100u);
  EXPECT_THAT(refused("-cl-std=CLC++98"), HasSubstr("CLC++"));
  EXPECT_THAT(refused("-cl-std="), HasSubstr("CL3.0"));
  EXPECT_THAT(refused("-cl-std"), HasSubstr("-cl-std"));
}

TEST(CompileOptions, UnknownOnesAreNamed) {
  for (const char *option :
       {"-foo", "-O2", "foo.cl", "-cl-unknown", "-create-library", "-wx", "-Werror=all"})
    EXPECT_THAT(refused(option), HasSubstr(option));
}

TEST(CompileOptions, EndlessOptionsAreReadAndCut) {
  std::string many;
  for (int i = 0; i < 20000; ++i)
    many += "-DNAME" + std::to_string(i) + "=" + std::to_string(i) + " ";
  EXPECT_EQ(parsed(many).definitions.size(), 20000u);
  EXPECT_LT(refused("-x" + std::string(10 << 20, 'y')).size(), 300u);
}

TEST(LinkOptions, FlagsAndWhatTheyInclude) {
  auto options = parse_link_options("-create-library -enable-link-options");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->create_library && options->enable_link_options);
  options = parse_link_options("-cl-fast-relaxed-math");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->finite_math_only && options->unsafe_math && options->no_signed_zeros &&
              options->denorms_are_zero);
  options = parse_link_options("-cl-no-signed-zeros -cl-no-subgroup-ifp");
  ASSERT_TRUE(options);
  EXPECT_FALSE(options->finite_math_only || options->unsafe_math || options->denorms_are_zero);
  for (const char *wrong : {"-D X", "-cl-std=CL3.0", "-enable-link-options", "-foo"})
    EXPECT_FALSE(parse_link_options(wrong)) << wrong;
}

IlOptions parsed_il(std::string_view text) {
  auto options = parse_il_options(text);
  EXPECT_TRUE(options) << text << ": " << (options ? "" : options.error().message);
  return options ? *options : IlOptions{};
}

TEST(IlOptions, MathsOptionsActAsAtLinking) {
  EXPECT_FALSE(parsed_il("").maths.finite_math_only);
  const IlOptions relaxed = parsed_il("-cl-fast-relaxed-math");
  EXPECT_TRUE(relaxed.maths.finite_math_only);
  EXPECT_TRUE(relaxed.maths.unsafe_math);
  EXPECT_TRUE(relaxed.maths.denorms_are_zero);
  EXPECT_FALSE(parsed_il("-cl-no-signed-zeros").maths.denorms_are_zero);
}

TEST(IlOptions, OtherOptionsOfCode) {
  EXPECT_TRUE(parsed_il("").optimize);
  EXPECT_FALSE(parsed_il("-cl-opt-disable").optimize);
  EXPECT_TRUE(parsed_il("-g").debug_info);
  EXPECT_TRUE(parsed_il("-cl-uniform-work-group-size").uniform_work_group_size);
}

TEST(IlOptions, OptionsWithoutEffect) {
  const IlOptions options = parsed_il("-D X=-g -I -cl-opt-disable -w -Werror -cl-std=CL9.9");
  EXPECT_FALSE(options.debug_info);
  EXPECT_TRUE(options.optimize);
}

TEST(IlOptions, UnknownOnesAreNamed) {
  for (const char *text : {"-no-such", "-create-library", "-enable-link-options"}) {
    auto options = parse_il_options(text);
    ASSERT_FALSE(options) << text;
    EXPECT_THAT(options.error().message, HasSubstr(text));
  }
}

} // namespace
} // namespace lockstep::compiler
