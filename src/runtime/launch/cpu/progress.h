// What the CPU keeps of the run of a command: how far its parts are handed out and done, and its
// place in a task queue.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/launch/cpu/worker_shares.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace lockstep::runtime {

struct Progress final : RunState {
  // A line of the cache; what all threads write for each chunk has the other one.
  uint64_t parts = 0;
  std::atomic<uint64_t> least_chunk{1}; // parts worth a visit to `next`
  std::atomic<uint32_t> threads{1};     // that were asked to share the parts
  uint32_t tickets = 0;    // threads that may still join; guarded by the task queue's lock
  bool is_listed = false;  // same guard
  bool is_started = false; // same guard
  std::atomic<bool> has_error{false};                  // set by the first thread that met one...
  Command *previous = nullptr, *next_listed = nullptr; // same guard
  std::unique_ptr<Error> error;                        // ...which then writes this
  alignas(64) std::atomic<uint64_t> next{0};           // first part not handed out
  std::atomic<uint64_t> done{0};                       // parts run, or skipped after an error
  std::unique_ptr<WorkerShares> shares; // instead of `next`; made before others are asked

  uint64_t handed_out() const { // at some time
    const uint64_t taken = shares ? parts - shares->left() : next.load(std::memory_order_relaxed);
    return taken < parts ? taken : parts;
  }
};
static_assert(sizeof(Progress) == 128);

inline Progress &progress_of(const Command &command) {
  return static_cast<Progress &>(*command.run_state());
}

} // namespace lockstep::runtime
