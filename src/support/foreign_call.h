// A call into a library that keeps state of the whole process: LLVM, clang, hwloc.
//
// The process must not end, and must not be forked, in the middle of such a call. exit() destroys the library's static
// objects while another thread of ours uses them; a child of fork() inherits locks that this other thread held, and we
// can reset neither. So exit() and fork() wait for the calls of other threads, for a limited time, and no call begins
// meanwhile.
//
// exit() runs what was registered last first, and LLVM registers the destructors of some objects in the middle of its
// first calls. So a function that atexit() is given beforehand comes too late. Before all of them exit() destroys the
// thread_local objects of the thread that calls it; watch_exit() makes one.
//
// Requires: code inside of a ForeignCall calls nothing of the program, and waits for no thread that may call fork() or
// exit(). Ensures: where is_allowed() is true, the library may be used until this object is destroyed. May be nested.
#pragma once

#include "support/result.h"

namespace lockstep {

class ForeignCall {
public:
  ForeignCall();
  ~ForeignCall();
  ForeignCall(const ForeignCall &) = delete;
  ForeignCall &operator=(const ForeignCall &) = delete;

  // False: the process ends, or it is the child of a fork() that could not wait for another thread's call.
  bool is_allowed() const { return is_allowed_; }
  Error refusal() const; // why not; ErrorKind::out_of_resources

  // For a handler of faults. exit() has waited long enough, and destroys what a call in this thread uses: the fault is
  // not the program's, and the thread sleeps until the process is gone.
  static void sleep_if_process_is_over();

  // Makes exit() in this thread wait for calls of others before it destroys anything. Of the first thread of the process,
  // and of threads of ours, which say whether they end otherwise than by exit().
  static void watch_exit();
  static void only_exit_ends_this_thread(bool is_so);

  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

private:
  const unsigned
      outer_; // calls of this thread around it; exact also after a jump out of inner ones (guarded.h)
  const bool is_allowed_;
};

// Runs work that returns a Result<T>, as a foreign call.
template <class Work> auto as_foreign_call(Work work) -> decltype(work()) {
  const ForeignCall call;
  if (!call.is_allowed())
    return call.refusal();
  return work();
}

} // namespace lockstep
