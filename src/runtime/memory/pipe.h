// Memory layout of a pipe (OpenCL 3.0 API section 5.4): a head, the states of the slots, the
// packets. device_lib/pipes.cl implements the operations.
#pragma once

#include "runtime/memory/buffer.h"

#include <cstdint>
#include <memory>

namespace lockstep::runtime {

struct PipeRing { // layout shared with device_lib/pipes.cl
  alignas(64) uint64_t next_written;
  alignas(64) uint64_t next_read;
  alignas(64) uint64_t being_written;
  uint64_t being_read;
  alignas(64) uint64_t slots;
  uint64_t first_packet; // offset in bytes from the head
  uint32_t max_packets, packet_size;
};
static_assert(sizeof(PipeRing) == 256 && offsetof(PipeRing, being_read) == 136 &&
              offsetof(PipeRing, packet_size) == 212);

// Makes an empty pipe; neither number may be 0. Fails with out_of_host_memory like
// Buffer::allocate.
Result<std::shared_ptr<Buffer>> make_pipe(std::shared_ptr<MemoryAccount> account,
                                          uint32_t packet_size, uint32_t max_packets);

} // namespace lockstep::runtime
