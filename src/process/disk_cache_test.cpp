#include "process/disk_cache.h"

#include "process/cache_statistics.h"
#include "process/installed_toolchain.h"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace lockstep::compiler {
namespace {

namespace fs = std::filesystem;

// A security update replaces libraries, but not the version that Lockstep was built with.
TEST(InstalledToolchain, NamesTheLibrariesThatThisProcessHasMapped) {
  std::ifstream maps("/proc/self/maps");
  unsigned found = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("/libLLVM") != line.npos || line.find("/libclang-cpp") != line.npos) {
      const fs::path path = line.substr(line.find('/'));
      EXPECT_NE(installed_toolchain().find(
                    fmt::format("{} {} ", path.filename().string(), fs::file_size(path))),
                std::string::npos)
          << path;
      ++found;
    }
  EXPECT_GE(found, 2u);
  EXPECT_EQ(installed_toolchain().find(": none"), std::string::npos) << installed_toolchain();
}

class DiskCacheTest : public testing::Test {
protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / fmt::format("lockstep-cache-test-{}", ::getpid());
    fs::remove_all(directory_);
  }
  void TearDown() override {
    ::chmod(directory_.c_str(), 0700);
    fs::remove_all(directory_);
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> result;
    if (fs::exists(directory_))
      for (const auto &entry : fs::recursive_directory_iterator(directory_))
        if (entry.is_regular_file())
          result.push_back(entry.path());
    return result;
  }

  fs::path directory_;
};

CacheKey key(uint64_t number) {
  return CacheKeyBuilder().add(number).key();
}

TEST_F(DiskCacheTest, GivesBackWhatWasPut) {
  DiskCache cache(directory_);
  EXPECT_FALSE(cache.get("thing", key(1)));
  std::string content("with \0 zero", 11);
  cache.put("thing", key(1), content);
  cache.put("thing", key(2), "");
  EXPECT_EQ(cache.get("thing", key(1)), content);
  EXPECT_EQ(cache.get("thing", key(2)), "");
  EXPECT_FALSE(cache.get("other", key(1)));
  cache.put("thing", key(1), "new");
  EXPECT_EQ(DiskCache(directory_).get("thing", key(1)), "new");
}

TEST_F(DiskCacheTest, KeysDependOnEveryPart) {
  EXPECT_NE(CacheKeyBuilder().add("a").add("bc").key(), CacheKeyBuilder().add("ab").add("c").key());
  EXPECT_NE(CacheKeyBuilder().add("").key(), CacheKeyBuilder().key());
  EXPECT_EQ(CacheKeyBuilder().add("a").key(), CacheKeyBuilder().add("a").key());
  EXPECT_EQ(key(1).hex().size(), 64u);
}

TEST_F(DiskCacheTest, DamagedEntriesAreMissingAndGo) {
  DiskCache cache(directory_);
  std::string content(1000, 'c');
  for (int damage = 0; damage < 5; ++damage) {
    cache.put("thing", key(1), content);
    ASSERT_EQ(files().size(), 1u);
    fs::path file = files()[0];
    switch (damage) {
    case 0:
      fs::resize_file(file, 0);
      break;
    case 1:
      fs::resize_file(file, 10);
      break;
    case 2:
      fs::resize_file(file, fs::file_size(file) - 1);
      break;
    case 3:
      std::ofstream(file, std::ios::app) << "more";
      break;
    case 4:
      std::fstream(file, std::ios::in | std::ios::out).seekp(500).put('x');
      break;
    }
    EXPECT_FALSE(cache.get("thing", key(1))) << damage;
    EXPECT_TRUE(files().empty()) << damage;
  }
  cache.put("thing", key(1), content);
  EXPECT_EQ(cache.get("thing", key(1)), content);
}

TEST_F(DiskCacheTest, UnusableDirectoriesAreNoError) {
  DiskCache none({}, 1000, "switched off");
  none.put("thing", key(1), "x");
  EXPECT_FALSE(none.get("thing", key(1)));
  EXPECT_FALSE(none.statistics().enabled);
  EXPECT_EQ(none.statistics().problem, "switched off");

  std::ofstream(directory_) << "a file where the directory should be";
  DiskCache blocked(directory_);
  blocked.put("thing", key(1), "x");
  EXPECT_FALSE(blocked.get("thing", key(1)));
  fs::remove(directory_);

  DiskCache unwritable("/proc/lockstep-cache");
  unwritable.put("thing", key(1), "x");
  EXPECT_FALSE(unwritable.get("thing", key(1)));
}

