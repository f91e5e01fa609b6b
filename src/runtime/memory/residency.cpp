#include "runtime/memory/residency.h"

#include "runtime/memory/access.h"
#include "runtime/memory/copy_between.h"

#include <algorithm>
#include <bit>

namespace lockstep::runtime {
namespace {

// Copies the same bytes between two places. The waiting command keeps the buffer alive.
class Transfer : public HostOperation {
public:
  struct Side {
    std::shared_ptr<MemorySpace> space; // null: the host
    std::byte *data;
  };
  Transfer(Side to, Side from, std::size_t size)
      : to_(std::move(to)), from_(std::move(from)), size_(size) {}
  uint64_t parts() const override { return MemorySpace::parts_of(size_); }
  uint64_t expected_nanoseconds_per_part() const override {
    return MemorySpace::nanoseconds_per_part;
  }
  Result<void> run(uint64_t first, uint64_t last) override {
    const std::size_t begin = first * MemorySpace::part_bytes;
    const std::size_t size = std::min(last * MemorySpace::part_bytes, size_) - begin;
    return copy_between({to_.space.get(), to_.data + begin},
                        {from_.space.get(), from_.data + begin}, size);
  }

private:
  const Side to_, from_;
  const std::size_t size_;
};

void record_writes(const Operation &operation) {
  const MemorySpace *space = operation.memory_space();
  for (const Access &access : operation.accesses()) {
    Residency *residency = access.memory.residency();
    if (!residency || access.is_in_only_place || !writes(access.mode) ||
        residency->is_valid_everywhere(space, /*nowhere_else=*/true))
      continue;
    const std::size_t begin = access.memory.offset_in_root();
    residency->set_written(begin, begin + access.memory.size(), space);
  }
}

// See graph/awaited_transfers.h
void add_transfers(const Operation &operation, Transfers &transfers) {
  const MemorySpace *space = operation.memory_space();
  for (const Access &access : operation.accesses()) {
    Residency *residency = access.memory.residency();
    const std::size_t begin = access.memory.offset_in_root();
    if (residency && !access.is_in_only_place && access.mode != AccessMode::overwrite)
      residency->fetch(begin, begin + access.memory.size(), space, transfers);
  }
  if (transfers.all.empty())
    record_writes(operation);
}

// See graph/awaited_transfers.h
bool runs_now(const Operation &operation) {
  const MemorySpace *space = operation.memory_space();
  for (const Access &access : operation.accesses()) {
    Residency *residency = access.memory.residency();
    if (!residency || access.is_in_only_place || access.mode == AccessMode::overwrite ||
        residency->is_valid_everywhere(space, /*nowhere_else=*/false))
      continue;
    const std::size_t begin = access.memory.offset_in_root();
    if (!residency->is_valid(begin, begin + access.memory.size(), space))
      return false;
  }
  record_writes(operation);
  return true;
}

} // namespace

Residency::Residency(std::shared_ptr<MemorySpace> space, std::byte *data, std::size_t size)
    : size_(size), has_host_(!space) {
  places_.push_back({std::move(space), data});
  ranges_[0];
  on_device_ = places_.front().space ? data : nullptr;
  device_ = places_.front().space.get();
  publish();
  runs_without_transfers.store(runs_now, std::memory_order_release);
  awaited_transfers.store(add_transfers, std::memory_order_release);
}

Residency::~Residency() {
  for (const Place &place : places_)
    if (place.space)
      place.space->free(place.data, size_);
}

Result<std::byte *> Residency::address_in(const std::shared_ptr<MemorySpace> &space) {
  if (space && device_.load(std::memory_order_acquire) == space.get())
    return on_device_;
  std::lock_guard lock(mutex_);
  if (std::size_t known = place_of(space.get()); known < places_.size())
    return places_[known].data;
  if (places_.front().space)
    return Error{ErrorKind::unsupported, "memory of one device is used on another one"};
  if (places_.size() == 64)
    return Error{ErrorKind::out_of_resources,
                 "a buffer can be in the memory of 63 devices at most"};
  auto data = space->allocate(size_);
  if (!data)
    return data;
  places_.push_back({space, *data});
  if (places_.size() == 2) {
    on_device_ = *data;
    device_.store(space.get(), std::memory_order_release);
  }
  return data;
}

void Residency::publish() {
  const Range &first = ranges_.begin()->second;
  all_valid_in_.store(ranges_.size() == 1 && first.arriving.empty() ? first.valid_in : 0,
                      std::memory_order_release);
}

bool Residency::has_copy_in(const MemorySpace *space) {
  std::lock_guard lock(mutex_);
  return place_of(space) < places_.size();
}

std::size_t Residency::place_of(const MemorySpace *space) const {
  return std::size_t(std::find_if(places_.begin(), places_.end(),
                                  [&](const Place &place) { return place.space.get() == space; }) -
                     places_.begin());
}

// The range that begins at `offset`, split off if necessary; end() for the end of the buffer.
Residency::Ranges::iterator Residency::split_at(std::size_t offset) {
  auto range = ranges_.lower_bound(offset);
  if (offset == size_ || (range != ranges_.end() && range->first == offset))
    return range;
  const Range &before = std::prev(range)->second;
  return ranges_.emplace_hint(range, offset, before);
}

// Merges adjacent ranges with equal state.
void Residency::join_equal(std::size_t begin, std::size_t end) {
  auto range = ranges_.lower_bound(begin);
  if (range != ranges_.begin())
    --range;
  for (auto next = std::next(range); next != ranges_.end() && next->first <= end;
       next = std::next(range)) {
    if (next->second.valid_in == range->second.valid_in && next->second.arriving.empty() &&
        range->second.arriving.empty())
      ranges_.erase(next);
    else
      range = next;
  }
}

void Residency::fetch(std::size_t begin, std::size_t end, const MemorySpace *space,
                      Transfers &transfers) {
  if (is_valid_everywhere(space, /*nowhere_else=*/false))
    return;
  std::lock_guard lock(mutex_);
  all_valid_in_.store(0, std::memory_order_release); // until publish(), also if that is not reached
  const std::size_t to = place_of(space);
  const uint64_t bit = uint64_t{1} << to;
  const auto last = split_at(end);
  for (auto range = split_at(begin); range != last; ++range) {
    auto &[offset, state] = *range;
    std::erase_if(state.arriving, [&state](const auto &entry) {
      if (is_failure(entry.second->status()))
        state.valid_in &= ~(uint64_t{1} << entry.first);
      return entry.second->settled();
    });
    if (!(state.valid_in & bit)) {
      const auto from = std::size_t(std::countr_zero(state.valid_in));
      const auto next = std::next(range);
      const std::size_t size = (next == ranges_.end() ? size_ : next->first) - offset;
      auto transfer = Command::create<Transfer>(
          Transfer::Side{places_[to].space, places_[to].data + offset},
          Transfer::Side{places_[from].space, places_[from].data + offset}, size);
      transfer->reserve_dependencies(state.arriving.size());
      transfers.fresh.push_back(transfer);
      state.arriving.emplace_back(to, transfer); // the last thing that can fail
      for (const auto &[place, earlier] : state.arriving)
        if (place == from)
          transfer->depend_on(*earlier);
      state.valid_in |= bit;
    }
    for (const auto &[place, transfer] : state.arriving)
      if (place == to)
        transfers.all.push_back(transfer);
  }
  publish();
}

bool Residency::is_valid(std::size_t begin, std::size_t end, const MemorySpace *space) {
  std::lock_guard lock(mutex_);
  const std::size_t place = place_of(space);
  if (place == places_.size())
    return false;
  const uint64_t bit = uint64_t{1} << place;
  auto range = std::prev(ranges_.upper_bound(begin));
  for (; range != ranges_.end() && range->first < end; ++range) {
    Range &state = range->second;
    std::erase_if(state.arriving,
                  [](const auto &entry) { return entry.second->status() == status::complete; });
    const bool arrives = std::ranges::any_of(
        state.arriving, [place](const auto &entry) { return entry.first == place; });
    if (!(state.valid_in & bit) || arrives)
      return false;
  }
  publish(); // without the transfers that have ended
  return true;
}

void Residency::set_written(std::size_t begin, std::size_t end, const MemorySpace *space) {
  std::lock_guard lock(mutex_);
  const uint64_t bit = uint64_t{1} << place_of(space);
  const auto last = split_at(end);
  for (auto range = split_at(begin); range != last; ++range)
    range->second = Range{bit, {}};
  join_equal(begin, end);
  publish();
}

} // namespace lockstep::runtime
