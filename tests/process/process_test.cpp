// Tests how processes that use OpenCL end: by exit() at any time, and as children of fork()
// (docs/process_life.md).
#include "cases.h"
#include "run_case.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <unistd.h>

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
public:
  TemporaryFolder() : path_(testing::TempDir() + "process_test." + std::to_string(getpid())) {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  std::string operator/(const std::string &name) const { return path_ + "/" + name; }

private:
  const std::string path_;
};

std::string content_of(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void expect_exit(const Ended &ended, int code) {
  EXPECT_FALSE(ended.hung) << ended.output;
  EXPECT_EQ(ended.signal, 0) << ended.output;
  EXPECT_EQ(ended.exit_code, code) << ended.output;
}

class Exits : public testing::TestWithParam<const char *> {};

TEST_P(Exits, WithItsCode) {
  expect_exit(run_case(GetParam()), 3);
}

INSTANTIATE_TEST_SUITE_P(AtAnyMoment, Exits,
                         testing::Values("in_build_callback", "in_event_callback",
                                         "quick_in_event_callback", "in_destructor_callback",
                                         "in_native_kernel", "during_build_of_another_thread",
                                         "with_commands_running", "from_second_thread",
                                         "in_static_destructor"),
                         [](const auto &tested) { return std::string(tested.param); });

// Without a cache entry the build takes long, and writes an entry at its end.
TEST(Exit, DuringABackgroundBuildLeavesNoDamagedCache) {
  const TemporaryFolder folder;
  expect_exit(run_case("during_background_build", {"LOCKSTEP_CACHE_DIR=" + (folder / "cache")}), 3);
  for (const auto &entry : fs::recursive_directory_iterator(folder / ""))
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with("writing-"))
      EXPECT_GT(entry.file_size(), 24u) << entry.path(); // more than a header
}

// At random moments, from before the library is loaded to after its first build. For more of them:
// --gtest_repeat.
TEST(Exit, WhileTheLibraryLoads) {
  std::random_device random;
  for (int longest : {0, 300, 3'000, 10'000, 30'000, 60'000, 100'000, 200'000}) {
    const std::string delay =
        "LOADING_MICROSECONDS=" + std::to_string(std::uniform_int_distribution(0, longest)(random));
    SCOPED_TRACE(delay);
    expect_exit(run_case("while_the_library_loads", {delay, "LOCKSTEP_CACHE=0"}), 3);
  }
}

TEST(Exit, InACallbackCompletesTheTrace) {
  const TemporaryFolder folder;
  expect_exit(run_case("in_event_callback", {"LOCKSTEP_TRACE=" + (folder / "trace")}), 3);
  const std::string trace = content_of(folder / "trace");
  ASSERT_GT(trace.size(), 3u);
  EXPECT_EQ(trace.substr(trace.size() - 3), "\n]\n");
}

// Viewers accept an array without its end.
TEST(Exit, WithoutHandlersLeavesATraceWithoutItsEnd) {
  const TemporaryFolder folder;
  expect_exit(run_case("without_handlers", {"LOCKSTEP_TRACE=" + (folder / "trace")}), 3);
  const std::string trace = content_of(folder / "trace");
  EXPECT_TRUE(trace.starts_with("["));
  EXPECT_EQ(count_of(trace, "\n]\n"), 0);
  EXPECT_TRUE(trace.ends_with("}")); // no event is cut off
}

TEST(Exit, WhileCheckedKernelsRunPrintsTheSummaryOnce) {
  const TemporaryFolder folder;
  const Ended ended = run_case(
      "with_findings", {"LOCKSTEP_CHECK=races", "LOCKSTEP_CHECK_JSON=" + (folder / "findings")});
  expect_exit(ended, 3);
  EXPECT_EQ(count_of(ended.output, "lockstep check: 1 finding in") +
                count_of(ended.output, "lockstep check: nothing"),
            1)
      << ended.output;
}

class Forks : public testing::TestWithParam<const char *> {};

TEST_P(Forks, AndTheChildWorks) {
  expect_exit(run_case(GetParam()), 0);
}

INSTANTIATE_TEST_SUITE_P(AtAnyMoment, Forks,
                         testing::Values("own_and_inherited_objects", "platform_and_memory",
                                         "while_threads_are_busy", "in_a_callback"),
                         [](const auto &tested) { return std::string(tested.param); });

TEST(Unload, LeavesTheLibraryInMemory) {
  void *library = dlopen(LIBLOCKSTEP, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(dlclose(library), 0);
  EXPECT_NE(dlopen(LIBLOCKSTEP, RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(Fork, OfACheckedProcessSaysOneSummary) {
  const Ended ended = run_case("exit_of_a_child_that_does_nothing", {"LOCKSTEP_CHECK=1"});
  expect_exit(ended, 0);
  EXPECT_EQ(count_of(ended.output, "lockstep check: nothing found in 1 launch"), 1) << ended.output;
  EXPECT_EQ(count_of(ended.output, "lockstep check:"), 1) << ended.output;
}

TEST(Fork, OfACheckedProcessSaysWhatTheChildHasFound) {
  const Ended ended = run_case("exit_of_a_child_that_computes", {"LOCKSTEP_CHECK=1"});
  expect_exit(ended, 0);
  EXPECT_EQ(count_of(ended.output, "lockstep check: nothing found in 1 launch"), 2) << ended.output;
}

TEST(Fork, GivesTheChildASocketOfItsOwn) {
  const TemporaryFolder folder;
  expect_exit(run_case("sockets_of_top", {"XDG_RUNTIME_DIR=" + (folder / "")}), 0);
  EXPECT_TRUE(fs::is_empty(folder / "lockstep"));
}

TEST(Fork, LeavesTheTraceToTheParent) {
  const TemporaryFolder folder;
  expect_exit(run_case("exit_of_a_child_that_computes", {"LOCKSTEP_TRACE=" + (folder / "trace")}),
              0);
  const std::string trace = content_of(folder / "trace");
  EXPECT_EQ(count_of(trace, "\n]\n"), 1);
  EXPECT_EQ(count_of(trace, "process_name"), 2); // two groups of rows, both of one process
}

TEST(Fork, GivesTheChildATraceOfItsOwnIfItsNameHasTheProcess) {
  const TemporaryFolder folder;
  expect_exit(
      run_case("exit_of_a_child_that_computes", {"LOCKSTEP_TRACE=" + (folder / "trace.%p")}), 0);
  int traces = 0;
  for (const auto &entry : fs::directory_iterator(folder / "")) {
    ++traces;
    const std::string trace = content_of(entry.path());
    EXPECT_TRUE(trace.starts_with("[")) << entry.path();
    EXPECT_TRUE(trace.ends_with("\n]\n")) << entry.path();
  }
  EXPECT_EQ(traces, 2);
}

} // namespace
} // namespace lockstep::test

int main(int argc, char **argv) {
  if (argc == 3 && std::string(argv[1]) == "case") {
    if (lockstep::test::is_exit_case(argv[2]))
      lockstep::test::do_exit_case(argv[2]);
    lockstep::test::do_fork_case(argv[2]);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
