// Program objects (OpenCL 3.0 API section 5.8): the source, intermediate language (IL) or binaries,
// and the build results for each device.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/error.h"
#include "api/opencl/object.h"
#include "driver/compile.h"
#include "runtime/device/kernel.h"
#include "runtime/device_enqueue/launch_enqueues.h"

#include <CL/cl.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

// The state of a program for one device. A build replaces `object`, `kernels` and `codes` as a
// whole, so the holder of a copied shared_ptr (a kernel, a command in flight) is not affected.
struct DeviceProgram {
  cl_build_status status = CL_BUILD_NONE;
  std::string options;
  std::string log;
  std::shared_ptr<const lockstep::compiler::ObjectModule> object; // a compiled object or a library
  std::shared_ptr<const lockstep::compiler::KernelModule>
      loaded; // a loaded executable binary, before clBuildProgram
  std::shared_ptr<const lockstep::compiler::KernelModule> kernels; // the built executable
  // One for each of kernels->kernels, in the same order. They share the program-scope variables.
  std::vector<std::shared_ptr<lockstep::runtime::Kernel>> codes;
  // The blocks that the kernels enqueue; may be null.
  std::shared_ptr<const lockstep::runtime::BlockKernels> blocks;
  std::string binary; // made by the first query, from the members above

  cl_program_binary_type binary_type() const;
};

struct _cl_program : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::program;
  enum class Origin { source, il, binary, linked };

  _cl_program(cl_context program_context, std::vector<cl_device_id> program_devices,
              Origin program_origin, std::string program_code = {});

  // Returns the index of the device in `devices`, if the program has it.
  std::optional<size_t> find_device(cl_device_id device) const;
  // Returns a copy of the state, taken under the lock.
  DeviceProgram state(size_t index) const;
  // Returns a copy of the state for a device of the program. A sub-device for which nothing was
  // built uses the state of its parent (section 5.8.8, note).
  std::optional<DeviceProgram> state_for(cl_device_id device) const;
  // Returns the binary for a device; empty if there is none.
  std::string binary(size_t index);
  // Returns the module of the first device that has an executable, or null.
  std::shared_ptr<const lockstep::compiler::KernelModule> any_executable() const;

  const lockstep::opencl::Ref<_cl_context> context; // keeps the devices alive
  const std::vector<cl_device_id> devices;
  const Origin origin;
  const std::string source; // only for Origin::source
  const std::string il;     // only for Origin::il

  mutable lockstep::runtime::DeferringMutex mutex; // guards everything below
  std::vector<DeviceProgram> states;               // in the order of `devices`
  uint32_t attached_kernels = 0;
  // Only for Origin::il: the specialization constants of the IL, and the values that were set.
  std::vector<lockstep::compiler::SpecConstantInfo> spec_constants;
  std::vector<lockstep::compiler::SpecConstant> spec_values; // sorted by id
};

namespace lockstep::opencl {

// The devices of a context, in its order.
std::vector<cl_device_id> devices_of(cl_context context);

// Reads the pair (num_devices, device_list) of the program functions. A null list selects `all`.
// Each device must be one of `all`.
Check read_device_list(cl_uint num_devices, const cl_device_id *device_list,
                       const std::vector<cl_device_id> &all, const char *section,
                       std::vector<cl_device_id> &devices);

} // namespace lockstep::opencl
