// Memory accesses of the work-items of a run, reported to the checker and to the oracle.
#include "run.h"
#include "runs.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <deque>
#include <map>

namespace lockstep::fuzz {

CheckSite &new_site() {
  static std::deque<CheckSite> all;
  CheckSite &made = all.emplace_back();
  made.line = unsigned(all.size());
  made.argument = CheckSite::no_argument;
  made.file = made.text = made.object = "";
  return made;
}

CheckSite &Run::site_of(const Accesses &a) {
  static std::map<std::array<unsigned, 9>, CheckSite *> known;
  const bool is_of_lock = a.word >= words_ && locks_ && a.memory == global_memory;
  CheckSite *&site =
      known[{unsigned(a.kind), unsigned(a.scope), unsigned(a.order), a.size, how(),
             unsigned(a.memory), unsigned(has_fences_) + 2 * unsigned(has_weak_stores_),
             unsigned(is_of_lock), unsigned(pick(2))}];
  if (site)
    return *site;
  site = &new_site();
  site->size = a.size;
  site->kind = a.kind;
  site->order = site->failure = a.order;
  site->scope = a.scope;
  site->address_space = a.memory == global_memory ? 1 : 3;
  site->operation =
      is_of_lock ? compiler::AtomicOperation::exchange : compiler::AtomicOperation::add;
  if (is_of_lock)
    site->same_value = compiler::SameValue::conflicts_only_with_atomics;
  site->synchronizes = how();
  site->fences = (has_fences_ ? 3 : 0) | (has_weak_stores_ ? CheckSite::weak_stores : 0);
  return *site;
}

void Run::show(const Accesses &a, const char *what) const {
  if (shows_)
    std::printf("group %u items %u+%llx: %s kind %u %s word %u.%u size %u%s order %u scope %u\n",
                places_[a.place].group, a.first, static_cast<unsigned long long>(a.lanes), what,
                unsigned(a.kind), a.memory == global_memory ? "global" : "local", a.word, a.part,
                a.size, a.is_uniform ? " uniform" : "", unsigned(a.order), unsigned(a.scope));
}

std::optional<bool> Run::compare(const Accesses &a, bool is_race, uint64_t told_before) {
  const bool is_reported = told() != told_before;
  if (is_reported != is_race) {
    show(a, is_reported ? "told, but is no race" : "race, but not told");
    return false;
  }
  has_race_ |= is_race;
  return is_race ? std::optional(true) : std::nullopt;
}

std::optional<bool> Run::access() {
  Accesses a;
  a.place = pick_place();
  a.first = pick_sub_group();
  a.lanes = lanes(a.first);
  a.memory = !has_local_memory_ || pick(2) ? global_memory : local_memory;
  a.kind = pick(2) ? AccessKind::read : AccessKind::write;
  a.is_uniform = pick(2);
  a.word = pick_word(a.memory, a.is_uniform ? 1 : shape_.sub_group_size);
  if (reads_one_word_ && pick(12)) {
    a.memory = !has_local_memory_ || pick(8) ? global_memory : local_memory;
    a.kind = AccessKind::read;
    a.is_uniform = true;
    a.word = 0;
  }
  if (pick(12) == 0) {
    a.size = 1u << pick(2);
    a.part = a.size * unsigned(pick(4 / a.size));
  }
  if (!synchronizes_ && pick(6) == 0) {
    a.kind = pick(2) ? AccessKind::atomic_read : AccessKind::atomic_update;
    a.scope = scope();
    a.size = 4;
    a.part = 0;
  }
  if (has_rows_ && pick(64)) {
    a.memory = pick(8) || !has_local_memory_ ? global_memory : local_memory;
    a.lanes = some_in_a_row(a.first);
    a.is_uniform = false;
    a.word = pick_word(a.memory, shape_.sub_group_size);
    a.size = 4;
    a.part = 0;
    return access_as(a, false);
  }
  return access_as(a, pick(3) == 0);
}

std::optional<bool> Run::access_as(const Accesses &a, bool is_scattered) {
  const uintptr_t first = word(a.place, a.memory, a.word) + a.part;
  const int64_t stride = a.is_uniform ? 0 : 4;
  uintptr_t addresses[most_lanes]{};
  std::vector<OrderOracle::Access> all;
  for (uint64_t left = a.lanes; left; left &= left - 1) {
    const auto lane = unsigned(std::countr_zero(left));
    addresses[lane] = is_scattered ? word(a.place, a.memory, pick_word(a.memory, 1)) + a.part
                                   : first + uintptr_t(stride) * lane;
    all.push_back({item_of(a, lane), a.memory, addresses[lane], a.size, a.kind, a.scope});
  }
  const bool is_race = oracle_->is_race(all);
  if (is_race && !is_careless())
    return std::nullopt;
  for (const auto &each : all)
    oracle_->remember(each);
  show(a, is_scattered ? "access, but scattered," : "access");
  const uint64_t before = told();
  const bool by_list = is_scattered || (!has_rows_ && pick(2));
  compiler::check_hooks.access(
      &launch_, &places_[a.place].info, &site_of(a),
      by_list ? static_cast<const void *>(addresses) : reinterpret_cast<const void *>(first),
      by_list ? compiler::any_addresses : stride, a.lanes, a.first, places_[a.place].intervals);
  return compare(a, is_race, before);
}

std::optional<bool> Run::update() {
  Accesses a;
  a.place = pick_place();
  a.first = unsigned(pick(shape_.group_size));
  a.lanes = 1;
  a.memory = !has_local_memory_ || pick(4) ? global_memory : local_memory;
  a.word = unsigned(pick(std::min(words_, few_words)));
  a.kind = AccessKind(unsigned(AccessKind::atomic_read) + pick(3));
  a.order = order();
  a.scope = scope();
  if (a.kind == AccessKind::atomic_write && !has_weak_stores_) {
    a.order = CheckOrder::seq_cst;
    a.scope = CheckScope::device;
  }
  return update(a);
}

std::optional<bool> Run::update(const Accesses &a) {
  const bool is_beside = has_rows_ && a.memory == global_memory && !(breaks_rows_ && pick(16) == 0);
  const OrderOracle::Access one{
      item_of(a), a.memory, is_beside ? beside_rows(a.word) : word(a.place, a.memory, a.word),
      4,          a.kind,   a.scope};
  // The acquire of a read-modify-write also orders its own access, because it has read the value.
  const bool is_race = a.kind == AccessKind::atomic_write
                           ? oracle_->is_race({&one, 1})
                           : oracle_->is_race_once_acquired(one, a.order);
  if (is_race && !is_careless())
    return std::nullopt;
  if (a.kind != AccessKind::atomic_write)
    oracle_->acquire(one, a.order);
  oracle_->remember(one);
  if (a.kind != AccessKind::atomic_read)
    oracle_->release(one, a.order, a.kind == AccessKind::atomic_write);
  show(a, "atomic");
  const uint64_t before = told();
  compiler::check_hooks.atomic(&launch_, &places_[a.place].info, &site_of(a),
                               reinterpret_cast<void *>(one.address), 1, a.first,
                               places_[a.place].intervals, 1, 0);
  return compare(a, is_race, before);
}

// A copy between the memories, plain or strided on one side. Each sub-group reports it.
std::optional<bool> Run::copy() {
  const unsigned place = pick_place(), group = places_[place].group;
  if (!oracle_->may_begin_copy(group))
    return std::nullopt;
  struct Side {
    Memory memory;
    unsigned word;
    compiler::CopyShape shape;
    AccessKind kind;
  };
  const auto to = pick(2) ? global_memory : local_memory, from = Memory(1 - to);
  const unsigned count = 1 + unsigned(pick(3)), strided = unsigned(pick(3));
  auto side = [&](unsigned number, Memory memory, AccessKind kind) {
    const bool has_gaps = strided == number;
    const unsigned length = has_gaps ? 2 * count - 1 : count;
    return Side{memory, pick_word(memory, length),
                strided == 2 ? compiler::CopyShape{4 * count, 1, 0, 1, 0}
                             : compiler::CopyShape{4, count, has_gaps ? 8u : 4u, 1, 0},
                kind};
  };
  const Side sides[] = {side(0, to, AccessKind::copy_write), side(1, from, AccessKind::copy_read)};
  const unsigned item = oracle_->begin_copy(group);
  std::vector<OrderOracle::Access> all;
  for (const Side &one : sides)
    for (unsigned row = 0; row != one.shape.rows; ++row)
      for (unsigned byte = 0; byte != one.shape.row; byte += 4)
        all.push_back({item, one.memory,
                       word(place, one.memory, one.word) + row * one.shape.row_pitch + byte, 4,
                       one.kind});
  const bool is_race = oracle_->is_race(all);
  if (is_race && !is_careless()) {
    oracle_->undo_copy(group);
    return std::nullopt;
  }
  for (const auto &each : all)
    oracle_->remember(each);
  const uint64_t before = told();
  Accesses shown;
  for (unsigned first = 0; first < shape_.group_size; first += shape_.sub_group_size)
    for (const Side &one : sides) {
      Accesses a;
      a.place = place;
      a.memory = one.memory;
      a.word = one.word;
      a.kind = one.kind;
      if (first == 0) {
        show(a, strided == 2               ? "copy"
                : one.shape.row_pitch == 8 ? "copy with gaps"
                                           : "copy of rows");
        shown = a;
      }
      compiler::check_hooks.copy(&launch_, &places_[place].info, &site_of(a),
                                 reinterpret_cast<const void *>(word(place, one.memory, one.word)),
                                 one.shape, 1, first, places_[place].intervals);
    }
  pass(place, Intervals::copy_step);
  return compare(shown, is_race, before);
}

} // namespace lockstep::fuzz
