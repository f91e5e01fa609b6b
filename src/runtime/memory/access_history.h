// Which commands use which bytes of a buffer, for languages in which accesses make the order (SYCL's accessors): a command
// comes after the last one that wrote what it reads, and after all that read or wrote what it writes.
//
// Ranges of bytes, not whole buffers: sub-buffers and ranged accessors that do not overlap are independent. Settled commands
// are forgotten, so a history is as long as what is under way. While a listener hears of edges (events.h), it hears of those
// from settled commands, too: many settled readers are replaced by one marker that comes after them, so that a history
// stays short then as well. The time that `add` takes is, on average, that of the edges that it adds.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/memory/access.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class AccessHistory {
public:
  // To be held around `add` of all memories of a command and its enqueueing, in the order of addresses where there are
  // several: else two commands could each come after the other.
  std::mutex &mutex() { return mutex_; }

  // Notes that `command` accesses begin..end-1, and adds to `before` what it must come after. One command is added at a time,
  // with all its ranges.
  void add(std::size_t begin, std::size_t end, AccessMode mode, Command &command,
           std::vector<CommandRef> &before);

  // Those that are not settled. Takes the lock.
  std::vector<CommandRef> unsettled();
  CommandRef any_unsettled(); // null: none. Takes the lock, and no memory

  // For tests: how many commands it has, and how often it has looked at one.
  std::size_t size() const;
  uint64_t looked_at() const { return looked_at_; }

private:
  static constexpr std::size_t few = 64;
  // Up to where the next one begins.
  struct Range {
    CommandRef writer;
    std::vector<CommandRef> readers; // since then
    std::size_t most = few;          // readers, until it looks which of them are settled
  };
  using Ranges = std::map<std::size_t, Range>;
  Ranges::iterator split_at(std::size_t offset);
  void forget_settled(Range &range);

  std::mutex mutex_;
  uint64_t looked_at_ = 0;
  Ranges ranges_{{0, {}}};
};

// Waits until all are settled.
void wait_for(const std::vector<CommandRef> &commands);

} // namespace lockstep::runtime
