// Types and numbers of CUDA's driver API, as far as Lockstep uses them. NVIDIA's header is not
// needed to build. The names in comments are those of CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::runtime::cuda {

using Status = int;       // CUresult
using DeviceNumber = int; // CUdevice
using Address = uint64_t; // CUdeviceptr
struct Context;           // CUctx_st
struct Module;            // CUmod_st
struct Function;          // CUfunc_st
struct Stream;            // CUstream_st
struct Event;             // CUevent_st
struct Link;              // CUlinkState_st
struct Graph;             // CUgraph_st
struct GraphNode;         // CUgraphNode_st
struct GraphExec;         // CUgraphExec_st

// CUDA_SUCCESS and CUDA_ERROR_*
inline constexpr Status success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3,
                        no_device = 100, invalid_image = 200, invalid_context = 201,
                        uncorrectable_memory_error = 214, invalid_ptx = 218,
                        unsupported_ptx_version = 222, invalid_handle = 400, not_found = 500,
                        not_ready = 600, illegal_address = 700, launch_out_of_resources = 701,
                        launch_timeout = 702, assertion = 710, already_pinned = 712,
                        hardware_stack_error = 714, illegal_instruction = 715,
                        misaligned_address = 716, invalid_address_space = 717, invalid_pc = 718,
                        launch_failed = 719;

// CU_DEVICE_ATTRIBUTE_*
inline constexpr int max_threads_per_block = 1, max_block_dim_x = 2, max_block_dim_y = 3,
                     max_block_dim_z = 4, max_shared_memory_per_block = 8, clock_rate_khz = 13,
                     multiprocessor_count = 16, pci_bus_id = 33, pci_device_id = 34,
                     l2_cache_bytes = 38, pci_domain_id = 50, compute_capability_major = 75,
                     compute_capability_minor = 76, pinned_pages_keep_their_address = 91,
                     max_shared_memory_per_block_optin = 97;

// CU_FUNC_ATTRIBUTE_*
inline constexpr int function_max_threads_per_block = 0, function_max_dynamic_shared_bytes = 8;

inline constexpr unsigned non_blocking_stream = 1;                     // CU_STREAM_NON_BLOCKING
inline constexpr unsigned event_without_timing = 2;                    // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned for_all_contexts = 1;                        // CU_MEMHOST*_PORTABLE
inline constexpr unsigned for_kernels = 2;                             // CU_MEMHOST*_DEVICEMAP
inline constexpr int ptx_input = 1;                                    // CU_JIT_INPUT_PTX
inline constexpr int error_log_buffer = 5, error_log_buffer_bytes = 6; // CU_JIT_*

// CUDA_MEMCPY3D
struct Copy3D {
  std::size_t source_x = 0, source_y = 0, source_z = 0, source_lod = 0;
  int source_kind = device_memory;
  const void *source_host = nullptr;
  Address source = 0;
  void *source_array = nullptr, *reserved_0 = nullptr;
  std::size_t source_pitch = 0, source_height = 0;
  std::size_t target_x = 0, target_y = 0, target_z = 0, target_lod = 0;
  int target_kind = device_memory;
  void *target_host = nullptr;
  Address target = 0;
  void *target_array = nullptr, *reserved_1 = nullptr;
  std::size_t target_pitch = 0, target_height = 0;
  std::size_t width = 0, height = 0, depth = 0; // width in bytes

  static constexpr int host_memory = 1, device_memory = 2; // CU_MEMORYTYPE_*
  static constexpr std::size_t most_pitch = 0x7fff'ffff;   // CU_DEVICE_ATTRIBUTE_MAX_PITCH
};
static_assert(sizeof(Copy3D) == 200);

// CUDA_KERNEL_NODE_PARAMS
struct KernelNode {
  Function *function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  void **parameters = nullptr, **extra = nullptr;
};
static_assert(sizeof(KernelNode) == 56);

} // namespace lockstep::runtime::cuda
