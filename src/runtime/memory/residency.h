// Where the valid copies of a buffer's bytes are, once a device with memory of its own uses it.
//
// The host has a copy of every buffer, and host and CPU work on that. Another device has one in its
// memory space from the first launch on that is given the buffer. For each range of bytes it is
// known in which of these *places* they are valid. A command that is ready to run and reads bytes
// that are not valid where it works is held back until they are: a transfer becomes one of its
// dependencies, a command as any other. What it writes is from then on valid where it works only.
//
// Why when a command is ready and not when it is enqueued: all commands that it comes after are
// settled then, whatever order the program called us in (user events can turn that round). Commands
// that are neither before nor after it do not write what it touches, or the program is wrong; so
// what is found does not change until it runs. Why ranges: sub-buffers that do not overlap may be
// written by several devices at once, and copying more than a command reads would undo the writes
// of another.
//
// Programs whose devices all work on the host's memory pay for this with one look at a flag for
// each command.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/memory/memory_space.h"
#include "support/result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

struct Transfers {
  std::vector<CommandRef> all;
  std::vector<CommandRef> fresh; // of these: nobody has started them
};

class Residency {
public:
  // `host`: where the host's copy is. It is valid.
  Residency(std::byte *host, std::size_t size);
  ~Residency();
  Residency(const Residency &) = delete;
  Residency &operator=(const Residency &) = delete;

  // The beginning of the copy in that space, which is made if there is none.
  Result<std::byte *> address_in(const std::shared_ptr<MemorySpace> &space);

  // Adds what is to be waited for before `space` (null: the host) may be read from `begin` to `end`.
  void fetch(std::size_t begin, std::size_t end, const MemorySpace *space, Transfers &transfers);
  // From here on the range is valid there only.
  void set_written(std::size_t begin, std::size_t end, const MemorySpace *space);

private:
  struct Place {
    std::shared_ptr<MemorySpace> space; // null: the host
    std::byte *data = nullptr;
  };
  // Up to where the next one begins.
  struct Range {
    uint64_t valid_in = 1; // bits: places, those included where a transfer is under way
    std::vector<std::pair<std::size_t, CommandRef>> arriving; // place, transfer
  };
  using Ranges = std::map<std::size_t, Range>;

  std::size_t place_of(const MemorySpace *space) const;
  Ranges::iterator split_at(std::size_t offset);
  void join_equal(std::size_t begin, std::size_t end);

  const std::size_t size_;
  std::mutex mutex_;
  std::vector<Place> places_; // the first is the host's
  Ranges ranges_;             // never empty
};

// Whether any buffer of the process is in memory that is not the host's.
inline constinit std::atomic<bool> memory_is_spread{false};

// For an operation whose dependencies are settled: the transfers that it must wait for. None: it may
// run, and what it writes counts as written. If it throws std::bad_alloc, there may be fresh ones already, which others may wait
// for: the caller starts them.
void add_transfers_for(const Operation &operation, Transfers &transfers);

} // namespace lockstep::runtime
