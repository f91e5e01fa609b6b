#include "runtime/launch/cpu/pool/task_queue.h"

#include "runtime/launch/cpu/diagnostics/progress.h"

#include <algorithm>
#include <bit>

namespace lockstep::runtime {

TaskQueue::TaskQueue(std::span<const unsigned> workers) : worker_count_(unsigned(workers.size())) {
  for (unsigned worker : workers) {
    if (worker / 64 >= worker_mask_.size())
      worker_mask_.resize(worker / 64 + 1);
    worker_mask_[worker / 64] |= uint64_t{1} << worker % 64;
  }
}

unsigned TaskQueue::place_of(unsigned worker) const {
  unsigned before = 0;
  for (unsigned word = 0; word < worker / 64; ++word)
    before += unsigned(std::popcount(worker_mask_[word]));
  const uint64_t lower = (uint64_t{1} << worker % 64) - 1;
  return before + unsigned(std::popcount(worker_mask_[worker / 64] & lower));
}

void TaskQueue::push(Command &ready) {
  auto &entry = progress_of(ready);
  std::lock_guard lock(mutex_);
  entry.tickets = 1;
  entry.is_listed = true;
  entry.next_listed = nullptr;
  entry.previous = last_;
  (last_ ? progress_of(*last_).next_listed : first_) = &ready;
  last_ = &ready;
  size_.fetch_add(1, std::memory_order_seq_cst);
}

void TaskQueue::push_for_help(Command &running, uint32_t tickets) {
  auto &entry = progress_of(running);
  std::lock_guard lock(mutex_);
  if (entry.is_listed) {
    entry.tickets += tickets;
    return;
  }
  entry.tickets = tickets;
  entry.is_listed = true;
  entry.is_started = true;
  entry.previous = nullptr;
  entry.next_listed = first_;
  (first_ ? progress_of(*first_).previous : last_) = &running;
  first_ = &running;
  size_.fetch_add(1, std::memory_order_seq_cst);
}

void TaskQueue::unlink(Command &command) {
  auto &entry = progress_of(command);
  (entry.previous ? progress_of(*entry.previous).next_listed : first_) = entry.next_listed;
  (entry.next_listed ? progress_of(*entry.next_listed).previous : last_) = entry.previous;
  entry.is_listed = false;
  size_.fetch_sub(1, std::memory_order_seq_cst);
}

void TaskQueue::remove(Command &command) {
  std::lock_guard lock(mutex_);
  if (progress_of(command).is_listed)
    unlink(command);
}

TaskQueue::Taken TaskQueue::take() {
  if (empty())
    return {};
  std::lock_guard lock(mutex_);
  Command *command = first_;
  if (!command)
    return {};
  auto &entry = progress_of(*command);
  if (--entry.tickets == 0)
    unlink(*command);
  command->add_reference();
  bool is_first = !entry.is_started;
  entry.is_started = true;
  return {command, is_first};
}

} // namespace lockstep::runtime
