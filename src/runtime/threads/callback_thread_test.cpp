// Tests when the program's destructor callbacks of objects are called.
#include "runtime/threads/callback_thread.h"

#include "runtime/graph/command.h"
#include "runtime/graph/test_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace lockstep::runtime {
namespace {

using namespace std::chrono_literals;

bool soon(const std::atomic<bool> &flag, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!flag && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
  return flag;
}

// The destructor of an operation releases an object of the program, and then a user event, whose
// dependants settle. The object's callback must run after the operation's command is settled, not
// already after these dependants are.
TEST(CallbackThread, WaitsForTheOutermostOfNestedSettlements) {
  static std::atomic<bool> is_called;
  is_called = false;
  struct Holds final : HostOperation {
    explicit Holds(bool &called_early) : called_early_(called_early) {}
    ~Holds() override {
      call_when_settled(make_later_call([] { is_called = true; }));
      Command::create_user_event(); // has no other reference, so it settles at once
      called_early_ = soon(is_called, 50ms);
    }
    uint64_t parts() const override { return 1; }
    bool runs_in_place() const override { return true; }
    Result<void> run(uint64_t, uint64_t) override { return {}; }
    bool &called_early_;
  };
  bool called_early = false;
  TestExecutor executor(1);
  const CommandRef command = Command::create<Holds>(called_early);
  command->bind(&executor);
  command->start();
  command->wait();
  EXPECT_FALSE(called_early);
  EXPECT_TRUE(soon(is_called, 10s));
}

TEST(CallbackThread, IsGivenWhatAThreadWithALockMustNotCall) {
  DeferringMutex outer, inner;
  static std::atomic<bool> is_called;
  static std::thread::id caller;
  is_called = false;
  const auto call = [] {
    caller = std::this_thread::get_id();
    is_called = true;
  };
  {
    std::lock_guard lock(outer);
    {
      std::lock_guard nested(inner);
      EXPECT_TRUE(defers_callbacks());
      call_when_settled(make_later_call(call));
    }
    EXPECT_FALSE(soon(is_called, 20ms));
  }
  EXPECT_TRUE(soon(is_called, 10s));
  EXPECT_NE(caller, std::this_thread::get_id());
  EXPECT_FALSE(defers_callbacks());
  call_when_settled(make_later_call(call)); // at once
  EXPECT_EQ(caller, std::this_thread::get_id());
}

} // namespace
} // namespace lockstep::runtime
