// Memory on a card for launches whose groups may wait for each other, and pinned memory of the host
// for them (abi/nvidia_group_pool.h). It is kept for later launches until the card's memory is full.
#pragma once

#include "runtime/launch/nvidia/cuda_context.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class GroupPools {
public:
  struct Pool {
    cuda::Address on_card = 0;
    std::size_t bytes = 0;
    std::byte *on_host = nullptr; // pinned
    std::size_t host_bytes = 0;
  };

  explicit GroupPools(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}

  // Fewer bytes than wanted, but not than `least`, if the card has no more. The context is current.
  Result<Pool> take(std::size_t wanted, std::size_t least, std::size_t host_bytes);
  void give_back(Pool pool);
  // Frees those that no launch uses. False: there are none. The context is current.
  bool free_unused();

private:
  void free(const Pool &pool);

  const std::shared_ptr<CudaContext> context_;
  std::mutex mutex_;
  std::vector<Pool> unused_;
};

} // namespace lockstep::runtime
