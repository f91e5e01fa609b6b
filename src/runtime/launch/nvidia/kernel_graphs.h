// Launches of a kernel by CUDA graphs, each of which consists of one launch. cuGraphLaunch takes half
// of the time of cuLaunchKernel, and making a graph that of tens of launches (docs/nvidia.md). So a
// stream gets a graph when it has had many launches of the kernel.
//
// A graph has memory on the card, so a card has a limited number of them (GraphsOfCard). The one that
// was launched longest ago makes room for a new one, and its stream begins to count launches again.
//
// Requires: one thread of a card at a time calls launch(), with the context current. No launch is in
// flight when the object is destroyed.
#pragma once

#include "runtime/launch/nvidia/cuda_context.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
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
    if (!on.graph.exec) {
      if (on.launches_until_graph == 0 || --on.launches_until_graph != 0)
        return false;
      make(on, parameters());
      on.arguments.assign(arguments.begin(), arguments.end());
    } else if (!std::ranges::equal(arguments, on.arguments)) {
      set(on, parameters());
      std::ranges::copy(arguments, on.arguments.begin());
    }
    on.graph.last_launch = context_->graphs().count_launch();
    if (on.graph.exec && context_->cuda().launch_graph(on.graph.exec, stream) == cuda::success)
      return true;
    context_->graphs().free(on.graph, context_->cuda());
    return false;
  }

  static constexpr uint32_t launches_before = 64;

private:
  struct OnStream {
    cuda::Stream *stream = nullptr;
    uint32_t launches_until_graph = launches_before; // 0: making one failed
    CardGraph graph{};
    std::vector<std::byte> arguments{}; // of the last launch
  };
  OnStream &on_stream(cuda::Stream *stream);
  // After a failure there is no graph.
  void make(OnStream &on, void **parameters);
  void set(OnStream &on, void **parameters);

  const std::shared_ptr<CudaContext> context_;
  cuda::KernelNode launch_;
  std::deque<OnStream> on_streams_; // GraphsOfCard has addresses of their graphs
};

} // namespace lockstep::runtime
