// A call into a library that has process-wide state: LLVM, clang, hwloc.
//
// The process must not end or fork in the middle of such a call. exit() destroys the library's
// static objects while another thread of Lockstep uses them. A child of fork() inherits locks that
// this other thread held, and Lockstep cannot reset them. exit() and fork() therefore wait for the
// calls of other threads, for a limited time, and no call begins meanwhile.
//
// Any thread may call exit(). late_destructors.h ensures that a handler of exit() can wait before
// LLVM's objects are destroyed.
//
// Requires: code inside a foreign call calls no code of the program, and waits for no thread that
// may call fork() or exit(). Ensures: the library is used only while its objects are whole. May be
// nested.
#pragma once

#include "support/result.h"

#include <type_traits>

namespace lockstep {

class ForeignCall {
public:
  ForeignCall(const ForeignCall &) = delete;
  ForeignCall &operator=(const ForeignCall &) = delete;
  ~ForeignCall();

  // For a fault handler. If exit() has waited long enough, it destroys objects that a call in this
  // thread uses. A fault is then not the program's, so the thread sleeps until the process has
  // ended.
  static void sleep_if_process_is_over();

private:
  template <class Work> friend std::invoke_result_t<Work> as_foreign_call(Work);
  template <class Work>
  friend std::invoke_result_t<Work> as_foreign_call(Work, std::invoke_result_t<Work>);

  ForeignCall();
  // False if the process is ending, or if it is the child of a fork() that could not wait for
  // another thread's call.
  bool is_allowed() const { return is_allowed_; }
  Error refusal() const; // why not; ErrorKind::out_of_resources

  // Enclosing calls of this thread; also exact after a jump out of inner calls (crash_guard.h).
  const unsigned outer_;
  const bool is_allowed_;
};

// Runs work that returns a Result<T> inside a foreign call. Returns an error if the library cannot be
// used any more.
template <class Work> std::invoke_result_t<Work> as_foreign_call(Work work) {
  const ForeignCall call;
  if (!call.is_allowed())
    return call.refusal();
  return work();
}

// The same for other results: returns `otherwise` if the library cannot be used any more.
template <class Work>
std::invoke_result_t<Work> as_foreign_call(Work work, std::invoke_result_t<Work> otherwise) {
  const ForeignCall call;
  if (!call.is_allowed())
    return otherwise;
  return work();
}

} // namespace lockstep
