// What is known of a kernel without compiling it for a local size. Made from kernel IR by
// source_to_ir, stored beside the bitcode in program binaries and cache entries, read by the API
// (queries, clSetKernelArg) and by the launch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

// A function attribute of the kernels that clang makes of blocks which are enqueued.
inline constexpr const char *block_attribute = "lockstep-block";

enum class ArgKind : uint8_t {
  value,          // scalar, vector or struct, copied into the argument block
  global_pointer, // cl_mem, SVM pointer or null
  constant_pointer,
  local_pointer, // the argument block holds a byte offset into the group's local memory (uint64_t)
  sampler,       // the block holds its number (image_descriptor.h)
  image,         // the block holds the address of its descriptor
  pipe,
  queue, // of the device: the block holds its number (runtime/device_enqueue/)
  block, // of a block that is enqueued: the address of what it captures, first of all arguments
};

// Values as in CL_KERNEL_ARG_ADDRESS_*, CL_KERNEL_ARG_ACCESS_* (OpenCL 3.0 API 5.7.4).
struct KernelArg {
  ArgKind kind = ArgKind::value;
  uint32_t size =
      0; // bytes in the argument block and for clSetKernelArg (8 for pointers); 3-vectors count 4
  uint32_t alignment = 1;         // power of two, bytes
  uint32_t offset = 0;            // in the argument block, see launch_abi.h
  uint32_t pointee_alignment = 1; // local pointers: alignment of the pointed-to type in bytes
  std::string name;               // empty: not known
  std::string type_name;
  std::string address_space;                // "global", "constant", "local", "private"
  std::string access;                       // "none", "read_only", ...
  std::vector<std::string> type_qualifiers; // of "const", "restrict", "volatile", "pipe"
};

// What the function object of a SYCL kernel, its argument 0, has at some bytes, as the program calls it. For reports.
struct FunctionMember {
  uint32_t offset = 0, size = 0;
  uint32_t element = 0; // bytes of what it points to; 0: not known
  std::string kind;     // "pointer", "accessor", "local_accessor", "value"
  std::string name;
};

struct KernelInfo {
  std::string name;
  // Of a kernel of SYCL, whose name is a symbol: what the program calls it. For reports; not kept in binaries.
  std::string title;
  std::vector<FunctionMember> members;
  bool is_over_range = false; // of parallel_for with a range: the program knows of no groups
  std::vector<KernelArg> args;
  uint32_t argument_block_size = 0;               // bytes
  bool has_arg_info = false;                      // clGetKernelArgInfo may tell it
  std::array<uint32_t, 3> reqd_work_group_size{}; // 0,0,0: not given
  std::array<uint32_t, 3> work_group_size_hint{};
  uint32_t reqd_sub_group_size = 0; // 0: not given
  std::string vec_type_hint;
  std::string attributes; // CL_KERNEL_ATTRIBUTES
  uint64_t local_memory_size =
      0; // bytes of local variables in kernel scope, called functions included
  uint64_t private_memory_size =
      0; // bytes of private variables of one work-item before optimisation
  bool uniform_work_group_size = false; // -cl-uniform-work-group-size or OpenCL C < 2.0
  bool enqueues = false;                // it may call a function of device-side enqueue
  bool says_why = false;                // compiled with -g: such functions tell why they fail
  bool denorms_are_zero = false;        // it may take subnormal numbers for zero
};

} // namespace lockstep::compiler
