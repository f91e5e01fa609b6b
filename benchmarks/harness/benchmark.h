// What a benchmark is: data, one way to compute on OpenCL, one in plain C++, and a check that both
// must pass.
//
// A question (streams, reduction, ...) is a folder with its kernels in a .cl file and a .cpp file
// that makes the benchmarks; table.cpp lists them all. The same binary runs one benchmark with one
// contender in one process, so that no contender meets another's threads, caches or LLVM; run.py
// starts the processes, in turns.
#pragma once

#include "benchmarks/sycl/forms.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::benchmarks {

class Session; // session.h: an OpenCL device
class Threads; // threads.h: plain C++ on all cores

// How large the data are: `full` for figures, `small` for the tests.
enum class Scale { full, small };
inline size_t size(Scale scale, size_t full, size_t small) {
  return scale == Scale::full ? full : small;
}

enum class Measure {
  rate, // amount per second: more is better
  time, // microseconds per amount: less is better
};

struct Benchmark {
  std::string unit;  // "GB/s", "us"
  double amount = 1; // of the unit's numerator in one call; of operations for a time
  Measure measure = Measure::rate;

  // Builds and sets up; returns what enqueues one call. The wait for its end is the harness's.
  // Empty for limits of the machine.
  std::function<std::function<void()>(Session &)> opencl = {};
  // The same result in plain C++. Empty where there is nothing to compare with.
  std::function<std::function<void()>(Threads &)> native = {};
  // The same by SYCL: a form of sycl/forms.cpp, and what it works on. Empty: there is none.
  std::string sycl = {};
  SyclData sycl_data = {};
  // After one call on cleared outputs.
  std::function<bool()> verify = {};
  // OpenCL C features or extensions without which `opencl` cannot run.
  std::vector<std::string> needs = {};
};

struct Row {
  const char *name;
  const char *question; // the folder
  Benchmark (*make)(Scale);
};
const std::vector<Row> &table();

} // namespace lockstep::benchmarks
