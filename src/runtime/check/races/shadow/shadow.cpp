#include "runtime/check/races/shadow/shadow.h"

#include "runtime/check/races/shadow/report_sites.h"

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

AccessRecord ShadowPage::record(uint32_t epoch, uint16_t site, uint32_t item) const {
  return {.epoch = epoch,
          .item = uint16_t(item),
          .last_item = uint16_t(item),
          .site = site,
          .kind = NumberedSites::kind_of(site),
          .reach = NumberedSites::reach(site),
          .is_guess = NumberedSites::is_guess(site)};
}

AccessRecord ShadowPage::record(uint32_t word) const {
  AccessRecord record = this->record(epoch(word), contexts_.site(RecordWord::context(word)),
                                     word & RecordWord::item_mask);
  record.are_several = (word & RecordWord::run_mask) == RecordWord::several;
  const uint32_t run = record.are_several || RecordWord::is_of_another_group(word)
                           ? 0
                           : (word & RecordWord::run_mask) >> RecordWord::item_bits;
  record.last_item = uint16_t(record.item + (1u << run) - 1);
  return record;
}

// ---- contexts

void ShadowContexts::clear() {
  if (capacity_ == 0 || capacity_ > full_size) {
    auto epochs = std::make_unique<uint32_t[]>(first_size);
    sites_ = std::make_unique<uint16_t[]>(first_size);
    epochs_ = std::move(epochs);
    capacity_ = first_size;
  }
  used_ = RecordWord::no_context + 1;
  first_now_ = 0;
  free_.clear();
  recent_ = {};
}

void ShadowContexts::grow() {
  if (capacity_ == most)
    return;
  const uint32_t size = 2 * capacity_;
  auto epochs = std::make_unique<uint32_t[]>(size);
  auto sites = std::make_unique<uint16_t[]>(size);
  std::copy_n(epochs_.get(), used_, epochs.get());
  std::copy_n(sites_.get(), used_, sites.get());
  epochs_ = std::move(epochs);
  sites_ = std::move(sites);
  capacity_ = size;
}

uint32_t ShadowContexts::next() {
  if (free_.empty())
    return used_++;
  const uint32_t number = free_.back();
  free_.pop_back();
  return number;
}

uint32_t ShadowContexts::add(uint32_t epoch, uint16_t site) {
  const uint32_t number = next();
  epochs_[number] = epoch;
  sites_[number] = site;
  recent_[place(epoch, site)] = uint16_t(number);
  return number;
}

bool ShadowContexts::merge(const std::vector<bool> &needed, std::vector<uint16_t> &stands) const {
  std::vector<uint16_t> all;
  stands.assign(used_, 0);
  for (uint32_t number = RecordWord::no_context + 1; number != used_; ++number)
    if (needed[number])
      all.push_back(uint16_t(number));
  auto key = [&](uint16_t number) { return std::pair(epochs_[number], sites_[number]); };
  std::sort(all.begin(), all.end(), [&](uint16_t a, uint16_t b) { return key(a) < key(b); });
  bool are_some = false;
  for (std::size_t i = 0; i != all.size(); ++i) {
    const bool is_same = i != 0 && key(all[i]) == key(all[i - 1]);
    stands[all[i]] = is_same ? stands[all[i - 1]] : all[i];
    are_some |= is_same;
  }
  return are_some;
}

void ShadowContexts::keep_only(const std::vector<bool> &needed) {
  recent_ = {};
  first_now_ = 0;
  free_.clear();
  for (uint32_t number = used_ - 1; number > RecordWord::no_context; --number)
    if (!needed[number])
      free_.push_back(uint16_t(number));
}

void ShadowPage::note_site(uint16_t site) {
  only_site_ = only_site_ == no_site ? site : several_sites;
  ++version_;
}

void ShadowPage::make_room() {
  ++version_;
  // A page with one heavily reused word must not be scanned each time.
  const bool may_forget = !contexts_.is_small();
  if (may_forget)
    forget_contexts();
  // Where many groups write a word each, scans find nothing to forget.
  const bool are_all_needed = may_forget && contexts_.is_nearly_full();
  if (contexts_.is_small() || contexts_.is_half_full())
    contexts_.grow();
  if (are_all_needed)
    contexts_.grow();
  count();
}

uint32_t ShadowPage::new_context(uint32_t epoch, uint16_t site) {
  if (contexts_.is_full())
    throw std::bad_alloc(); // the maximum exceeds the words of any page
  return contexts_.add(epoch, site);
}

