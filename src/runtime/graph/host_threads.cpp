#include "runtime/graph/host_threads.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

namespace lockstep::runtime {
namespace {

constinit std::atomic<int> service_threads{0}, blocked_threads{0}, user_events{0};

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
  const int blocked = blocked_threads.load(std::memory_order_seq_cst);
  const int ours = service_threads.load(std::memory_order_seq_cst);
  const int all = threads_of_process();
  HostThreads result;
  result.blocked = unsigned(std::max(0, blocked));
  // Not known: then there may be one.
  result.others = all < 0 ? 1 : unsigned(std::max(0, all - ours - blocked));
  return result;
}

void count_service_threads(int difference) {
  service_threads.fetch_add(difference, std::memory_order_seq_cst);
}

BlockedThread::BlockedThread() {
  blocked_threads.fetch_add(1, std::memory_order_seq_cst);
}

BlockedThread::~BlockedThread() {
  blocked_threads.fetch_sub(1, std::memory_order_seq_cst);
}

void count_user_events(int difference) {
  user_events.fetch_add(difference, std::memory_order_relaxed);
}

unsigned unsettled_user_events() {
  return unsigned(std::max(0, user_events.load(std::memory_order_relaxed)));
}

} // namespace lockstep::runtime
