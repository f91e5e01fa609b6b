// Tests how run_child() tells a hang from a long compilation. The child is this program.
#include "run_child.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

namespace lockstep::fuzz {
namespace {

// Longer than any limit.
constexpr int forever = 1'000'000;

void spin(double seconds) {
  const std::clock_t begin = std::clock();
  while (double(std::clock() - begin) / CLOCKS_PER_SEC < seconds)
    ;
}

void print(const char *line) {
  std::puts(line);
  std::fflush(stdout);
}

// Runs the acts of a child in order: "line:TEXT", "spin:SECONDS", "wait", "die", "exit:CODE".
void act(const char *what) {
  if (!std::strncmp(what, "line:", 5))
    print(what + 5);
  else if (!std::strncmp(what, "spin:", 5))
    spin(std::atof(what + 5));
  else if (!std::strcmp(what, "wait"))
    sleep(forever);
  else if (!std::strcmp(what, "die"))
    std::abort();
  else if (!std::strncmp(what, "exit:", 5))
    std::exit(std::atoi(what + 5));
}

class RunChild : public testing::Test {
protected:
  Verdict run(std::vector<std::string> acts, TimeLimits limits) {
    acts.insert(acts.begin(), "--child");
    return run_child(
        acts, limits,
        [this](const std::string &line) {
          lines_ += line + ";";
          return line != "stop";
        },
        &how_);
  }
  std::string lines_, how_;
};

TEST_F(RunChild, EndsByItself) {
  EXPECT_EQ(run({"line:@ 1 same", "line:@ runs", "line:other", "exit:1"}, {.run = 50, .build = 50}),
            Verdict::differs);
  EXPECT_EQ(lines_, "@ 1 same;other;");
}

TEST_F(RunChild, Crashes) {
  EXPECT_EQ(run({"line:@ runs", "die"}, {.run = 50, .build = 50}), Verdict::crash);
  EXPECT_EQ(how_, "Aborted");
  EXPECT_EQ(run({"exit:77"}, {.run = 50, .build = 50}), Verdict::crash);
}

TEST_F(RunChild, IsEndedByALine) {
  EXPECT_EQ(run({"line:stop", "wait"}, {.run = 50, .build = 50}), Verdict::same);
}

TEST_F(RunChild, WaitsWhileItRuns) {
  EXPECT_EQ(run({"line:@ runs", "wait"}, {.run = 0.3, .build = 50}), Verdict::hang);
  EXPECT_EQ(how_, "no thread was runnable for 0 s");
}

TEST_F(RunChild, SpinsWhileItRuns) {
  EXPECT_EQ(run({"line:@ runs", "spin:50"}, {.run = 0.3, .build = 50}), Verdict::hang);
  EXPECT_EQ(how_, "the kernel ran for 0 s of processor time");
}

TEST_F(RunChild, WaitsWhileItCompiles) {
  EXPECT_EQ(run({"wait"}, {.run = 0.3, .build = 50}), Verdict::hang);
}

TEST_F(RunChild, CompilesForLong) {
  EXPECT_EQ(run({"spin:50"}, {.run = 50, .build = 0.3}), Verdict::slow);
}

// The limit of a running kernel does not hold for its compilation, nor for the next program's.
TEST_F(RunChild, CompilesForLongerThanAKernelMayRun) {
  EXPECT_EQ(run({"spin:0.5", "line:@ runs", "line:@ 1 same", "spin:0.5", "line:@ 2 same", "exit:0"},
                {.run = 0.3, .build = 50}),
            Verdict::same);
}

// Only '@' begins a program or its run: a kernel may print.
TEST_F(RunChild, PrintsWhileItRuns) {
  EXPECT_EQ(run({"line:@ runs", "line:text", "spin:50"}, {.run = 0.3, .build = 50}), Verdict::hang);
}

} // namespace
} // namespace lockstep::fuzz

int main(int argc, char **argv) {
  if (argc > 1 && !std::strcmp(argv[1], "--child")) {
    for (int i = 2; i < argc; ++i)
      lockstep::fuzz::act(argv[i]);
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
