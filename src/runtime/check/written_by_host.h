// What the program itself has written of memory that it can write at any time, while undefined values are looked for: fine-grained
// shared virtual memory, shared and host USM. Nobody sees it do so. So such memory begins with bytes that are drawn once for each
// process, and what has others was written.
//
// It is looked at in fours of bytes: of one whose bytes are not all the drawn ones, each counts as written. One in 2^32 that the
// program writes is as it was drawn by chance; so of memory that is larger than a line of 64 bytes, only two fours of one line at least
// count as not written. The drawn bytes of a line differ, so that no value that is written everywhere looks like that.
#pragma once

#include <cstddef>
#include <span>

namespace lockstep::runtime {

// Before the program is given it. Begins at a multiple of 4.
void make_unwritten(std::span<std::byte> memory);

// Of bytes `begin` to `end` (at most the size) of the memory, and the rest of their lines. In the plane, which has a 1 for each
// bit that is known to be defined, what was written meanwhile is so then. True: something was.
bool note_written(std::span<const std::byte> memory, std::size_t begin, std::size_t end,
                  std::byte *plane);

} // namespace lockstep::runtime
