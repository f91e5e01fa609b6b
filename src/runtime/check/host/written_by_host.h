// Detects which bytes the program has written in memory that it can write at any time, while
// undefined values are checked: fine-grained SVM, shared and host USM. The writes themselves cannot
// be observed. So such memory starts with a random pattern per process, and different bytes have
// been written.
//
// The unit is four bytes: if any byte differs from the pattern, all four count as written. With
// probability 2^-32 a value of the program equals the pattern. So in memory larger than a 64-byte
// line, only two or more units of one line count as unwritten. The pattern differs within a line,
// so that no value stored everywhere equals it.
#pragma once

#include <cstddef>
#include <span>

namespace lockstep::runtime {

// Called before the program gets the memory. Requires an address that is a multiple of 4.
void make_unwritten(std::span<std::byte> memory);

// Examines bytes `begin` to `end` (at most the size), and the rest of their lines. Marks written
// bytes as defined in `shadow`, which has a 1 for each defined bit. Returns true if there were any.
bool record_written(std::span<const std::byte> memory, std::size_t begin, std::size_t end,
                    std::byte *shadow);

} // namespace lockstep::runtime
