// Kernel objects (OpenCL 3.0 API section 5.9): the arguments set so far, and the snapshot of them
// that an enqueue takes.
#pragma once

#include "api/opencl/error.h"
#include "api/opencl/object.h"
#include "api/opencl/program.h"
#include "runtime/kernel.h"

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::opencl {

struct Place;

// What one launch is given, independent of the kernel object, whose arguments may be set anew at
// once: the parts of runtime::LaunchArguments.
struct KernelArguments {
  std::vector<std::byte> block;
  std::vector<uint64_t> local_sizes;
  runtime::Accesses memories;
  runtime::AllocationKinds reach = 0;
  std::vector<uint32_t> images; // empty: the kernel has none
};

} // namespace lockstep::opencl

struct _cl_kernel : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::kernel;
  static constexpr bool ends_with_release = true;

  // One argument as clSetKernelArg left it. The kernel holds no reference on memory objects
  // (section 5.9.2 forbids it), so an enqueue asks again whether the handle is valid.
  struct Argument {
    bool is_set = false;
    cl_mem memory = nullptr;
    size_t local_size = 0;
    // Of an argument that was set as an address: the block holds it.
    const void *address = nullptr;
  };

  // What clSetKernelExecInfo was told: addresses inside of what is used beside the arguments, by the
  // parameter, and the kinds of allocations of which any may be used.
  struct ExecInfo {
    std::vector<uint64_t> svm, usm, buffers;
    lockstep::runtime::AllocationKinds reach = 0;
  };

  struct Code {
    cl_device_id device;
    std::shared_ptr<lockstep::runtime::Kernel> kernel;
    std::shared_ptr<const lockstep::runtime::BlockKernels> blocks; // of its program
  };

  _cl_kernel(cl_program kernel_program, std::vector<Code> kernel_codes);
  _cl_kernel(const _cl_kernel &other); // clCloneKernel
  ~_cl_kernel();

  bool has_all_arguments() const;
  // What a launch on `device` runs: null if the program has no executable for it
  // (CL_INVALID_PROGRAM_EXECUTABLE).
  const std::shared_ptr<lockstep::runtime::Kernel> &code(cl_device_id device) const;
  // What launches on `place` need to enqueue; null: the kernel does not.
  std::shared_ptr<lockstep::runtime::LaunchEnqueues>
  enqueues(const lockstep::opencl::Place &place,
           const lockstep::opencl::KernelArguments &given) const;
  // Copies the arguments for one launch. CL_INVALID_KERNEL_ARGS: not all are set, or a memory
  // object was released; also what check_memory finds.
  lockstep::opencl::Check snapshot(const lockstep::opencl::Place &place, const char *section,
                                   lockstep::opencl::KernelArguments &to) const;

  const lockstep::opencl::Ref<_cl_program> program;
  const std::vector<Code>
      codes; // by device; the program cannot be rebuilt while this kernel exists
  const lockstep::compiler::KernelInfo &info; // belongs to the first of them

  mutable lockstep::runtime::DeferringMutex
      mutex; // for everything below; the specification asks for no lock, a torn
             // argument helps nobody
  std::vector<Argument> arguments;
  std::vector<std::byte> block;
  ExecInfo exec_info;

private:
  const Code *code_for(cl_device_id device) const;
  void snapshot_addresses(lockstep::opencl::KernelArguments &to) const;
};

namespace lockstep::opencl {

// What clSetKernelArg, clSetKernelArgSVMPointer and clSetKernelExecInfo do, also of a kernel that is no handle.
Check set_argument(_cl_kernel &kernel, cl_uint index, size_t size, const void *value);
Check set_svm_argument(_cl_kernel &kernel, cl_uint index, const void *value);
Check set_exec_info(_cl_kernel &kernel, cl_kernel_exec_info name, size_t size, const void *value);

} // namespace lockstep::opencl
