// Allocates memory in huge pages, if the system provides them.
#pragma once

#include <cstddef>

namespace lockstep {

inline constexpr std::size_t huge_page_size = std::size_t{2} << 20;

// Maps `size` bytes, a multiple of the page size, aligned to a huge page; null on failure. The
// caller releases them with munmap. No page is touched, so each is placed on the NUMA node of the
// thread that writes it first.
void *map_huge_pages(std::size_t size);

} // namespace lockstep
