// Memory of a device that computes in memory of its own. An address in it means nothing to anybody
// but the device.
#pragma once

#include "support/result.h"

#include <cstddef>

namespace lockstep::runtime {

class MemorySpace {
public:
  virtual ~MemorySpace() = default;
  // Contents undefined. ErrorKind::out_of_resources: there is no more.
  virtual Result<std::byte *> allocate(std::size_t size) = 0;
  virtual void free(std::byte *address, std::size_t size) = 0;
  // Between it and the host; for any thread, for several at a time, and over when they return.
  virtual Result<void> write(std::byte *to, const std::byte *from_host, std::size_t size) = 0;
  virtual Result<void> read(std::byte *to_host, const std::byte *from, std::size_t size) = 0;
};

} // namespace lockstep::runtime
