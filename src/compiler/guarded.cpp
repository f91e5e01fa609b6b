#include "compiler/guarded.h"

#include "support/foreign_call.h"
#include "support/leaked.h"
#include "support/signal_handlers.h"

#include "llvm/Support/ErrorHandling.h"

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
// Constant-initialised and touched by guarded(), so the handler's access to it allocates nothing.
thread_local constinit Guard *innermost = nullptr;

[[noreturn]] void leave(ErrorKind kind, const char *reason) {
  Guard &guard = *innermost;
  guard.kind = kind;
  std::snprintf(guard.reason, sizeof guard.reason, "%s", reason);
  siglongjmp(guard.landing, 1);
}

void on_fatal_error(void *, const char *reason, bool) {
  if (innermost)
    leave(ErrorKind::internal, reason);
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason); // somebody else's, as LLVM does it
  std::abort();
}

void on_bad_alloc(void *, const char *reason, bool) {
  if (innermost)
    leave(ErrorKind::out_of_host_memory, reason);
  throw std::bad_alloc();
}

constexpr std::array<int, 5> fault_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constinit std::array<struct sigaction, fault_signals.size()>
    previous_actions{}; // written before ours are set

void chain(int signal, siginfo_t *info, void *context) {
  std::size_t i = 0;
  while (fault_signals[i] != signal)
    ++i;
  hand_on_signal(previous_actions[i], signal, info, context);
}

void on_fault(int signal, siginfo_t *info, void *context) {
  if (!innermost || info->si_code <= 0) {
    chain(signal, info, context);
    return;
  }
  ForeignCall::sleep_if_process_is_over();
  leave(ErrorKind::internal, sigdescr_np(signal));
}

// Later than the program's own handlers and those of the launch, which see what is not ours.
void install_handlers() {
  leaked([] {
    llvm::install_fatal_error_handler(on_fatal_error);
    llvm::install_bad_alloc_error_handler(on_bad_alloc);
    for (std::size_t i = 0; i < fault_signals.size(); ++i) {
      struct sigaction before{};
      sigaction(fault_signals[i], nullptr, &before);
      if (before.sa_sigaction != on_fault) // else inherited: this process was forked in here
        previous_actions[i] = before;
    }
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    // SA_NODEFER: a handler that we chain to may leave by a jump of its own.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (int signal : fault_signals)
      sigaction(signal, &action, nullptr);
    return true;
  });
}

// A stack for the signal handler, without which an overflow of the thread's own could not be
// caught; the thread's, if it has one.
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

// A frame of its own for sigsetjmp: nothing in it changes between the two returns.
bool runs_to_its_end(Guard &guard, const std::function<void()> &work) {
  if (sigsetjmp(guard.landing, /*savemask=*/1) != 0)
    return false;
  work();
  return true;
}

} // namespace

Result<void> guarded(const std::string &doing, const std::function<void()> &work) {
  const ForeignCall call;
  if (!call.is_allowed())
    return call.refusal();
  install_handlers();
  HandlerStack handler_stack;
  Guard guard{.landing = {}, .outer = innermost};
  innermost = &guard;
  bool ended = false;
  try {
    ended = runs_to_its_end(guard, work);
  } catch (const std::bad_alloc &) {
    guard.kind = ErrorKind::out_of_host_memory;
  }
  innermost = guard.outer;
  if (ended)
    return {};
  if (guard.kind == ErrorKind::out_of_host_memory)
    return Error{guard.kind, "the host has no memory left for " + doing};
  return Error{guard.kind, "LLVM crashed while " + doing + " (" + guard.reason +
                               "); this is a bug of LLVM or Lockstep, not of the program"};
}

} // namespace lockstep::compiler