TEST_F(DiskCacheTest, ReadOnlyDirectoryIsReadAndReported) {
  DiskCache cache(directory_);
  cache.put("thing", key(1), "x");
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may write everywhere";
  ::chmod(directory_.c_str(), 0500);
  cache.put("thing", key(2), "y");
  EXPECT_EQ(cache.get("thing", key(1)), "x");
  EXPECT_FALSE(cache.get("thing", key(2)));
  EXPECT_FALSE(cache.statistics().enabled);
}

TEST_F(DiskCacheTest, FullDiskIsNoError) {
  // Stands in for a full disk: a limit on file size makes writes fail.
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    DiskCache cache(directory_);
    cache.put("thing", key(1), std::string(100000, 'x'));
    ::_exit(cache.get("thing", key(1)) ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(files().empty()); // no partial file remains
}

// On a shared file system each change of a time is a request to the server.
TEST_F(DiskCacheTest, HitsMarkOnlyEntriesThatWereNotMarkedForAnHour) {
  DiskCache cache(directory_, 100000);
  cache.put("thing", key(0), "x");
  const fs::path file = files().front();
  const auto now = fs::file_time_type::clock::now();
  for (const int minutes : {10, 100}) {
    const auto before = now - std::chrono::minutes(minutes);
    fs::last_write_time(file, before);
    EXPECT_TRUE(cache.get("thing", key(0)));
    const auto change = fs::last_write_time(file) - before;
    EXPECT_EQ(change > std::chrono::minutes(1), minutes == 100);
  }
}

TEST_F(DiskCacheTest, TrimRemovesWhatWasNotUsedForLongest) {
  DiskCache cache(directory_, 100000);
  for (uint64_t i = 0; i < 20; ++i)
    cache.put("thing", key(i), std::string(4000, 'x'));
  ASSERT_TRUE(cache.get("thing", key(0)));
  auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(5);
  for (const fs::path &file : files())
    fs::last_write_time(file, long_ago);
  EXPECT_TRUE(cache.get("thing", key(3))); // used now
  // Few enough that the entry that was used now is retained, whenever the cache is trimmed.
  for (uint64_t i = 100; i < 110; ++i)
    cache.put("thing", key(i), std::string(4000, 'x'));
  cache.trim();
  EXPECT_LE(cache.statistics().bytes, 100000u);
  EXPECT_GE(cache.statistics().bytes, 60000u);
  EXPECT_TRUE(cache.get("thing", key(3)));
  EXPECT_TRUE(cache.get("thing", key(109)));
}

TEST_F(DiskCacheTest, PutTrimsByItself) {
  DiskCache cache(directory_, 200000);
  for (uint64_t i = 0; i < 300; ++i)
    cache.put("thing", key(i), std::string(4000, 'x'));
  EXPECT_LE(cache.statistics().bytes, 250000u);
  cache.put("thing", key(1000), std::string(150000, 'x')); // would push out all others
  EXPECT_FALSE(cache.get("thing", key(1000)));
}

TEST_F(DiskCacheTest, StatisticsAndClear) {
  DiskCache cache(directory_);
  EXPECT_EQ(cache.statistics().entries, 0u);
  for (uint64_t i = 0; i < 5; ++i)
    cache.put("thing", key(i), "12345678");
  EXPECT_EQ(cache.statistics().entries, 5u);
  EXPECT_GT(cache.statistics().bytes, 40u);
  EXPECT_TRUE(cache.statistics().enabled);
  auto removed = cache.clear();
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, 5u);
  EXPECT_FALSE(cache.get("thing", key(1)));
}

// ---- files that another user could have put there

class DiskCacheTrust : public DiskCacheTest {
protected:
  // A cache with one entry, which is `content`.
  fs::path fill() {
    DiskCache(directory_).put("thing", key(1), content);
    EXPECT_EQ(get(), content);
    return files().at(0);
  }
  std::optional<std::string> get() { return DiskCache(directory_).get("thing", key(1)); }
  // Expects that the cache reads and writes nothing, and that the tool reports `why`.
  void expect_off(const std::string &why) {
    EXPECT_FALSE(get());
    const size_t before = files().size();
    DiskCache(directory_).put("thing", key(2), "more");
    EXPECT_EQ(files().size(), before);
    const CacheStatistics statistics = DiskCache(directory_).statistics();
    EXPECT_FALSE(statistics.enabled);
    EXPECT_NE(statistics.problem.find(why), std::string::npos) << statistics.problem;
  }

  static constexpr const char *content = "machine code";
  static constexpr uid_t somebody_else = 65534;
};

TEST_F(DiskCacheTrust, ADirectoryThatOthersMayWriteTo) {
  fill();
  ::chmod(directory_.c_str(), 0777);
  expect_off("can be written by other users (mode 0777)");
  ::chmod(directory_.c_str(), 0755);
  EXPECT_EQ(get(), content);
}

