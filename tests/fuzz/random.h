// Random numbers (splitmix64): for a seed they are the same with every compiler and library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::fuzz {

class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint32_t below(uint32_t n) { return uint32_t((next() >> 32) * n >> 32); }
  uint32_t between(uint32_t low, uint32_t high) { return low + below(high - low + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &v) { return v[below(uint32_t(v.size()))]; }
  // Returns an index, with a probability proportional to its weight.
  size_t weighted(const std::vector<unsigned> &weights) {
    unsigned total = 0;
    for (unsigned w : weights)
      total += w;
    unsigned at = below(total);
    for (size_t i = 0;; ++i) {
      if (at < weights[i])
        return i;
      at -= weights[i];
    }
  }

private:
  uint64_t state_;
};

} // namespace lockstep::fuzz
