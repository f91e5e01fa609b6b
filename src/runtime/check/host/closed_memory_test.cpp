// Accesses of closed memory are reported, and the program continues, whatever lock it holds at the
// time.
#include "runtime/check/host/closed_memory.h"

#include "runtime/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace lockstep::runtime {
namespace {

using testing::HasSubstr;

constexpr std::size_t page_size = 4096;

// Closed pages; `name` is the region in reports.
class Pages final : public ClosedMemory::Region {
public:
  explicit Pages(std::size_t pages, const char *name = "region")
      : size_(pages * page_size), name_(name) {
    begin_ = static_cast<std::byte *>(
        mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::lock_guard lock(ClosedMemory::mutex());
    ClosedMemory::add(*this, begin_, begin_ + size_, /*by_key=*/false);
  }
  ~Pages() {
    {
      std::lock_guard lock(ClosedMemory::mutex());
      ClosedMemory::remove(*this);
    }
    munmap(begin_, size_);
  }
  std::optional<ClosedMemory::Report> report_of(const ClosedMemory::HostAccess &access) override {
    ++accesses;
    last = access;
    ClosedMemory::Report report;
    report.kind = name_;
    report.finding.kind = "commands";
    report.finding.kernel = "host";
    report.finding.headline = std::string("a touch of ") + name_;
    return report;
  }
  ClosedMemory::HostAccess last_touch() const {
    std::lock_guard lock(ClosedMemory::mutex());
    return last;
  }
  volatile int &at(std::size_t page) {
    return *reinterpret_cast<volatile int *>(begin_ + page * page_size + 8);
  }
  std::atomic<int> accesses = 0;

private:
  ClosedMemory::HostAccess last{}; // guarded by ClosedMemory::mutex()
  std::byte *begin_;
  const std::size_t size_;
  const char *const name_;
};

// Collects what is written to stderr until it is destroyed.
class CapturedErrors {
public:
  CapturedErrors() : saved_(dup(STDERR_FILENO)), file_(std::tmpfile()) {
    dup2(fileno(file_), STDERR_FILENO);
  }
  ~CapturedErrors() {
    std::fflush(stderr);
    dup2(saved_, STDERR_FILENO);
    close(saved_);
    std::fclose(file_);
  }
  std::string now() const {
    std::string text(1 << 16, '\0');
    const ssize_t size = pread(fileno(file_), text.data(), text.size(), 0);
    text.resize(std::size_t(std::max<ssize_t>(size, 0)));
    return text;
  }
  // Returns the text as soon as it contains `words`, or after a minute. The program goes on after
  // half a second without a report, which a busy machine makes later.
  std::string with(const char *words) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (now().find(words) == std::string::npos && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return now();
  }

private:
  const int saved_;
  std::FILE *const file_;
};

class ClosedMemories : public testing::Test {
protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(root_devices().front()->start()); // installs its fault handlers
    ClosedMemory::start();
  }
};

[[gnu::noinline]] void write_to(volatile int &number) {
  number = 5;
}

TEST_F(ClosedMemories, ReportATouchBeforeTheProgramGoesOn) {
  Pages pages(2, "one region");
  const CapturedErrors errors;
  const auto begin = std::chrono::steady_clock::now();
  write_to(pages.at(1));
  const bool is_late = std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(450);
  const char *const headline = "commands in 'host': a touch of one region";
  const std::string report = is_late ? errors.with(headline) : errors.now();
  EXPECT_THAT(report, HasSubstr(headline));
  EXPECT_THAT(report, HasSubstr("write_to"));
  EXPECT_EQ(pages.accesses, 1);
  EXPECT_EQ(pages.last_touch().address,
            reinterpret_cast<std::byte *>(const_cast<int *>(&pages.at(1))));
  EXPECT_TRUE(pages.last_touch().writes);
  EXPECT_EQ(pages.at(1), 5);
}

// The report needs the lock of the stream.
TEST_F(ClosedMemories, AreReportedLaterIfTheProgramHoldsWhatAReportNeeds) {
  Pages pages(1, "a region under a lock");
  const CapturedErrors errors;
  flockfile(stderr);
  const int read = pages.at(0);
  EXPECT_EQ(errors.now(), "");
  funlockfile(stderr);
  ClosedMemory::report_all();
  EXPECT_EQ(read, 0);
  const char *const headline = "a touch of a region under a lock";
  EXPECT_THAT(errors.with(headline), HasSubstr(headline));
  EXPECT_FALSE(pages.last_touch().writes);
}

// A copy of much memory is one access.
TEST_F(ClosedMemories, ReportAPlaceOnce) {
  constexpr std::size_t many = 1000;
  Pages pages(many, "many pages");
  const CapturedErrors errors;
  for (std::size_t i = 0; i < many; ++i)
    write_to(pages.at(i));
  const std::string report = errors.with("many pages");
  EXPECT_EQ(report.find("many pages"), report.rfind("many pages"));
  EXPECT_NE(report.find("many pages"), report.npos);
  EXPECT_LT(pages.accesses, 10);
}

TEST_F(ClosedMemories, BeginAndEndWhileOthersAreTouched) {
  std::atomic<int> wrong = 0;
  testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&] {
        for (int round = 0; round < 100; ++round) {
          Pages pages(3);
          write_to(pages.at(2));
          wrong += pages.at(0) != 0 || pages.at(2) != 5;
        }
      });
  }
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace lockstep::runtime
