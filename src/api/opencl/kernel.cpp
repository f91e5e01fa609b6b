// Kernel objects: creation, reference counting, cloning (OpenCL 3.0 API sections 5.9.1 and 5.9.3),
// and the snapshot of the arguments that an enqueue takes.
#include "api/opencl/kernel.h"

#include "api/opencl/device.h"
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/image.h"
#include "api/opencl/memory.h"
#include "api/opencl/memory_flags.h"
#include "api/opencl/queue.h"
#include "api/opencl/shared_memory.h"
#include "platform/linux/leaked.h"

#include <algorithm>
#include <cstring>

_cl_kernel::_cl_kernel(cl_program kernel_program, std::vector<Code> kernel_codes)
    : program(kernel_program), codes(std::move(kernel_codes)), info(codes.front().kernel->info()),
      declarations(info.args.begin(), info.args.end()), arguments(info.args.size()),
      block(info.argument_block_size) {}

_cl_kernel::_cl_kernel(const _cl_kernel &other)
    : Object(), program(other.program), codes(other.codes), info(other.info),
      declarations(other.declarations) {
  {
    std::lock_guard lock(other.mutex);
    arguments = other.arguments;
    block = other.block;
    exec_info = other.exec_info;
  }
  std::lock_guard lock(program->mutex);
  ++program->attached_kernels;
}

_cl_kernel::~_cl_kernel() {
  std::lock_guard lock(program->mutex);
  --program->attached_kernels;
}

namespace {

using lockstep::compiler::ArgKind;
using lockstep::runtime::AccessMode;

// A kernel must not write CL_MEM_READ_ONLY objects or read CL_MEM_WRITE_ONLY objects.
AccessMode access_mode(const _cl_kernel::Declaration &argument, cl_mem_flags flags) {
  if (argument.is_pipe)
    return AccessMode::read_write; // a read removes packets from the pipe
  if (argument.is_read_only || flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT))
    return AccessMode::read;
  return flags & CL_MEM_WRITE_ONLY ? AccessMode::write : argument.mode;
}

} // namespace

_cl_kernel::Declaration::Declaration(const lockstep::compiler::KernelArg &argument)
    : offset(argument.offset), is_pipe(argument.kind == ArgKind::pipe),
      is_sampler(argument.kind == ArgKind::sampler), is_read_only(argument.access == "read_only"),
      mode(lockstep::runtime::access_mode_of(argument)) {}

const std::shared_ptr<lockstep::runtime::Kernel> &_cl_kernel::code(cl_device_id device) const {
  const auto &none = lockstep::leaked([] { return std::shared_ptr<lockstep::runtime::Kernel>(); });
  const Code *code = code_for(device);
  return code ? code->kernel : none;
}

const _cl_kernel::Code *_cl_kernel::code_for(cl_device_id device) const {
  // A sub-device for which no executable was built uses the executable of its parent (section
  // 5.8.8, note).
  for (cl_device_id candidate = device; candidate; candidate = candidate->parent.get())
    for (const Code &code : codes)
      if (code.device == candidate)
        return &code;
  return nullptr;
}

std::shared_ptr<lockstep::runtime::LaunchEnqueues>
_cl_kernel::enqueues(const lockstep::opencl::Place &place,
                     const lockstep::opencl::KernelArguments &given) const {
  using namespace lockstep::runtime;
  using lockstep::opencl::Ref;
  if (!info.enqueues)
    return nullptr;
  const Code *code = code_for(place.device);
  if (!code->blocks)
    return nullptr;
  auto to = std::make_shared<EnqueueContext>();
  to->queues = place.context->device_queues;
  to->device = place.device->device;
  to->blocks = code->blocks;
  if (const Ref<_cl_command_queue> queue = place.context->default_queue(place.device))
    to->default_queue = queue->number;
  to->client = &place.context->client;
  to->needs_uniform_groups = info.uniform_work_group_size;
  to->explains_failures = info.explains_failures;
  to->memories = given.memories;
  for (Access &access : to->memories)
    access.argument = -1;
  to->reach = given.reach;
  return std::make_shared<LaunchEnqueues>(std::move(to));
}

