#include "platform/linux/huge_pages.h"

#include <cstdint>
#include <sys/mman.h>

namespace lockstep {

void *map_huge_pages(std::size_t size) {
  const std::size_t with_room = size + huge_page_size;
  void *memory =
      mmap(nullptr, with_room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t aligned = (begin + huge_page_size - 1) / huge_page_size * huge_page_size;
  if (aligned > begin)
    munmap(memory, aligned - begin);
  munmap(reinterpret_cast<void *>(aligned + size), begin + with_room - (aligned + size));
  auto *data = reinterpret_cast<void *>(aligned);
  madvise(data, size, MADV_HUGEPAGE); // may fail: it is only advice
  return data;
}

} // namespace lockstep
