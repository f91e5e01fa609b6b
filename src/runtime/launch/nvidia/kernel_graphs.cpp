#include "runtime/launch/nvidia/kernel_graphs.h"

#include <utility>

namespace lockstep::runtime {

void KernelGraphs::OnStream::free(const CudaDriver &cuda) {
  if (exec)
    cuda.destroy_graph_exec(std::exchange(exec, nullptr));
  if (graph)
    cuda.destroy_graph(std::exchange(graph, nullptr));
}

KernelGraphs::~KernelGraphs() {
  const auto is_made = [](const OnStream &on) { return on.exec != nullptr; };
  if (std::ranges::any_of(on_streams_, is_made))
    context_->free_without_waiting_kernels(
        [context = context_.get(), all = std::move(on_streams_)]() mutable {
          for (OnStream &on : all)
            on.free(context->cuda());
        });
}

KernelGraphs::OnStream &KernelGraphs::on_stream(cuda::Stream *stream) {
  const auto found = std::ranges::find(on_streams_, stream, &OnStream::stream);
  return found != on_streams_.end() ? *found : on_streams_.emplace_back(stream);
}

void KernelGraphs::make(OnStream &on, void **parameters) {
  const CudaDriver &cuda = context_->cuda();
  launch_.parameters = parameters;
  if (cuda.create_graph(&on.graph, 0) != cuda::success ||
      cuda.add_kernel_node(&on.node, on.graph, nullptr, 0, &launch_) != cuda::success ||
      cuda.instantiate_graph(&on.exec, on.graph, nullptr, nullptr, 0) != cuda::success)
    on.free(cuda);
}

void KernelGraphs::set(OnStream &on, void **parameters) {
  const CudaDriver &cuda = context_->cuda();
  launch_.parameters = parameters;
  if (cuda.set_kernel_node(on.exec, on.node, &launch_) != cuda::success)
    on.free(cuda);
}

} // namespace lockstep::runtime
