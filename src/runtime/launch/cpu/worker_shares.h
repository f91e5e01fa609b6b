// Which parts of a command each worker runs, where all workers share them.
//
// A worker's share lies at the same place in each launch of the same size: what it has written in one launch is in its own
// caches in the next, and memory that a launch writes first lies near the worker that reads it later. Handed out from one
// counter, a step of a sort that begins anew for each distance would fetch nearly everything from other cores.
//
// Nobody has to wait for a worker that comes late or not at all: who has run its share takes half of the largest one that is left.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace lockstep::runtime {

class WorkerShares {
public:
  struct Range {
    uint64_t begin = 0, end = 0;
    uint64_t size() const { return end - begin; }
  };

  // With fewer parts for a worker it would be left with none while another runs its last ones.
  static constexpr uint64_t least_parts_for_each = 8;
  static bool fit(uint64_t parts, unsigned workers) {
    return parts >= least_parts_for_each * workers && parts < uint64_t{1} << 32;
  }

  WorkerShares(uint64_t parts, unsigned workers); // that fit

  // For this worker to run: at least so many of its share, else of the largest one. None: none is left.
  Range take(unsigned worker, uint64_t least);
  uint64_t take_all();   // how many nobody has taken; nobody will
  uint64_t left() const; // at some time

private:
  // Begin and end in one word. Others take from the end.
  struct alignas(64) Share {
    std::atomic<uint64_t> range;
  };

  Range take_front(Share &share, uint64_t least);
  Range take_half_of_largest(uint64_t least);

  const unsigned workers_;
  const std::unique_ptr<Share[]> shares_;
};

} // namespace lockstep::runtime
