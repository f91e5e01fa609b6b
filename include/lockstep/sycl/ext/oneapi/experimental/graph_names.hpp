// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names of sycl_ext_oneapi_graph that queue and handler use.
#pragma once

namespace sycl::ext::oneapi::experimental {

enum class graph_state { modifiable, executable };
enum class queue_state { executing, recording };
enum class node_type {
  empty,
  subgraph,
  kernel,
  memcpy,
  memset,
  memfill,
  prefetch,
  memadvise,
  ext_oneapi_barrier,
  host_task,
  async_malloc,
  async_free
};

template <graph_state State = graph_state::modifiable> class command_graph;
template <class T> class dynamic_parameter;

} // namespace sycl::ext::oneapi::experimental
