#include "runtime/check/races/shadow/shadow_sets.h"

#include <algorithm>

namespace lockstep::runtime {

namespace {

uint32_t key_of(const AccessRecord &record) {
  const uint64_t who =
      uint64_t(record.epoch) << 32 | uint32_t(record.item) << 16 | record.last_item;
  const uint64_t what = uint32_t(record.site) << 1 | uint32_t(record.are_several);
  return uint32_t((who * 0x9e3779b97f4a7c15 ^ what * 0xc2b2ae3d27d4eb4f) >> 29);
}

uint32_t key_of(std::span<const AccessRecord> records) {
  uint32_t key = 0; // a sum, so that one more record changes it incrementally
  for (const AccessRecord &record : records)
    key += key_of(record);
  return key;
}

} // namespace

void ShadowSet::add(const AccessRecord &record, std::size_t at) {
  records.insert(records.begin() + std::ptrdiff_t(at), record);
  only_atomics = only_atomics && is_atomic(record.kind) && !record.is_narrow();
  only_reads = only_reads && !writes(record.kind);
}

// Neighbors with the same access share one record.
ShadowSets::Change ShadowSets::change_by(std::span<const AccessRecord> records,
                                         const AccessRecord &record, uint32_t first) {
  const auto after = std::upper_bound(
      records.begin(), records.end(), record,
      [](const AccessRecord &one, const AccessRecord &other) { return one.epoch < other.epoch; });
  const auto at = std::size_t(after - records.begin());
  if (at != 0 && records[at - 1].epoch == record.epoch && records[at - 1].site == record.site) {
    AccessRecord before = records[at - 1].moved(first);
    const AccessRecord now = record.moved(first);
    if (before.are_several || (before.has(now.item) && before.has(now.last_item)))
      return {at - 1, true, records[at - 1]};
    if (before.last_item + 1 == now.item) {
      before.last_item = now.last_item;
      return {at - 1, true, before.moved(0 - first)};
    }
  }
  return {at, false, record};
}

void ShadowSets::apply(const Change &change, ShadowSet &set) {
  if (change.replaces)
    set.records[change.at] = change.record;
  else
    set.add(change.record, change.at);
}

uint32_t ShadowSets::find(uint32_t key, std::span<const AccessRecord> records,
                          const Change &change) const {
  const uint32_t number = recent_[key % recent_.size()];
  if (number >= sets_.size())
    return none;
  const ShadowSet &set = sets_[number];
  const std::vector<AccessRecord> &there = set.records;
  if (set.granules == 0 || set.key != key ||
      there.size() != records.size() + (change.replaces ? 0 : 1) ||
      there[change.at] != change.record)
    return none;
  const auto at = std::ptrdiff_t(change.at);
  const auto rest = records.begin() + at + (change.replaces ? 1 : 0);
  return std::equal(records.begin(), records.begin() + at, there.begin()) &&
                 std::equal(rest, records.end(), there.begin() + at + 1)
             ? number
             : none;
}

uint32_t ShadowSets::make(std::size_t records) {
  if (free_.empty()) {
    free_.reserve(sets_.size() + 1); // so that drop() never allocates
    sets_.emplace_back();
    bytes_ += sizeof(ShadowSet) + sizeof(uint32_t);
    free_.push_back(uint32_t(sets_.size() - 1));
  }
  const uint32_t number = free_.back();
  reserve(sets_[number], records);
  free_.pop_back();
  ++used_;
  return number;
}

void ShadowSets::reserve(ShadowSet &set, std::size_t records) {
  const std::size_t room = set.records.capacity();
  if (records <= room)
    return;
  const std::size_t wanted = std::max(records, room + std::max<std::size_t>(4, room));
  set.records.reserve(wanted);
  bytes_ += (set.records.capacity() - room) * sizeof(AccessRecord);
}

// From here on, the set is found by its key.
void ShadowSets::settle(uint32_t number, uint32_t key) {
  sets_[number].key = key;
  sets_[number].version = ++versions_;
  recent_[key % recent_.size()] = uint16_t(number);
}

uint32_t ShadowSets::with(const Place &before, const AccessRecord &record, uint32_t first) {
  const AccessRecord now = record.moved(0 - first);
  const bool is_set = before.set != none;
  constexpr uint64_t is_word = uint64_t(1) << 63;
  const uint64_t from = is_set ? sets_[before.set].version : is_word | before.word;
  if (last_.from == from && last_.record == now && sets_[last_.set].version == last_.version) {
    ++sets_[last_.set].granules;
    return last_.set;
  }
  ShadowSet of_word;
  if (!is_set) {
    of_word.add(before.records[0].moved(0 - first));
    if (before.are_two) {
      const AccessRecord second = before.records[1].moved(0 - first);
      apply(change_by(of_word.records, second, first), of_word);
    }
    of_word.key = key_of(of_word.records);
    of_word.prune_at = first_prune;
  }
  auto known = [&]() -> const ShadowSet & { return is_set ? sets_[before.set] : of_word; };
  const std::span<const AccessRecord> records = known().records;
  const Change change = change_by(records, now, first);
  if (is_set && change.replaces && records[change.at] == change.record)
    return before.set;
  const uint32_t key =
      known().key + key_of(change.record) - (change.replaces ? key_of(records[change.at]) : 0);
  uint32_t number = find(key, records, change);
  if (number == none && is_set && sets_[before.set].granules == 1) {
    reserve(sets_[before.set], records.size() + 1);
    apply(change, sets_[before.set]);
    settle(before.set, key);
    return before.set;
  }
  if (number == none) {
    number = make(records.size() + 1);
    ShadowSet &set = sets_[number];
    set.records.assign(records.begin(), records.end());
    set.only_atomics = known().only_atomics;
    set.only_reads = known().only_reads;
    set.prune_at = known().prune_at;
    apply(change, set);
    settle(number, key);
  }
  ++sets_[number].granules;
  last_ = {from, sets_[number].version, number, now};
  return number;
}

uint32_t ShadowSets::of(uint32_t before, std::span<const AccessRecord> records) {
  const uint32_t key = key_of(records);
  const uint32_t known =
      find(key, records.first(records.size() - 1), {records.size() - 1, false, records.back()});
  if (known == before)
    return before;
  const uint32_t number = known == none ? make(records.size()) : known;
  if (known == none) {
    for (const AccessRecord &record : records)
      sets_[number].add(record);
    settle(number, key);
  }
  sets_[number].prune_at = std::max(first_prune, uint32_t(2 * records.size()));
  ++sets_[number].granules;
  return number;
}

// Keeps the memory for the next set.
bool ShadowSets::drop(uint32_t number) {
  ShadowSet &set = sets_[number];
  if (--set.granules != 0)
    return false;
  set.records.clear();
  set.only_atomics = set.only_reads = true;
  set.version = 0;
  free_.push_back(number);
  --used_;
  return true;
}

} // namespace lockstep::runtime
