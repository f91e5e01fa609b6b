// A libcuda.so.1 for tests, on a machine without a card. It has the functions of
// src/runtime/launch/nvidia/cuda_functions.def.
//
// It is stricter than a real driver where a mistake would otherwise be seen on some cards only:
//   - The host cannot touch device memory, except while a copy or a kernel accesses it.
//   - A stream is a thread. Each operation waits a random time first, so only events order streams.
//   - Operations of the NULL stream run late, and other streams do not wait for them.
//   - A copy whose host memory is not pinned fails, because it would block.
//   - It has 4 multiprocessors, each of which runs 2 blocks at once.
//   - After a fault of a kernel, each later call fails with the same error.
//
// A kernel is run by the function that the test sets, such as the CPU's code of the same kernel.
#pragma once

#include "runtime/launch/nvidia/cuda_api.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lockstep::fake_cuda {

// A launch as the driver gets it.
struct Launch {
  std::string image; // the text of the module
  std::string function;
  std::array<uint32_t, 3> grid{}, block{}; // in blocks; in threads
  uint32_t shared_bytes = 0;
  std::vector<std::vector<std::byte>> parameters; // their sizes are those that the PTX declares
};

// Runs the kernel while device memory is accessible. Returns the status of the launch.
using Runner = std::function<runtime::cuda::Status(const Launch &)>;

struct Controls {
  // The environment variables FAKE_CUDA_VERSION, ... set these five at the start of a process.
  std::atomic<int> version, devices, capability, init_status;
  std::atomic<long long> memory_bytes;
  std::atomic<bool> is_late; // operations wait a random time
  std::atomic<bool> is_held; // streams begin no operation

  // The next call, or kernel, fails with this status, unless it is 0.
  std::atomic<runtime::cuda::Status> allocation_status, copy_status, launch_status, fault_status,
      pin_status;
  std::atomic<std::size_t> bytes_to_device, bytes_to_host, allocations, launches;
  std::atomic<std::size_t> copies_between_devices;
  std::atomic<std::size_t> submitted_launches;     // `launches` counts those that have run
  std::atomic<runtime::cuda::Status> graph_status; // of the next call that instantiates one
  std::atomic<std::size_t> graphs, graph_launches; // graphs: that exist, as instances
  std::atomic<std::size_t> assembled_texts, recorded_events;
  std::atomic<std::size_t> transfers; // between the host's memory and the card's
  std::atomic<std::size_t> inits, contexts,
      pins; // calls of cuInit, ...PrimaryCtxRetain, cuMemHostRegister
};

__attribute__((visibility("default"))) Controls &controls();
__attribute__((visibility("default"))) void set_runner(Runner runner);
// Forgets a fault, as a new process would.
__attribute__((visibility("default"))) void repair();

} // namespace lockstep::fake_cuda

// For programs that load the library by name: Controls::inits, contexts and pins.
extern "C" __attribute__((visibility("default"))) std::size_t fake_cuda_inits();
extern "C" __attribute__((visibility("default"))) std::size_t fake_cuda_contexts();
extern "C" __attribute__((visibility("default"))) std::size_t fake_cuda_pins();
// Whether kernels can access memory of the host.
extern "C" __attribute__((visibility("default"))) bool fake_cuda_is_pinned(const void *memory,
                                                                           std::size_t bytes);
