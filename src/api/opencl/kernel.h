// Kernel objects (OpenCL 3.0 API section 5.9): the current arguments, and the snapshot of them that
// an enqueue takes.
#pragma once

#include "api/opencl/error.h"
#include "api/opencl/object.h"
#include "api/opencl/program.h"
#include "runtime/device/argument_block.h"
#include "runtime/device/kernel.h"

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::opencl {

struct Place;

// The arguments of one launch, in the form of runtime::LaunchArguments. They are independent of the
// kernel object, because the program may set the kernel's arguments again immediately.
struct KernelArguments {
  runtime::ArgumentBlock block;
  std::vector<uint64_t> local_sizes; // empty if the kernel has no local pointers
  runtime::Accesses memories;
  runtime::AllocationKinds reach = 0;
  std::vector<uint32_t> images; // empty if the kernel has no images and no samplers
};

} // namespace lockstep::opencl

struct _cl_kernel : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::kernel;
  static constexpr bool ends_with_release = true;

  // One argument as clSetKernelArg left it. The kernel holds no reference to memory objects
  // (section 5.9.2 forbids it), so an enqueue checks again that the handle is valid.
  struct Argument {
    bool is_set = false;
    cl_mem memory = nullptr;
    size_t local_size = 0;
    // The value of an argument that was set as an address; the block also contains it.
    const void *address = nullptr;
  };

  // State that clSetKernelExecInfo set. The lists, one for each parameter, hold addresses inside
  // allocations that the kernel uses in addition to its arguments. `reach` holds the kinds of which
  // the kernel may use any allocation.
  struct ExecInfo {
    std::vector<uint64_t> svm, usm, buffers;
    lockstep::runtime::AllocationKinds reach = 0;
  };

  // What each launch needs of the declaration of an argument.
  struct Declaration {
    explicit Declaration(const lockstep::compiler::KernelArg &argument);
    uint32_t offset;
    bool is_pipe, is_sampler, is_read_only;
    lockstep::runtime::AccessMode mode; // without flags of the memory object
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
  // Returns the code that a launch on `device` runs. Null if the program has no executable for the
  // device (CL_INVALID_PROGRAM_EXECUTABLE).
  const std::shared_ptr<lockstep::runtime::Kernel> &code(cl_device_id device) const;
  // Returns the state that launches on `place` need for enqueuing kernels; null if the kernel
  // enqueues none.
  std::shared_ptr<lockstep::runtime::LaunchEnqueues>
  enqueues(const lockstep::opencl::Place &place,
           const lockstep::opencl::KernelArguments &given) const;
  // Copies the arguments for one launch. Fails with CL_INVALID_KERNEL_ARGS if an argument is not
  // set or a memory object was released; also fails as check_memory() does.
  lockstep::opencl::Check snapshot(const lockstep::opencl::Place &place, const char *section,
                                   lockstep::opencl::KernelArguments &to) const;

  const lockstep::opencl::Ref<_cl_program> program;
  const std::vector<Code>
      codes; // one for each device; the program cannot be rebuilt while this kernel exists
  const lockstep::compiler::KernelInfo &info;  // owned by the first element of `codes`
  const std::vector<Declaration> declarations; // by argument

  // Guards everything below. The specification does not require a lock; it prevents torn arguments.
  mutable lockstep::runtime::DeferringMutex mutex;
  std::vector<Argument> arguments;
  std::vector<std::byte> block;
  ExecInfo exec_info;

private:
  const Code *code_for(cl_device_id device) const;
  void snapshot_addresses(lockstep::opencl::KernelArguments &to) const;
};

namespace lockstep::opencl {

// Implementations of clSetKernelArg, clSetKernelArgSVMPointer and clSetKernelExecInfo. They also
// accept a kernel that is not a handle.
Check set_argument(_cl_kernel &kernel, cl_uint index, size_t size, const void *value);
Check set_svm_argument(_cl_kernel &kernel, cl_uint index, const void *value);
Check set_exec_info(_cl_kernel &kernel, cl_kernel_exec_info name, size_t size, const void *value);

} // namespace lockstep::opencl
