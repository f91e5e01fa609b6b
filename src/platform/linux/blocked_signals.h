// Blocks signals in the calling thread during its lifetime. Threads that are created meanwhile
// inherit the mask, so the program's signal handlers never run on Lockstep's threads. Faults,
// aborts, debugger traps and profiling signals stay deliverable.
#pragma once

#include <csignal>
#include <initializer_list>
#include <pthread.h>

namespace lockstep::runtime {

class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
      sigdelset(&blocked, signal);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;

private:
  sigset_t before_;
};

} // namespace lockstep::runtime
