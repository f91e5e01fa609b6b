#include "runtime/launch/nvidia/graphs_of_card.h"

#include <algorithm>
#include <utility>

namespace lockstep::runtime {

void CardGraph::free(const CudaDriver &cuda) {
  if (exec)
    cuda.destroy_graph_exec(std::exchange(exec, nullptr));
  if (graph)
    cuda.destroy_graph(std::exchange(graph, nullptr));
}

void GraphsOfCard::add(CardGraph &place, const CardGraph &made, const CudaDriver &cuda) {
  const std::lock_guard lock(mutex_);
  if (all_.size() >= most) {
    const auto earliest = std::ranges::min_element(
        all_, {}, [](const CardGraph *graph) { return graph->last_launch; });
    (*earliest)->free(cuda);
    all_.erase(earliest);
  }
  place = made;
  all_.push_back(&place);
}

void GraphsOfCard::free(CardGraph &place, const CudaDriver &cuda) {
  take(place).free(cuda);
}

CardGraph GraphsOfCard::take(CardGraph &place) {
  const std::lock_guard lock(mutex_);
  std::erase(all_, &place);
  return std::exchange(place, CardGraph());
}

} // namespace lockstep::runtime
