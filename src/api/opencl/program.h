// Program objects (OpenCL 3.0 API section 5.8): source or binaries, and per device what building
// made of them.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/error.h"
#include "api/opencl/object.h"
#include "compiler/compile.h"
#include "runtime/device_enqueue/launch_enqueues.h"
#include "runtime/kernel.h"

#include <CL/cl.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

// What a program holds for one of its devices. A build replaces `object`, `kernels` and `codes` as
// a whole, so whoever has copied a shared_ptr (a kernel, a command in flight) is not disturbed.
struct DeviceProgram {
  cl_build_status status = CL_BUILD_NONE;
  std::string options;
  std::string log;
  std::shared_ptr<const lockstep::compiler::ObjectModule> object; // compiled, or a library
  std::shared_ptr<const lockstep::compiler::KernelModule>
      loaded; // an executable binary, before clBuildProgram
  std::shared_ptr<const lockstep::compiler::KernelModule> kernels; // the executable
  // One for each of kernels->kernels, in its order; they share the program's variables.
  std::vector<std::shared_ptr<lockstep::runtime::Kernel>> codes;
  std::shared_ptr<const lockstep::runtime::BlockKernels> blocks; // that they enqueue; may be null
  std::string binary; // made by the first query, from what is above

  cl_program_binary_type binary_type() const;
};

struct _cl_program : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::program;
  enum class Origin { source, binary, linked };

  _cl_program(cl_context program_context, std::vector<cl_device_id> program_devices,
              Origin program_origin, std::string program_source = {});

  // Index of the device in `devices`, if the program has it.
  std::optional<size_t> find_device(cl_device_id device) const;
  // A copy of the state, taken under the lock.
  DeviceProgram state(size_t index) const;
  // The same for a device of the program; where nothing was built for a sub-device, the state of
  // its parent serves (section 5.8.8, note).
  std::optional<DeviceProgram> state_for(cl_device_id device) const;
  // The binary for a device; empty if there is none.
  std::string binary(size_t index);
  // The module of the first device that has an executable, or null.
  std::shared_ptr<const lockstep::compiler::KernelModule> any_executable() const;

  const lockstep::opencl::Ref<_cl_context> context; // keeps the devices
  const std::vector<cl_device_id> devices;
  const Origin origin;
  const std::string source; // of Origin::source

  mutable lockstep::runtime::DeferringMutex mutex; // for everything below
  std::vector<DeviceProgram> states;               // as devices
  uint32_t attached_kernels = 0;
};

namespace lockstep::opencl {

// The pair (num_devices, device_list) of the program functions: null stands for `all`. Each must be
// one of `all`.
Check read_device_list(cl_uint num_devices, const cl_device_id *device_list,
                       const std::vector<cl_device_id> &all, const char *section,
                       std::vector<cl_device_id> &devices);

} // namespace lockstep::opencl
