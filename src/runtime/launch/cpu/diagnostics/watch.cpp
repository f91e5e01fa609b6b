#include "runtime/launch/cpu/diagnostics/watch.h"

#include "platform/linux/fork.h"
#include "platform/linux/leaked.h"
#include "platform/linux/protection_keys.h"
#include "platform/linux/start_thread.h"
#include "runtime/launch/cpu/diagnostics/watch_socket.h"
#include "runtime/launch/cpu/pool/worker_pool.h"
#include "runtime/launch/cpu/resumable/resumable_run.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "runtime/threads/host_threads.h"
#include "support/environment.h"
#include "support/message.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

constexpr int between_looks = 1000;       // milliseconds
constexpr uint64_t looks_until_sleep = 2; // number of checks in which nothing ran
constexpr uint64_t until_socket = 1'000'000'000;
constexpr std::size_t stack_bytes = std::size_t{512} << 10;

constinit std::atomic<int> signal_event{-1};
constinit std::atomic<bool> has_signal{false};

void get_up(int event) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(event, &one, sizeof one);
}

// Async-signal-safe.
void on_quit(int) {
  const int error = errno;
  has_signal.store(true);
  get_up(signal_event.load());
  errno = error;
}

void install_quit_handler(int event) {
  if (environment("SIGQUIT").value_or("0") != "1")
    return;
  struct sigaction now{};
  if (sigaction(SIGQUIT, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
    return;
  signal_event.store(event);
  in_forked_child([] { // no thread would answer until the child runs commands itself
    struct sigaction inherited{};
    if (signal_event.exchange(-1) >= 0 && sigaction(SIGQUIT, nullptr, &inherited) == 0 &&
        inherited.sa_handler == on_quit)
      std::signal(SIGQUIT, SIG_DFL);
  });
  struct sigaction ours{};
  ours.sa_handler = on_quit;
  ours.sa_flags = SA_RESTART;
  sigaction(SIGQUIT, &ours, nullptr);
}

} // namespace

Watch &Watch::instance() {
  return leaked<AfterFork::make_again>([] { return new Watch; });
}

// Never joined and never destroyed, like the workers.
void Watch::start() {
  if (event_ >= 0 || (event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
    return;
  if (start_thread({.purpose = "that watches",
                    .function = [](void *self) -> void * { static_cast<Watch *>(self)->run(); },
                    .data = this,
                    .stack_bytes = stack_bytes})) {
    close_in_forked_child(event_);
    install_quit_handler(event_);
  } else {
    close(std::exchange(event_, -1));
  }
}

void Watch::wake() {
  if (is_asleep_.exchange(false, std::memory_order_seq_cst))
    get_up(event_);
}

void Watch::run() {
  const ServiceThread this_one;
  const ThreadRights rights(ThreadRights::Whose::command);
  pthread_setname_np(pthread_self(), "lockstep-watch");
  for (;;) {
    int longest = between_looks;
    if (quiet_looks_ >= looks_until_sleep) {
      uint64_t tasks_taken = 0;
      is_asleep_.store(true, std::memory_order_seq_cst);
      // A worker declares that it is not quiet before it checks whether this thread sleeps.
      if (WorkerPool::instance().is_quiet(tasks_taken) && !WaitingLaunches::instance().any())
        longest = -1;
    }
    wait_for_event(longest);
    is_asleep_.store(false, std::memory_order_seq_cst);
    uint64_t number = 0;
    // may fail if there is no event
    [[maybe_unused]] const ssize_t size = read(event_, &number, sizeof number);
    try {
      look();
    } catch (const std::bad_alloc &) { // the next check may have memory
    }
  }
}

// If there is no file descriptor to accept a connection, it stays in the queue. Without a pause,
// poll would report it again at once. Poll itself fails if RLIMIT_NOFILE is below the number of
// files.
void Watch::wait_for_event(int longest) {
  pollfd events[2] = {{event_, POLLIN, 0}, {socket_, POLLIN, 0}};
  const bool polls_socket = socket_ >= 0 && !std::exchange(socket_rests_, false);
  if (!polls_socket && socket_ >= 0 && longest < 0)
    longest = between_looks;
  if (poll(events, polls_socket ? 2 : 1, longest) < 0 && errno != EINTR)
    std::this_thread::sleep_for(std::chrono::milliseconds(between_looks));
}

void Watch::look() {
  uint64_t tasks_taken = 0;
  const bool is_quiet =
      WorkerPool::instance().is_quiet(tasks_taken) && !WaitingLaunches::instance().any();
  quiet_looks_ = is_quiet ? quiet_looks_ + 1 : 0;
  if (has_signal.exchange(false))
    print_message("%s", all_as_text(all()).c_str());
  if (has_requests(socket_))
    socket_rests_ = !answer_top(socket_, all_as_json(all()) + "\n");
  if (is_quiet)
    return;
  if (WaitingLaunches::instance().are_left_alone())
    WorkerPool::instance().look_beside_workers();
  report_launches_without_progress();
  if (!has_tried_socket_ && environment("TOP").value_or("1") != "0" && does_something_for_long()) {
    has_tried_socket_ = true;
    socket_ = listen_for_top();
  }
}

// No group has ended for long, though groups run or change from one wait to another. If nothing
// changes, deadlock detection handles the launch instead.
static bool is_endless(ResumableRun &run, uint64_t patience) {
  const uint64_t now = now_nanoseconds();
  if (now - std::min(now, run.last_done()) < patience)
    return false;
  const bool stands = now - std::min(now, run.last_move()) > 100'000'000;
  return !stands || !ResumableRun::Visit(run).running_groups().empty();
}

void Watch::report_launches_without_progress() const {
  const WaitingLaunches &launches = WaitingLaunches::instance();
  if (!launches.gives_reports())
    return;
  for (const auto &run : launches.list()) {
    if (run->has_reported_no_end || !is_endless(*run, launches.patience()))
      continue;
    run->has_reported_no_end = true;
    const LaunchProgress progress = describe(*run);
    if (progress.text.empty())
      continue;
    const ResumableRun::Visit visit(*run); // keeps the command alive
    if (!visit)
      continue;
    const std::string text =
        fmt::format("warning: {}\n  It is not ended, since something moves; `lockstep top` shows "
                    "what it does",
                    progress.text);
    print_message("%s", text.c_str());
    run->command().warn(text);
  }
}

uint64_t Watch::age_of(unsigned worker, uint64_t tasks_taken) {
  const uint64_t now = now_nanoseconds();
  auto &[tasks, since] = since_[worker];
  if (since == 0 || tasks != tasks_taken)
    since = now;
  tasks = tasks_taken;
  return now - since;
}

bool Watch::does_something_for_long() {
  for (const auto &run : WaitingLaunches::instance().list())
    if (now_nanoseconds() - run->begin() > until_socket)
      return true;
  const auto running = WorkerPool::instance().running(
      [this](unsigned worker, uint64_t tasks) { return age_of(worker, tasks); });
  return std::any_of(running.begin(), running.end(), [](const auto &operation) {
    return std::any_of(operation.begin(), operation.end(),
                       [](const RunningOperation &by) { return by.nanoseconds >= until_socket; });
  });
}

std::vector<LaunchProgress> Watch::all() {
  std::vector<LaunchProgress> launches;
  for (const auto &run : WaitingLaunches::instance().list())
    if (LaunchProgress progress = describe(*run); !progress.text.empty())
      launches.push_back(std::move(progress));
  for (const auto &operation : WorkerPool::instance().running(
           [this](unsigned worker, uint64_t tasks) { return age_of(worker, tasks); }))
    launches.push_back(describe(operation));
  return launches;
}

} // namespace lockstep::runtime
