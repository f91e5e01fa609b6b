#include "runtime/launch/cpu/pool/worker_shares.h"

#include <algorithm>
#include <span>

namespace lockstep::runtime {
namespace {

using Range = WorkerShares::Range;

// a chunk is 1/4 of the rest of a share, so that others can take from the rest
constexpr uint64_t pieces = 4;

uint64_t pack(const Range &range) {
  return range.begin << 32 | range.end;
}

Range unpack(uint64_t word) {
  return {word >> 32, word & 0xffffffff};
}

} // namespace

WorkerShares::WorkerShares(uint64_t parts, unsigned workers)
    : workers_(workers), shares_(std::make_unique<Share[]>(workers)) {
  for (uint64_t i = 0; i < workers; ++i)
    shares_[i].range.store(pack({parts * i / workers, parts * (i + 1) / workers}),
                           std::memory_order_relaxed);
}

Range WorkerShares::take(unsigned worker, uint64_t least) {
  Share &own = shares_[worker];
  if (const Range taken = take_front(own, least); taken.size() > 0)
    return taken;
  const Range more = take_half_of_largest(least);
  if (more.size() == 0)
    return {};
  // Only its worker refills an empty share, and a share never has the same range twice (no ABA
  // problem).
  const uint64_t end = more.begin + std::min(more.size(), std::max(least, more.size() / pieces));
  own.range.store(pack({end, more.end}), std::memory_order_relaxed);
  return {more.begin, end};
}

Range WorkerShares::take_front(Share &share, uint64_t least) {
  uint64_t word = share.range.load(std::memory_order_relaxed);
  for (;;) {
    const Range left = unpack(word);
    if (left.size() == 0)
      return {};
    const uint64_t end = left.begin + std::min(left.size(), std::max(least, left.size() / pieces));
    if (share.range.compare_exchange_weak(word, pack({end, left.end}), std::memory_order_relaxed))
      return {left.begin, end};
  }
}

Range WorkerShares::take_half_of_largest(uint64_t least) {
  for (;;) {
    Share *largest = nullptr;
    uint64_t word = 0, size = 0;
    for (Share &share : std::span(shares_.get(), workers_)) {
      const uint64_t seen = share.range.load(std::memory_order_relaxed);
      if (unpack(seen).size() <= size)
        continue;
      largest = &share;
      size = unpack(word = seen).size();
    }
    if (!largest)
      return {};
    const Range left = unpack(word);
    const uint64_t middle = left.end - std::min(size, std::max(least, (size + 1) / 2));
    if (largest->range.compare_exchange_strong(word, pack({left.begin, middle}),
                                               std::memory_order_relaxed))
      return {middle, left.end};
  }
}

uint64_t WorkerShares::take_all() {
  uint64_t taken = 0;
  for (Share &share : std::span(shares_.get(), workers_))
    taken += unpack(share.range.exchange(0, std::memory_order_relaxed)).size();
  return taken;
}

uint64_t WorkerShares::left() const {
  uint64_t sum = 0;
  for (const Share &share : std::span(shares_.get(), workers_))
    sum += unpack(share.range.load(std::memory_order_relaxed)).size();
  return sum;
}

} // namespace lockstep::runtime
