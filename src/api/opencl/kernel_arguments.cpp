// clSetKernelArg and related functions (OpenCL 3.0 API section 5.9.2).
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/extension_types.h"
#include "api/opencl/image.h"
#include "api/opencl/kernel.h"
#include "api/opencl/memory.h"
#include "api/opencl/memory_flags.h"
#include "api/opencl/queue.h"
#include "api/opencl/sampler.h"
#include "api/opencl/shared_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lockstep::opencl {
namespace {

using compiler::ArgKind;
using compiler::KernelArg;

// The arguments of clSetKernelArg.
struct Given {
  cl_uint index;
  size_t size;
  const void *value;
};

std::string name_of(const compiler::KernelInfo &info, cl_uint index) {
  const KernelArg &arg = info.args[index];
  return arg.name.empty()
             ? fmt::format("argument {} of kernel {}", index, info.name)
             : fmt::format("argument {} ('{}') of kernel {}", index, arg.name, info.name);
}

Check set_memory(_cl_kernel &kernel, const Given &given, _cl_kernel::Argument &argument) {
  if (given.size != sizeof(cl_mem))
    return failure(CL_INVALID_ARG_SIZE,
                   "arg_size is {}, but {} is a memory object, of {} bytes (section 5.9.2)",
                   given.size, name_of(kernel.info, given.index), sizeof(cl_mem));
  cl_mem memory = nullptr;
  if (given.value)
    std::memcpy(&memory, given.value, sizeof memory);
  if (memory && !is_valid(memory))
    return failure(CL_INVALID_MEM_OBJECT,
                   "arg_value of {} does not point to a valid memory object (section 5.9.2)",
                   name_of(kernel.info, given.index));
  if (memory && memory->context.get() != kernel.program->context.get())
    return failure(CL_INVALID_CONTEXT,
                   "arg_value of {} is a memory object of another context (section 5.9.2)",
                   name_of(kernel.info, given.index));
  argument = {true, memory, 0}; // snapshot() checks its validity again
  // The slot may contain the address of an earlier call.
  std::memset(kernel.block.data() + kernel.info.args[given.index].offset, 0, sizeof(void *));
  return {};
}

Check set_buffer(_cl_kernel &kernel, const Given &given, _cl_kernel::Argument &argument) {
  if (Check broken = set_memory(kernel, given, argument))
    return broken;
  const KernelArg &arg = kernel.info.args[given.index];
  if (argument.memory && argument.memory->flags & CL_MEM_IMMUTABLE_EXT &&
      !runtime::is_declared_const(arg)) {
    argument = {};
    return failure(CL_INVALID_ARG_VALUE,
                   "{} points at what is not const, but the buffer was created with "
                   "CL_MEM_IMMUTABLE_EXT (section 5.9.2)",
                   name_of(kernel.info, given.index));
  }
  if (!argument.memory || argument.memory->is_buffer())
    return {};
  const char *what = std::exchange(argument, {}).memory->what();
  return failure(CL_INVALID_MEM_OBJECT,
                 "arg_value of {} is {}, but the argument is a pointer (section 5.9.2)",
                 name_of(kernel.info, given.index), what);
}

// Memory flags that are incompatible with the access qualifier of an argument.
constexpr std::pair<const char *, cl_mem_flags> forbidden_flags[] = {
    {"read_only", CL_MEM_WRITE_ONLY},
    {"write_only", CL_MEM_READ_ONLY},
    {"read_write", CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY}};

struct TypeName {
  const char *name;
  cl_mem_object_type type;
  bool is_depth = false;
};
constexpr TypeName type_names[] = {{"image1d_t", CL_MEM_OBJECT_IMAGE1D},
                                   {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER},
                                   {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
                                   {"image2d_t", CL_MEM_OBJECT_IMAGE2D},
                                   {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
                                   {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, true},
                                   {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, true},
                                   {"image3d_t", CL_MEM_OBJECT_IMAGE3D}};

// Returns true for argument types with a name that the program defined; these are not compared.
bool has_type_of(const KernelArg &arg, const Image &image) {
  auto expected = std::ranges::find(type_names, arg.type_name, &TypeName::name);
  const bool is_depth = image.format.image_channel_order == CL_DEPTH;
  return expected == std::end(type_names) ||
         (expected->type == image.desc.image_type && expected->is_depth == is_depth);
}

Check set_image(_cl_kernel &kernel, const Given &given, _cl_kernel::Argument &argument) {
  if (Check broken = set_memory(kernel, given, argument))
    return broken;
  const KernelArg &arg = kernel.info.args[given.index];
  const cl_mem memory = std::exchange(argument, {}).memory;
  if (!memory || !memory->image)
    return failure(CL_INVALID_MEM_OBJECT, "{} is an image, but arg_value is {} (section 5.9.2)",
                   name_of(kernel.info, given.index), memory ? memory->what() : "null");
  for (auto [qualifier, flags] : forbidden_flags)
    if (arg.access == qualifier && (memory->flags & flags))
      return failure(CL_INVALID_ARG_VALUE,
                     "{} is {}, which the flags of the image do not allow (section 5.9.2)",
                     name_of(kernel.info, given.index), qualifier);
  if (!has_type_of(arg, *memory->image))
    return failure(CL_INVALID_ARG_VALUE,
                   "{} is an {}, but arg_value is an image of another type (section 5.9.2)",
                   name_of(kernel.info, given.index), arg.type_name);
  argument = {true, memory, 0};
  return {};
}

Check set_pipe(_cl_kernel &kernel, const Given &given, _cl_kernel::Argument &argument) {
  if (Check broken = set_memory(kernel, given, argument))
    return broken;
  if (argument.memory && argument.memory->pipe)
    return {};
  const cl_mem memory = std::exchange(argument, {}).memory;
  return failure(CL_INVALID_MEM_OBJECT, "{} is a pipe, but arg_value is {} (section 5.9.2)",
                 name_of(kernel.info, given.index), memory ? memory->what() : "null");
}

// The sampler's number replaces the sampler, because samplers are immutable.
Check set_sampler(_cl_kernel &kernel, const Given &given, _cl_kernel::Argument &argument) {
  if (given.size != sizeof(cl_sampler))
    return failure(CL_INVALID_ARG_SIZE,
                   "arg_size is {}, but {} is a sampler, of {} bytes (section 5.9.2)", given.size,
                   name_of(kernel.info, given.index), sizeof(cl_sampler));
  cl_sampler sampler = nullptr;
  if (given.value)
    std::memcpy(&sampler, given.value, sizeof sampler);
  if (!is_valid(sampler))
    return failure(CL_INVALID_SAMPLER,
                   "arg_value of {} does not point to a valid sampler (section 5.9.2)",
                   name_of(kernel.info, given.index));
  if (sampler->context.get() != kernel.program->context.get())
    return failure(CL_INVALID_CONTEXT,
                   "arg_value of {} is a sampler of another context (section 5.9.2)",
                   name_of(kernel.info, given.index));
  const uint64_t number = sampler->number();
  std::memcpy(kernel.block.data() + kernel.info.args[given.index].offset, &number, sizeof number);
  argument = {true, nullptr, 0};
  return {};
}

// Kernels identify the queue by its number, so that use of a released queue is detected.
Check set_queue(_cl_kernel &kernel, const Given &given, _cl_kernel::Argument &argument) {
  if (given.size != sizeof(cl_command_queue))
    return failure(CL_INVALID_ARG_SIZE,
                   "arg_size is {}, but {} is a device queue, of {} bytes (section 5.9.2)",
                   given.size, name_of(kernel.info, given.index), sizeof(cl_command_queue));
  cl_command_queue queue = nullptr;
  if (given.value)
    std::memcpy(&queue, given.value, sizeof queue);
  if (!is_valid(queue) || !queue->is_on_device())
    return failure(CL_INVALID_DEVICE_QUEUE,
                   "arg_value of {} does not point to a valid queue on a device (section 5.9.2)",
                   name_of(kernel.info, given.index));
  if (queue->context.get() != kernel.program->context.get())
    return failure(CL_INVALID_CONTEXT,
                   "arg_value of {} is a queue of another context (section 5.9.2)",
                   name_of(kernel.info, given.index));
  std::memcpy(kernel.block.data() + kernel.info.args[given.index].offset, &queue->number,
              sizeof queue->number);
  argument = {true, nullptr, 0};
  return {};
}

Check set_local(_cl_kernel &kernel, const Given &given, _cl_kernel::Argument &argument) {
  if (given.value)
    return failure(CL_INVALID_ARG_VALUE,
                   "arg_value is not null, but {} is a pointer to local memory (section 5.9.2)",
                   name_of(kernel.info, given.index));
  argument = {true, nullptr, given.size}; // the size may be 0 since OpenCL 3.1
  return {};
}

Check set_value(_cl_kernel &kernel, const Given &given, _cl_kernel::Argument &argument) {
  const KernelArg &arg = kernel.info.args[given.index];
  if (!given.value)
    return failure(CL_INVALID_ARG_VALUE,
                   "arg_value is null, but {} is passed by value (section 5.9.2)",
                   name_of(kernel.info, given.index));
  if (given.size != arg.size)
    return failure(CL_INVALID_ARG_SIZE, "arg_size is {}, but {} has {} bytes (section 5.9.2)",
                   given.size, name_of(kernel.info, given.index), arg.size);
  std::memcpy(kernel.block.data() + arg.offset, given.value, given.size);
  argument = {true, nullptr, 0};
  return {};
}

Check set_argument(_cl_kernel &kernel, const Given &given) {
  std::lock_guard lock(kernel.mutex);
  _cl_kernel::Argument &argument = kernel.arguments[given.index];
  switch (kernel.info.args[given.index].kind) {
  case ArgKind::global_pointer:
  case ArgKind::constant_pointer:
    return set_buffer(kernel, given, argument);
  case ArgKind::local_pointer:
    return set_local(kernel, given, argument);
  case ArgKind::value:
    return set_value(kernel, given, argument);
  case ArgKind::sampler:
    return set_sampler(kernel, given, argument);
  case ArgKind::image:
    return set_image(kernel, given, argument);
  case ArgKind::pipe:
    return set_pipe(kernel, given, argument);
  case ArgKind::queue:
    return set_queue(kernel, given, argument);
  case ArgKind::block: // only block kernels have these, and block kernels have no kernel object
    break;
  }
  return failure(CL_INVALID_ARG_INDEX, "{} cannot be set (section 5.9.2)",
                 name_of(kernel.info, given.index));
}

struct GivenPointer {
  cl_uint index;
  const void
      *value; // any value is valid: the device works on host memory, and the kernel may handle null
  cl_int wrong_kind = CL_INVALID_ARG_VALUE;
  bool may_be_constant = true;
};

Check set_pointer(_cl_kernel &kernel, const GivenPointer &given, const char *section) {
  if (!shares_allocations(*kernel.program->context))
    return failure(CL_INVALID_OPERATION, "no device of the context has shared virtual memory ({})",
                   section);
  if (given.index >= kernel.info.args.size())
    return failure(CL_INVALID_ARG_INDEX, "arg_index is {}, but kernel {} has {} arguments ({})",
                   given.index, kernel.info.name, kernel.info.args.size(), section);
  const KernelArg &arg = kernel.info.args[given.index];
  if (arg.kind != ArgKind::global_pointer &&
      !(given.may_be_constant && arg.kind == ArgKind::constant_pointer))
    return failure(given.wrong_kind, "{} is not a pointer to global{} memory ({})",
                   name_of(kernel.info, given.index), given.may_be_constant ? " or constant" : "",
                   section);
  std::lock_guard lock(kernel.mutex);
  std::memcpy(kernel.block.data() + arg.offset, &given.value, sizeof given.value);
  kernel.arguments[given.index] = {.is_set = true, .address = given.value};
  return {};
}

cl_int set_pointer(const char *function, cl_kernel kernel, const GivenPointer &given,
                   const char *section) {
  EntryPoint api(function);
  if (!is_valid(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel ({})", section);
  api.report_to(kernel->program->context.get());
  if (Check broken = set_pointer(*kernel, given, section))
    return api.fail(broken);
  return api.success();
}

} // namespace

Check set_argument(_cl_kernel &kernel, cl_uint index, size_t size, const void *value) {
  if (index >= kernel.info.args.size())
    return failure(CL_INVALID_ARG_INDEX,
                   "arg_index is {}, but kernel {} has {} arguments (section 5.9.2)", index,
                   kernel.info.name, kernel.info.args.size());
  return set_argument(kernel, {index, size, value});
}

Check set_svm_argument(_cl_kernel &kernel, cl_uint index, const void *value) {
  return set_pointer(kernel, {index, value}, "section 5.9.2");
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value) {
  EntryPoint api("clSetKernelArg");
  if (!is_valid(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel (section 5.9.2)");
  api.report_to(kernel->program->context.get());
  if (Check broken = set_argument(*kernel, arg_index, arg_size, arg_value))
    return api.fail(broken);
  return api.success();
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value) {
  return set_pointer("clSetKernelArgSVMPointer", kernel, {arg_index, arg_value}, "section 5.9.2");
}

cl_int clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index, const void *arg_value) {
  return set_pointer("clSetKernelArgMemPointerINTEL", kernel, {arg_index, arg_value},
                     "section 5.X of cl_intel_unified_shared_memory");
}

cl_int clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint arg_index,
                                      cl_mem_device_address_ext arg_value) {
  return set_pointer("clSetKernelArgDevicePointerEXT", kernel,
                     {arg_index, reinterpret_cast<const void *>(arg_value), // NOLINT
                      CL_INVALID_ARG_INDEX, false},
                     "section 5.9.2, cl_ext_buffer_device_address");
}

} // namespace lockstep::opencl
