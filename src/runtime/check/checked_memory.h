// The checker's observer of memory: undefined values (undefined/) and accesses of the program
// (host/).
#pragma once

#include "runtime/observers/memory_observer.h"

namespace lockstep::runtime {

class CheckedMemory final : public MemoryObserver {
public:
  std::shared_ptr<std::byte> memory_for_buffer(std::size_t size) override;
  std::shared_ptr<std::byte> memory_for_allocation(const AllocationRequest &request) override;

  void contents_are_undefined(Buffer &buffer, std::size_t known_bytes) override;
  void contents_are_defined(Buffer &buffer) override;
  void contents_are_hosts(Buffer &buffer) override;
  void host_may_write(std::span<const std::byte> memory) override;
  bool observes_contents() const override;
  bool is_defined(const MemoryView &memory, bool by_name_alone) override;
  std::span<const std::byte> object_at(const void *address) const override;

  std::byte *as_host_sees(std::byte *memory) const override;
  const std::byte *as_commands_see(const void *seen) const override;
  std::unique_ptr<HostRegion> open_for_host(std::span<const std::byte> memory,
                                            bool for_writing) override;

  bool wants_to_lend(const void *memory) const override;
  std::unique_ptr<LentHostMemory> lend(void *memory, std::size_t size) override;
};

} // namespace lockstep::runtime
