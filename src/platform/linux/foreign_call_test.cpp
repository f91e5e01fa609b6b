#include "platform/linux/foreign_call.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csetjmp>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

template <class Work> bool inside_call(Work work) {
  return as_foreign_call(
      [&] {
        work();
        return true;
      },
      false);
}

bool is_allowed() {
  return inside_call([] {});
}

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

// A fork that waits for a call takes 1 s each time; on a busy machine one that does not wait may
// rarely take as long.
bool fork_waits() {
  for (int trial = 0; trial < 5; ++trial) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(code_of_child([] { return is_allowed() ? 0 : 1; }), 0);
    if (std::chrono::steady_clock::now() - begin < 900ms)
      return false;
  }
  return true;
}

TEST(ForeignCall, IsWaitedForByFork) {
  static constinit std::atomic<bool> is_inside{false}, has_ended{false};
  std::thread other([] {
    inside_call([] {
      is_inside = true;
      std::this_thread::sleep_for(50ms);
      has_ended = true;
    });
  });
  while (!is_inside)
    std::this_thread::yield();
  EXPECT_EQ(code_of_child([] { return has_ended && is_allowed() ? 0 : 1; }), 0);
  other.join();
}

// A child cannot know the state in which the parent's call was interrupted.
TEST(ForeignCall, ThatTakesTooLongIsNotAllowedInTheChild) {
  static constinit std::atomic<bool> is_inside{false}, may_end{false};
  std::thread other([] {
    inside_call([] {
      is_inside = true;
      while (!may_end)
        std::this_thread::sleep_for(1ms);
    });
  });
  while (!is_inside)
    std::this_thread::yield();
  EXPECT_EQ(code_of_child([] {
              const auto result = as_foreign_call([]() -> Result<void> { return {}; });
              return !result && result.error().kind == ErrorKind::out_of_resources ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(is_allowed());
  may_end = true;
  other.join();
}

// fork() inside a call of the same thread waits for nothing.
TEST(ForeignCall, OfTheForkingThreadGoesOnInTheChild) {
  inside_call([] { inside_call([] { EXPECT_FALSE(fork_waits()); }); });
}

// crash_guard.h leaves calls by a jump.
TEST(ForeignCall, IsOverWhenAnOuterOneEnds) {
  static jmp_buf landing;
  inside_call([] {
    if (setjmp(landing) == 0)
      inside_call([] { longjmp(landing, 1); });
  });
  EXPECT_FALSE(fork_waits());
}

// What a destructor finds that was registered inside a call, as LLVM does.
constinit std::atomic<bool> has_ended{false};
struct EndsProcess {
  ~EndsProcess() { _exit(has_ended ? 0 : 1); }
};

// A sanitizer's runtime defines __cxa_atexit in the program itself, which then imports none.
#if defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
constexpr bool imports_registration = false;
#else
constexpr bool imports_registration = true;
#endif
class LateDestructors : public testing::Test {
  void SetUp() override {
    if (!imports_registration)
      GTEST_SKIP() << "the objects of this program are registered with the sanitizer's exit()";
  }
};

// exit() in a thread that has made no call, while another thread is inside its first call.
TEST_F(LateDestructors, IsWaitedForByExit) {
  EXPECT_EQ(code_of_child([] {
              static constinit std::atomic<bool> is_inside{false};
              std::thread([] {
                inside_call([] {
                  static EndsProcess made_inside;
                  is_inside = true;
                  std::this_thread::sleep_for(50ms);
                  has_ended = true;
                });
              }).detach();
              while (!is_inside)
                std::this_thread::yield();
              std::exit(2);
              return 3;
            }),
            0);
}

// exit() waits for 5 s.
TEST_F(LateDestructors, AreNotCalledIfACallTakesTooLong) {
  EXPECT_EQ(code_of_child([] {
              static constinit std::atomic<bool> is_inside{false};
              std::thread([] {
                inside_call([] {
                  static EndsProcess made_inside;
                  is_inside = true;
                  pause();
                });
              }).detach();
              while (!is_inside)
                std::this_thread::yield();
              std::exit(2);
              return 3;
            }),
            2);
}

TEST_F(LateDestructors, LeavesObjectsNewestFirst) {
  struct IsFirst {
    ~IsFirst() { has_ended = true; }
  };
  EXPECT_EQ(code_of_child([] {
              inside_call([] {
                static EndsProcess older;
                static IsFirst newer;
              });
              std::exit(2);
              return 3;
            }),
            0);
}

// A handler that the program registered before the objects were made may call the library.
TEST_F(LateDestructors, IsAllowedInHandlersOfTheProgram) {
  EXPECT_EQ(code_of_child([] {
              std::atexit([] {
                if (!is_allowed())
                  _exit(4);
                has_ended = true;
              });
              inside_call([] { static EndsProcess made_inside; });
              std::exit(2);
              return 3;
            }),
            0);
}

TEST_F(LateDestructors, KeepsObjectsOfACallThatCallsExit) {
  EXPECT_EQ(code_of_child([] {
              inside_call([] {
                static EndsProcess made_inside;
                std::exit(2);
              });
              return 3;
            }),
            2);
}

} // namespace
} // namespace lockstep
