// The CUDA graphs of kernel launches that exist on one card (kernel_graphs.h), and their limit.
#pragma once

#include "runtime/launch/nvidia/cuda_driver.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

// A graph of one launch.
struct CardGraph {
  cuda::Graph *graph = nullptr;
  cuda::GraphNode *node = nullptr;
  cuda::GraphExec *exec = nullptr; // null: there is no graph
  uint64_t last_launch = 0;        // GraphsOfCard::count_launch

  void free(const CudaDriver &cuda);
};

// The thread that launches on the card calls all functions but take(), with the context current. It
// alone changes a graph that was added.
class GraphsOfCard {
public:
  // Each takes 126 KB of an H200's memory.
  static constexpr std::size_t most = 256;

  // Moves a new graph to its place. If there are `most`, frees the one with the earliest launch,
  // which may be in flight: the driver keeps it until its end.
  void add(CardGraph &place, const CardGraph &made, const CudaDriver &cuda);
  // Frees the graph there, if there is one.
  void free(CardGraph &place, const CudaDriver &cuda);
  // Removes the graph there, if there is one, and returns it. Any thread may call it.
  CardGraph take(CardGraph &place);

  uint64_t count_launch() { return ++launches_; }

private:
  std::mutex mutex_;
  std::vector<CardGraph *> all_;
  uint64_t launches_ = 0; // by graphs
};

} // namespace lockstep::runtime
