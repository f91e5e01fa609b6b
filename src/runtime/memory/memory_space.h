// The memory of a device that does not use host memory. Addresses in it are valid on that device
// only.
#pragma once

#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace lockstep::runtime {

class MemorySpace {
public:
  // Host threads share a large transfer in parts of this size, each of which is one call.
  static constexpr std::size_t part_bytes = std::size_t{4} << 20;
  static constexpr uint64_t parts_of(std::size_t size) {
    return (size + part_bytes - 1) / part_bytes;
  }
  // A guess: one thread copies 8 bytes in a nanosecond.
  static constexpr uint64_t nanoseconds_per_part = part_bytes / 8;

  virtual ~MemorySpace() = default;
  // Contents are undefined. ErrorKind::out_of_resources: the device has no memory left.
  virtual Result<std::byte *> allocate(std::size_t size) = 0;
  virtual void free(std::byte *address, std::size_t size) = 0;
  // Whether the program may use addresses of this memory: none of them is one of the host's memory,
  // kernels can access it by these addresses, and allocate_on_host() works.
  virtual bool has_unified_addresses() const { return false; }
  // Memory of the host that kernels of the device can access at the same address. Contents are
  // undefined. ErrorKind::unsupported: the device has none.
  virtual Result<std::shared_ptr<std::byte>> allocate_on_host(std::size_t /*size*/) {
    return Error{ErrorKind::unsupported, "the device cannot access memory of the host"};
  }
  // Makes memory of the host such memory, until the result is destroyed. Its pages may contain
  // other data. `owner` keeps it alive, which may be longer. ErrorKind::unsupported as above;
  // out_of_resources: the system cannot pin so much.
  virtual Result<std::shared_ptr<const void>> pin(std::byte * /*begin*/, std::size_t /*size*/,
                                                  std::shared_ptr<const void> /*owner*/) {
    return Error{ErrorKind::unsupported, "the device cannot access memory of the host"};
  }
  // Copies between this memory and the host's. Any number of threads may call them; both are
  // synchronous.
  virtual Result<void> write(std::byte *to, const std::byte *from_host, std::size_t size) = 0;
  virtual Result<void> read(std::byte *to_host, const std::byte *from, std::size_t size) = 0;
  // The same from the memory of another device. False: it was not copied, because the two devices
  // cannot do that without the host's memory.
  virtual Result<bool> copy_from(std::byte * /*to*/, MemorySpace & /*other*/,
                                 const std::byte * /*from*/, std::size_t /*size*/) {
    return false;
  }
};

} // namespace lockstep::runtime
