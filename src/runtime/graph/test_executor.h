// An executor for tests of the graph: a few plain threads and one list.
#pragma once

#include "runtime/graph/command.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep::runtime {

class TestExecutor : public Executor {
public:
  explicit TestExecutor(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i)
      threads_.emplace_back([this] { run(); });
  }
  ~TestExecutor() override {
    {
      std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    for (auto &thread : threads_)
      thread.join();
  }

  void submit(Command &ready) override {
    std::lock_guard lock(mutex_);
    ready_.push_back(&ready);
    changed_.notify_one(); // under the lock: afterwards the executor may be gone
  }

private:
  void run() {
    for (;;) {
      Command *command;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_ending_ || !ready_.empty(); });
        if (ready_.empty())
          return;
        command = ready_.front();
        ready_.pop_front();
      }
      command->set_running();
      HostWork *work = command->operation()->host();
      command->settle(work->run(0, work->parts()));
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Command *> ready_;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

} // namespace lockstep::runtime
