// The request (enqueue.h) to launch a kernel: from clEnqueueNDRangeKernel, or recorded in a command
// buffer (OpenCL 3.0 API section 5.10).
#pragma once

#include "api/opencl/enqueue.h"
#include "api/opencl/kernel.h"
#include "runtime/device/kernel.h"

#include <array>

namespace lockstep::opencl {

struct LaunchRequest {
  static constexpr const char *section = "section 5.10";
  cl_command_type type;
  cl_kernel kernel;
  cl_uint work_dim;
  const size_t *global_offset, *global_size, *local_size; // as passed; each may be null

  // The checks set these members:
  runtime::Kernel *code = nullptr;
  KernelArguments arguments{};
  runtime::LaunchGeometry geometry{};
  bool is_empty = false; // no work-items: the command only takes part in the command order

  Check check(const Place &place); // runs the next three checks in order
  Check make(const Place &place, MadeOperation &to);

  Check check_handle(const Place &place) const; // the kernel is valid and of the context
  Check check_arguments(const Place &place);
  Check check_sizes(const Place &place);

private:
  Check find_code(const Place &place);
  Check check_global();
  Check check_local(const Place &place);
  Check check_local_limits(const runtime::Device &device) const;
  Check check_uniform(const std::array<uint64_t, 3> &size) const;
  Check check_sub_groups(const Place &place);
};

} // namespace lockstep::opencl
