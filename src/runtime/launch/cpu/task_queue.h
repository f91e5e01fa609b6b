// The commands of one device that are ready to run, first in first out, and who looks for them.
//
// A command whose parts several threads may share is listed with as many tickets as threads are
// wanted; each taker uses one up, and the entry goes with the last ticket or when the command is
// done. So "ready commands" and "running commands that want help" are one list under one lock,
// held for a few instructions and taken once per command and thread, never per work-group.
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

  void push(Command &ready);                              // one ticket, at the end
  void push_for_help(Command &running, uint32_t tickets); // at the front, or more of them
  void remove(Command &command);                          // if it is still listed

  struct Taken {
    Command *command = nullptr; // with a reference for the taker
    bool is_first = false;      // nobody has begun it
  };
  Taken take();
  bool empty() const { return size_.load(std::memory_order_seq_cst) == 0; }

  // Workers that look for commands here right now and will look once more before they sleep; while
  // there is one, nobody needs to be woken. See worker_pool.cpp.
  std::atomic<uint32_t> &searching() { return searching_; }

  unsigned worker_count() const { return worker_count_; }
  std::span<const uint64_t> worker_mask() const { return worker_mask_; } // bit w: worker w serves
  unsigned place_of(unsigned worker) const;                              // among those that serve

private:
  void unlink(Command &command); // lock held

  alignas(64) std::mutex mutex_;
  Command *first_ = nullptr, *last_ = nullptr;
  alignas(64) std::atomic<uint32_t> size_{0};
  alignas(64) std::atomic<uint32_t> searching_{0};
  alignas(64) unsigned worker_count_;
  std::vector<uint64_t> worker_mask_;
};

} // namespace lockstep::runtime
