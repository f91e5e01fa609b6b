#include "runtime/launch/nvidia/group_pools.h"

#include <algorithm>
#include <string>

namespace lockstep::runtime {

Result<GroupPools::Pool> GroupPools::take(std::size_t wanted, std::size_t least,
                                          std::size_t host_bytes) {
  const CudaDriver &cuda = context_->cuda();
  {
    const std::lock_guard lock(mutex_);
    auto best = unused_.end(); // the smallest that suffices
    for (auto pool = unused_.begin(); pool != unused_.end(); ++pool)
      if (pool->bytes >= wanted && pool->host_bytes >= host_bytes &&
          (best == unused_.end() || pool->bytes < best->bytes))
        best = pool;
    if (best != unused_.end()) {
      const Pool pool = *best;
      unused_.erase(best);
      return pool;
    }
  }
  Pool pool{.bytes = wanted, .host_bytes = host_bytes};
  cuda::Status status = cuda.allocate(&pool.on_card, pool.bytes);
  while (status == cuda::out_of_memory && (free_unused() || pool.bytes > least)) {
    pool.bytes = std::max(least, pool.bytes / 2);
    status = cuda.allocate(&pool.on_card, pool.bytes);
  }
  LOCKSTEP_TRY(context_->checked(status, "cuMemAlloc of " + std::to_string(pool.bytes) +
                                             " bytes for work-groups that wait"));
  void *pinned = nullptr;
  auto made = context_->checked(cuda.allocate_pinned(&pinned, host_bytes, cuda::for_all_contexts),
                                "cuMemHostAlloc for work-groups that wait");
  if (!made) {
    cuda.free(pool.on_card);
    return made.take_error();
  }
  pool.on_host = static_cast<std::byte *>(pinned);
  return pool;
}

void GroupPools::give_back(Pool pool) {
  const std::lock_guard lock(mutex_);
  unused_.push_back(pool);
}

void GroupPools::free(const Pool &pool) {
  context_->free_without_waiting_kernels([&cuda = context_->cuda(), pool] {
    cuda.free(pool.on_card);
    cuda.free_pinned(pool.on_host);
  });
}

bool GroupPools::free_unused() {
  std::vector<Pool> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(unused_);
  }
  for (const Pool &pool : all)
    free(pool);
  return !all.empty();
}

} // namespace lockstep::runtime
