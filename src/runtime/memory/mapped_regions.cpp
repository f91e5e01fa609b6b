#include "runtime/memory/mapped_regions.h"

#include <algorithm>

namespace lockstep::runtime {
namespace {

bool overlap(const MappedRegion &a, const MappedRegion &b) {
  if (a.memory == b.memory && a.extent[0] != 0 && b.extent[0] != 0) {
    for (int d = 0; d < 3; ++d)
      if (a.origin[d] + a.extent[d] <= b.origin[d] || b.origin[d] + b.extent[d] <= a.origin[d])
        return false;
    return true;
  }
  return a.begin < b.begin + b.size && b.begin < a.begin + a.size;
}

} // namespace

bool MappedRegions::add(const MappedRegion &region) {
  std::lock_guard lock(mutex_);
  if (region.for_writing && std::ranges::any_of(regions_, [&](auto &other) {
        return other.for_writing && overlap(region, other);
      }))
    return false;
  regions_.push_back(region);
  return true;
}

std::optional<MappedRegion> MappedRegions::remove(const void *memory, const void *begin) {
  std::lock_guard lock(mutex_);
  auto found = regions_.end();
  for (auto region = regions_.begin(); region != regions_.end(); ++region)
    if (region->memory == memory && region->begin == begin &&
        (found == regions_.end() || region->for_writing))
      found = region;
  if (found == regions_.end())
    return std::nullopt;
  MappedRegion removed = *found;
  regions_.erase(found);
  return removed;
}

bool MappedRegions::contains(const void *memory, const void *begin) const {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      regions_, [&](auto &region) { return region.memory == memory && region.begin == begin; });
}

unsigned MappedRegions::count(const void *memory) const {
  std::lock_guard lock(mutex_);
  return static_cast<unsigned>(
      std::ranges::count_if(regions_, [&](auto &region) { return region.memory == memory; }));
}

bool MappedRegions::is_empty() const {
  std::lock_guard lock(mutex_);
  return regions_.empty();
}

} // namespace lockstep::runtime