bool _cl_kernel::has_all_arguments() const {
  std::lock_guard lock(mutex);
  return std::ranges::all_of(arguments, &Argument::is_set);
}

lockstep::opencl::Check _cl_kernel::snapshot(const lockstep::opencl::Place &place,
                                             const char *section,
                                             lockstep::opencl::KernelArguments &to) const {
  using namespace lockstep::opencl;
  std::lock_guard lock(mutex);
  to.block.assign(block);
  to.memories.reserve(arguments.size());
  if (!exec_info.buffers.empty() && !shares_memory(*place.device))
    return failure(CL_INVALID_OPERATION,
                   "kernel {} uses device addresses of memory objects, which the device of "
                   "command_queue does not have ({})",
                   info.name, section);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    if (!argument.is_set)
      return failure(CL_INVALID_KERNEL_ARGS, "argument {} of kernel {} is not set ({})", i,
                     info.name, section);
    if (argument.local_size != 0) {
      to.local_sizes.resize(arguments.size());
      to.local_sizes[i] = argument.local_size;
    }
    if (argument.address && !shares_allocations(*place.device))
      return failure(
          CL_INVALID_OPERATION,
          "argument {} of kernel {} is an address, and the device of command_queue has no "
          "shared virtual memory ({})",
          i, info.name, section);
    const Declaration &declared = declarations[i];
    if (declared.is_sampler) {
      to.images.resize(arguments.size());
      std::memcpy(&to.images[i], block.data() + declared.offset, sizeof to.images[i]);
    }
    if (!argument.memory)
      continue;
    if (!is_valid(argument.memory))
      return failure(CL_INVALID_KERNEL_ARGS,
                     "argument {} of kernel {} is a memory object that was released since "
                     "clSetKernelArg ({})",
                     i, info.name, section);
    if (Check broken = check_place(place, *argument.memory, "an argument of kernel", section))
      return broken;
    to.memories.push_back({.memory = {argument.memory->buffer, 0, argument.memory->size()},
                           .mode = access_mode(declared, argument.memory->flags),
                           .argument = int32_t(i),
                           .is_placed = argument.memory->image != nullptr});
    if (const Image *image = argument.memory->image.get()) {
      // The object owns the descriptors, and the buffer keeps the object alive.
      const void *descriptor = image->levels.data();
      std::memcpy(to.block.data() + declared.offset, &descriptor, sizeof descriptor);
      to.images.resize(arguments.size());
      to.images[i] = image->levels[0].format;
    }
  }
  snapshot_addresses(to);
  return {};
}

// Records whole allocations as the memory that the launch may access, because an address does not
// limit the accesses before and after it. Memory that is not an allocation is not recorded.
void _cl_kernel::snapshot_addresses(lockstep::opencl::KernelArguments &to) const {
  const auto &allocations = lockstep::runtime::Allocations::instance();
  to.reach = exec_info.reach;
  if (!allocations.any())
    return;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].address)
      if (const auto known = allocations.find(arguments[i].address))
        to.memories.push_back({.memory = {known->memory, 0, known->size()},
                               .mode = access_mode(declarations[i], known->flags),
                               .argument = int32_t(i),
                               .is_placed = true});
  for (const auto *list : {&exec_info.svm, &exec_info.usm, &exec_info.buffers})
    for (uint64_t address : *list)
      if (const auto known = allocations.find(reinterpret_cast<const void *>(address)))
        to.memories.push_back({.memory = {known->memory, 0, known->size()}});
}

