#include "runtime/memory/pipe.h"

#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace lockstep::runtime {

Result<std::shared_ptr<Buffer>> make_pipe(std::shared_ptr<MemoryAccount> account,
                                          uint32_t packet_size, uint32_t max_packets) {
  // At most 2^32, so nothing overflows. At least two: with one slot, the state "full" would equal
  // the state after the packet was read.
  const uint64_t slots = std::bit_ceil(std::max<uint64_t>(max_packets, 2));
  const uint64_t first_packet = sizeof(PipeRing) + slots * sizeof(uint64_t);
  auto buffer = Buffer::allocate(std::move(account), first_packet + slots * packet_size);
  LOCKSTEP_TRY(buffer);
  auto *ring = new ((*buffer)->data()) PipeRing{};
  ring->slots = slots;
  ring->first_packet = first_packet;
  ring->max_packets = max_packets;
  ring->packet_size = packet_size;
  auto *states = reinterpret_cast<uint64_t *>(ring + 1);
  for (uint64_t slot = 0; slot < slots; ++slot)
    states[slot] = slot; // free for the ticket with this number
  memory_observer().contents_are_undefined(**buffer, first_packet);
  return buffer;
}

} // namespace lockstep::runtime
