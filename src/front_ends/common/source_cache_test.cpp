#include "front_ends/common/source_cache.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace lockstep::compiler {
namespace {

namespace fs = std::filesystem;

class SourceCacheTest : public testing::Test {
protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / fmt::format("lockstep-source-cache-{}", ::getpid());
    fs::create_directories(directory_);
    // Another process of this test may have left entries.
    cache_ =
        SourceCache(CacheKeyBuilder()
                        .add("source cache test")
                        .add(directory_.native())
                        .add(uint64_t(fs::last_write_time(directory_).time_since_epoch().count())));
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string write(const char *name, const std::string &content) {
    fs::path path = directory_ / name;
    std::ofstream(path) << content;
    return path.string();
  }

  fs::path directory_;
  SourceCache cache_{CacheKeyBuilder()};
};

TEST_F(SourceCacheTest, FindsWhatWasStoredWithItsLog) {
  cache_.store({}, "result", "a warning\n");
  std::string log = "before\n";
  EXPECT_EQ(cache_.find(log), "result");
  EXPECT_EQ(log, "before\na warning\n");
}

TEST_F(SourceCacheTest, AResultIsThatOfTheFilesAsTheyAre) {
  const std::string path = write("a.h", "one");
  cache_.store({{path, digest_of("one")}}, "result of one", "");
  std::string log;
  EXPECT_EQ(cache_.find(log), "result of one");
  write("a.h", "two");
  EXPECT_EQ(cache_.find(log), std::nullopt);
  cache_.store({{path, digest_of("two")}}, "result of two", "");
  EXPECT_EQ(cache_.find(log), "result of two");
  write("a.h", "one");
  EXPECT_EQ(cache_.find(log), "result of one");
  fs::remove(path);
  EXPECT_EQ(cache_.find(log), std::nullopt);
}

// The front end read "old"; the file was saved again before the result was stored.
TEST_F(SourceCacheTest, AFileEditedWhileItIsCompiledDoesNotGetTheOldResult) {
  const std::string path = write("a.h", "new");
  cache_.store({{path, digest_of("old")}}, "result of old", "");
  std::string log;
  EXPECT_EQ(cache_.find(log), std::nullopt);
}

} // namespace
} // namespace lockstep::compiler
