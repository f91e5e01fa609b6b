// Defines a benchmark: data, an OpenCL version, a plain C++ version, and a check that both must
// pass.
//
// A question (streams, reduction, ...) is a folder with its kernels in a .cl file and a .cpp file
// that makes the benchmarks; table.cpp lists them all. The binary runs one benchmark with one
// contender in one process, so that no contender is affected by another's threads, caches or LLVM.
// run.py starts the processes alternately.
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

// Size of the data: `full` for measurements, `small` for the tests.
enum class Scale { full, small };
inline size_t size(Scale scale, size_t full, size_t small) {
  return scale == Scale::full ? full : small;
}

enum class Measure {
  rate, // amount per second: higher is better
  time, // microseconds per amount: lower is better
};

struct Benchmark {
  std::string unit;  // "GB/s", "us"
  double amount = 1; // of the unit's numerator in one call; for a time: number of operations
  Measure measure = Measure::rate;

  // Builds and sets up; returns a function that enqueues one call. The harness waits for its end.
  // Empty for limits of the machine.
  std::function<std::function<void()>(Session &)> opencl = {};
  // The same result in plain C++. Empty if there is nothing to compare with.
  std::function<std::function<void()>(Threads &)> native = {};
  // The SYCL version: the name of a form in sycl/forms.cpp, which uses the data below. Empty if
  // there is none.
  std::string sycl = {};
  SyclData sycl_data = {};
  // Checks the result after one call on cleared outputs.
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
