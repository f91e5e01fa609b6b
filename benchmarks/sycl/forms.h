// The SYCL versions of benchmarks, in a library of their own (forms.cpp), which lockstep++
// compiles. bench loads it only for the contender SYCL, so that no other contender's process
// contains Lockstep.
#pragma once

#include <cstddef>

namespace lockstep::benchmarks {

struct SyclData {
  std::size_t n = 0;
  const void *in[2] = {};
  std::size_t in_bytes[2] = {};
  void *out = nullptr;
  std::size_t out_bytes = 0;
};

// Calls as the harness makes them: start() starts one, and wait() waits for all earlier ones.
class SyclForm {
public:
  virtual ~SyclForm() = default;
  virtual void start() = 0;
  virtual void wait() = 0;
  virtual void clear_outputs() = 0;
  virtual void fetch_outputs() = 0;
};

} // namespace lockstep::benchmarks

// Returns null if there is no version of this name. The caller owns the result.
extern "C" __attribute__((visibility("default"))) lockstep::benchmarks::SyclForm *
lockstep_benchmark_form(const char *name, const lockstep::benchmarks::SyclData *data);
