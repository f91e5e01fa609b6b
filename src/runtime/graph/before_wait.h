// What a thread does before it waits for something that another thread has to do.
//
// A thread that has run a task of the program gives back what the task held, and then settles the task: a thread that waits
// for the task finds that given back. But what the task held may wait for the task, as a buffer does when it ends. So the
// thread settles the task before it waits.
#pragma once

#include <functional>
#include <utility>

namespace lockstep::runtime {

// While this object exists, its thread calls `function` before its first wait.
class BeforeWait {
public:
  explicit BeforeWait(std::function<void()> function)
      : function_(std::move(function)), outer_(std::exchange(innermost_, this)) {}
  ~BeforeWait() { innermost_ = outer_; }
  BeforeWait(const BeforeWait &) = delete;
  BeforeWait &operator=(const BeforeWait &) = delete;

  // Called by each wait for a command, or for a lock of the program, that is not over at once.
  static void call() {
    for (BeforeWait *each = innermost_; each; each = each->outer_)
      if (auto function = std::exchange(each->function_, nullptr))
        function();
  }

private:
  std::function<void()> function_;
  BeforeWait *const outer_;
  static inline constinit thread_local BeforeWait *innermost_ = nullptr;
};

} // namespace lockstep::runtime