// Frees contexts that no word refers to, and merges duplicates.
void ShadowPage::forget_contexts() {
  ++version_;
  std::vector<bool> needed(contexts_.used());
  const std::size_t granules = bytes / granule_;
  auto for_each_word = [&](auto function) {
    constexpr std::size_t together = 16; // usually none or all of them are in use
    for (const auto *words : {&writes_, &sinces_, &others_})
      for (std::size_t first = 0; *words && first != granules; first += together) {
        const std::span<uint32_t, together> some(words->get() + first, together);
        uint32_t any = 0;
        for (const uint32_t word : some)
          any |= word;
        if (RecordWord::context(any) == RecordWord::no_context)
          continue;
        for (uint32_t &word : some)
          if (RecordWord::context(word) != RecordWord::no_context)
            function(word);
      }
  };
  for_each_word([&](uint32_t word) { needed[RecordWord::context(word)] = true; });
  std::vector<bool> merged = needed; // without pairs
  used_two_readers_ = 0;
  for (TwoReaders &two : two_readers_) {
    merged[two.context] = false;
    if (!needed[two.context])
      two.context = 0;
    used_two_readers_ += two.context != 0;
  }
  std::vector<uint16_t> stands;
  readers_now_ = {};
  if (contexts_.merge(merged, stands)) {
    for (const TwoReaders &two : two_readers_)
      stands[two.context] = two.context;
    for_each_word([&](uint32_t &word) {
      const uint32_t context = RecordWord::context(word), stand = stands[context];
      if (stand == context)
        return;
      word ^= (context ^ stand) << RecordWord::context_shift;
      needed[context] = false;
    });
  }
  contexts_.keep_only(needed);
  if (sets_)
    sets_->forget_words();
}

// ---- pairs of readers

std::array<AccessRecord, 2> ShadowPage::two(uint32_t word) const {
  const TwoReaders &two = two_readers_[contexts_.site(RecordWord::context(word))];
  const uint32_t item = word & RecordWord::item_mask;
  return {record(two.first_epoch, two.first_site, item),
          record(two.second_epoch, two.second_site, (item + two.distance) & RecordWord::item_mask)};
}

bool ShadowPage::make_two(std::size_t index, uint32_t word) {
  uint32_t &since = sinces_[index];
  const AccessRecord first = record(since), second = record(word);
  const TwoReaders wanted{.first_epoch = first.epoch,
                          .second_epoch = second.epoch,
                          .first_site = first.site,
                          .second_site = second.site,
                          .distance = uint16_t((word - since) & RecordWord::item_mask)};
  auto is_wanted = [&wanted](const TwoReaders &two) {
    return two.context != 0 && two.first_epoch == wanted.first_epoch &&
           two.second_epoch == wanted.second_epoch && two.first_site == wanted.first_site &&
           two.second_site == wanted.second_site && two.distance == wanted.distance;
  };
  auto place = std::find_if(two_readers_.begin(), two_readers_.end(), is_wanted);
  if (place == two_readers_.end()) {
    place = std::find_if(two_readers_.begin(), two_readers_.end(),
                         [](const TwoReaders &two) { return two.context == 0; });
    if (place == two_readers_.end()) {
      if (two_readers_.size() == all_two_readers)
        return false;
      if (two_readers_.size() == two_readers_.capacity())
        two_readers_.reserve(two_readers_.size() + first_two_readers);
      place = two_readers_.insert(two_readers_.end(), TwoReaders());
    }
    if (contexts_.is_full())
      contexts_.grow();
    count();
    if (contexts_.is_full())
      throw std::bad_alloc();
    *place = wanted;
    ++used_two_readers_;
    place->context =
        uint16_t(contexts_.add_other(wanted.last_epoch(), uint16_t(place - two_readers_.begin())));
  }
  std::swap(readers_now_[0], readers_now_[1]);
  readers_now_[0] = {.first = RecordWord::context(since),
                     .second = RecordWord::context(word),
                     .distance = wanted.distance,
                     .both = place->context,
                     .first_epoch = wanted.first_epoch,
                     .second_epoch = wanted.second_epoch};
  since = RecordWord::of_two(place->context, since & RecordWord::item_mask);
  return true;
}

// Pages that have many pairs at a time get more room.
void ShadowPage::forget_two_readers() {
  forget_contexts();
  if (used_two_readers_ > most_two_readers_ / 4 * 3)
    most_two_readers_ *= 2;
  if (most_two_readers_ > all_two_readers)
    most_two_readers_ = ~std::size_t(0);
}

// ---- pages

void ShadowPage::begin(uint64_t launch) {
  try {
    if (launch_ != 0 && (granule_ == 1 || have_sets() || contexts_.is_half_full()))
      clear();
  } catch (...) {
    unlock();
    throw;
  }
  launch_ = launch;
  ++version_;
  contexts_.begin_launch();
  only_site_ = no_site;
  use_ = Use::none;
}