TEST_F(DiskCacheTrust, AFolderInItThatOthersMayWriteTo) {
  const fs::path file = fill();
  ::chmod(file.parent_path().c_str(), 0777);
  EXPECT_FALSE(get());
  const CacheStatistics statistics = DiskCache(directory_).statistics();
  EXPECT_EQ(statistics.entries, 0u);
  EXPECT_NE(statistics.problem.find("can be written by other users"), std::string::npos)
      << statistics.problem;
}

TEST_F(DiskCacheTrust, ALinkInPlaceOfTheDirectory) {
  fill();
  const fs::path real = directory_.string() + "-real";
  fs::rename(directory_, real);
  fs::create_directory_symlink(real, directory_);
  expect_off("is a symbolic link");
  fs::remove(directory_);
  fs::rename(real, directory_);
}

TEST_F(DiskCacheTrust, ALinkInPlaceOfAnEntry) {
  const fs::path file = fill(), real = directory_.string() + "-real";
  fs::rename(file, real);
  fs::create_symlink(real, file);
  EXPECT_FALSE(get());
  EXPECT_TRUE(fs::exists(real));
  EXPECT_FALSE(fs::is_symlink(file)) << "it makes room for a good one";
  fs::remove(real);
}

TEST_F(DiskCacheTrust, APipeInPlaceOfAnEntry) {
  const fs::path file = fill();
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(get()); // and does not wait for a writer
}

TEST_F(DiskCacheTrust, AnEntryThatOthersMayWriteTo) {
  ::chmod(fill().c_str(), 0666);
  EXPECT_FALSE(get());
}

TEST_F(DiskCacheTrust, WhatBelongsToAnotherUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give files to another user";
  const fs::path file = fill();
  if (::chown(file.parent_path().c_str(), somebody_else, somebody_else) != 0)
    GTEST_SKIP() << "this user namespace has no other user";
  EXPECT_FALSE(get());
  ASSERT_EQ(::chown(file.parent_path().c_str(), 0, 0), 0);
  EXPECT_EQ(get(), content);
  ASSERT_EQ(::chown(directory_.c_str(), somebody_else, somebody_else), 0);
  expect_off(fmt::format("belongs to the user {}", somebody_else));
  ASSERT_EQ(::chown(directory_.c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(file.c_str(), somebody_else, somebody_else), 0);
  EXPECT_FALSE(get());
}

// A process with two users. Code of the user that the process has become temporarily could return
// to the privileges of the other one.
TEST_F(DiskCacheTrust, AProcessOfTwoUsers) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can become another user";
  fill();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool had = get() == content;
    if (::chown(directory_.c_str(), somebody_else, somebody_else) != 0 ||
        ::setresuid(somebody_else, somebody_else, 0) != 0)
      ::_exit(2);
    const std::string problem = DiskCache(directory_).statistics().problem;
    ::_exit(had && !get() && problem.find("user of the process differ") != problem.npos ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 2)
    GTEST_SKIP() << "this user namespace has no other user";
  EXPECT_EQ(status, 0);
}

TEST_F(DiskCacheTrust, FilesThatAreNotEntriesAreNotTouched) {
  fill();
  const fs::path own[] = {directory_ / "letter.txt", directory_ / "ab" / "letter-home",
                          directory_ / "letters" / "one"};
  for (const fs::path &file : own) {
    fs::create_directories(file.parent_path());
    ::chmod(file.parent_path().c_str(), 0700);
    std::ofstream(file) << std::string(10000, 'x');
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(5));
  }
  DiskCache cache(directory_, 1000);
  EXPECT_EQ(cache.statistics().entries, 1u);
  cache.trim();
  EXPECT_EQ(cache.get("thing", key(1)), content) << "the limit is for entries";
  auto removed = cache.clear();
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, 1u);
  for (const fs::path &file : own)
    EXPECT_TRUE(fs::exists(file)) << file;
}

// Several processes write, damage, trim and read the same entries. Each read returns what was put.
TEST_F(DiskCacheTest, SeveralProcessesAtOnce) {
  auto content_of = [](uint64_t i) {
    return std::string(1000 + i * 100, static_cast<char>('a' + i));
  };
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    pid_t child = ::fork();
    if (child == 0) {
      DiskCache cache(directory_, 20000);
      bool right = true;
      for (int round = 0; round < 300; ++round) {
        uint64_t i = static_cast<uint64_t>(round * 7 + process) % 20;
        if (auto content = cache.get("thing", key(i)))
          right = right && *content == content_of(i);
        else
          cache.put("thing", key(i), content_of(i));
        if (round % 50 == process)
          for (const fs::path &file : files()) {
            std::error_code ignored;
            fs::resize_file(file, 600, ignored);
          }
      }
      ::_exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

} // namespace
} // namespace lockstep::compiler
