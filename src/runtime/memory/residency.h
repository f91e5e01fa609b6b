// Tracks which copies of a buffer's bytes are valid, once a device with separate memory uses the
// buffer.
//
// The host has a copy of every buffer, which the host and CPU devices use. Another device gets a
// copy in its memory space with the first launch that uses the buffer. For each range of bytes, the
// residency records in which of these *places* they are valid. If a ready command reads bytes that
// are not valid in its own memory, it waits: a transfer, which is a normal command, becomes one of
// its dependencies. After a write, the bytes are valid in the writer's place only.
//
// The check is made when a command is ready, not when it is enqueued: then all predecessors are
// settled, even if the order of calls was different (user events allow that). A device may get a
// command earlier, behind predecessors that it has got: their writes are recorded already.
// Unordered commands do not write the bytes that it accesses, unless the program has a data race;
// so the result stays true until the command runs. The unit is a range: several devices may write
// disjoint sub-buffers at once, and a copy of more than a command reads would overwrite another
// device's writes.
//
// A program whose devices all use host memory pays one check of a flag per command.
#pragma once

#include "runtime/graph/awaited_transfers.h"
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

class Residency {
public:
  // `data` is the address of the copy in `space` (null: the host's), which is valid. In a space of a
  // device it is the only copy: no other place can have one, and the residency frees it.
  Residency(std::shared_ptr<MemorySpace> space, std::byte *data, std::size_t size);
  ~Residency();
  Residency(const Residency &) = delete;
  Residency &operator=(const Residency &) = delete;

  // The beginning of the copy in `space`; makes the copy if there is none.
  // ErrorKind::unsupported: it is memory of another device.
  Result<std::byte *> address_in(const std::shared_ptr<MemorySpace> &space);

  bool has_copy_in(const MemorySpace *space);

  // Adds the transfers that must settle before begin..end can be read in `space` (null: the host).
  void fetch(std::size_t begin, std::size_t end, const MemorySpace *space, Transfers &transfers);
  // Whether all bytes can be read in `space` (nowhere_else: and in no other place). Takes no lock. It
  // may be false only because the lock would be needed.
  bool is_valid_everywhere(const MemorySpace *space, bool nowhere_else) const {
    const MemorySpace *const device = device_.load(std::memory_order_acquire);
    if (space ? space != device : !has_host_)
      return false;
    const uint64_t bit = space && has_host_ ? 2 : 1; // the device is the first place or the second
    const uint64_t all = all_valid_in_.load(std::memory_order_acquire);
    return nowhere_else ? all == bit : (all & bit) != 0;
  }
  // Whether begin..end can be read in `space` without a transfer, and none is in progress.
  bool is_valid(std::size_t begin, std::size_t end, const MemorySpace *space);
  // After this call the range is valid in `space` only.
  void set_written(std::size_t begin, std::size_t end, const MemorySpace *space);

private:
  struct Place {
    std::shared_ptr<MemorySpace> space; // null: the host
    std::byte *data = nullptr;
  };
  // State of the bytes from its key in `ranges_` to the next key.
  struct Range {
    uint64_t valid_in = 1; // bit set of places, including those with a transfer in progress
    std::vector<std::pair<std::size_t, CommandRef>> arriving; // place, transfer
  };
  using Ranges = std::map<std::size_t, Range>;

  // Sets what the functions without a lock read. The caller has the lock.
  void publish();
  std::size_t place_of(const MemorySpace *space) const;
  Ranges::iterator split_at(std::size_t offset);
  void join_equal(std::size_t begin, std::size_t end);

  const std::size_t size_;
  const bool has_host_; // false: this is memory of a device
  std::mutex mutex_;
  std::vector<Place> places_; // the first is the host's, if there is one
  Ranges ranges_;             // never empty
  // Most buffers have a copy on one device at most, and one range: launches need no lock for them.
  // The space and the copy of the first device, which never change. Null: there is none yet.
  std::atomic<const MemorySpace *> device_{nullptr};
  std::byte *on_device_ = nullptr;
  // The places in which all bytes are valid, if there is one range and no transfer; else 0.
  std::atomic<uint64_t> all_valid_in_;
};

} // namespace lockstep::runtime
