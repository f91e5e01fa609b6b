#include "runtime/check/check_places.h"

#include <atomic>
#include <deque>
#include <mutex>

namespace lockstep::runtime {

namespace {

constexpr std::size_t most_places = 65535;

struct Places {
  std::mutex mutex;
  std::deque<CheckPlace> list{CheckPlace{}};
};

Places &places() {
  static auto &all = *new Places;
  return all;
}

} // namespace

uint16_t CheckPlaces::number_of(compiler::CheckSite &site) {
  std::atomic_ref number(site.number);
  if (const uint32_t known = number.load(std::memory_order_relaxed))
    return uint16_t(known);
  Places &all = places();
  std::lock_guard lock(all.mutex);
  if (const uint32_t known = number.load(std::memory_order_relaxed))
    return uint16_t(known);
  if (all.list.size() == most_places)
    return unknown;
  all.list.push_back({site, site.file, site.text, site.object});
  number.store(uint32_t(all.list.size() - 1), std::memory_order_relaxed);
  return uint16_t(all.list.size() - 1);
}

const CheckPlace &CheckPlaces::of(uint16_t number) {
  Places &all = places();
  std::lock_guard lock(all.mutex);
  return all.list[number];
}

} // namespace lockstep::runtime
