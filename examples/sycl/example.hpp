// Functions that every SYCL example uses: measuring the time of a command, and printing rows of the
// demo's table (run_demo.py).
#pragma once

#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

namespace example {

inline bool all_verified = true;

// Returns `small` with the option "--small" (the tests), else `full` (the table of the demo).
inline std::size_t size(int argc, char **argv, std::size_t full, std::size_t small) {
  return argc > 1 && std::strcmp(argv[1], "--small") == 0 ? small : full;
}

// Returns the median time in seconds of five runs. A first run, which compiles, is not counted.
template <class Run> double seconds(sycl::queue &queue, const Run &run) {
  std::vector<double> times;
  for (int i = 0; i < 6; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    queue.wait();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin() + 1, times.end());
  return times[3];
}

// `amount` per second is the rate, in `unit`; amount 0 prints no rate.
inline void row(const char *what, bool verified, double seconds, double amount, const char *unit,
                const char *note = "") {
  all_verified &= verified;
  std::printf("ROW\tSYCL: %s\tLockstep\t%s\t%.6g\t", what, verified ? "yes" : "NO", seconds);
  if (amount > 0)
    std::printf("%.6g", amount / seconds);
  std::printf("\t%s\t%s\n", unit, note);
}

inline int exit_code() {
  return all_verified ? 0 : 1;
}

} // namespace example
