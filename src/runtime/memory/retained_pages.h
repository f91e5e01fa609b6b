// Retains the pages of released buffers, and gives them to later buffers.
//
// Programs that make a buffer for each call, as CLBlast does for transposed copies, would otherwise
// wait each time until the system has mapped and cleared its pages. Two additions whose results are
// new buffers of 4 to 64 MiB took 1.4 to 1.6 times as long (processor time, one thread of a Zen 5).
//
// Ensures: at most a sixteenth of the memory is retained, the oldest pages are unmapped first, and
// the system may take the pages of a retained block back when it is short of memory (MADV_FREE).
#pragma once

#include <cstddef>

namespace lockstep::runtime {

// Begins at a multiple of huge_page_size.
struct PageBlock {
  std::byte *data = nullptr; // null: the system has no memory
  std::size_t size = 0;      // bytes, a multiple of the page size; may be more than requested
  bool is_zero = false;      // no buffer has used it before
};

PageBlock take_pages(std::size_t size);
void release_pages(PageBlock block);
void unmap_retained_pages();

} // namespace lockstep::runtime