void ShadowPage::count() {
  const std::size_t arrays = (writes_ ? 1 : 0) + (sinces_ ? 1 : 0) + (others_ ? 1 : 0),
                    now = arrays * room_ * sizeof(uint32_t) + contexts_.bytes() +
                          two_readers_.capacity() * sizeof(TwoReaders) +
                          (rows_ ? sizeof(ShadowRows) : 0) +
                          (sets_ ? sizeof(ShadowSets) + sets_->bytes() : 0);
  if (now > counted_ && !CheckMemory::reserve(now - counted_))
    throw std::bad_alloc();
  if (now < counted_)
    CheckMemory::release(counted_ - now);
  counted_ = now;
}

std::unique_ptr<uint32_t[]> ShadowPage::made_words() const {
  return std::make_unique<uint32_t[]>(room_);
}

void ShadowPage::make_writes() {
  writes_ = made_words();
  count();
}

uint32_t &ShadowPage::make_other(std::size_t index) {
  if (!others_) {
    ++version_;
    others_ = made_words();
    count();
  }
  return others_[index];
}

void ShadowPage::make_bytes() {
  if (granule_ == 1)
    return;
  const std::size_t was = granule_;
  ++version_;
  if (room_ != bytes) {
    room_ = bytes;
    auto larger = [&](const std::unique_ptr<uint32_t[]> &words) {
      auto made = words ? made_words() : nullptr;
      if (words)
        std::copy_n(words.get(), bytes / was, made.get());
      return made;
    };
    auto writes = larger(writes_), sinces = larger(sinces_), others = larger(others_);
    writes_.swap(writes);
    sinces_.swap(sinces);
    others_.swap(others);
    count();
  }
  granule_ = 1;
  for (const auto *words : {&writes_, &sinces_, &others_})
    for (std::size_t i = *words ? bytes : 0; i-- != 0;)
      (*words)[i] = (*words)[i / was];
  for (std::size_t i = 0; i != bytes; ++i)
    if (is_set(sinces_[i]) && i % was != 0)
      ++set(sinces_[i]).granules;
}

void ShadowPage::begin_sets() {
  ++version_;
  if (!sets_)
    sets_ = std::make_unique<ShadowSets>();
  if (!contexts_.is_full())
    return;
  contexts_.grow();
  if (contexts_.is_full())
    throw std::bad_alloc();
}

// The set already counts the cell.
void ShadowPage::become_set(std::size_t index, uint32_t number) {
  uint32_t &since = sinces()[index];
  const uint32_t item = since & RecordWord::item_mask;
  if (is_set(since)) {
    if (set_number(since) == number)
      return count();
    drop_set(index);
  }
  ShadowSet &now = (*sets_)[number];
  if (now.context == 0)
    now.context = contexts_.add_set(uint16_t(number));
  since = RecordWord::of_set(now.context, item);
  count();
}

void ShadowPage::add_to_set(std::size_t index, const AccessRecord &record) {
  begin_sets();
  const uint32_t since = sinces()[index], first = since & RecordWord::item_mask;
  ShadowSets::Place before;
  if (is_set(since))
    before.set = set_number(since);
  else if (RecordWord::is_of_two(since))
    before = {ShadowSets::none, since - first, two(since), true};
  else
    before = {ShadowSets::none, since - first, {this->record(since)}};
  become_set(index, sets_->with(before, record, first));
}

void ShadowPage::keep_of_set(std::size_t index, const std::vector<AccessRecord> &records) {
  begin_sets();
  become_set(index, sets_->of(set_number(sinces()[index]), records));
}

void ShadowPage::drop_set(std::size_t index) {
  uint32_t &since = sinces()[index];
  if (const uint32_t word = std::exchange(since, 0);
      is_set(word) && sets_->drop(set_number(word))) {
    ++version_;
    set(word).context = 0;
    contexts_.remove_set(RecordWord::context(word));
  }
}

void ShadowPage::forget(std::size_t index, std::size_t granules) {
  for (const auto *words : {&writes_, &others_})
    if (*words)
      std::fill_n(words->get() + index, granules, 0);
  if (have_sets())
    for (std::size_t i = 0; i != granules; ++i)
      drop_set(index + i);
  else
    std::fill_n(sinces_.get() + index, granules, 0);
}

// Keeps the allocations: pages are mostly used the same way again. With threads in turns, freed
// memory would end up in the free lists of other threads.
void ShadowPage::clear() {
  granule_ = most_granule;
  for (const auto *words : {&writes_, &sinces_, &others_})
    if (*words)
      std::fill_n(words->get(), bytes / granule_, 0);
  contexts_.clear();
  two_readers_ = {};
  used_two_readers_ = 0;
  most_two_readers_ = first_two_readers;
  readers_now_ = {};
  sets_.reset();
  count();
}

} // namespace lockstep::runtime
