#include "runtime/check/report/argument_memories.h"

#include "runtime/memory/allocations.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace lockstep::runtime {

namespace {

WideRange range_of(const std::byte *begin, std::size_t size) {
  const Wide first = Wide(reinterpret_cast<uintptr_t>(begin));
  return {first, first + Wide(size)};
}

bool overlap(const WideRange &one, const WideRange &other) {
  return one.least < other.most && other.least < one.most;
}

// The end of one memory may also be the beginning of the next one: an address there may mean
// either.
std::optional<WideRange> memory_at(const std::byte *address, std::span<const Access> accesses) {
  std::optional<WideRange> found;
  auto add = [&](const WideRange &range) {
    const Wide place = Wide(reinterpret_cast<uintptr_t>(address));
    if (place < range.least || place > range.most)
      return;
    found = found
                ? WideRange{std::min(found->least, range.least), std::max(found->most, range.most)}
                : range;
  };
  for (const Access &access : accesses)
    if (const auto &buffer = access.memory.buffer())
      add(range_of(buffer->root().data(), buffer->root().size()));
  const Allocations &allocations = Allocations::instance();
  for (const std::byte *each : {address, address - 1})
    if (const auto known = allocations.any() ? allocations.find(each) : nullptr)
      add(range_of(known->begin(), known->size()));
  return found;
}

} // namespace

ArgumentMemories::Memory ArgumentMemories::memory_of(const compiler::ArgumentUse &use) const {
  if (std::size_t(use.argument) >= kernel_.args.size())
    return {};
  const compiler::KernelArg &arg = kernel_.args[std::size_t(use.argument)];
  Memory memory;
  if (use.byte < 0) {
    const auto found = std::find_if(accesses_.begin(), accesses_.end(), [&](const Access &each) {
      return each.argument == use.argument;
    });
    if (found != accesses_.end()) {
      memory.all = range_of(found->memory.data(), found->memory.size());
      memory.address = memory.all->least;
      memory.is_plain = arg.kind == compiler::ArgKind::global_pointer ||
                        arg.kind == compiler::ArgKind::constant_pointer;
      if (!found->is_placed || !memory.is_plain)
        return memory;
    }
  }
  const std::size_t place = use.byte < 0 ? 0 : std::size_t(use.byte);
  const std::byte *address = nullptr;
  if (place + sizeof address > arg.size)
    return {};
  std::memcpy(&address, static_cast<const std::byte *>(numbers_.launch().args) + arg.offset + place,
              sizeof address);
  memory.address = Wide(reinterpret_cast<uintptr_t>(address));
  memory.is_null = address == nullptr;
  if (use.byte >= 0 && address)
    memory.all = memory_at(address, accesses_);
  return memory;
}

std::optional<WideRange> ArgumentMemories::reach_of(const compiler::ArgumentUse &use,
                                                    const Memory &memory) const {
  const compiler::DistinctAddresses &reach = use.reach;
  if (!memory.is_plain || reach.places.empty())
    return memory.all;
  AddressNumbers places(numbers_, reach);
  for (const auto &[sum, bits, is_signed] : reach.fitting)
    if (!places.fits(sum, bits, is_signed))
      return memory.all;
  WideRange bytes{2 * beyond_memory, -2 * beyond_memory};
  for (const auto &[offset, size] : reach.places) {
    const auto range = places.range_of(offset);
    if (!range)
      return memory.all;
    bytes.least = std::min(bytes.least, memory.address + range->least);
    bytes.most = std::max(bytes.most, memory.address + range->most + size);
  }
  return bytes;
}

// Whole memories are compared first, which proves most of them disjoint.
uint64_t ArgumentMemories::overlapping() const {
  std::vector<Memory> memories;
  for (const compiler::ArgumentUse &use : uses_)
    memories.push_back(memory_of(use));
  std::vector<std::optional<std::optional<WideRange>>> reaches(uses_.size());
  auto reach = [&](std::size_t i) {
    if (!reaches[i])
      reaches[i] = reach_of(uses_[i], memories[i]);
    return *reaches[i];
  };
  uint64_t found = 0;
  auto add = [&](std::size_t i) {
    if (uses_[i].number < 64)
      found |= uint64_t(1) << uses_[i].number;
  };
  for (std::size_t i = 0; i < uses_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Memory &one = memories[i], &other = memories[j];
      if ((!uses_[i].writes && !uses_[j].writes) || one.is_null || other.is_null ||
          (one.all && other.all && !overlap(*one.all, *other.all)))
        continue;
      const auto first = reach(i), second = reach(j);
      if (first && second && !overlap(*first, *second))
        continue;
      add(i);
      add(j);
    }
  return found;
}

} // namespace lockstep::runtime
