#include "platform/linux/foreign_call.h"

#include "platform/linux/late_destructors.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <pthread.h>

namespace lockstep {
namespace {

using std::chrono::milliseconds;

// A single function of LLVM or clang rarely takes longer. A fork must not wait for a build that
// takes minutes.
constexpr milliseconds longest_wait_of_fork(1000), longest_wait_of_exit(5000);
constexpr milliseconds longest_wait_of_call(1000); // while another thread is in exit()

// A single word, so that no call can begin once the state is closed. It holds the number of calls
// (nested ones count once) and the number of forks in progress. Two flags say whether exit() waits
// for calls, and whether it is about to destroy LLVM's objects.
constexpr uint64_t one_call = 1, one_fork = uint64_t{1} << 32;
constexpr uint64_t is_waiting = uint64_t{1} << 62, is_at_end = uint64_t{1} << 63;
constexpr uint64_t call_bits = one_fork - 1;

constinit std::atomic<uint64_t> state{0};
// In a child: a call of the parent was in progress.
constinit std::atomic<bool> is_interrupted{false};
constinit std::atomic<bool> is_over{false}; // exit() has waited
thread_local constinit unsigned depth = 0;

void pause_shortly() {
  const timespec time{0, 100'000};
  nanosleep(&time, nullptr);
}

// Waits until no other thread is inside a call; false after `longest`.
bool wait_for_others(milliseconds longest) {
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t own = depth > 0 ? 1 : 0;
  while ((state.load(std::memory_order_seq_cst) & call_bits) > own) {
    if (std::chrono::steady_clock::now() - begin > longest)
      return false;
    pause_shortly();
  }
  return true;
}

bool begin_call() {
  if (depth > 0)
    return true;
  if (is_interrupted.load(std::memory_order_relaxed))
    return false;
  const auto begin = std::chrono::steady_clock::now();
  uint64_t now = state.load(std::memory_order_relaxed);
  for (;;) {
    if (now & is_at_end)
      return false;
    if (now < one_fork) {
      if (state.compare_exchange_weak(now, now + one_call, std::memory_order_seq_cst))
        return true;
      continue;
    }
    if ((now & is_waiting) && std::chrono::steady_clock::now() - begin > longest_wait_of_call)
      return false;
    pause_shortly(); // another thread is in exit() or fork()
    now = state.load(std::memory_order_relaxed);
  }
}

// Runs before the destructors of the objects that LLVM had when it was loaded.
void at_end() {
  state.fetch_or(is_waiting, std::memory_order_seq_cst);
  const bool have_ended = wait_for_others(longest_wait_of_exit);
  state.fetch_or(is_at_end, std::memory_order_seq_cst);
  is_over.store(true, std::memory_order_relaxed);
  // A call that goes on, or was interrupted by fork(), may have left objects in the middle of a
  // change.
  if (have_ended && depth == 0 && !is_interrupted.load(std::memory_order_relaxed))
    run_late_destructors();
}

void before_fork() {
  state.fetch_add(one_fork, std::memory_order_seq_cst);
  wait_for_others(longest_wait_of_fork);
}

void after_fork_in_parent() {
  state.fetch_sub(one_fork, std::memory_order_seq_cst);
}

void after_fork_in_child() {
  const uint64_t own = depth > 0 ? 1 : 0, now = state.load(std::memory_order_relaxed);
  if ((now & call_bits) > own)
    is_interrupted.store(true, std::memory_order_relaxed);
  // A child does not continue the exit() of another thread.
  state.store((now & is_at_end) | own, std::memory_order_relaxed);
}

// Once in a process: liblockstep_sycl.so makes no foreign calls and does not contain this file.
__attribute__((constructor)) void watch_process() {
  take_over_late_destructors();
  std::atexit(at_end);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

} // namespace

ForeignCall::ForeignCall() : outer_(depth), is_allowed_(begin_call()) {
  if (is_allowed_)
    depth = outer_ + 1;
}

ForeignCall::~ForeignCall() {
  if (!is_allowed_)
    return;
  depth = outer_;
  if (outer_ == 0)
    state.fetch_sub(one_call, std::memory_order_seq_cst);
}

Error ForeignCall::refusal() const {
  return {ErrorKind::out_of_resources,
          is_interrupted.load(std::memory_order_relaxed)
              ? "this process was forked while another thread of its parent compiled, and cannot "
                "compile itself (docs/process_life.md)"
              : "the process ends, and kernels cannot be compiled any more"};
}

void ForeignCall::sleep_if_process_is_over() {
  while (is_over.load(std::memory_order_relaxed) && depth > 0)
    pause_shortly();
}

} // namespace lockstep
