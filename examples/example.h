// Functions that every example uses: choose a platform by name, build the .cl file next to the
// program's source, measure time, and print result rows. Each measurement prints one row;
// examples/run_demo.py makes the table from the rows.
//
// The examples do not depend on Lockstep: they find the platform by its name, through the ordinary
// OpenCL loader.
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
  // `platform` is a substring of the platform's name; throws std::runtime_error if no platform
  // matches.
  Example(const std::string &platform, bool small);

  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue; // in order

  // Returns `full` for the table of the demo, `small` for the tests.
  size_t size(size_t full, size_t small) const { return small_ ? small : full; }

  // Builds `file` from the directory of the example's source. If that fails, the exception contains
  // the build log.
  cl::Program build(const std::string &file, const std::string &options = "") const;

  // Returns true if the device compiles OpenCL C 3.0 and has all of these features
  // ("__opencl_c_...").
  bool has_features(const std::vector<std::string> &features) const;

  // Returns the median time in seconds of one `enqueue()` and the wait for its end. The first run
  // is not counted.
  double seconds(const std::function<void()> &enqueue, int runs = 5);

  // Prints one row of the table. `amount` per second is the rate, in `unit` (e.g. bytes * 1e-9 and
  // "GB/s").
  void row(const std::string &what, bool verified, double seconds, double amount,
           const std::string &unit, const std::string &note = "");
  // Prints what this platform cannot run, and why. That is not a failure.
  void skip(const std::string &what, const std::string &why);

  bool all_verified() const { return all_verified_; }

private:
  std::string platform_;
  bool small_;
  bool all_verified_ = true;
};

// The main function of every example. Options: --platform NAME (default: the environment variable
// LOCKSTEP_EXAMPLE_PLATFORM, else "Lockstep"), --small, --list-platforms. Exit code 0: all rows
// verified.
int run(int argc, char **argv, const std::function<void(Example &)> &body);

// Returns whether work-groups may wait for each other on this device; if not, prints a row with the
// reason. OpenCL has no query for that; the nearest one is independent forward progress of
// sub-groups.
bool may_wait(Example &e, const std::string &what);

// Returns the next multiple of `step`: before OpenCL 2.0, a global size must be a multiple of the
// local size.
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
