#include "tests/nvidia/fake_cuda/fake_memory.h"

#include <cstdlib>
#include <iterator>
#include <sys/mman.h>

namespace lockstep::fake_cuda {
namespace {

constexpr std::size_t page = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page - 1) / page * page;
}

} // namespace

Memory &Memory::instance() {
  static auto &memory = *new Memory; // stream threads use it until the process ends
  return memory;
}

runtime::cuda::Address Memory::allocate(std::size_t bytes, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > limit || allocated_ > limit - bytes)
    return 0;
  void *memory = mmap(nullptr, whole_pages(bytes), open_ ? PROT_READ | PROT_WRITE : PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return 0;
  allocated_ += bytes;
  device_.emplace(static_cast<std::byte *>(memory), bytes);
  return reinterpret_cast<runtime::cuda::Address>(memory);
}

bool Memory::free(runtime::cuda::Address address) {
  const std::lock_guard lock(mutex_);
  const auto block = device_.find(reinterpret_cast<std::byte *>(address));
  if (block == device_.end())
    return false;
  munmap(block->first, whole_pages(block->second));
  allocated_ -= block->second;
  device_.erase(block);
  return true;
}

void *Memory::allocate_pinned(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  void *memory = std::aligned_alloc(page, whole_pages(bytes));
  if (memory)
    pinned_.emplace(static_cast<std::byte *>(memory), bytes);
  return memory;
}

bool Memory::free_pinned(void *memory) {
  const std::lock_guard lock(mutex_);
  if (pinned_.erase(static_cast<std::byte *>(memory)) == 0)
    return false;
  std::free(memory);
  return true;
}

bool Memory::pin_pages(void *memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto *begin = static_cast<std::byte *>(memory);
  const auto next = pages_.lower_bound(begin);
  if ((next != pages_.end() && next->first < begin + bytes) ||
      (next != pages_.begin() && std::prev(next)->first + std::prev(next)->second > begin))
    return false;
  pages_.emplace(begin, bytes);
  return true;
}

bool Memory::unpin_pages(void *memory) {
  const std::lock_guard lock(mutex_);
  return pages_.erase(static_cast<std::byte *>(memory)) != 0;
}

bool Memory::contains(const Blocks &blocks, const std::byte *begin, std::size_t bytes) {
  auto block = blocks.upper_bound(const_cast<std::byte *>(begin));
  if (block == blocks.begin())
    return false;
  --block;
  const auto offset = std::size_t(begin - block->first);
  return offset <= block->second && bytes <= block->second - offset;
}

bool Memory::is_in_a_block(runtime::cuda::Address address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  return contains(device_, reinterpret_cast<const std::byte *>(address), bytes);
}

bool Memory::is_pinned(const void *memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto *begin = static_cast<const std::byte *>(memory);
  return contains(pinned_, begin, bytes) || contains(pages_, begin, bytes);
}

std::size_t Memory::blocks() {
  const std::lock_guard lock(mutex_);
  return device_.size();
}

void Memory::protect(int protection) {
  for (const auto &[begin, bytes] : device_)
    mprotect(begin, whole_pages(bytes), protection);
}

Memory::Open::Open() {
  Memory &memory = instance();
  const std::lock_guard lock(memory.mutex_);
  if (memory.open_++ == 0)
    memory.protect(PROT_READ | PROT_WRITE);
}

Memory::Open::~Open() {
  Memory &memory = instance();
  const std::lock_guard lock(memory.mutex_);
  if (--memory.open_ == 0)
    memory.protect(PROT_NONE);
}

} // namespace lockstep::fake_cuda
