// Implements starting threads and waking them. Waking a sleeping thread costs the waker
// microseconds, so this does it as rarely as is safe. A worker without work *searches* for a while
// (it spins and checks its queues) before it sleeps, and each queue counts its searchers. The rule,
// as in the schedulers of Go and Tokio:
//   push:   list the command; if no worker searches, wake one sleeper.
//   take:   stop searching; if more is listed and no other worker searches, wake one sleeper.
//   sleep:  set own sleeping bit; stop searching; check once more; sleep.
// All four variables (list size, searchers, sleeping bits, memberships version) are accessed
// sequentially consistently. If a pusher sees a searcher, the searcher's last check comes after the
// push. If it sees none, it sees the sleeping bit of the worker that stopped searching.
#include "runtime/launch/cpu/pool/worker_pool.h"

#include "platform/linux/futex.h"
#include "platform/linux/leaked.h"
#include "platform/linux/start_thread.h"
#include "runtime/device/kernel.h"
#include "runtime/launch/cpu/diagnostics/fault_handling.h"
#include "runtime/launch/cpu/diagnostics/progress.h"
#include "runtime/launch/cpu/diagnostics/watch.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "runtime/threads/callback_thread.h"
#include "runtime/threads/host_threads.h"
#include "support/environment.h"
#include "support/ranks.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>

