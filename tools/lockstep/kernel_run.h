// Launches a kernel through the OpenCL API and reads its buffers back.
#pragma once

#include "tools/lockstep/opencl_session.h"
#include "tools/lockstep/run_options.h"

namespace lockstep::cli {

class KernelRun {
public:
  // Builds the program and sets the arguments.
  static Result<KernelRun> prepare(const RunRequest &request);

  // Launches once and returns the time that the device measured, in seconds. Fills the buffers
  // before each launch.
  Result<double> launch();

  // Returns the index of an argument that is given by index or name.
  Result<size_t> find_argument(std::string_view text) const;
  // Returns the content of a buffer argument after the last launch.
  Result<std::vector<std::byte>> read(size_t argument) const;
  std::string argument_label(size_t argument) const; // "argument 1 ('out')"
  const std::string &kernel_name() const { return kernel_name_; }

private:
  Result<void> create_program(const RunRequest &request);
  Result<void> build(const RunRequest &request);
  Result<void> create_kernel(const RunRequest &request);
  Result<void> set_argument(size_t index);
  Result<void> fill_buffers();
  // Returns "" if the program has no such information.
  std::string argument_info(cl_uint index, cl_kernel_arg_info name) const;

  const RunRequest *request_ = nullptr;
  Session session_;
  Program program_;
  bool is_spirv_ = false;
  Kernel kernel_;
  std::string kernel_name_;
  std::vector<std::string> names_; // of the arguments; empty if unknown
  std::vector<Memory> buffers_;    // null if the argument is not a buffer
};

} // namespace lockstep::cli
