// Divides the parts of a command among all workers of a queue.
//
// A worker's share is at the same position in each launch of the same size. So data that it wrote
// in one launch are in its own caches in the next, and newly written memory is near the worker that
// reads it later. With one shared counter, a sort that launches one kernel for each distance would
// fetch nearly everything from other cores.
//
// No launch waits for a late worker: a worker that has finished its share takes half of the largest
// remaining one.
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

  // With fewer parts per worker, one could be without work while another runs its last parts.
  static constexpr uint64_t least_parts_for_each = 8;
  static bool fit(uint64_t parts, unsigned workers) {
    return parts >= least_parts_for_each * workers && parts < uint64_t{1} << 32;
  }

  WorkerShares(uint64_t parts, unsigned workers); // requires fit()

  // Parts for this worker to run: at least `least` of its share, else of the largest one. Empty:
  // all are taken.
  Range take(unsigned worker, uint64_t least);
  uint64_t take_all();   // takes all remaining parts; returns their number
  uint64_t left() const; // only approximate while workers take parts

private:
  // Begin and end in one word. Other workers take from the end.
  struct alignas(64) Share {
    std::atomic<uint64_t> range;
  };

  Range take_front(Share &share, uint64_t least);
  Range take_half_of_largest(uint64_t least);

  const unsigned workers_;
  const std::unique_ptr<Share[]> shares_;
};

} // namespace lockstep::runtime
