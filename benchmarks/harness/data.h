// Inputs that are the same in every process, and comparisons.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::benchmarks {

inline uint64_t scramble(uint64_t z) {
  z = (z + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

inline std::vector<float> random_floats(size_t n, float low, float high, uint64_t seed = 0) {
  std::vector<float> data(n);
  for (size_t i = 0; i < n; ++i)
    data[i] = low + (high - low) * float(scramble(i + (seed << 40)) >> 40) * 0x1p-24f;
  return data;
}

inline std::vector<int32_t> random_ints(size_t n, uint64_t seed = 0) {
  std::vector<int32_t> data(n);
  for (size_t i = 0; i < n; ++i)
    data[i] = int32_t(scramble(i + (seed << 40)));
  return data;
}

// Written so that NaN is never near any number, at every optimization level.
inline bool near(double got, double expected, double tolerance) {
  const double difference = got < expected ? expected - got : got - expected;
  return std::isfinite(float(got)) && difference <= tolerance;
}

} // namespace lockstep::benchmarks
