// What every example needs and none is about: choosing a platform by name, building the .cl file
// beside the program, timing, and one result row for each thing measured (examples/run_demo.py
// makes the table out of the rows).
//
// The examples know nothing of Lockstep: the platform is found through the ordinary loader, and by
// its name alone.
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace example {

class Example {
public:
  // `platform` is a part of the platform's name; throws std::runtime_error when no platform has it.
  Example(const std::string &platform, bool small);

  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue; // in order

  // `full` for the table of the demo, `small` for the tests.
  size_t size(size_t full, size_t small) const { return small_ ? small : full; }

  // Builds `file`, which stands beside the example's source; the build log is part of the
  // exception.
  cl::Program build(const std::string &file, const std::string &options = "") const;

  // True if the device compiles OpenCL C 3.0 and has all of these features ("__opencl_c_...").
  bool has_features(const std::vector<std::string> &features) const;

  // Median time in seconds of one `enqueue()` and the wait for its end, after one run that does not
  // count.
  double seconds(const std::function<void()> &enqueue, int runs = 5);

  // One row of the table. `amount` per second is the rate, in `unit` (e.g. bytes * 1e-9 and
  // "GB/s").
  void row(const std::string &what, bool verified, double seconds, double amount,
           const std::string &unit, const std::string &note = "");
  // What this platform cannot run, and why. Not a failure.
  void skip(const std::string &what, const std::string &why);

  bool all_verified() const { return all_verified_; }

private:
  std::string platform_;
  bool small_;
  bool all_verified_ = true;
};

// The main function of every example: options --platform NAME (else the environment variable
// LOCKSTEP_EXAMPLE_PLATFORM, else "Lockstep"), --small, --list-platforms. Exit code 0: all rows
// verified.
int run(int argc, char **argv, const std::function<void(Example &)> &body);

// Whether work-groups may wait for each other on this device; if not, says so in a row. OpenCL has
// no query for just that; a device that lets sub-groups make progress independently is the nearest.
bool may_wait(Example &e, const std::string &what);

// The next multiple of `step`: global sizes must be one of the local size on devices before
// OpenCL 2.0.
inline size_t round_up(size_t value, size_t step) {
  return (value + step - 1) / step * step;
}

template <class T>
cl::Buffer buffer_of(Example &e, std::vector<T> &data, cl_mem_flags flags = CL_MEM_READ_ONLY) {
  return cl::Buffer(e.context, flags | CL_MEM_COPY_HOST_PTR, data.size() * sizeof(T), data.data());
}

template <class T> std::vector<T> read(Example &e, const cl::Buffer &buffer, size_t count) {
  std::vector<T> data(count);
  e.queue.enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(T), data.data());
  return data;
}

} // namespace example
