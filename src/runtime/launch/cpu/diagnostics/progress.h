// The CPU's state of one run of a command: how many parts are handed out and done, and its entry in
// a task queue.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/launch/cpu/pool/worker_shares.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace lockstep::runtime {

struct Progress final : RunState {
  // First cache line; the variables that all threads write for each chunk are in the second one.
  uint64_t parts = 0;
  std::atomic<uint64_t> least_chunk{1}; // minimum parts per access to `next`
  std::atomic<uint32_t> threads{1};     // number of threads that were invited to share the parts
  uint32_t tickets = 0;    // threads that may still join; guarded by the task queue's lock
  bool is_listed = false;  // same guard
  bool is_started = false; // same guard
  std::atomic<bool> has_error{false};                  // set by the first thread with an error...
  Command *previous = nullptr, *next_listed = nullptr; // same guard
  std::unique_ptr<Error> error;                        // ...which then writes this
  alignas(64) std::atomic<uint64_t> next{0};           // the first part that is not handed out
  std::atomic<uint64_t> done{0};                       // parts run, or skipped after an error
  std::unique_ptr<WorkerShares> shares; // used instead of `next`; made before others are invited

  uint64_t handed_out() const { // only approximate while parts are taken
    const uint64_t taken = shares ? parts - shares->left() : next.load(std::memory_order_relaxed);
    return taken < parts ? taken : parts;
  }
};
static_assert(sizeof(Progress) == 128);

inline Progress &progress_of(const Command &command) {
  return static_cast<Progress &>(*command.run_state());
}

} // namespace lockstep::runtime
