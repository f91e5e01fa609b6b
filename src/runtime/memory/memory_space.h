// The memory of a device that does not use host memory. Addresses in it are valid on that device
// only.
#pragma once

#include "support/result.h"

#include <cstddef>

namespace lockstep::runtime {

class MemorySpace {
public:
  virtual ~MemorySpace() = default;
  // Contents are undefined. ErrorKind::out_of_resources: the device has no memory left.
  virtual Result<std::byte *> allocate(std::size_t size) = 0;
  virtual void free(std::byte *address, std::size_t size) = 0;
  // Copies between this memory and the host's. Any number of threads may call them; both are
  // synchronous.
  virtual Result<void> write(std::byte *to, const std::byte *from_host, std::size_t size) = 0;
  virtual Result<void> read(std::byte *to_host, const std::byte *from, std::size_t size) = 0;
};

} // namespace lockstep::runtime
