// Freed memory that is shared by address. While uses after free are checked, it is retained for a
// while: no other object reuses the address, so that later accesses are found.
//
// Memory freed while commands that name it are still running is reported immediately. Buffers are
// reference-counted, and may be released at any time.
#pragma once

#include "runtime/memory/allocations.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace lockstep::runtime {

class ReleasedMemory {
public:
  static void start(); // once, before the first command
  static ReleasedMemory &instance();

  void keep(Allocations::Known memory);
  bool has(const void *address) const;
  // Describes the allocation of the address; empty: not in a freed one.
  std::string text_of(uint64_t address) const;

private:
  class CommandsInFlight;
  static constexpr std::size_t most_bytes = std::size_t(256) << 20, most = 4096;
  Allocations::Known find(uint64_t address) const;
  mutable std::mutex mutex_;
  std::deque<Allocations::Known> kept_; // oldest first
  std::map<uint64_t, Allocations::Known> by_address_;
  std::size_t bytes_ = 0;
};

} // namespace lockstep::runtime
