// Which commands use which bytes of a buffer, for languages in which accesses make the order (SYCL's accessors): a command
// comes after the last one that wrote what it reads, and after all that read or wrote what it writes.
//
// Ranges of bytes, not whole buffers: sub-buffers and ranged accessors that do not overlap are independent. Commands that
// are settled are forgotten when a range is looked at, so a history is as long as what is under way.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/memory/access.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class AccessHistory {
public:
  // To be held around `add` of all memories of a command and its enqueueing, in the order of addresses where there are
  // several: else two commands could each come after the other.
  std::mutex &mutex() { return mutex_; }

  // Notes that `command` accesses begin..end-1, and adds to `before` what it must come after.
  void add(std::size_t begin, std::size_t end, AccessMode mode, Command &command,
           std::vector<CommandRef> &before);

  // Those that are not settled. Takes the lock.
  std::vector<CommandRef> unsettled();

private:
  // Up to where the next one begins.
  struct Range {
    CommandRef writer;
    std::vector<CommandRef> readers; // since then
  };
  using Ranges = std::map<std::size_t, Range>;
  Ranges::iterator split_at(std::size_t offset);
  void forget_settled(Range &range);

  std::mutex mutex_;
  Ranges ranges_{{0, {}}};
};

// Waits until all are settled.
void wait_for(const std::vector<CommandRef> &commands);

} // namespace lockstep::runtime
