// NVIDIA's driver: the functions of libcuda.so.1, which is loaded at run time, and the cards.
//
// Nothing of CUDA is needed to build Lockstep. A machine without an NVIDIA driver has no such
// library, so load() fails there, and that is no problem. LOCKSTEP_CUDA_LIBRARY names another
// library, such as the one of tests/nvidia/fake_cuda.
//
// load() calls cuInit. A process that forks after cuInit cannot use the cards in the child, so
// nothing calls load() before a program queries the devices.
#pragma once

#include "runtime/launch/nvidia/cuda_api.h"
#include "support/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::runtime {

// A graphics card that CUDA lists.
struct CudaCard {
  int index = 0;
  cuda::DeviceNumber device = 0;
  std::string name;
  int capability = 0; // 90: compute capability 9.0
  uint64_t memory_bytes = 0;
  std::string obstacle; // a sentence: why Lockstep cannot use it; empty: it can
};

class CudaDriver {
public:
  // ErrorKind::unsupported: there is no library, no card, or the driver is too old. The message
  // is for the user.
  static Result<std::shared_ptr<const CudaDriver>> load(const std::string &library);
  // Loads the library of this process at the first call.
  static const Result<std::shared_ptr<const CudaDriver>> &of_process();
  // Whether the library of this process exists. Does not call cuInit.
  static bool is_installed();

  int version() const { return version_; } // of CUDA: 12080 is 12.8
  const std::vector<CudaCard> &cards() const { return cards_; }
  // ErrorKind::out_of_resources in a child of fork(), where CUDA does not work.
  Result<void> check_process() const;

  // `call`: what was done, for the message: "cuMemAlloc of 16 bytes".
  Result<void> checked(cuda::Status status, std::string_view call) const;
  // After such an error all later calls in the context fail.
  static bool loses_context(cuda::Status status);

private:
  using Address = cuda::Address;
  using Context = cuda::Context;
  using Copy3D = cuda::Copy3D;
  using DeviceNumber = cuda::DeviceNumber;
  using Event = cuda::Event;
  using Function = cuda::Function;
  using Graph = cuda::Graph;
  using GraphExec = cuda::GraphExec;
  using GraphNode = cuda::GraphNode;
  using KernelNode = cuda::KernelNode;
  using Link = cuda::Link;
  using Module = cuda::Module;
  using Status = cuda::Status;
  using Stream = cuda::Stream;

public:
#define CUDA_FUNCTION(name, symbol, ...) Status (*name)(__VA_ARGS__) = nullptr;
#include "runtime/launch/nvidia/cuda_functions.def"
#undef CUDA_FUNCTION

private:
  CudaDriver() = default;
  Result<void> find_functions(void *library, const std::string &name);
  Result<void> find_cards();
  Result<CudaCard> describe(int index) const;

  int version_ = 0;
  unsigned generation_ = 0; // fork_generation() of the process that has called cuInit
  std::vector<CudaCard> cards_;
};

// "12.8" for 12080
std::string cuda_version_text(int version);

} // namespace lockstep::runtime
