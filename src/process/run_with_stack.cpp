#include "process/run_with_stack.h"

#include <algorithm>
#include <exception>
#include <pthread.h>
#include <signal.h>

namespace lockstep::compiler {
namespace {

struct Work {
  const std::function<void()> &function;
  // Rethrown in the waiting thread: an exception that leaves a thread ends the process.
  std::exception_ptr exception;
};

void *run_work(void *data) {
  auto &work = *static_cast<Work *>(data);
  try {
    work.function();
  } catch (...) {
    work.exception = std::current_exception();
  }
  return nullptr;
}

// The thread inherits a signal mask that blocks all signals except faults: the program's signal
// handlers must not run on a thread that the program does not know.
bool create_thread(pthread_t &thread, size_t stack_size, Work &work) {
  sigset_t all_but_faults, before;
  sigfillset(&all_but_faults);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    sigdelset(&all_but_faults, fault);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_sigmask(SIG_BLOCK, &all_but_faults, &before);
  bool created = pthread_attr_setstacksize(&attributes, stack_size) == 0 &&
                 pthread_create(&thread, &attributes, run_work, &work) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return created;
}

} // namespace

void run_with_stack(size_t stack_size, const std::function<void()> &work) {
  constexpr size_t smallest = size_t{16} << 20;
  pthread_t thread;
  Work there{work, nullptr};
  for (size_t size = stack_size; size >= smallest; size /= 4)
    if (create_thread(thread, size, there)) {
      pthread_join(thread, nullptr);
      if (there.exception)
        std::rethrow_exception(there.exception);
      return;
    }
  work();
}

size_t stack_for(size_t input_size) {
  constexpr size_t base = size_t{64} << 20, for_each_byte = 8192, limit = size_t{8} << 30;
  return std::min(base + input_size * for_each_byte, limit);
}

} // namespace lockstep::compiler
