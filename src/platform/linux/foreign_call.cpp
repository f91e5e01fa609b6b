#include "platform/linux/foreign_call.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

namespace lockstep {
namespace {

using std::chrono::milliseconds;

// A single function of LLVM or clang rarely takes longer. A fork must not wait for a build that
// takes minutes.
constexpr milliseconds longest_wait_of_fork(1000), longest_wait_of_exit(5000);
constexpr milliseconds longest_wait_of_call(1000); // while another thread is in exit()

// A single word, so that no call can begin once the state is closed. It holds the number of calls
// (nested ones count once) and the number of forks in progress. Two flags say whether a thread is
// in exit(), and whether exit() is about to destroy LLVM's objects.
constexpr uint64_t one_call = 1, one_fork = uint64_t{1} << 32;
constexpr uint64_t is_in_exit = uint64_t{1} << 62, is_at_end = uint64_t{1} << 63;
constexpr uint64_t call_bits = one_fork - 1;

constinit std::atomic<uint64_t> state{0};
// In a child: a call of the parent was in progress.
constinit std::atomic<bool> is_interrupted{false};
constinit std::atomic<bool> is_over{false}; // exit() has waited
constinit std::atomic<milliseconds> exit_began{milliseconds(0)};
thread_local constinit unsigned depth = 0;
thread_local constinit bool calls_exit = false;

void pause_shortly() {
  const timespec time{0, 100'000};
  nanosleep(&time, nullptr);
}

milliseconds now_milliseconds() {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
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

bool is_first_thread() {
  return gettid() == getpid();
}

// True if the first thread has called pthread_exit(). That destroys the thread's objects as exit()
// does, but the process continues.
bool first_thread_has_ended() {
  // No std::string: a call may begin in a destructor, which must not throw.
  char text[256] = {}, path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", int(getpid()));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  const char *behind_name = size > 0 ? std::strrchr(text, ')') : nullptr;
  return behind_name && std::strncmp(behind_name, ") Z", 3) == 0;
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
    const bool is_closed = now >= one_fork && !((now & is_in_exit) && calls_exit);
    if (!is_closed) {
      if (state.compare_exchange_weak(now, now + one_call, std::memory_order_seq_cst))
        return true;
      continue;
    }
    if (now & is_in_exit) {
      if (std::chrono::steady_clock::now() - begin > longest_wait_of_call)
        return false;
      if (first_thread_has_ended()) {
        exit_began = milliseconds(0);
        state.fetch_and(~is_in_exit, std::memory_order_seq_cst);
      }
    }
    pause_shortly(); // or another thread is in fork()
    now = state.load(std::memory_order_relaxed);
  }
}

// exit() may call this several times; all its waits together last at most longest_wait_of_exit.
void begin_exit() {
  calls_exit = true;
  state.fetch_or(is_in_exit, std::memory_order_seq_cst);
  const milliseconds now = now_milliseconds();
  milliseconds began(0);
  if (exit_began.compare_exchange_strong(began, now))
    began = now;
  wait_for_others(longest_wait_of_exit - (now - began));
}

// Destroyed by exit() in this thread, or when the thread ends.
struct ThreadEnd {
  bool is_by_exit = false;
  ~ThreadEnd() {
    if (is_by_exit || is_first_thread())
      begin_exit();
  }
};
thread_local ThreadEnd thread_end;

// For exit() in other threads of the program: exit() calls the function registered here before it
// destroys what LLVM registered in earlier calls.
void register_again() {
  constexpr unsigned most = 16;
  static constinit std::atomic<unsigned> times{0};
  if (times.load(std::memory_order_relaxed) < most &&
      times.fetch_add(1, std::memory_order_relaxed) < most)
    std::atexit(begin_exit);
}

// Runs before the destructors of the objects that LLVM had when it was loaded.
void at_end() {
  begin_exit();
  state.fetch_or(is_at_end, std::memory_order_seq_cst);
  is_over.store(true, std::memory_order_relaxed);
}

__attribute__((constructor)) void watch_end() {
  std::atexit(at_end);
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
  if (outer_ != 0)
    return;
  register_again();
  state.fetch_sub(one_call, std::memory_order_seq_cst);
}

void ForeignCall::watch_exit() {
  (void)&thread_end; // creates it, and so registers its destructor
}

void ForeignCall::only_exit_ends_this_thread(bool is_so) {
  thread_end.is_by_exit = is_so;
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

void ForeignCall::before_fork() {
  state.fetch_add(one_fork, std::memory_order_seq_cst);
  wait_for_others(longest_wait_of_fork);
}

void ForeignCall::after_fork_in_parent() {
  state.fetch_sub(one_fork, std::memory_order_seq_cst);
}

void ForeignCall::after_fork_in_child() {
  const uint64_t own = depth > 0 ? 1 : 0, now = state.load(std::memory_order_relaxed);
  if ((now & call_bits) > own)
    is_interrupted.store(true, std::memory_order_relaxed);
  // A child does not continue the exit() of another thread.
  state.store((now & is_at_end) | own, std::memory_order_relaxed);
}

} // namespace lockstep
