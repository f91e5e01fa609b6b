#include "api/sycl/launch_memory.h"

#include "api/sycl/error.h"
#include "platform/linux/leaked.h"
#include "runtime/memory/memory_space.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace lockstep::sycl_api {
namespace {

constexpr std::size_t space_alignment = 256; // of memory that a space allocates, at least
constexpr std::size_t smallest_block = 4096;
constexpr std::size_t most_free_bytes = std::size_t{64} << 20;
constexpr std::size_t counter_bytes = 64, counters_of_block = 1024;

std::byte *aligned(std::byte *address, std::size_t alignment) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  return address + (-begin & (alignment - 1));
}

// The blocks of one space.
class Blocks {
public:
  explicit Blocks(std::shared_ptr<runtime::MemorySpace> space) : space_(std::move(space)) {}

  Result<std::shared_ptr<void>> take(std::size_t bytes, std::size_t alignment) {
    const std::size_t slack = alignment > space_alignment ? alignment : 0;
    auto block = take_block(std::bit_ceil(std::max(smallest_block, bytes + slack)));
    LOCKSTEP_TRY(block);
    return std::shared_ptr<void>(*block, aligned(block->get(), alignment));
  }

  // Counters are parts of a block that the host has zeroed. Each is used once, whether or not its
  // kernel ended: then the block is zeroed again.
  Result<std::shared_ptr<void>> take_counter() {
    std::shared_ptr<void> used_up; // released without the lock, which its end takes
    std::lock_guard lock(counters_mutex_);
    if (!counters_ || next_counter_ == counters_of_block) {
      auto block = take_zeroed(counters_of_block * counter_bytes, counter_bytes);
      LOCKSTEP_TRY(block);
      used_up = std::exchange(counters_, std::move(*block));
      next_counter_ = 0;
    }
    std::byte *const first = static_cast<std::byte *>(counters_.get());
    return std::shared_ptr<void>(counters_, first + counter_bytes * next_counter_++);
  }

  Result<std::shared_ptr<void>> take_zeroed(std::size_t bytes, std::size_t alignment) {
    auto memory = take(bytes, alignment);
    LOCKSTEP_TRY(memory);
    const std::vector<std::byte> zeros(bytes);
    LOCKSTEP_TRY(
        space_->write(static_cast<std::byte *>(memory->get()), zeros.data(), zeros.size()));
    return memory;
  }

private:
  Result<std::shared_ptr<std::byte>> take_block(std::size_t size) {
    std::byte *memory = nullptr;
    {
      std::lock_guard lock(mutex_);
      if (auto found = free_.find(size); found != free_.end()) {
        memory = found->second;
        free_.erase(found);
        free_bytes_ -= size;
      }
    }
    if (!memory) {
      auto made = space_->allocate(size);
      if (!made) {
        free_all();
        made = space_->allocate(size);
      }
      LOCKSTEP_TRY(made);
      memory = *made;
    }
    return std::shared_ptr<std::byte>(memory, [this, size](std::byte *end) { give(end, size); });
  }

  void give(std::byte *memory, std::size_t size) {
    {
      std::lock_guard lock(mutex_);
      if (free_bytes_ + size <= most_free_bytes) {
        free_.emplace(size, memory);
        free_bytes_ += size;
        return;
      }
    }
    space_->free(memory, size);
  }

  void free_all() {
    std::multimap<std::size_t, std::byte *> all;
    {
      std::lock_guard lock(mutex_);
      all.swap(free_);
      free_bytes_ = 0;
    }
    for (const auto &[size, memory] : all)
      space_->free(memory, size);
  }

  const std::shared_ptr<runtime::MemorySpace> space_;
  std::mutex mutex_;
  std::multimap<std::size_t, std::byte *> free_;
  std::size_t free_bytes_ = 0;
  std::mutex counters_mutex_;
  std::shared_ptr<void> counters_;
  std::size_t next_counter_ = 0;
};

struct AllBlocks {
  std::mutex mutex;
  std::map<const runtime::MemorySpace *, std::unique_ptr<Blocks>> of;
};

Blocks &blocks_of(const std::shared_ptr<runtime::MemorySpace> &space) {
  AllBlocks &all = leaked<AfterFork::make_again>([] { return new AllBlocks; });
  std::lock_guard lock(all.mutex);
  std::unique_ptr<Blocks> &blocks = all.of[space.get()];
  if (!blocks)
    blocks = std::make_unique<Blocks>(space);
  return *blocks;
}

std::shared_ptr<void> memory_of_host(std::size_t bytes, std::size_t alignment, bool is_zeroed) {
  const std::align_val_t align{alignment};
  void *const memory = ::operator new(bytes, align);
  if (is_zeroed)
    std::memset(memory, 0, bytes);
  return {memory, [align](void *end) { ::operator delete(end, align); }};
}

} // namespace

std::shared_ptr<void> launch_memory(const runtime::Device &device, std::size_t bytes,
                                    std::size_t alignment, bool is_zeroed) {
  const std::shared_ptr<runtime::MemorySpace> &space = device.memory_space();
  if (!space)
    return memory_of_host(bytes, alignment, is_zeroed);
  Blocks &blocks = blocks_of(space);
  if (!is_zeroed)
    return value_or_raise(blocks.take(bytes, alignment));
  if (bytes <= counter_bytes && alignment <= counter_bytes)
    return value_or_raise(blocks.take_counter());
  return value_or_raise(blocks.take_zeroed(bytes, alignment));
}

} // namespace lockstep::sycl_api
