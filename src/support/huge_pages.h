// Memory in huge pages, where the system has them to give.
#pragma once

#include <cstddef>

namespace lockstep {

inline constexpr std::size_t huge_page_size = std::size_t{2} << 20;

// `size` bytes of fresh pages that begin at a huge page; null if the system has none. A multiple of
// a page, for munmap. Pages are not touched, so each is placed near the thread that writes it first.
void *map_huge_pages(std::size_t size);

} // namespace lockstep
