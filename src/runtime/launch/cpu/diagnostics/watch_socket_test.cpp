#include "runtime/launch/cpu/diagnostics/watch_socket.h"

#include "platform/linux/status_folder.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

// A client is served once there is a file descriptor for it; until then the caller learns that
// there is none.
TEST(WatchSocket, SaysWhetherItHasServedAll) {
  char folder[] = "/tmp/lockstep_watch_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  const int listening = listen_for_top();
  ASSERT_GE(listening, 0);
  std::string path;
  for (const auto &file : std::filesystem::directory_iterator(status_folder()))
    path = file.path();
  const int asks = connect_to_status(path);
  ASSERT_GE(asks, 0);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(lowest);
  const rlimit none{rlim_t(lowest), before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const bool has_some = has_requests(listening), are_served = answer_top(listening, "an answer\n");
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(has_some);
  EXPECT_FALSE(are_served);
  EXPECT_TRUE(answer_top(listening, "an answer\n"));
  char answer[32] = "";
  EXPECT_EQ(read(asks, answer, sizeof answer - 1), 10);
  EXPECT_STREQ(answer, "an answer\n");
  EXPECT_TRUE(answer_top(listening, "an answer\n")); // there is no client
  close(asks);
  close(listening);
  std::filesystem::remove_all(folder);
}

// `lockstep top` removes sockets that refuse connections: their programs have ended. A socket that
// is being created must not look like one of them.
TEST(WatchSocket, IsNotRemovedWhileItIsCreated) {
  char folder[] = "/tmp/lockstep_watch_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  std::atomic<bool> is_over{false};
  std::thread top([&, own = status_folder()] {
    while (!is_over.load()) {
      std::error_code none_yet;
      for (const auto &file : std::filesystem::directory_iterator(own, none_yet)) {
        const int connection = connect_to_status(file.path());
        if (connection >= 0)
          close(connection);
        else if (errno == ECONNREFUSED && file.path().extension() == ".sock")
          unlink(file.path().c_str());
      }
    }
  });
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const int listening = listen_for_top();
    std::error_code removed;
    for (const auto &file : std::filesystem::directory_iterator(status_folder(), removed))
      found += std::filesystem::remove(file.path(), removed) ? 1 : 0;
    close(listening);
  }
  is_over.store(true);
  top.join();
  EXPECT_EQ(found, 2000);
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace lockstep::runtime
