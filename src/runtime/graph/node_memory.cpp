// Enqueuing threads allocate nodes and workers free them. Per-thread caches of general allocators
// help least with this pattern. Here a thread that frees more than it allocates gives its surplus
// away in batches, and a thread without nodes takes a whole batch: one lock operation per
// `batch_size` nodes.
//
// In sanitizer builds every node is a separate allocation, so that a use after free is found.
#include "runtime/graph/node_memory.h"

#include "platform/linux/leaked.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace lockstep::runtime {
namespace {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool keeps_free_nodes = false;
#else
constexpr bool keeps_free_nodes = true;
#endif

constexpr std::size_t class_bytes = 256;
constexpr std::size_t class_count = 8; // nodes up to 2 KiB; larger ones are rare
constexpr uint32_t batch_size = 32;
constexpr std::size_t cache_line = 64;

struct FreeNode {
  FreeNode *next;
  FreeNode *next_batch; // valid in the first node of a batch that was given away
};

// A list linked through the nodes themselves, so that freeing a node allocates nothing.
struct Batches {
  std::mutex mutex;
  FreeNode *full = nullptr; // the first node of the first batch of batch_size nodes
};

// Never destroyed, because workers free nodes until the process ends.
std::array<Batches, class_count> &shared_batches() {
  return leaked<AfterFork::make_again>([] { return new std::array<Batches, class_count>; });
}

// Trivial type, so that it stays usable while a thread's destructors run.
struct ThreadCache {
  std::array<FreeNode *, class_count> head;
  std::array<uint32_t, class_count> count;
  bool ended;
};
thread_local constinit ThreadCache cache{};

void give_batch(std::size_t size_class) {
  FreeNode *head = cache.head[size_class], *last = head;
  for (uint32_t i = 1; i < batch_size; ++i)
    last = last->next;
  cache.head[size_class] = last->next;
  cache.count[size_class] -= batch_size;
  last->next = nullptr;
  Batches &shared = shared_batches()[size_class];
  std::lock_guard lock(shared.mutex);
  head->next_batch = std::exchange(shared.full, head);
}

// Frees a thread's nodes when the thread ends; incomplete batches go to the system, too.
struct CacheEnd {
  ~CacheEnd() {
    cache.ended = true;
    for (std::size_t c = 0; c < class_count; ++c) {
      while (FreeNode *node = cache.head[c]) {
        cache.head[c] = node->next;
        ::operator delete(node, std::align_val_t(NodeMemory::alignment));
      }
      cache.count[c] = 0;
    }
  }
};
thread_local CacheEnd cache_end;

void take_batch(std::size_t size_class) {
  (void)&cache_end; // forces construction, so that this thread runs the destructor
  Batches &shared = shared_batches()[size_class];
  std::lock_guard lock(shared.mutex);
  if (!shared.full)
    return;
  cache.head[size_class] = std::exchange(shared.full, shared.full->next_batch);
  cache.count[size_class] = batch_size;
}

} // namespace

void *NodeMemory::allocate(std::size_t size) {
  std::size_t size_class = (size - 1) / class_bytes;
  if (!keeps_free_nodes || size_class >= class_count)
    return ::operator new(size, std::align_val_t(alignment));
  if (!cache.head[size_class] && !cache.ended)
    take_batch(size_class);
  FreeNode *node = cache.head[size_class];
  if (!node)
    return ::operator new((size_class + 1) * class_bytes, std::align_val_t(alignment));
  cache.head[size_class] = node->next;
  // Another thread wrote the next node last: prefetch it before the next allocation.
  if (const auto *next = reinterpret_cast<const std::byte *>(cache.head[size_class]))
    for (std::size_t line = 0; line < size; line += cache_line)
      __builtin_prefetch(next + line, 1);
  --cache.count[size_class];
  return node;
}

void NodeMemory::free(void *memory, std::size_t size) noexcept {
  std::size_t size_class = (size - 1) / class_bytes;
  if (!keeps_free_nodes || size_class >= class_count || cache.ended) {
    ::operator delete(memory, std::align_val_t(alignment));
    return;
  }
  (void)&cache_end; // as above
  cache.head[size_class] = new (memory) FreeNode{cache.head[size_class], nullptr};
  if (++cache.count[size_class] >= 2 * batch_size)
    give_batch(size_class);
}

} // namespace lockstep::runtime
