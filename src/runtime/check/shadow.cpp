#include "runtime/check/shadow.h"

#include "runtime/check/check_places.h"

#include <algorithm>
#include <bit>
#include <new>

namespace lockstep::runtime {

std::optional<uint32_t> RecordWord::of(const AccessRecord &record, uint32_t context) {
  const uint32_t items = record.last_item - record.item + 1u;
  if (!std::has_single_bit(items))
    return std::nullopt;
  const uint32_t run =
      record.are_several ? several : uint32_t(std::countr_zero(items)) << item_bits;
  return context << context_shift | (is_atomic(record.kind) || record.is_guess ? atomic_bit : 0) |
         run | record.item;
}

AccessRecord ShadowPage::record(uint32_t word) const {
  AccessRecord record{.stamp = stamp(word)};
  record.item = uint16_t(word & RecordWord::item_mask);
  record.are_several = (word & RecordWord::run_mask) == RecordWord::several;
  const uint32_t run = record.are_several || RecordWord::is_of_another_group(word)
                           ? 0
                           : (word & RecordWord::run_mask) >> RecordWord::item_bits;
  record.last_item = uint16_t(record.item + (1u << run) - 1);
  record.site = contexts_.site(RecordWord::context(word));
  record.kind = CheckPlaces::kind_of(record.site);
  record.reach = CheckPlaces::reach(record.site);
  record.is_guess = CheckPlaces::is_guess(record.site);
  return record;
}

// ---- contexts

void ShadowContexts::clear() {
  if (capacity_ == 0 || capacity_ > full_size) {
    auto stamps = std::make_unique<uint32_t[]>(first_size);
    sites_ = std::make_unique<uint16_t[]>(first_size);
    stamps_ = std::move(stamps);
    capacity_ = first_size;
  }
  stamps_[RecordWord::set_context] = set_stamp;
  used_ = RecordWord::set_context + 1;
  free_.clear();
  recent_ = {};
}

void ShadowContexts::grow() {
  if (capacity_ == most)
    return;
  const uint32_t size = 2 * capacity_;
  auto stamps = std::make_unique<uint32_t[]>(size);
  auto sites = std::make_unique<uint16_t[]>(size);
  std::copy_n(stamps_.get(), used_, stamps.get());
  std::copy_n(sites_.get(), used_, sites.get());
  stamps_ = std::move(stamps);
  sites_ = std::move(sites);
  capacity_ = size;
}

uint32_t ShadowContexts::add(uint32_t stamp, uint16_t site) {
  uint32_t number = used_;
  if (free_.empty()) {
    ++used_;
  } else {
    number = free_.back();
    free_.pop_back();
  }
  stamps_[number] = stamp;
  sites_[number] = site;
  recent_[place(stamp, site)] = uint16_t(number);
  return number;
}

std::vector<uint16_t> ShadowContexts::merge(const std::vector<bool> &needed) const {
  std::vector<uint16_t> all, stands(used_);
  for (uint32_t number = RecordWord::set_context + 1; number != used_; ++number)
    if (needed[number])
      all.push_back(uint16_t(number));
  auto key = [&](uint16_t number) { return std::pair(stamps_[number], sites_[number]); };
  std::sort(all.begin(), all.end(), [&](uint16_t a, uint16_t b) { return key(a) < key(b); });
  for (std::size_t i = 0; i != all.size(); ++i)
    stands[all[i]] = i != 0 && key(all[i]) == key(all[i - 1]) ? stands[all[i - 1]] : all[i];
  return stands;
}

void ShadowContexts::keep_only(const std::vector<bool> &needed) {
  recent_ = {};
  free_.clear();
  for (uint32_t number = used_ - 1; number > RecordWord::set_context; --number)
    if (!needed[number])
      free_.push_back(uint16_t(number));
}

uint32_t ShadowPage::new_context(uint32_t stamp, uint16_t site) {
  if (contexts_.is_full()) {
    // A page of which one word is used again and again is not to be looked through each time.
    if (!contexts_.is_small())
      forget_contexts();
    if (contexts_.is_small() || contexts_.is_half_full())
      contexts_.grow();
    count();
  }
  return contexts_.add(stamp, site);
}

// Those that no word names, or that are there twice.
void ShadowPage::forget_contexts() {
  std::vector<bool> needed(std::size_t(1) << RecordWord::context_bits);
  const std::size_t granules = bytes / granule_;
  auto for_each_word = [&](auto function) {
    for (const auto *words : {&writes_, &sinces_, &others_})
      for (std::size_t i = 0; *words && i != granules; ++i)
        if (uint32_t &word = (*words)[i]; RecordWord::context(word) > RecordWord::set_context)
          function(word);
  };
  for_each_word([&](uint32_t word) { needed[RecordWord::context(word)] = true; });
  const std::vector<uint16_t> stands = contexts_.merge(needed);
  for_each_word([&](uint32_t &word) {
    const uint32_t context = RecordWord::context(word), stand = stands[context];
    if (stand == context)
      return;
    word ^= (context ^ stand) << RecordWord::context_shift;
    needed[context] = false;
  });
  contexts_.keep_only(needed);
}

// ---- pages

void ShadowPage::begin(uint64_t launch) {
  try {
    if (launch_ != 0 && (granule_ == 1 || used_sets_ != 0 || contexts_.is_half_full()))
      clear();
  } catch (...) {
    unlock();
    throw;
  }
  launch_ = launch;
  only_ = RecordWord::no_context;
}

void ShadowPage::count() {
  const std::size_t planes = (writes_ ? 1 : 0) + (sinces_ ? 1 : 0) + (others_ ? 1 : 0),
                    now = planes * (bytes / granule_) * sizeof(uint32_t) + contexts_.bytes() +
                          set_bytes_;
  if (now > counted_ && !CheckMemory::reserve(now - counted_))
    throw std::bad_alloc();
  if (now < counted_)
    CheckMemory::release(counted_ - now);
  counted_ = now;
}

void ShadowPage::make_granules(std::size_t granule) {
  sinces_ = std::make_unique<uint32_t[]>(bytes / granule);
  granule_ = granule;
  writes_.reset();
  others_.reset();
  count();
}

void ShadowPage::make_writes() {
  writes_ = std::make_unique<uint32_t[]>(bytes / granule_);
  count();
}

uint32_t &ShadowPage::make_other(std::size_t index) {
  if (!others_) {
    others_ = std::make_unique<uint32_t[]>(bytes / granule_);
    count();
  }
  return others_[index];
}

void ShadowPage::make_bytes() {
  if (granule_ == 1)
    return;
  const std::size_t was = granule_;
  auto made = [](const std::unique_ptr<uint32_t[]> &words) {
    return words ? std::make_unique<uint32_t[]>(bytes) : nullptr;
  };
  auto writes = made(writes_), sinces = made(sinces_), others = made(others_);
  writes.swap(writes_);
  sinces.swap(sinces_);
  others.swap(others_);
  granule_ = 1;
  count();
  for (std::size_t i = 0; i < bytes; ++i) {
    if (writes)
      writes_[i] = writes[i / was];
    if (others)
      others_[i] = others[i / was];
    uint32_t &since = sinces_[i];
    since = sinces[i / was];
    if (!RecordWord::is_set(since) || i % was == 0)
      continue;
    ShadowSet copy = sets_[RecordWord::set(since)];
    const std::size_t own = new_set();
    sets_[own].prune_at = copy.prune_at;
    for (const AccessRecord &record : copy.records)
      remember(sets_[own], record);
    since = RecordWord::of_set(own);
  }
}

std::size_t ShadowPage::new_set() {
  ++used_sets_;
  if (free_sets_.empty()) {
    sets_.emplace_back();
    set_bytes_ += sizeof(ShadowSet);
    count();
    return sets_.size() - 1;
  }
  const std::size_t set = free_sets_.back();
  free_sets_.pop_back();
  return set;
}

void ShadowSet::add(const AccessRecord &record) {
  records.push_back(record);
  only_atomics = only_atomics && is_atomic(record.kind) && !record.is_narrow();
  only_reads = only_reads && !writes(record.kind);
}

ShadowSet &ShadowPage::set_of(std::size_t index) {
  uint32_t &since = sinces()[index];
  if (RecordWord::is_set(since))
    return sets_[RecordWord::set(since)];
  const std::size_t number = new_set();
  ShadowSet &set = sets_[number];
  if (since)
    remember(set, record(since));
  since = RecordWord::of_set(number);
  return set;
}

void ShadowPage::remember(ShadowSet &set, const AccessRecord &record) {
  if (const std::size_t room = set.records.capacity(); set.records.size() == room) {
    const std::size_t more = std::max<std::size_t>(4, room);
    set_bytes_ += more * sizeof(AccessRecord);
    count();
    set.records.reserve(room + more);
  }
  set.add(record);
}

// Its memory is kept for the next one.
void ShadowPage::drop_set(std::size_t index) {
  uint32_t &since = sinces()[index];
  if (RecordWord::is_set(since)) {
    const std::size_t number = RecordWord::set(since);
    ShadowSet &set = sets_[number];
    set.records.clear();
    set.only_atomics = set.only_reads = true;
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
    std::fill_n(sinces_.get(), bytes / granule_, 0);
  writes_.reset();
  others_.reset();
  contexts_.clear();
  sets_ = {};
  set_bytes_ = 0;
  free_sets_.clear();
  used_sets_ = 0;
  count();
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
