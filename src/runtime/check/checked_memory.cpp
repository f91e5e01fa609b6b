#include "runtime/check/checked_memory.h"

#include "runtime/check/host/host_views.h"
#include "runtime/check/host/lent_memory.h"
#include "runtime/check/options/check_options.h"
#include "runtime/check/undefined/undefined_memory.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/buffer.h"

namespace lockstep::runtime {

std::shared_ptr<std::byte> CheckedMemory::memory_for_buffer(std::size_t size) {
  return check_options().commands ? HostViews::allocate(size) : nullptr;
}

std::shared_ptr<std::byte> CheckedMemory::memory_for_allocation(const AllocationRequest &request) {
  const bool is_programs_by_a_map_or_never =
      request.kind == AllocationKind::coarse_svm || request.kind == AllocationKind::device;
  return check_options().commands && is_programs_by_a_map_or_never
             ? HostViews::allocate_closed(request)
             : nullptr;
}

// ---- undefined values

void CheckedMemory::contents_are_undefined(Buffer &buffer, std::size_t known_bytes) {
  if (!observes_contents())
    return;
  UndefinedMemory::instance().add(buffer);
  UndefinedMemory::instance().define(buffer.data(), known_bytes);
}

void CheckedMemory::contents_are_defined(Buffer &buffer) {
  contents_are_undefined(buffer, buffer.size());
}

void CheckedMemory::contents_are_hosts(Buffer &buffer) {
  if (observes_contents())
    UndefinedMemory::instance().add(buffer, true);
}

void CheckedMemory::host_may_write(std::span<const std::byte> memory) {
  if (observes_contents())
    UndefinedMemory::instance().define(memory.data(), memory.size());
}

bool CheckedMemory::observes_contents() const {
  return check_options().undefined;
}

bool CheckedMemory::is_defined(const MemoryView &memory, bool by_name_alone) {
  return UndefinedMemory::instance().is_defined(memory, by_name_alone);
}

std::span<const std::byte> CheckedMemory::object_at(const void *address) const {
  return UndefinedMemory::instance().object_at(address);
}

// ---- accesses of the program

std::byte *CheckedMemory::as_host_sees(std::byte *memory) const {
  return check_options().commands ? HostViews::instance().of_host(memory) : memory;
}

const std::byte *CheckedMemory::as_commands_see(const void *seen) const {
  return check_options().commands ? HostViews::instance().of_commands(seen)
                                  : static_cast<const std::byte *>(seen);
}

std::unique_ptr<HostRegion> CheckedMemory::open_for_host(std::span<const std::byte> memory,
                                                         bool for_writing) {
  if (!check_options().commands)
    return nullptr;
  return std::make_unique<OpenForHost>(
      HostViews::Opened{memory.data(), memory.size(), for_writing, true});
}

bool CheckedMemory::wants_to_lend(const void *memory) const {
  return check_options().commands && LentMemory::is_lendable(memory);
}

std::unique_ptr<LentHostMemory> CheckedMemory::lend(void *memory, std::size_t size) {
  return LentMemory::lend(memory, size);
}

} // namespace lockstep::runtime
