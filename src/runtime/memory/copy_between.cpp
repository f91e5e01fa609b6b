#include "runtime/memory/copy_between.h"

#include <algorithm>
#include <vector>

namespace lockstep::runtime {
namespace {

Access access_in_place(const MemoryView &memory, AccessMode mode) {
  Access access{.memory = memory, .mode = mode};
  access.is_in_only_place = memory.only_place() != nullptr;
  return access;
}

PlacedBytes bytes_of(const MemoryView &memory, std::size_t offset) {
  return {memory.only_place(), memory.data() + offset};
}

} // namespace

Result<void> copy_between(const PlacedBytes &to, const PlacedBytes &from, std::size_t size) {
  if (!from.space)
    return to.space->write(to.data, from.data, size);
  if (!to.space)
    return from.space->read(to.data, from.data, size);
  auto is_copied = to.space->copy_from(to.data, *from.space, from.data, size);
  LOCKSTEP_TRY(is_copied);
  if (*is_copied)
    return {};
  std::vector<std::byte> between(size);
  LOCKSTEP_TRY(from.space->read(between.data(), from.data, size));
  return to.space->write(to.data, between.data(), size);
}

CopyBetween::CopyBetween(const MemoryView &to, const MemoryView &from)
    : accesses_{access_in_place(to, AccessMode::overwrite),
                access_in_place(from, AccessMode::read)} {}

Result<void> CopyBetween::run(uint64_t first, uint64_t last) {
  for (uint64_t part = first; part < last; ++part) {
    const std::size_t begin = part * MemorySpace::part_bytes;
    const std::size_t bytes = std::min(MemorySpace::part_bytes, size() - begin);
    LOCKSTEP_TRY(copy_between(bytes_of(accesses_[0].memory, begin),
                              bytes_of(accesses_[1].memory, begin), bytes));
  }
  return {};
}

} // namespace lockstep::runtime
