#include "runtime/launch/nvidia/kernel_graphs.h"

#include <utility>

namespace lockstep::runtime {

KernelGraphs::~KernelGraphs() {
  std::vector<CardGraph> left;
  for (OnStream &on : on_streams_)
    if (CardGraph taken = context_->graphs().take(on.graph); taken.exec)
      left.push_back(taken);
  if (!left.empty())
    context_->free_without_waiting_kernels(
        [context = context_.get(), all = std::move(left)]() mutable {
          for (CardGraph &graph : all)
            graph.free(context->cuda());
        });
}

KernelGraphs::OnStream &KernelGraphs::on_stream(cuda::Stream *stream) {
  const auto found = std::ranges::find(on_streams_, stream, &OnStream::stream);
  if (found != on_streams_.end())
    return *found;
  OnStream &on = on_streams_.emplace_back();
  on.stream = stream;
  return on;
}

void KernelGraphs::make(OnStream &on, void **parameters) {
  const CudaDriver &cuda = context_->cuda();
  launch_.parameters = parameters;
  CardGraph made;
  if (cuda.create_graph(&made.graph, 0) != cuda::success ||
      cuda.add_kernel_node(&made.node, made.graph, nullptr, 0, &launch_) != cuda::success ||
      cuda.instantiate_graph(&made.exec, made.graph, nullptr, nullptr, 0) != cuda::success) {
    made.free(cuda);
    return;
  }
  on.launches_until_graph = launches_before; // if it makes room for another one
  context_->graphs().add(on.graph, made, cuda);
}

void KernelGraphs::set(OnStream &on, void **parameters) {
  const CudaDriver &cuda = context_->cuda();
  launch_.parameters = parameters;
  if (cuda.set_kernel_node(on.graph.exec, on.graph.node, &launch_) != cuda::success)
    context_->graphs().free(on.graph, cuda);
}

} // namespace lockstep::runtime