namespace lockstep::opencl {
namespace {

bool same_definition(const compiler::KernelInfo &a, const compiler::KernelInfo &b) {
  return std::ranges::equal(a.args, b.args,
                            [](const compiler::KernelArg &x, const compiler::KernelArg &y) {
                              return x.kind == y.kind && x.size == y.size && x.offset == y.offset &&
                                     x.type_name == y.type_name;
                            });
}

// Creates a kernel object for `name` with the code of all devices that have an executable, and
// attaches it to the program.
Check make_kernel(cl_program program, std::string_view name, cl_kernel &kernel) {
  std::vector<_cl_kernel::Code> codes;
  std::lock_guard lock(program->mutex);
  bool is_built = false;
  for (size_t device = 0; device < program->devices.size(); ++device) {
    const DeviceProgram &state = program->states[device];
    is_built |= state.kernels != nullptr;
    for (const auto &code : state.codes)
      if (code->info().name == name)
        codes.push_back({program->devices[device], code, state.blocks});
  }
  if (!is_built)
    return failure(CL_INVALID_PROGRAM_EXECUTABLE, "program has no executable (section 5.9.1)");
  if (codes.empty())
    return failure(CL_INVALID_KERNEL_NAME,
                   "kernel_name '{}' is not a kernel of program (section 5.9.1)", name);
  for (const _cl_kernel::Code &code : codes)
    if (!same_definition(code.kernel->info(), codes.front().kernel->info()))
      return failure(
          CL_INVALID_KERNEL_DEFINITION,
          "kernel '{}' has other arguments on one device than on another (section 5.9.1)", name);
  kernel = create_object<_cl_kernel>(program, std::move(codes));
  ++program->attached_kernels;
  return {};
}

} // namespace

cl_kernel clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret) {
  EntryPoint api("clCreateKernel", errcode_ret);
  if (!is_valid(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.9.1)");
  api.report_to(program->context.get());
  if (!kernel_name)
    return api.fail(CL_INVALID_VALUE, "kernel_name is null (section 5.9.1)");
  cl_kernel kernel = nullptr;
  if (Check broken = make_kernel(program, kernel_name, kernel))
    return api.fail(broken);
  return api.success(kernel);
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                cl_uint *num_kernels_ret) {
  EntryPoint api("clCreateKernelsInProgram");
  if (!is_valid(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.9.1)");
  api.report_to(program->context.get());
  auto module = program->any_executable();
  if (!module)
    return api.fail(CL_INVALID_PROGRAM_EXECUTABLE,
                    "program has no executable for any device (section 5.9.1)");
  if (kernels && num_kernels < module->kernels.size())
    return api.fail(CL_INVALID_VALUE,
                    "num_kernels is {}, but program has {} kernels (section 5.9.1)", num_kernels,
                    module->kernels.size());
  std::vector<cl_kernel> made;
  if (kernels)
    for (const compiler::KernelInfo &info : module->kernels) {
      cl_kernel kernel = nullptr;
      Check broken = make_kernel(program, info.name, kernel);
      if (broken.code == CL_INVALID_KERNEL_DEFINITION)
        continue; // the specification excludes kernels that differ between devices
      if (broken) {
        for (cl_kernel earlier : made)
          drop_use(earlier);
        return api.fail(broken);
      }
      made.push_back(kernel);
    }
  if (kernels)
    std::ranges::copy(made, kernels);
  if (num_kernels_ret)
    *num_kernels_ret = static_cast<cl_uint>(kernels ? made.size() : module->kernels.size());
  return api.success();
}

cl_int clRetainKernel(cl_kernel kernel) {
  EntryPoint api("clRetainKernel");
  if (!is_valid(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel (section 5.9.1)");
  retain(kernel);
  return api.success();
}

cl_int clReleaseKernel(cl_kernel kernel) {
  EntryPoint api("clReleaseKernel");
  if (!is_valid(kernel) || !release(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel (section 5.9.1)");
  return api.success();
}

cl_kernel clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret) {
  EntryPoint api("clCloneKernel", errcode_ret);
  if (!is_valid(source_kernel))
    return api.fail(CL_INVALID_KERNEL, "source_kernel is not a valid kernel (section 5.9.3)");
  return api.success(create_object<_cl_kernel>(*source_kernel));
}

} // namespace lockstep::opencl
