#include "runtime/threads/sleeping_threads.h"

#include <algorithm>
#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <iterator>
#include <linux/futex.h>
#include <map>
#include <optional>
#include <sched.h>
#include <string>
#include <sys/syscall.h>

namespace lockstep::runtime {
namespace {

std::string content_of(const std::string &path) {
  std::string content;
  if (std::FILE *file = std::fopen(path.c_str(), "re")) {
    char text[4096];
    for (std::size_t size; (size = std::fread(text, 1, sizeof text, file)) > 0;)
      content.append(text, size);
    std::fclose(file);
  }
  return content;
}

// True if `address` is in anonymous memory that is not shared with other processes.
bool is_private_memory(uint64_t address) {
  std::FILE *file = std::fopen("/proc/self/maps", "re");
  if (!file)
    return false;
  bool is_private = false;
  char line[512];
  while (std::fgets(line, sizeof line, file)) {
    uint64_t begin = 0, end = 0, inode = 1;
    char access[8] = {};
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*x %*s %" SCNu64, &begin, &end, access,
                    &inode) != 4 ||
        address < begin || address >= end)
      continue;
    is_private = access[3] == 'p' && inode == 0;
    break;
  }
  std::fclose(file);
  return is_private;
}

// The file has "number argument argument ...", the arguments in hexadecimal, or "running".
bool sleeps_until_woken(const std::string &task) {
  const std::string call = content_of(task + "/syscall");
  int number = -1;
  uint64_t address = 0, operation = 0, value = 0, time = 1;
  if (std::sscanf(call.c_str(), "%d %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &number,
                  &address, &operation, &value, &time) != 5 ||
      number != SYS_futex || time != 0)
    return false;
  const auto kind = operation & FUTEX_CMD_MASK;
  if (kind != FUTEX_WAIT && kind != FUTEX_WAIT_BITSET)
    return false;
  return (operation & FUTEX_PRIVATE_FLAG) || is_private_memory(address);
}

// Number of voluntary and involuntary context switches.
std::optional<uint64_t> times_off_cpu(const std::string &task) {
  const std::string status = content_of(task + "/status");
  uint64_t sum = 0;
  for (const char *name : {"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"}) {
    const char *at = std::strstr(status.c_str(), name);
    if (!at)
      return std::nullopt;
    sum += std::strtoull(at + std::strlen(name), nullptr, 10);
  }
  return sum;
}

using Switches = std::map<int, uint64_t>; // by thread

std::optional<Switches> look(const std::vector<int> &but_these) {
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks)
    return std::nullopt;
  std::optional<Switches> switches = Switches();
  while (const dirent *entry = readdir(tasks)) {
    const int id = std::atoi(entry->d_name);
    if (id <= 0 || std::find(but_these.begin(), but_these.end(), id) != but_these.end())
      continue;
    const std::string task = std::string("/proc/self/task/") + entry->d_name;
    // read first, so that a thread that runs after this is noticed
    const auto times = times_off_cpu(task);
    if (!times || !sleeps_until_woken(task)) {
      switches.reset();
      break;
    }
    (*switches)[id] = *times;
  }
  closedir(tasks);
  return switches;
}

// A signal handler may wake a thread. Handlers for termination and for the program's own faults do
// not count, since they do not help a kernel.
bool signals_may_help() {
  const std::string status = content_of("/proc/self/status");
  const char *at = std::strstr(status.c_str(), "\nSigCgt:");
  if (!at)
    return true;
  uint64_t caught = std::strtoull(at + std::strlen("\nSigCgt:"), nullptr, 16);
  for (int harmless : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGINT, SIGTERM,
                       SIGHUP, SIGQUIT, SIGPIPE, SIGWINCH, SIGPROF, SIGXCPU, SIGXFSZ,
                       // used by the C library
                       32, 33, 34})
    caught &= ~(uint64_t{1} << (harmless - 1));
  return caught != 0;
}

// Whether a thread with this entry (see above) is in a call in which threads of the runtime and of
// drivers rest. In any other call, or in a page fault (number -1), it goes on without being woken by
// the process, and may hold a lock.
bool rests(const std::string &entry) {
  static constexpr int calls[] = {
      SYS_futex,     SYS_ppoll,           SYS_epoll_pwait,     SYS_pselect6,
      SYS_nanosleep, SYS_clock_nanosleep, SYS_restart_syscall, SYS_read,
      SYS_ioctl,
#ifdef SYS_poll
      SYS_poll,      SYS_epoll_wait,      SYS_select,
#endif
  };
  int number = -1;
  return std::sscanf(entry.c_str(), "%d", &number) == 1 &&
         std::find(std::begin(calls), std::end(calls), number) != std::end(calls);
}

// Whether each of these threads, except the calling one, is soon seen at rest. Then none of them
// holds a lock.
bool are_found_asleep(const std::vector<int> &ours) {
  constexpr int most_tries = 50;
  const int self = int(syscall(SYS_gettid));
  return std::all_of(ours.begin(), ours.end(), [&](int id) {
    const std::string call = "/proc/self/task/" + std::to_string(id) + "/syscall";
    for (int tries = 0; id != self && tries < most_tries; ++tries) {
      if (rests(content_of(call)))
        return true;
      sched_yield();
    }
    return id == self;
  });
}

} // namespace

// A thread blocked on a mutex looks asleep, but continues when the owner does. The owner may be a
// preempted thread of the runtime, so these are checked between the two samples.
bool all_sleep(const std::vector<int> &but_these) {
  if (signals_may_help())
    return false;
  const auto first = look(but_these);
  return first && are_found_asleep(but_these) && look(but_these) == first;
}

} // namespace lockstep::runtime
