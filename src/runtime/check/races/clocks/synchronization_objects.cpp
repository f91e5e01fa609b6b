#include "runtime/check/races/clocks/synchronization_objects.h"

#include <algorithm>
#include <bit>
#include <memory>

namespace lockstep::runtime {

void Synchronization::begin(uint32_t group) {
  device = {};
  within.reset();
  heads.reset();
  head = 0;
  writes = {};
  local_group = group;
}

Synchronization &SynchronizationObjects::Shard::make() {
  if (used_ == chunks_.size() * in_chunk)
    chunks_.push_back(std::make_unique<Chunk>());
  Synchronization &made = (*chunks_[used_ / in_chunk])[used_ % in_chunk];
  ++used_;
  return made;
}

void SynchronizationObjects::Shard::clear() {
  last = {};
  objects.clear();
  for (std::size_t i = 0; i != used_; ++i) {
    Synchronization &each = (*chunks_[i / in_chunk])[i % in_chunk];
    std::destroy_at(&each);
    std::construct_at(&each);
  }
  used_ = 0;
  chunks_.resize(std::min(chunks_.size(), most_kept / shards / in_chunk));
}

void SynchronizationObjects::find(Shard &shard, uint64_t launch, uintptr_t address) {
  if (shard.launch != launch) {
    const auto number = std::size_t(&shard - shards_.get());
    used_[number / 64] |= uint64_t(1) << number % 64;
    shard.clear();
    shard.launch = launch;
  }
  auto found = shard.objects.find(address);
  if (found == shard.objects.end()) {
    found = shard.objects.emplace(address, &shard.make()).first;
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  shard.last = {address, found->second};
}

template <class Function>
void SynchronizationObjects::each_of(const Bits &bits, Function function) {
  for (std::size_t i = 0; i != bits.size(); ++i)
    for (uint64_t left = bits[i]; left; left &= left - 1)
      function(shards_[64 * i + std::size_t(std::countr_zero(left))]);
}

void SynchronizationObjects::end() noexcept {
  Bits old{}, used{};
  for (std::size_t i = 0; i != used.size(); ++i) {
    used[i] = used_[i].exchange(0);
    old[i] = kept_[i] & ~used[i];
  }
  if (count_.exchange(0) > most_kept) {
    each_of(used, [](Shard &each) { each.clear(); });
    used = {};
  }
  each_of(old, [](Shard &each) { each.clear(); });
  kept_ = used;
}

} // namespace lockstep::runtime
