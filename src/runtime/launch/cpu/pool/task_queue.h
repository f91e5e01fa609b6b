// The ready commands of one device, first in first out, and the count of workers that search them.
//
// Several threads may share the parts of a command. Its entry has one ticket per wanted thread;
// each taker uses one, and the entry is removed with the last ticket or when the command is done.
// So one list under one lock serves "ready commands" and "running commands that want help". The
// lock is held for a few instructions, once per command and thread, never per work-group.
#pragma once

#include "runtime/graph/command.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace lockstep::runtime {

class TaskQueue {
public:
  explicit TaskQueue(std::span<const unsigned> workers);

  void push(Command &ready);                              // adds it at the end, with one ticket
  void push_for_help(Command &running, uint32_t tickets); // adds it at the front, or adds tickets
  void remove(Command &command);                          // if it is still in the list

  struct Taken {
    Command *command = nullptr; // with a reference for the taker
    bool is_first = false;      // no other thread has begun it
  };
  Taken take();
  bool empty() const { return size_.load(std::memory_order_seq_cst) == 0; }

  // Number of workers that search this queue now, and will check it once more before they sleep.
  // While it is not 0, no worker must be woken. See worker_pool.cpp.
  std::atomic<uint32_t> &searching() { return searching_; }

  unsigned worker_count() const { return worker_count_; }
  // bit w: worker w serves this queue
  std::span<const uint64_t> worker_mask() const { return worker_mask_; }
  unsigned place_of(unsigned worker) const; // its index among the workers that serve this queue

private:
  void unlink(Command &command); // requires the lock

  alignas(64) std::mutex mutex_;
  Command *first_ = nullptr, *last_ = nullptr;
  alignas(64) std::atomic<uint32_t> size_{0};
  alignas(64) std::atomic<uint32_t> searching_{0};
  alignas(64) unsigned worker_count_;
  std::vector<uint64_t> worker_mask_;
};

} // namespace lockstep::runtime
