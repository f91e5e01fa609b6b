// Launches of a kernel by CUDA graphs, each of which consists of one launch. cuGraphLaunch takes half
// of the time of cuLaunchKernel, and making a graph that of tens of launches (docs/nvidia.md). So a
// stream gets a graph when it has had many launches of the kernel.
//
// Requires: one thread at a time calls launch(), with the context current. No launch is in flight
// when the object is destroyed.
#pragma once

#include "runtime/launch/nvidia/cuda_context.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::runtime {

class KernelGraphs {
public:
  // `launch`: what all launches have in common. The parameters are ignored.
  KernelGraphs(std::shared_ptr<CudaContext> context, const cuda::KernelNode &launch)
      : context_(std::move(context)), launch_(launch) {}
  ~KernelGraphs();
  KernelGraphs(const KernelGraphs &) = delete;
  KernelGraphs &operator=(const KernelGraphs &) = delete;

  // False: nothing was launched, and the caller calls cuLaunchKernel. `parameters` returns the
  // addresses of the parameters' values, which depend on `arguments` only.
  template <class Parameters>
  bool launch(cuda::Stream *stream, std::span<const std::byte> arguments, Parameters parameters) {
    if (context_->has_waiting_kernels()) // making a graph may wait for them
      return false;
    OnStream &on = on_stream(stream);
    if (!on.exec) {
      if (on.launches_until_graph == 0 || --on.launches_until_graph != 0)
        return false;
      make(on, parameters());
      on.arguments.assign(arguments.begin(), arguments.end());
    } else if (!std::ranges::equal(arguments, on.arguments)) {
      set(on, parameters());
      std::ranges::copy(arguments, on.arguments.begin());
    }
    if (on.exec && context_->cuda().launch_graph(on.exec, stream) == cuda::success)
      return true;
    on.free(context_->cuda());
    return false;
  }

private:
  static constexpr uint32_t launches_before = 64;
  struct OnStream {
    cuda::Stream *stream = nullptr;
    uint32_t launches_until_graph = launches_before; // 0: there was one, or it failed
    cuda::Graph *graph = nullptr;
    cuda::GraphNode *node = nullptr;
    cuda::GraphExec *exec = nullptr;    // null: there is no graph
    std::vector<std::byte> arguments{}; // of the last launch

    void free(const CudaDriver &cuda);
  };
  OnStream &on_stream(cuda::Stream *stream);
  // After a failure there is no graph.
  void make(OnStream &on, void **parameters);
  void set(OnStream &on, void **parameters);

  const std::shared_ptr<CudaContext> context_;
  cuda::KernelNode launch_;
  std::vector<OnStream> on_streams_;
};

} // namespace lockstep::runtime
