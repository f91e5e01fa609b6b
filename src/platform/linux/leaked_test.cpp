#include "platform/linux/leaked.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

// Children end by _exit() without joining the threads of the parent.
extern "C" __attribute__((visibility("default"))) const char *__tsan_default_options() {
  return "report_thread_leaks=0";
}

namespace lockstep {
namespace {

// The exit code of a child of fork() that calls `function`; -1: it hangs.
int code_of_child(const std::function<int()> &function) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(function());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Leaked, IsMadeOnceForAllThreads) {
  static constinit std::atomic<int> made{0};
  const auto get = []() -> int & {
    return leaked([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      return ++made;
    });
  };
  std::vector<std::thread> threads;
  std::vector<int *> seen(4);
  for (int *&one : seen)
    threads.emplace_back([&] { one = &get(); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 1);
  for (int *one : seen)
    EXPECT_EQ(one, seen.front());
}

TEST(Leaked, IsMadeByTheNextCallerIfTheFirstFails) {
  static int calls = 0;
  const auto get = []() -> int & {
    return leaked([] {
      if (++calls == 1)
        throw std::runtime_error("no memory");
      return 7;
    });
  };
  EXPECT_THROW(get(), std::runtime_error);
  EXPECT_EQ(get(), 7);
}

int &kept() {
  return leaked([] { return 1; });
}
int &made_again() {
  return leaked<AfterFork::make_again>([] { return 1; });
}

TEST(Leaked, IsKeptOrMadeAgainByAChild) {
  kept() = 5;
  made_again() = 5;
  const unsigned generation = fork_generation();
  EXPECT_EQ(code_of_child([&] {
              const bool is_right =
                  kept() == 5 && made_again() == 1 && fork_generation() == generation + 1;
              made_again() = 6;
              return is_right && code_of_child([] { return made_again(); }) == 1 ? 0 : 1;
            }),
            0);
  EXPECT_EQ(made_again(), 5);
}

// The thread that creates the object does not exist in the child, so the child creates the object.
TEST(Leaked, ThatAnotherThreadIsMakingIsMadeByTheChild) {
  static constinit std::atomic<bool> is_making{false}, may_end{false};
  const auto get = []() -> int & {
    return leaked([] {
      is_making = true;
      while (!may_end)
        std::this_thread::yield();
      return 3;
    });
  };
  std::thread other([&] { get(); });
  while (!is_making)
    std::this_thread::yield();
  EXPECT_EQ(code_of_child([&] {
              may_end = true;
              return get() == 3 ? 0 : 1;
            }),
            0);
  may_end = true;
  other.join();
}

TEST(ForkHook, IsCalledInTheChildOnce) {
  static constinit int calls = 0;
  constexpr auto hook = +[] { ++calls; };
  in_forked_child(hook);
  in_forked_child(hook);
  EXPECT_EQ(code_of_child([] { return calls; }), 1);
  EXPECT_EQ(calls, 0);
}

TEST(ForkHook, ClosesDescriptorsInTheChild) {
  int files[2];
  ASSERT_EQ(pipe(files), 0);
  close_in_forked_child(files[0]);
  EXPECT_EQ(code_of_child([&] {
              char byte;
              return read(files[0], &byte, 1) < 0 && write(files[1], "a", 1) < 0 ? 1 : 0;
            }),
            0); // the parent still has the other end open
  close(files[0]);
  close(files[1]);
}

} // namespace
} // namespace lockstep
