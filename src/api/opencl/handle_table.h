// A set of chunk addresses that only grows. Lookup takes no lock.
//
// The set uses open addressing. An entry is written once and never changes, so a reader that finds
// an empty entry knows that the address was not inserted before its lookup began. Each pool has at
// most one writer at a time, but several pools write concurrently. Therefore writers claim an entry
// by compare-and-swap.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep::opencl {

class HandleTable {
public:
  static constexpr std::size_t capacity =
      1 << 16; // chunks; 512 KiB of zero pages, of which only the used ones are allocated

  // Returns false if the table is full.
  bool insert(const void *chunk) {
    auto address = reinterpret_cast<uintptr_t>(chunk);
    for (std::size_t probe = 0; probe < capacity; ++probe) {
      uintptr_t expected = 0;
      if (entries_[index(address, probe)].compare_exchange_strong(expected, address,
                                                                  std::memory_order_release))
        return true;
    }
    return false;
  }

  bool contains(uintptr_t address) const {
    if (address == 0)
      return false;
    for (std::size_t probe = 0; probe < capacity; ++probe) {
      uintptr_t entry = entries_[index(address, probe)].load(std::memory_order_acquire);
      if (entry == address)
        return true;
      if (entry == 0)
        return false;
    }
    return false;
  }

private:
  // Applies Fibonacci hashing to the chunk number.
  static std::size_t index(uintptr_t address, std::size_t probe) {
    return (static_cast<std::size_t>((address >> 16) * 0x9e3779b97f4a7c15ull >> 48) + probe) &
           (capacity - 1);
  }

  std::array<std::atomic<uintptr_t>, capacity> entries_{};
};

} // namespace lockstep::opencl
