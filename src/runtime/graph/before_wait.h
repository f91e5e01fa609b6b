// A function that a thread calls before it waits for something that another thread must do.
//
// A thread that ran a task of the program first releases what the task held, and then settles the
// task: a thread that waits for the task finds these objects released. But releasing such an object
// may wait for the task; a buffer, for example, waits in its destructor. So the thread must settle
// the task before it waits.
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

  // Every wait for a command, or for a lock of the program, calls this if it has to wait.
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
