#include "runtime/check/shadow.h"

#include "runtime/check/check_places.h"

#include <algorithm>
#include <bit>

namespace lockstep::runtime {

std::optional<uint64_t> RecordWord::of(const AccessRecord &record) {
  const uint32_t items = record.last_item - record.item + 1u;
  if (!std::has_single_bit(items))
    return std::nullopt;
  return uint64_t(record.stamp) << stamp_shift | uint64_t(record.site) << site_shift |
         (record.kind >= RecordKind::atomic_read ? atomic_bit : 0) |
         uint64_t(std::countr_zero(items)) << item_bits | record.item;
}

AccessRecord RecordWord::record(uint64_t word) {
  AccessRecord record{.stamp = uint32_t(word >> stamp_shift)};
  record.item = uint16_t(word & item_mask);
  record.last_item = uint16_t(record.item + (1u << ((word & run_and_item_mask) >> item_bits)) - 1);
  record.site = uint16_t(word >> site_shift & ((1u << site_bits) - 1));
  record.kind = CheckPlaces::kind_of(record.site);
  record.is_narrow = CheckPlaces::is_narrow(record.site);
  return record;
}

void ShadowPage::begin(uint64_t launch) {
  try {
    if (launch_ != 0 && (granule_ == 1 || used_sets_ != 0))
      clear();
  } catch (...) {
    unlock();
    throw;
  }
  launch_ = launch;
}

void ShadowPage::count() {
  const std::size_t words = 2 * bytes / granule_ + (others_ ? bytes / granule_ : 0);
  all_memory_ += words * sizeof(uint64_t) - std::exchange(counted_, words * sizeof(uint64_t));
}

void ShadowPage::make_granules(std::size_t granule) {
  words_ = std::make_unique<uint64_t[]>(2 * bytes / granule);
  granule_ = granule;
  others_.reset();
  count();
}

uint64_t &ShadowPage::make_other(std::size_t index) {
  if (!others_) {
    others_ = std::make_unique<uint64_t[]>(bytes / granule_);
    count();
  }
  return others_[index];
}

void ShadowPage::make_bytes() {
  if (granule_ == 1)
    return;
  const std::size_t was = granule_;
  auto made = std::make_unique<uint64_t[]>(2 * bytes);
  auto made_others = others_ ? std::make_unique<uint64_t[]>(bytes) : nullptr;
  const auto words = std::exchange(words_, std::move(made)),
             others_before = std::exchange(others_, std::move(made_others));
  granule_ = 1;
  count();
  const uint64_t *writes_before = words.get(), *sinces_before = writes_before + bytes / was;
  for (std::size_t i = 0; i < bytes; ++i) {
    writes()[i] = writes_before[i / was];
    if (others_before)
      others_[i] = others_before[i / was];
    uint64_t &since = sinces()[i];
    since = sinces_before[i / was];
    if (!RecordWord::is_set(since) || i % was == 0)
      continue;
    ShadowSet copy = sets_[RecordWord::set(since)];
    const std::size_t own = new_set();
    sets_[own] = std::move(copy);
    since = RecordWord::of_set(own);
  }
}

std::size_t ShadowPage::new_set() {
  ++used_sets_;
  if (free_sets_.empty()) {
    sets_.emplace_back();
    return sets_.size() - 1;
  }
  const std::size_t set = free_sets_.back();
  free_sets_.pop_back();
  return set;
}

ShadowSet &ShadowPage::set_of(std::size_t index) {
  uint64_t &since = sinces()[index];
  if (RecordWord::is_set(since))
    return sets_[RecordWord::set(since)];
  const std::size_t number = new_set();
  ShadowSet &set = sets_[number];
  if (since) {
    const AccessRecord record = RecordWord::record(since);
    set.records.push_back(record);
    set.only_atomics = record.kind >= RecordKind::atomic_read && !record.is_narrow;
  }
  since = RecordWord::of_set(number);
  return set;
}

// Its memory is kept for the next one.
void ShadowPage::drop_set(std::size_t index) {
  uint64_t &since = sinces()[index];
  if (RecordWord::is_set(since)) {
    const std::size_t number = RecordWord::set(since);
    ShadowSet &set = sets_[number];
    set.records.clear();
    set.only_atomics = true;
    set.prune_at = 16;
    free_sets_.push_back(number);
    --used_sets_;
  }
  since = 0;
}

void ShadowPage::clear() {
  if (granule_ == 1)
    make_granules(4);
  else
    std::fill_n(words_.get(), 2 * bytes / granule_, 0);
  sets_.clear();
  free_sets_.clear();
  used_sets_ = 0;
}

Shadow::Shadow() : high_(new std::atomic<Low *>[high_size]()) {}

Shadow::~Shadow() = default;

ShadowPage &Shadow::make_page(Low &place, uintptr_t number) {
  std::lock_guard lock(mutex_);
  if (ShadowPage *made = place.load(std::memory_order_relaxed))
    return *made;
  pages_.push_back(std::make_unique<ShadowPage>(number << page_bits));
  place.store(pages_.back().get(), std::memory_order_release);
  return *pages_.back();
}

} // namespace lockstep::runtime
