#include "runtime/threads/host_threads.h"

#include "platform/linux/fork.h"
#include "runtime/threads/sleeping_threads.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace lockstep::runtime {
namespace {

constinit std::atomic<int> service_threads{0}, user_events{0}, callbacks{0}, due_callbacks{0};
constinit std::mutex mutex;
constinit BlockedThread *first_blocked = nullptr; // guarded by `mutex`
constinit ServiceThread *first_service = nullptr; // guarded by `mutex`
thread_local constinit int own_id = 0;

// None of these threads and commands exists in a forked child.
const ForkHook reset([] {
  service_threads = user_events = callbacks = due_callbacks = 0;
  new (&mutex) std::mutex;
  first_blocked = nullptr;
  first_service = nullptr;
  own_id = 0;
});

// qemu-user writes 0 for the number of threads. The folder has all of them, and one is the
// emulator's own.
int threads_under_an_emulator() {
  std::error_code error;
  int threads = -1;
  for (auto task = std::filesystem::directory_iterator("/proc/self/task", error);
       !error && task != std::filesystem::directory_iterator(); task.increment(error))
    ++threads;
  return error ? -1 : threads;
}

// Reads the 20th field of /proc/self/stat. The second field is a name in parentheses, which may
// contain any character.
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
  return threads == 0 ? threads_under_an_emulator() : threads;
}

int this_thread() {
  if (own_id == 0)
    own_id = int(syscall(SYS_gettid));
  return own_id;
}

} // namespace

// Threads of NVIDIA's driver have the names "cuda-EvtHandlr" and "cuda00001800007".
bool is_name_of_cuda(std::string_view name) {
  return name == "cuda-EvtHandlr" || (name.size() > 4 && name.starts_with("cuda") &&
                                      name.find_first_not_of("0123456789", 4) == name.npos);
}

std::vector<int> threads_of_cuda() {
  std::vector<int> ids;
  std::error_code error;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    if (std::getline(file, name) && is_name_of_cuda(name))
      ids.push_back(std::atoi(task.path().filename().c_str()));
  }
  return ids;
}

struct BlockedThreads {
  unsigned dead = 0, of_cuda = 0;
  bool some_are_not = false; // at least one waits for a command that may still settle
  std::vector<int> ids;      // threads that wait for dead commands, service threads, the driver's

  explicit BlockedThreads(const std::function<bool(const Command &)> &is_dead) {
    std::lock_guard lock(mutex);
    for (const BlockedThread *thread = first_blocked; thread; thread = thread->next_) {
      if (!thread->is_settled_(thread->command_) && is_dead(thread->command_)) {
        ++dead;
        ids.push_back(thread->thread_);
      } else {
        some_are_not = true;
      }
    }
    for (const ServiceThread *thread = first_service; thread; thread = thread->next_)
      if (!thread->calls_program_)
        ids.push_back(thread->thread_);
    const std::vector<int> drivers = threads_of_cuda();
    of_cuda = unsigned(drivers.size());
    ids.insert(ids.end(), drivers.begin(), drivers.end());
  }
};

HostThreads count_host_threads(const std::function<bool(const Command &)> &is_dead) {
  // First: who begins a due call afterwards is among the program's threads below.
  const bool is_call_due = due_callbacks.load(std::memory_order_seq_cst) != 0;
  const BlockedThreads blocked(is_dead);
  const int ours = service_threads.load(std::memory_order_seq_cst);
  const int all = threads_of_process();
  HostThreads result;
  result.user_events = unsigned(std::max(0, user_events.load(std::memory_order_seq_cst)));
  result.blocked = blocked.dead;
  // If the number is unknown, assume one.
  result.others =
      all < 0 ? 1 : unsigned(std::max(0, all - ours - int(blocked.dead) - int(blocked.of_cuda)));
  result.others_sleep =
      result.others > 0 && !blocked.some_are_not && !is_call_due && all_sleep(blocked.ids);
  return result;
}

void count_service_threads(int difference) {
  service_threads.fetch_add(difference, std::memory_order_seq_cst);
}

ServiceThread::ServiceThread() : thread_(this_thread()) {
  {
    std::lock_guard lock(mutex);
    next_ = first_service;
    first_service = this;
  }
  count_service_threads(1);
}

void add_program_call() {
  count_due_callbacks(1);
  count_service_threads(-1);
}

ProgramCall::ProgramCall(ServiceThread &thread) : thread_(thread) {
  {
    std::lock_guard lock(mutex);
    thread_.calls_program_ = true;
  }
  count_due_callbacks(-1);
}

ProgramCall::~ProgramCall() {
  count_service_threads(1);
  std::lock_guard lock(mutex);
  thread_.calls_program_ = false;
}

OutsideHelp::OutsideHelp() {
  add_program_call();
}

OutsideHelp::~OutsideHelp() {
  count_service_threads(1);
  count_due_callbacks(-1);
}

BlockedThread::BlockedThread(const Command &command, bool (*is_settled)(const Command &))
    : command_(command), is_settled_(is_settled), thread_(this_thread()) {
  std::lock_guard lock(mutex);
  next_ = first_blocked;
  if (next_)
    next_->previous_ = this;
  first_blocked = this;
}

BlockedThread::~BlockedThread() {
  std::lock_guard lock(mutex);
  (previous_ ? previous_->next_ : first_blocked) = next_;
  if (next_)
    next_->previous_ = previous_;
}

void count_user_events(int difference) {
  user_events.fetch_add(difference, std::memory_order_seq_cst);
}

void count_callbacks(int difference) {
  callbacks.fetch_add(difference, std::memory_order_seq_cst);
}

unsigned open_callbacks() {
  return unsigned(std::max(0, callbacks.load(std::memory_order_seq_cst)));
}

void count_due_callbacks(int difference) {
  due_callbacks.fetch_add(difference, std::memory_order_seq_cst);
}

} // namespace lockstep::runtime
