// A kernel launched through the OpenCL API, and its buffers read back.
#pragma once

#include "tools/lockstep/opencl_session.h"
#include "tools/lockstep/run_options.h"

namespace lockstep::cli {

class KernelRun {
public:
  // Builds the program and sets the arguments.
  static Result<KernelRun> prepare(const RunRequest &request);

  // Launches once; the result is the device's own time in seconds. Buffers begin with their fill
  // each time.
  Result<double> launch();

  // Index of an argument given by index or name.
  Result<size_t> find_argument(std::string_view text) const;
  // The content of a buffer argument after the last launch.
  Result<std::vector<std::byte>> read(size_t argument) const;
  std::string argument_label(size_t argument) const; // "argument 1 ('out')"
  const std::string &kernel_name() const { return kernel_name_; }

private:
  Result<void> build(const RunRequest &request);
  Result<void> create_kernel(const RunRequest &request);
  Result<void> set_argument(size_t index);
  Result<void> fill_buffers();

  const RunRequest *request_ = nullptr;
  Session session_;
  Program program_;
  Kernel kernel_;
  std::string kernel_name_;
  std::vector<std::string> names_; // of the arguments; empty text where unknown
  std::vector<Memory> buffers_;    // null where the argument is no buffer
};

} // namespace lockstep::cli
