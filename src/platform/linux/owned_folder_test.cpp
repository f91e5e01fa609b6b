#include "platform/linux/owned_folder.h"

#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr uid_t somebody_else = 65534;

class OwnedFolder : public testing::Test {
protected:
  OwnedFolder() {
    std::string name = (fs::temp_directory_path() / "lockstep-owned-XXXXXX").string();
    base_ = ::mkdtemp(name.data());
  }
  ~OwnedFolder() override {
    std::error_code ignored;
    fs::remove_all(base_, ignored);
  }
  std::string make(const std::string &name, mode_t mode = 0700) {
    const fs::path path = base_ / name;
    fs::create_directory(path);
    ::chmod(path.c_str(), mode);
    return path.string();
  }
  static void expect_refused(const std::string &path, const std::string &why) {
    auto folder = open_owned_folder(path);
    ASSERT_FALSE(folder) << path;
    EXPECT_NE(folder.error().message.find(path), std::string::npos) << folder.error().message;
    EXPECT_NE(folder.error().message.find(why), std::string::npos) << folder.error().message;
  }

  fs::path base_;
};

TEST_F(OwnedFolder, ModesThatLetNobodyElseWriteAreTaken) {
  for (mode_t mode : {0700, 0755, 0500, 0711})
    EXPECT_TRUE(open_owned_folder(make("folder", mode))) << mode;
}

TEST_F(OwnedFolder, ModesThatLetOthersWriteAreRefused) {
  for (mode_t mode : {0770, 0720, 0702, 0777, 01777})
    expect_refused(make("folder", mode), "can be written by other users");
}

TEST_F(OwnedFolder, LinksAreNotFollowed) {
  const std::string folder = make("folder"), link = (base_ / "link").string();
  fs::create_directory_symlink(folder, link);
  expect_refused(link, "is a symbolic link");
  EXPECT_FALSE(open_owned_folder(link + "/"));
  EXPECT_TRUE(open_owned_folder(link + "/../folder")) << "links above it are the user's affair";
  auto base = open_owned_folder(base_.string());
  ASSERT_TRUE(base);
  EXPECT_FALSE(open_owned_folder_in(base->get(), "link"));
  EXPECT_TRUE(open_owned_folder_in(base->get(), "folder"));
}

TEST_F(OwnedFolder, WhatIsNotAFolderIsRefused) {
  const std::string file = (base_ / "file").string();
  std::ofstream(file) << "x";
  expect_refused(file, "is not a directory");
  expect_refused((base_ / "absent").string(), "No such file or directory");
}

TEST_F(OwnedFolder, FoldersOfOthersAreRefused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can make a folder of another user";
  const std::string folder = make("folder");
  if (::chown(folder.c_str(), somebody_else, somebody_else) != 0)
    GTEST_SKIP() << "this user namespace has no other user";
  expect_refused(folder, fmt::format("belongs to the user {}", somebody_else));
}

// Root with the HOME of a user: the user could not use a folder that root creates there.
TEST_F(OwnedFolder, NoneIsMadeInAFolderOfAnother) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can make a folder of another user";
  const std::string home = make("home");
  if (::chown(home.c_str(), somebody_else, somebody_else) != 0)
    GTEST_SKIP() << "this user namespace has no other user";
  auto made = make_owned_folder(home + "/.cache/lockstep");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find(home + " belongs to the user"), std::string::npos)
      << made.error().message;
  EXPECT_TRUE(fs::is_empty(home));
  ::chmod(home.c_str(), 01777); // like /tmp, where users cannot rename files of others
  EXPECT_TRUE(make_owned_folder(home + "/lockstep"));
}

TEST_F(OwnedFolder, IsMadeWithThoseAboveItForTheUserAlone) {
  const mode_t before = ::umask(0);
  EXPECT_TRUE(make_owned_folder((base_ / "a/b/c").string()));
  ::umask(before);
  for (const char *name : {"a", "a/b", "a/b/c"}) {
    struct stat status{};
    ASSERT_EQ(::stat((base_ / name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u) << name;
  }
  EXPECT_TRUE(make_owned_folder((base_ / "a/b/c").string())) << "it is there";
  EXPECT_FALSE(make_owned_folder("/proc/lockstep"));
}

TEST_F(OwnedFolder, InTheTemporaryFolder) {
  const char *before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", base_.c_str(), 1);
  const std::string path = (base_ / "sources-").string() + std::to_string(::geteuid());
  auto folder = make_owned_temporary_folder("sources");
  ASSERT_TRUE(folder);
  EXPECT_EQ(*folder, path);
  ::chmod(path.c_str(), 0777);
  EXPECT_FALSE(make_owned_temporary_folder("sources")) << "others can write to it";
  if (before)
    ::setenv("TMPDIR", kept.c_str(), 1);
  else
    ::unsetenv("TMPDIR");
}

TEST_F(OwnedFolder, FilesOfTheUser) {
  const std::string path = (base_ / "file").string();
  std::ofstream(path) << "x";
  auto is_owned = [&] { return is_owned_file(Descriptor(::open(path.c_str(), O_RDONLY)).get()); };
  ::chmod(path.c_str(), 0644);
  EXPECT_TRUE(is_owned());
  ::chmod(path.c_str(), 0664);
  EXPECT_FALSE(is_owned());
  ::chmod(path.c_str(), 0602);
  EXPECT_FALSE(is_owned());
  ::chmod(path.c_str(), 0600);
  if (::geteuid() == 0 && ::chown(path.c_str(), somebody_else, somebody_else) == 0)
    EXPECT_FALSE(is_owned());
  EXPECT_FALSE(is_owned_file(Descriptor(::open(base_.c_str(), O_RDONLY)).get()));
}

} // namespace
} // namespace lockstep
