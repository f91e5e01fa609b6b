// Records which commands use which bytes of a buffer, for languages in which accesses define the
// order (SYCL's accessors). A command comes after the last writer of the bytes that it reads, and
// after all readers and writers of the bytes that it writes.
//
// The unit is a range of bytes, not a buffer: sub-buffers and ranged accessors that do not overlap
// are independent. Settled commands are removed, so a history holds only commands in progress.
// While a listener records edges (events.h), it needs those from settled commands, too: then one
// marker replaces many settled readers, so that the history stays short. The average time of `add`
// is proportional to the number of edges that it adds.
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
  // Hold it around `add` for all memories of a command and around the enqueueing. Lock several in
  // the order of their addresses: otherwise two commands could each come after the other.
  std::mutex &mutex() { return mutex_; }

  // Records that `command` accesses begin..end-1, and appends the commands that it must come after
  // to `before`. All ranges of one command must be added before another command.
  void add(std::size_t begin, std::size_t end, AccessMode mode, Command &command,
           std::vector<CommandRef> &before);

  // Whether a command that was added writes. The lock must be held.
  bool was_written() const { return was_written_; }
  void forget_writes() { was_written_ = false; }

  // The commands that are not settled. Takes the lock.
  std::vector<CommandRef> unsettled();
  CommandRef any_unsettled(); // null: none. Takes the lock; allocates nothing

  // For tests: the number of recorded commands, and how many were examined so far.
  std::size_t size() const;
  uint64_t looked_at() const { return looked_at_; }

private:
  static constexpr std::size_t few = 64;
  // Accesses from its key in `ranges_` to the next key.
  struct Range {
    CommandRef writer;
    std::vector<CommandRef> readers; // since then
    std::size_t most = few;          // number of readers at which settled ones are removed next
  };
  using Ranges = std::map<std::size_t, Range>;
  Ranges::iterator split_at(std::size_t offset);
  void forget_settled(Range &range);

  std::mutex mutex_;
  bool was_written_ = false;
  uint64_t looked_at_ = 0;
  Ranges ranges_{{0, {}}};
};

// Waits until all are settled.
void wait_for(const std::vector<CommandRef> &commands);

} // namespace lockstep::runtime
