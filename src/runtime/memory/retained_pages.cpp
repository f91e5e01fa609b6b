#include "runtime/memory/retained_pages.h"

#include "platform/linux/huge_pages.h"
#include "platform/linux/leaked.h"
#include "platform/linux/topology.h"

#include <algorithm>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace lockstep::runtime {
namespace {

constexpr std::size_t most_blocks = 64;

struct Retained {
  std::mutex mutex;
  std::vector<PageBlock> blocks; // the oldest first
  std::size_t bytes = 0;
  const std::size_t limit = topology().memory_bytes / 16;
};

// A child of fork() leaves the parent's blocks mapped: it could not know whether the list is intact.
Retained &retained() {
  return leaked<AfterFork::make_again>([] { return new Retained; });
}

// The smallest block that suffices, and that is not more than a quarter too large.
PageBlock take_retained(std::size_t size) {
  Retained &all = retained();
  const std::lock_guard lock(all.mutex);
  auto best = all.blocks.end();
  for (auto block = all.blocks.begin(); block != all.blocks.end(); ++block)
    if (block->size >= size && block->size - size <= size / 4 &&
        (best == all.blocks.end() || block->size < best->size))
      best = block;
  if (best == all.blocks.end())
    return {};
  const PageBlock found = *best;
  all.blocks.erase(best);
  all.bytes -= found.size;
  return found;
}

void unmap(const std::vector<PageBlock> &blocks) {
  for (const PageBlock &block : blocks)
    munmap(block.data, block.size);
}

} // namespace

PageBlock take_pages(std::size_t size) {
  if (const PageBlock block = take_retained(size); block.data)
    return block;
  void *data = map_huge_pages(size);
  if (!data) {
    unmap_retained_pages();
    data = map_huge_pages(size);
  }
  return {static_cast<std::byte *>(data), data ? size : 0, true};
}

void release_pages(PageBlock block) {
  Retained &all = retained();
  if (block.size > all.limit || madvise(block.data, block.size, MADV_FREE) != 0) {
    unmap({block});
    return;
  }
  block.is_zero = false;
  std::vector<PageBlock> surplus;
  {
    const std::lock_guard lock(all.mutex);
    all.blocks.push_back(block);
    all.bytes += block.size;
    auto first_kept = all.blocks.begin();
    for (; all.bytes > all.limit || all.blocks.end() - first_kept > std::ptrdiff_t(most_blocks);
         ++first_kept)
      all.bytes -= first_kept->size;
    surplus.assign(all.blocks.begin(), first_kept);
    all.blocks.erase(all.blocks.begin(), first_kept);
  }
  unmap(surplus);
}

void unmap_retained_pages() {
  Retained &all = retained();
  std::vector<PageBlock> blocks;
  {
    const std::lock_guard lock(all.mutex);
    blocks.swap(all.blocks);
    all.bytes = 0;
  }
  unmap(blocks);
}

} // namespace lockstep::runtime
