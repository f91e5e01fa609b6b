#include "runtime/check/options/suppressions.h"

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

bool is_suppressed(const char *line, const SuppressedThing &thing) {
  auto parsed = parse_suppressions(line, "list");
  return parsed && parsed->size() == 1 && matches(parsed->front(), thing);
}

const SuppressedThing race{"race", "sum_of_all", {{"/src/sum.cl", 12}, {"", 40}}, "results", 3};
const SuppressedThing copy{"async copy", "blur"};

TEST(Suppressions, MatchByEachThing) {
  for (const char *line :
       {"race", "any", "race kernel=sum_*", "race at=sum.cl:12", "race at=:40",
        "any argument=results", "any argument=3", "  race\tkernel=*all  # known",
        "race kernel=sum_of_all at=sum.cl:12 argument=results", "race at=src/sum.cl:12",
        "race at=/src/sum.cl:12", "race at=/sum.cl:12", "race at=<source>:40", "race at=:12"})
    EXPECT_TRUE(is_suppressed(line, race)) << line;
  for (const char *line :
       {"async-copy", "divergence", "race kernel=sum", "race at=sum.cl:40", "race at=other.cl:12",
        "race argument=4", "race argument=result", "race at=m.cl:12", "race at=rc/sum.cl:12",
        "race at=<source>:12", "race kernel=sum_* argument=0"})
    EXPECT_FALSE(is_suppressed(line, race)) << line;
  EXPECT_TRUE(is_suppressed("async-copy kernel=blur", copy));
  EXPECT_TRUE(is_suppressed("deadlock kernel=blur", {"deadlock", "blur"}));
}

TEST(Suppressions, LinesHaveTheirNumbers) {
  const auto parsed =
      parse_suppressions("# all known\n\nrace kernel=a\n  \nany at=b.cl:1\n", "list");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 2u);
  EXPECT_EQ((*parsed)[0].line, 3u);
  EXPECT_EQ((*parsed)[1].line, 5u);
}

TEST(Suppressions, WrongLinesAreNamed) {
  auto problem = [](const char *text) {
    auto parsed = parse_suppressions(text, "list");
    return parsed ? std::string() : parsed.error().message;
  };
  EXPECT_EQ(
      problem("race\nraces\n"),
      "list:2: 'races' is not a kind of finding; there are any, race, async-copy, divergence, "
      "deadlock, commands, out-of-bounds, use-after-release, undefined, no-memory");
  EXPECT_EQ(problem("race kernel\n"), "list:1: 'kernel' is not NAME=VALUE");
  EXPECT_EQ(problem("race line=3\n"), "list:1: 'line' is none of kernel, at, argument");
  EXPECT_EQ(problem("race at=a.cl\n"), "list:1: 'a.cl' is not FILE:LINE");
  EXPECT_EQ(problem("race at=a.cl:x3\n"), "list:1: 'a.cl:x3' is not FILE:LINE");
  EXPECT_EQ(problem("race at=a.cl:0\n"), "list:1: 'a.cl:0' is not FILE:LINE");
  EXPECT_EQ(problem("race at=a.cl:\n"), "list:1: 'a.cl:' is not FILE:LINE");
  EXPECT_EQ(problem("race at=a.cl:99999999999\n"), "list:1: 'a.cl:99999999999' is not FILE:LINE");
  EXPECT_EQ(problem("\nrace kernel=a kernel=b\n"),
            "list:2: 'kernel' is given twice; a line has it once");
  EXPECT_EQ(problem("race at=a.cl:1 at=b.cl:2\n"),
            "list:1: 'at' is given twice; a line has it once");
  auto folder = read_suppressions("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "/ cannot be read");
  auto missing = read_suppressions("/does/not/exist");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "/does/not/exist cannot be read");
}

} // namespace
} // namespace lockstep::runtime
