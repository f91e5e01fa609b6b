#include "platform/linux/output_file.h"

#include "platform/linux/temporary_file.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr uid_t somebody_else = 65534;

class OutputFile : public testing::Test {
protected:
  OutputFile() {
    std::string name = (fs::temp_directory_path() / "lockstep-output-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = (folder_ / "report").string();
  }
  ~OutputFile() override { fs::remove_all(folder_); }

  static std::string content(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const std::string &path, OutputMode mode, std::string_view text) {
    auto file = open_output(path, mode);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(::write(file->get(), text.data(), text.size()), ssize_t(text.size()));
  }
  // Neither mode may change the existing content.
  static void expect_refused(const std::string &path, const std::string &why) {
    const std::string before = content(path);
    for (OutputMode mode : {OutputMode::append, OutputMode::replace}) {
      auto file = open_output(path, mode);
      ASSERT_FALSE(file);
      EXPECT_NE(file.error().message.find(why), std::string::npos) << file.error().message;
    }
    EXPECT_EQ(content(path), before);
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(OutputFile, IsMadeForTheUserAlone) {
  const mode_t before = ::umask(0);
  write(path_, OutputMode::append, "one\n");
  ::umask(before);
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(OutputFile, AppendsOrReplacesWhatTheUserHas) {
  std::ofstream(path_) << "a line that was there\n";
  write(path_, OutputMode::append, "one\n");
  EXPECT_EQ(content(path_), "a line that was there\none\n");
  write(path_, OutputMode::replace, "two\n");
  EXPECT_EQ(content(path_), "two\n");
}

TEST_F(OutputFile, LinksAreNotFollowed) {
  const std::string victim = (folder_ / "victim").string();
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, path_);
  expect_refused(path_, "symbolic link");
  fs::remove(path_);
  fs::create_symlink(folder_ / "absent", path_);
  expect_refused(path_, "symbolic link");
  EXPECT_FALSE(fs::exists(folder_ / "absent"));
  fs::remove(path_);
  fs::create_hard_link(victim, path_);
  expect_refused(path_, "hard link");
}

TEST_F(OutputFile, FilesOfOthersAreRefused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can make a file of another user";
  std::ofstream(path_) << "of another";
  if (::chown(path_.c_str(), somebody_else, somebody_else) != 0)
    GTEST_SKIP() << "this user namespace has no other user";
  expect_refused(path_, fmt::format("belongs to the user {}", somebody_else));
}

TEST_F(OutputFile, DevicesAndPipesAreTaken) {
  write("/dev/null", OutputMode::replace, "gone");
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const Descriptor reader(::open(path_.c_str(), O_RDONLY | O_NONBLOCK));
  write(path_, OutputMode::replace, "through");
  char got[16] = {};
  EXPECT_EQ(::read(reader.get(), got, sizeof got), 7);
  EXPECT_STREQ(got, "through");
}

TEST_F(OutputFile, OpenFilesOfTheProcessGoOn) {
  testing::internal::CaptureStdout();
  std::printf("first ");
  std::fflush(stdout);
  write("/dev/stdout", OutputMode::replace, "second ");
  write("/dev/fd/1", OutputMode::append, "third ");
  write("/proc/self/fd/1", OutputMode::append, "fourth");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "first second third fourth");
  EXPECT_FALSE(open_output("/dev/fd/987654", OutputMode::append));
}

TEST_F(OutputFile, FailuresAreReportedOnce) {
  testing::internal::CaptureStderr();
  append_output("OUTPUT_FILE_TEST", (folder_ / "absent/report").string(), "x");
  append_output("OUTPUT_FILE_TEST", (folder_ / "absent/report").string(), "x");
  append_output("OUTPUT_FILE_TEST", path_, "right\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            fmt::format("lockstep: LOCKSTEP_OUTPUT_FILE_TEST={}/absent/report: No such file or "
                        "directory\n",
                        folder_.string()));
  EXPECT_EQ(content(path_), "right\n");
}

TEST_F(OutputFile, TemporaryFilesAreTheUsersAloneAndGo) {
  ::setenv("TMPDIR", folder_.c_str(), 1);
  std::string path;
  {
    const TemporaryFile one("report-", ".txt"), other("report-", ".txt");
    ASSERT_TRUE(one.is_made() && other.is_made());
    EXPECT_NE(one.path(), other.path());
    EXPECT_TRUE(one.path().starts_with((folder_ / "report-").string()) &&
                one.path().ends_with(".txt"));
    struct stat status{};
    ASSERT_EQ(::stat(one.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600u);
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  ::unsetenv("TMPDIR");
}

} // namespace
} // namespace lockstep
