#include "runtime/check/races/clocks/synchronization_objects.h"

#include <memory>
#include <utility>

namespace lockstep::runtime {

void Synchronization::begin(uint32_t group) {
  device.clear();
  within.reset();
  heads.reset();
  head = 0;
  writes = {};
  local_group = group;
}

void Synchronization::begin_launch(uint64_t number) {
  begin(0);
  is_watched = false;
  handovers.count = handovers.thread = 0;
  launch = number;
}

Synchronization &SynchronizationObjects::find(Page &page, uintptr_t address) {
  std::atomic<Synchronization *> &place = page.objects[(address & (page_bytes - 1)) / granule];
  const std::lock_guard lock(page.lock);
  Synchronization *const first = place.load(std::memory_order_relaxed);
  for (Synchronization *each = first; each; each = each->next)
    if (each->address == address)
      return *each;
  auto made = std::make_unique<Synchronization>(address);
  made->next = first;
  page.all.push_back(std::move(made));
  made_.fetch_add(1, std::memory_order_relaxed);
  place.store(page.all.back().get(), std::memory_order_release);
  return *page.all.back();
}

void SynchronizationObjects::begin_launch(Synchronization &object, uint64_t launch) {
  object.begin_launch(launch);
  std::atomic<std::size_t> &used = used_[thread_slot()].objects; // mostly of this thread alone
  used.fetch_add(1, std::memory_order_relaxed);
}

void SynchronizationObjects::end() noexcept {
  std::size_t used = 0;
  for (std::size_t i = 0; i != thread_slots; ++i)
    used += used_[i].objects.exchange(0, std::memory_order_relaxed);
  const std::size_t made = made_.load(std::memory_order_relaxed);
  if (made <= most_kept && made - used <= used)
    return;
  pages_.clear();
  made_ = 0;
}

} // namespace lockstep::runtime
