// Program objects (OpenCL 3.0 API section 5.8): source or binaries, and per device what building
// made of them.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/object.h"
#include "compiler/compile.h"
#include "runtime/launch/cpu/kernel.h"

#include <CL/cl.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

// What a program holds for one of its devices. A build replaces `object`, `kernels` and `code` as a
// whole, so whoever has copied the shared_ptr (a kernel, a command in flight) is not disturbed.
struct DeviceProgram {
  cl_device_id device = nullptr; // kept alive by the program's context
  cl_build_status status = CL_BUILD_NONE;
  std::string options;
  std::string log;
  std::string binary; // given by the program, not built yet
  std::shared_ptr<const lockstep::compiler::ObjectModule> object;  // compiled, or a library
  std::shared_ptr<const lockstep::compiler::KernelModule> kernels; // executable
  std::shared_ptr<lockstep::compiler::ProgramCode>
      code; // with program-scope variables; made with `kernels`
};

struct _cl_program : lockstep::opencl::Object {
  using ReleaseFunction = void(CL_CALLBACK *)(cl_program, void *);
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::program;

  _cl_program(cl_context program_context, std::vector<cl_device_id> program_devices,
              std::string program_source, bool from_source);
  ~_cl_program(); // calls the release callbacks, last registered first

  // Index of the device in `devices`, if the program has it.
  std::optional<size_t> find_device(cl_device_id device) const;
  // A copy of the state, taken under the lock.
  DeviceProgram state(size_t index) const;

  const lockstep::opencl::Ref<_cl_context> context;
  const std::vector<cl_device_id> devices;
  const std::string source;
  const bool has_source;

  mutable std::mutex mutex; // for everything below
  std::vector<DeviceProgram> states;
  uint32_t attached_kernels = 0;
  uint32_t running_builds = 0;
  std::vector<std::pair<ReleaseFunction, void *>> release_callbacks;
};
