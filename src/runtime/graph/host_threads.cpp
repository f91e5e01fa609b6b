#include "runtime/graph/host_threads.h"

#include "runtime/graph/command.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace lockstep::runtime {
namespace {

constinit std::atomic<int> service_threads{0}, user_events{0};
constinit std::mutex blocked_mutex;
constinit BlockedThread *first_blocked = nullptr; // guarded by it

// The 20th field of /proc/self/stat; the second one is a name in brackets, which may hold anything.
int threads_of_process() {
  std::FILE *file = std::fopen("/proc/self/stat", "re");
  if (!file)
    return -1;
  char text[1024];
  const std::size_t size = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[size] = 0;
  const char *behind_name = std::strrchr(text, ')');
  int threads = -1;
  if (behind_name)
    std::sscanf(behind_name + 1,
                " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                "%*d %d",
                &threads);
  return threads;
}

} // namespace

HostThreads count_host_threads() {
  int blocked = 0;
  {
    std::lock_guard lock(blocked_mutex);
    for (const BlockedThread *thread = first_blocked; thread; thread = thread->next_)
      blocked += !thread->command_.settled();
  }
  const int ours = service_threads.load(std::memory_order_seq_cst);
  const int all = threads_of_process();
  HostThreads result;
  result.blocked = unsigned(blocked);
  // Not known: then there may be one.
  result.others = all < 0 ? 1 : unsigned(std::max(0, all - ours - blocked));
  return result;
}

void count_service_threads(int difference) {
  service_threads.fetch_add(difference, std::memory_order_seq_cst);
}

BlockedThread::BlockedThread(const Command &command) : command_(command) {
  std::lock_guard lock(blocked_mutex);
  next_ = first_blocked;
  if (next_)
    next_->previous_ = this;
  first_blocked = this;
}

BlockedThread::~BlockedThread() {
  std::lock_guard lock(blocked_mutex);
  (previous_ ? previous_->next_ : first_blocked) = next_;
  if (next_)
    next_->previous_ = previous_;
}

void count_user_events(int difference) {
  user_events.fetch_add(difference, std::memory_order_relaxed);
}

unsigned unsettled_user_events() {
  return unsigned(std::max(0, user_events.load(std::memory_order_relaxed)));
}

} // namespace lockstep::runtime
