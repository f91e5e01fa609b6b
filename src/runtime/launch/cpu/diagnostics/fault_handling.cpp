#include "runtime/launch/cpu/diagnostics/fault_handling.h"

#include "platform/linux/leaked.h"
#include "platform/linux/signal_handlers.h"
#include "platform/linux/thread_slots.h"
#include "runtime/observers/host_faults.h"

#include <array>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <fmt/format.h>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

namespace lockstep::runtime {
namespace {

struct ThreadState {
  sigjmp_buf *landing; // null: not inside catch_faults
  Fault fault;
  uintptr_t guard_begin, guard_end;
};
thread_local constinit ThreadState state{};
// The handler finds the state here; null: the thread never runs kernels.
constinit ThreadSlots states;

// LLVM's trap, which ends a kernel that throws, is an illegal instruction of x86 and a breakpoint of
// AArch64.
#if defined(__aarch64__)
constexpr std::array fault_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
#else
constexpr std::array fault_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#endif
constinit std::array<struct sigaction, fault_signals.size()>
    previous_actions{}; // written before the new actions are set

void chain(int signal, siginfo_t *info, void *context) {
  std::size_t i = 0;
  while (fault_signals[i] != signal)
    ++i;
  hand_on_signal(previous_actions[i], signal, info, context);
}

// A thread continues here after a fault: on its own stack, outside the signal handler. A jump from
// inside the handler would also work, but sanitizers and shadow stacks do not support it well.
[[noreturn]] void land() {
  siglongjmp(*std::exchange(state.landing, nullptr), 1);
}

// Makes the handler return to land(), below the frame of catch_faults.
void resume_at_landing(const ThreadState &state, void *context) {
  auto &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
  uintptr_t stack = (reinterpret_cast<uintptr_t>(state.landing) - 4096) & ~uintptr_t{15};
#if defined(__x86_64__)
  machine.gregs[REG_RIP] = reinterpret_cast<greg_t>(&land);
  machine.gregs[REG_RSP] = greg_t(stack - 8); // as after a call
  machine.gregs[REG_EFL] &= ~greg_t{0x400};   // the ABI requires a clear direction flag
  machine.fpregs->mxcsr = 0x1f80;             // default rounding and exceptions
#elif defined(__aarch64__)
  machine.pc = reinterpret_cast<uintptr_t>(&land);
  machine.sp = stack;
#else
#error "say how a signal handler changes where its thread goes on"
#endif
}

// Checks the stack pointer, too: a buffer may be directly below the guard, and an access to it may
// hit the guard.
bool is_at_end_of_stack(const ThreadState &state, uintptr_t address, void *context) {
  constexpr uintptr_t red_zone = 128;
  auto &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto stack = uintptr_t(machine.gregs[REG_RSP]);
#else
  const auto stack = uintptr_t(machine.sp);
#endif
  return address >= state.guard_begin && address < state.guard_end && stack <= address + red_zone;
}

// Whether the access that faulted was a write.
bool is_write(void *context) {
  auto &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  constexpr greg_t write = 2; // bit of a page fault's error code
  return (machine.gregs[REG_ERR] & write) != 0;
#else
  // The kernel appends records to the context: the syndrome register among them, and a last one without size.
  constexpr uint64_t write = 1 << 6; // bit of the syndrome of a data abort
  const auto *record = reinterpret_cast<const _aarch64_ctx *>(machine.__reserved);
  while (record->size != 0 && record->magic != ESR_MAGIC)
    record = reinterpret_cast<const _aarch64_ctx *>(reinterpret_cast<const char *>(record) +
                                                    record->size);
  return record->size != 0 && (reinterpret_cast<const esr_context *>(record)->esr & write) != 0;
#endif
}

bool is_repaired(int signal, siginfo_t *info, void *context, bool in_kernel) {
  const FaultRepair repairs = fault_repair_hook.load();
  const bool by_key = info->si_code == SEGV_PKUERR;
  if (!repairs || signal != SIGSEGV || (info->si_code != SEGV_ACCERR && !by_key))
    return false;
  return repairs({info->si_addr, is_write(context), by_key, in_kernel, context});
}

// This may interrupt any code of the process, including the C library's allocator. So it calls only
// async-signal-safe functions: no lock, no allocation, no thread_local variable that a thread may
// use for the first time.
void on_fault(int signal, siginfo_t *info, void *context) {
  const int error = errno;
  auto *state = static_cast<ThreadState *>(states.find());
  const bool is_over = is_repaired(signal, info, context, state && state->landing);
  errno = error;
  if (is_over)
    return;
  if (!state || !state->landing || info->si_code <= 0) {
    chain(signal, info, context);
    return;
  }
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  state->fault.signal = signal;
  state->fault.address = address;
  state->fault.has_address = info->si_code != SI_KERNEL;
  state->fault.stack_overflow = signal == SIGSEGV && is_at_end_of_stack(*state, address, context);
  resume_at_landing(*state, context);
}

std::string what_happened(const Fault &fault) {
  if (fault.stack_overflow)
    return "overflowed the stack of its worker";
  switch (fault.signal) {
  case SIGFPE:
    return "stopped with an arithmetic exception";
  case SIGILL:
  case SIGTRAP:
    return "ran an illegal instruction";
  default:
    return fault.has_address
               ? fmt::format("crashed: invalid access to address {:#x}", fault.address)
               : "crashed: invalid access to an address that no memory can have, or to a vector at "
                 "an address that is not a multiple of its size";
  }
}

} // namespace

Error error_of(const Fault &fault, std::string_view kernel, const uint64_t *group_id,
               std::string_view place) {
  std::string message = fmt::format("kernel '{}' {}", kernel, what_happened(fault));
  if (group_id)
    message += fmt::format(" in work-group ({},{},{})", group_id[0], group_id[1], group_id[2]);
  message += place;
  if ((fault.signal == SIGSEGV || fault.signal == SIGBUS) && !fault.stack_overflow)
    message += "; `lockstep check --only memory PROGRAM` shows the source line";
  return {ErrorKind::kernel_fault, std::move(message)};
}

void install_fault_handlers() {
  leaked([] {
    for (std::size_t i = 0; i < fault_signals.size(); ++i) {
      struct sigaction before{};
      sigaction(fault_signals[i], nullptr, &before);
      // else this process was forked inside this function and has inherited the handler
      if (before.sa_sigaction != on_fault)
        previous_actions[i] = before;
    }
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    // SA_NODEFER: a chained handler may leave by a jump of its own, as it could without this
    // handler.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (int signal : fault_signals)
      sigaction(signal, &action, nullptr);
    return true;
  });
}

void prepare_thread_for_faults(uintptr_t guard_begin, uintptr_t guard_end) {
  state.guard_begin = guard_begin;
  state.guard_end = guard_end;
  (void)states.set(&state);              // false: a fault of this thread will end the process
  constexpr std::size_t size = 64 << 10; // also for chained handlers, which may print stack traces
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return; // a stack overflow will then end the process
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = size;
  sigaltstack(&stack, nullptr); // never freed: workers live as long as the process
}

std::optional<Fault> catch_faults(void (*function)(void *), void *data) {
  sigjmp_buf landing;
  if (sigsetjmp(landing, 0) != 0)
    return state.fault;
  state.landing = &landing;
  try {
    function(data);
  } catch (...) { // without memory; a later fault must not jump here
    state.landing = nullptr;
    throw;
  }
  state.landing = nullptr;
  return std::nullopt;
}

} // namespace lockstep::runtime
