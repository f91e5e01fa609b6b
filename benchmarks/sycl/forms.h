// The SYCL forms of benchmarks, in a library of their own (forms.cpp), which lockstep++ compiles: bench loads it for the
// contender SYCL only, so that no other contender's process has Lockstep in it.
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

// One call, as the harness makes them: it is started, and all calls before are waited for.
class SyclForm {
public:
  virtual ~SyclForm() = default;
  virtual void start() = 0;
  virtual void wait() = 0;
  virtual void clear_outputs() = 0;
  virtual void fetch_outputs() = 0;
};

} // namespace lockstep::benchmarks

// Null: there is no form of this name. The caller's.
extern "C" __attribute__((visibility("default"))) lockstep::benchmarks::SyclForm *
lockstep_benchmark_form(const char *name, const lockstep::benchmarks::SyclData *data);
