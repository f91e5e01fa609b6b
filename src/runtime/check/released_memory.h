// Memory that the program has freed and that is shared by address. While its use is looked for, it is kept for a while, so
// that nothing else comes to lie there and whoever uses it still is found. What is freed while commands that name it have
// not ended is told at once. Buffers are counted references, and may be released at any time.
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
  // Of which allocation the address is; empty: of none that was freed.
  std::string text_of(uint64_t address) const;

private:
  class CommandsUnderWay;
  static constexpr std::size_t most_bytes = std::size_t(256) << 20, most = 4096;
  Allocations::Known find(uint64_t address) const;
  mutable std::mutex mutex_;
  std::deque<Allocations::Known> kept_; // the oldest first
  std::map<uint64_t, Allocations::Known> by_address_;
  std::size_t bytes_ = 0;
};

} // namespace lockstep::runtime
