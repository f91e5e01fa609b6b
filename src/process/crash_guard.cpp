#include "process/crash_guard.h"

#include "platform/linux/foreign_call.h"
#include "platform/linux/leaked.h"
#include "platform/linux/signal_handlers.h"
#include "platform/linux/thread_slots.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace lockstep::compiler {
namespace {

struct Guard {
  sigjmp_buf landing;
  Guard *outer;
  ErrorKind kind = ErrorKind::internal;
  char reason[256] = {};
};
// The innermost guard of each thread.
constinit ThreadSlots guards;

Guard *innermost() {
  return static_cast<Guard *>(guards.find());
}

// Async-signal-safe: takes no lock and allocates no memory.
[[noreturn]] void leave(Guard &guard, ErrorKind kind, const char *reason) {
  guard.kind = kind;
  const std::size_t size = std::min(std::strlen(reason), sizeof guard.reason - 1);
  std::memcpy(guard.reason, reason, size);
  guard.reason[size] = 0;
  siglongjmp(guard.landing, 1);
}

void on_fatal_error(void *, const char *reason, bool) {
  if (Guard *guard = innermost())
    leave(*guard, ErrorKind::internal, reason);
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason); // outside of our guards: as LLVM's default
  std::abort();
}

void on_bad_alloc(void *, const char *reason, bool) {
  if (Guard *guard = innermost())
    leave(*guard, ErrorKind::out_of_host_memory, reason);
  throw std::bad_alloc();
}

constexpr std::array<int, 5> fault_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
// Written before our handlers are installed.
constinit std::array<struct sigaction, fault_signals.size()> previous_actions{};

void chain(int signal, siginfo_t *info, void *context) {
  std::size_t i = 0;
  while (fault_signals[i] != signal)
    ++i;
  hand_on_signal(previous_actions[i], signal, info, context);
}

// Async-signal-safe: it may have interrupted any code of the process.
void on_fault(int signal, siginfo_t *info, void *context) {
  Guard *guard = innermost();
  if (!guard || info->si_code <= 0) {
    chain(signal, info, context);
    return;
  }
  ForeignCall::sleep_if_process_is_over();
  leave(*guard, ErrorKind::internal, sigdescr_np(signal));
}

// Installed later than the handlers of the program and of the launch, so that faults outside of a
// guard are passed on to them.
void install_handlers() {
  leaked([] {
    llvm::install_fatal_error_handler(on_fatal_error);
    llvm::install_bad_alloc_error_handler(on_bad_alloc);
    for (std::size_t i = 0; i < fault_signals.size(); ++i) {
      struct sigaction before{};
      sigaction(fault_signals[i], nullptr, &before);
      // Our handler is already installed if this process was forked inside a guard.
      if (before.sa_sigaction != on_fault)
        previous_actions[i] = before;
    }
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    // SA_NODEFER: a chained handler may leave by a jump of its own.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (int signal : fault_signals)
      sigaction(signal, &action, nullptr);
    return true;
  });
}

// An alternate stack for the signal handler, without which a stack overflow could not be caught.
// Keeps the thread's own alternate stack, if it has one.
class HandlerStack {
public:
  HandlerStack() {
    if (sigaltstack(nullptr, &before_) != 0 || !(before_.ss_flags & SS_DISABLE))
      return;
    constexpr std::size_t size = 64 << 10;
    memory_.reset(new (std::nothrow) char[size]);
    if (!memory_)
      return;
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = size;
    sigaltstack(&stack, nullptr);
  }
  HandlerStack(const HandlerStack &) = delete;
  HandlerStack &operator=(const HandlerStack &) = delete;
  ~HandlerStack() {
    if (memory_)
      sigaltstack(&before_, nullptr);
  }

private:
  stack_t before_{};
  std::unique_ptr<char[]> memory_;
};

// A separate frame for sigsetjmp: none of its variables changes between the two returns.
bool runs_to_its_end(Guard &guard, const std::function<void()> &work) {
  if (sigsetjmp(guard.landing, /*savemask=*/1) != 0)
    return false;
  work();
  return true;
}

Result<void> run_guarded(const std::string &doing, const std::function<void()> &work) {
  install_handlers();
  HandlerStack handler_stack;
  Guard guard{.landing = {}, .outer = innermost()};
  if (!guards.set(&guard))
    return Error{ErrorKind::out_of_host_memory, "the host has no memory left for " + doing};
  bool ended = false;
  try {
    ended = runs_to_its_end(guard, work);
  } catch (const std::bad_alloc &) {
    guard.kind = ErrorKind::out_of_host_memory;
  } catch (...) {
    (void)guards.set(guard.outer);
    throw;
  }
  (void)guards.set(guard.outer); // cannot fail: this thread already has a slot
  if (ended)
    return {};
  if (guard.kind == ErrorKind::out_of_host_memory)
    return Error{guard.kind, "the host has no memory left for " + doing};
  return Error{guard.kind, "LLVM crashed while " + doing + " (" + guard.reason +
                               "); this is a bug of LLVM or Lockstep, not of the program"};
}

} // namespace

Result<void> guarded(const std::string &doing, const std::function<void()> &work) {
  return as_foreign_call([&] { return run_guarded(doing, work); });
}

} // namespace lockstep::compiler
