// What is known about a kernel before it is compiled for a local size. The front ends make it from
// kernel IR; program binaries and cache entries store it beside the bitcode. The API (queries,
// clSetKernelArg) and the launch read it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

// Function attribute of the kernels that clang generates for enqueued blocks.
inline constexpr const char *block_attribute = "lockstep-block";

enum class ArgKind : uint8_t {
  value,          // scalar, vector or struct, copied into the argument block
  global_pointer, // cl_mem, SVM pointer or null
  constant_pointer,
  local_pointer, // the argument block holds a byte offset into the group's local memory (uint64_t)
  sampler,       // the argument block holds its number (image_descriptor.h)
  image,         // the argument block holds the address of its descriptor
  pipe,
  queue, // a device queue: the argument block holds its number (runtime/device_enqueue/)
  block, // first argument of an enqueued block: the address of its captures
};

// Values as in CL_KERNEL_ARG_ADDRESS_*, CL_KERNEL_ARG_ACCESS_* (OpenCL 3.0 API 5.7.4).
struct KernelArg {
  ArgKind kind = ArgKind::value;
  // Bytes in the argument block and for clSetKernelArg (8 for pointers); 3-vectors count 4.
  uint32_t size = 0;
  uint32_t alignment = 1;         // power of two, bytes
  uint32_t offset = 0;            // in the argument block, see launch_abi.h
  uint32_t pointee_alignment = 1; // local pointers: alignment of the pointed-to type in bytes
  std::string name;               // empty: not known
  std::string type_name;
  std::string address_space;                // "global", "constant", "local", "private"
  std::string access;                       // "none", "read_only", ...
  std::vector<std::string> type_qualifiers; // a subset of "const", "restrict", "volatile", "pipe"
};

// A captured member of the function object of a SYCL kernel (argument 0), with its name in the
// program. For reports.
struct FunctionMember {
  uint32_t offset = 0, size = 0;
  uint32_t element = 0; // size of the pointee's elements in bytes; 0: not known
  std::string kind;     // "pointer", "accessor", "local_accessor", "value"
  std::string name;
};

struct KernelInfo {
  std::string name;
  // Name of a SYCL kernel in the program; `name` is its symbol. For reports; binaries do not store
  // it.
  std::string title;
  std::vector<FunctionMember> members;
  bool is_over_range = false; // parallel_for over a range: the program cannot observe the groups
  std::vector<KernelArg> args;
  uint32_t argument_block_size = 0;               // bytes
  bool has_arg_info = false;                      // clGetKernelArgInfo may return it
  std::array<uint32_t, 3> reqd_work_group_size{}; // 0,0,0: not given
  std::array<uint32_t, 3> work_group_size_hint{};
  uint32_t reqd_sub_group_size = 0;  // 0: not given
  uint32_t reqd_sub_group_count = 0; // of a work-group; 0: not given, as always in OpenCL C
  std::string vec_type_hint;
  std::string attributes; // CL_KERNEL_ATTRIBUTES
  // Bytes of local variables in kernel scope, called functions included.
  uint64_t local_memory_size = 0;
  // Bytes of private variables of one work-item before optimization.
  uint64_t private_memory_size = 0;
  bool uniform_work_group_size = false; // -cl-uniform-work-group-size or OpenCL C < 2.0
  bool enqueues = false;                // it may call a function of device-side enqueue
  // Compiled with -g: functions of device-side enqueue report why they fail.
  bool explains_failures = false;
  bool denorms_are_zero = false; // it may treat subnormal numbers as zero
};

} // namespace lockstep::compiler
