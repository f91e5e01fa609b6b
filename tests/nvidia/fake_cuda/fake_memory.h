// Memory of the fake card, and pinned memory of the host.
#pragma once

#include "runtime/launch/nvidia/cuda_api.h"

#include <cstddef>
#include <map>
#include <mutex>

namespace lockstep::fake_cuda {

class Memory {
public:
  static Memory &instance();

  // 0: more than `limit` bytes in all
  runtime::cuda::Address allocate(std::size_t bytes, std::size_t limit);
  bool free(runtime::cuda::Address address);
  void *allocate_pinned(std::size_t bytes);
  bool free_pinned(void *memory);
  // Pages of the program. False: some are pinned already; or they are not.
  bool pin_pages(void *memory, std::size_t bytes);
  bool unpin_pages(void *memory);
  bool is_in_a_block(runtime::cuda::Address address, std::size_t bytes);
  bool is_pinned(const void *memory, std::size_t bytes);
  std::size_t blocks();

  // Makes device memory accessible during its lifetime.
  class Open {
  public:
    Open();
    ~Open();
    Open(const Open &) = delete;
    Open &operator=(const Open &) = delete;
  };

private:
  using Blocks = std::map<std::byte *, std::size_t>; // begin, bytes
  static bool contains(const Blocks &blocks, const std::byte *begin, std::size_t bytes);
  void protect(int protection);

  std::mutex mutex_;
  Blocks device_, pinned_, pages_;
  std::size_t allocated_ = 0;
  unsigned open_ = 0;
};

} // namespace lockstep::fake_cuda