namespace lockstep::runtime {
namespace {

std::optional<unsigned> requested_workers() {
  auto requested = environment_number("THREADS");
  if (requested && *requested >= 1)
    return unsigned(std::min<long long>(*requested, 1024));
  return std::nullopt;
}

struct ThreadStack {
  std::byte *guard = nullptr, *begin = nullptr;
};
constexpr std::size_t guard_bytes = std::size_t{1} << 20; // large frames probe beyond one page

Result<ThreadStack> map_stack() {
  void *memory = mmap(nullptr, guard_bytes + WorkerPool::stack_bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return Error{ErrorKind::out_of_resources, "no address space for the stack of a worker thread"};
  ThreadStack stack;
  stack.guard = static_cast<std::byte *>(memory);
  stack.begin = stack.guard + guard_bytes;
  if (mprotect(stack.begin, WorkerPool::stack_bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(memory, guard_bytes + WorkerPool::stack_bytes);
    return Error{ErrorKind::out_of_resources, "no memory for the stack of a worker thread"};
  }
  return stack;
}

} // namespace

WorkerPool &WorkerPool::instance() {
  return leaked<AfterFork::make_again>([] { return new WorkerPool; });
}

WorkerPool::WorkerPool()
    : placement_(place_workers(topology(), requested_workers(), local_rank_of_process())),
      looker_(std::make_unique<Worker>(*this, size())) {
  most_spinners_ = std::max(2u, std::min<unsigned>(size(), unsigned(topology().cpus.size()))) - 1;
  sleeping_ = std::make_unique<std::atomic<uint64_t>[]>((size() + 63) / 64);
  for (unsigned i = 0; i < size(); ++i)
    workers_.push_back(std::make_unique<Worker>(*this, i));
}

// ---- threads

Result<void> WorkerPool::start() {
  if (is_started_.load(std::memory_order_acquire))
    return {};
  std::lock_guard lock(mutex_);
  if (is_started_.load(std::memory_order_relaxed))
    return {};
  LOCKSTEP_TRY(start_threads());
  is_started_.store(true, std::memory_order_release);
  return {};
}

Result<void> WorkerPool::start_threads() {
  install_fault_handlers();
  LOCKSTEP_TRY(start_callback_thread()); // needed by the destructor of a queue, and by callbacks
  Watch::instance().start();
  // Created here, because a worker could not report that there is no memory for them.
  WaitingLaunches::instance();
  spin_time();
  for (auto &worker : workers_) {
    if (!worker->is_running_)
      LOCKSTEP_TRY(start_thread(*worker));
    worker->is_running_ = true;
  }
  return {};
}

Result<void> WorkerPool::start_thread(Worker &worker) {
  auto stack = map_stack();
  if (!stack)
    return stack.take_error();
  worker.stack_guard_begin_ = reinterpret_cast<uintptr_t>(stack->guard);
  worker.stack_guard_end_ = reinterpret_cast<uintptr_t>(stack->begin);
  auto started = runtime::start_thread(
      {.purpose = "that works",
       .function = [](void *data) -> void * { static_cast<Worker *>(data)->thread_main(); },
       .data = &worker,
       .stack = stack->begin,
       .stack_bytes = stack_bytes});
  if (!started)
    munmap(stack->guard, guard_bytes + stack_bytes);
  return started;
}

void WorkerPool::look_beside_workers() {
  {
    std::lock_guard lock(mutex_);
    if (!looker_->is_running_ && !start_thread(*looker_))
      return; // the next look tries again
    looker_->is_running_ = true;
  }
  looker_->signal_.store(1, std::memory_order_release);
  futex_wake_one(&looker_->signal_);
}

void WorkerPool::bind(unsigned worker) const {
  if (!placement_.is_bound)
    return;
  const Cpu &home = placement_.cpus[worker];
  cpu_set_t *set = CPU_ALLOC(8192);
  if (!set)
    return;
  std::size_t bytes = CPU_ALLOC_SIZE(8192);
  CPU_ZERO_S(bytes, set);
  for (const Cpu &cpu : topology().cpus)
    if (cpu.numa_node == home.numa_node && cpu.l3 == home.l3)
      CPU_SET_S(cpu.os_index, bytes, set);
  // only a hint: an unbound worker is correct, too
  pthread_setaffinity_np(pthread_self(), bytes, set);
  CPU_FREE(set);
}

// ---- queues

void WorkerPool::add(std::shared_ptr<TaskQueue> queue) {
  std::lock_guard lock(mutex_);
  for (auto &worker : workers_)
    worker->room_.reserve(queues_.size() + 1);
  queues_.push_back(std::move(queue));
  memberships_version_.fetch_add(1, std::memory_order_seq_cst);
}

void WorkerPool::remove(const std::shared_ptr<TaskQueue> &queue) {
  std::lock_guard lock(mutex_);
  std::erase(queues_, queue);
  memberships_version_.fetch_add(1, std::memory_order_seq_cst);
}

void WorkerPool::submit(TaskQueue &queue, Command &ready) {
  progress_of(ready).parts = ready.operation()->host()->parts();
  if (Worker *worker = Worker::current(); worker && worker->keep(ready, queue))
    return;
  // Needed if Device::start() was not called, or its error was ignored, before the first queue was
  // made.
  if (auto started = start(); !started)
    return ready.settle(started.take_error());
  queue.push(ready);
  if (queue.searching().load(std::memory_order_seq_cst) == 0)
    wake(queue, 1);
}

bool WorkerPool::is_quiet(uint64_t &tasks_taken) {
  // First: a thread that ends a launch adds to the queues what becomes ready.
  if (WaitingLaunches::instance().are_ending())
    return false;
  std::lock_guard lock(mutex_);
  // Queues next: a worker declares that it is not quiet before it takes a command from its queue.
  for (const auto &queue : queues_)
    if (!queue->empty())
      return false;
  tasks_taken = 0;
  for (const auto &worker : workers_) {
    if (!worker->is_quiet_.load(std::memory_order_seq_cst))
      return false;
    tasks_taken += worker->tasks_taken_.load(std::memory_order_relaxed);
  }
  return true;
}

std::vector<std::vector<RunningOperation>>
WorkerPool::running(const std::function<uint64_t(unsigned, uint64_t)> &age) {
  std::map<Progress *, std::vector<RunningOperation>> by_command;
  RunningInspection::Look look(inspection_);
  if (!look.is_possible())
    return {};
  for (const auto &worker : workers_) {
    Operation *operation = worker->running_.load(std::memory_order_acquire);
    if (!operation)
      continue;
    Progress *progress = worker->running_progress_.load(std::memory_order_relaxed);
    const uint64_t tasks = worker->tasks_taken_.load(std::memory_order_relaxed);
    by_command[progress].push_back(
        {worker->index(), operation->launch() ? operation->launch()->kernel().name : std::string(),
         progress->parts, progress->handed_out(), age(worker->index(), tasks)});
  }
  std::vector<std::vector<RunningOperation>> result;
  for (auto &[progress, operation] : by_command)
    result.push_back(std::move(operation));
  return result;
}

void WorkerPool::wake(TaskQueue &queue, uint64_t count) {
  auto mask = queue.worker_mask();
  for (std::size_t word = 0; word < mask.size() && count > 0; ++word) {
    uint64_t sleepers = sleeping_[word].load(std::memory_order_seq_cst) & mask[word];
    while (sleepers && count > 0) {
      uint64_t bit = sleepers & -sleepers;
      sleepers ^= bit;
      if (!(sleeping_[word].fetch_and(~bit, std::memory_order_seq_cst) & bit))
        continue; // another thread woke it
      Worker &worker = *workers_[word * 64 + std::countr_zero(bit)];
      worker.signal_.store(1, std::memory_order_release);
      futex_wake_one(&worker.signal_);
      --count;
    }
  }
}

} // namespace lockstep::runtime
