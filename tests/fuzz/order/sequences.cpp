// Sequences of accesses by the work-items of a run. Other accesses may come in between, except
// where rows are handed on.
#include "run.h"

#include <algorithm>

namespace lockstep::fuzz {

// A write, a barrier, some reads, and a second write by the lanes of the first one.
std::optional<bool> Run::go_on_with_neighbors() {
  constexpr unsigned writes = 1, meets = 2, first_reads = 3, last = 6;
  const unsigned stage = stage_++;
  if (stage_ > last)
    stage_ = 0;
  if (stage == meets) {
    meet(row_.place);
    return std::nullopt;
  }
  Accesses now = row_;
  now.kind = stage == writes || stage == last ? AccessKind::write : AccessKind::read;
  now.lanes = pick(2) ? all_lanes(lanes_from(now.first)) : lanes(now.first);
  if (stage != last)
    now.word = pick_word(now.memory, shape_.sub_group_size);
  if (stage == first_reads)
    row_.word = now.word;
  else if (stage != writes && stage != last && pick(2))
    now.first = pick_sub_group();
  now.lanes &= all_lanes(lanes_from(now.first));
  return now.lanes ? access_as(now, false) : std::nullopt;
}

// A lock may also be released by a work-item that does not hold it.
std::optional<bool> Run::go_on_with_lock() {
  const bool is_late = lock_stage_ == LockStage::given; // now without the lock
  if (is_late)
    lock_stage_ = LockStage::free;
  else if (lock_stage_ == LockStage::free) {
    taker_ = {};
    taker_.lanes = 1;
    taker_.place = pick_place();
    taker_.first = unsigned(pick(shape_.group_size));
    taker_.word = words_ + unsigned(pick(locks_));
  }
  Accesses now = taker_;
  if (is_late || (lock_stage_ == LockStage::taken && pick(3))) {
    now.word = unsigned(pick(2)) * unsigned(pick(words_));
    now.kind = pick(4) ? AccessKind::write : AccessKind::read;
    return access_as(now, false);
  }
  const bool takes = lock_stage_ == LockStage::free;
  lock_stage_ = takes ? LockStage::taken : pick(4) ? LockStage::free : LockStage::given;
  now.kind = takes ? AccessKind::atomic_update : AccessKind::atomic_write;
  now.order = lock_order_ == CheckOrder::seq_cst || takes ? lock_order_ : CheckOrder::release;
  if (has_weak_locks_ && pick(8) == 0) {
    now.order = takes && pick(2) ? CheckOrder::release : CheckOrder::relaxed;
    if (!takes && !has_weak_stores_) { // for release by kernel end
      now.kind = AccessKind::atomic_update;
      now.order = pick(2) ? CheckOrder::release : CheckOrder::relaxed;
    }
  }
  return update(now);
}

// Accesses by a whole group or one sub-group: to words that it has written itself, to those of its
// neighbors on both sides, to another group's, or to any. The parts of the groups in the row are
// consecutive.
std::optional<bool> Run::access_rows() {
  Accesses a;
  a.place = pick_place();
  a.kind = pick(3) ? AccessKind::read : AccessKind::write;
  const auto part = unsigned(pick(3) ? a.place : pick(places_.size()));
  int offset = 0;
  if (pick(2))
    offset = pick(3) ? int(pick(3)) - 1 : int(pick(2 * margin)) - int(margin);
  const unsigned way = unsigned(pick(8)), only = pick_sub_group();
  const bool has_all = pick(4) != 0;
  for (a.first = 0; a.first < shape_.group_size; a.first += shape_.sub_group_size) {
    if (!has_all && a.first != only)
      continue;
    a.word = unsigned(int(margin + part * shape_.group_size + a.first) + offset);
    a.lanes = way < 5    ? all_lanes(lanes_from(a.first))
              : way == 5 ? some_in_a_row(a.first)
              : way == 6 ? uint64_t(1) << pick(lanes_from(a.first))
                         : all_lanes(lanes_from(a.first)) & ~uint64_t(1); // all but one at an edge
    if (breaks_rows_ && pick(16) == 0)
      a.lanes &= random_();
    if (!a.lanes)
      continue;
    if (auto agree = access_as(a, breaks_rows_ && pick(32) == 0))
      return agree;
  }
  return std::nullopt;
}

// Hands on a row: another group knows all accesses of a group afterwards if nothing was dropped.
// Without barriers, it knows those of one work-item.
std::optional<bool> Run::hand_on() {
  Accesses from, to;
  from.lanes = to.lanes = 1;
  from.place = pick_place();
  to.place = pick_place();
  from.word = to.word = unsigned(pick(few_words));
  from.first = pick(4) ? 0 : unsigned(pick(shape_.group_size));
  to.first = pick(4) ? 0 : unsigned(pick(shape_.group_size));
  from.kind = has_weak_stores_ && pick(2) ? AccessKind::atomic_write : AccessKind::atomic_update;
  to.kind = pick(2) ? AccessKind::atomic_read : AccessKind::atomic_update;
  constexpr CheckOrder releases[] = {CheckOrder::release, CheckOrder::acq_rel, CheckOrder::seq_cst},
                       acquires[] = {CheckOrder::acquire, CheckOrder::acq_rel, CheckOrder::seq_cst};
  from.order = pick(16) ? releases[pick(3)] : order();
  to.order =
      pick(16) ? acquires[to.kind == AccessKind::atomic_read ? 2 * pick(2) : pick(3)] : order();
  const bool is_for_device = has_fences_ && pick(4) == 0;
  if (pick(12))
    pass_barrier(from.place, 2, is_for_device);
  if (pick(24))
    if (auto agree = update(from))
      return agree;
  if (pick(24))
    if (auto agree = update(to))
      return agree;
  if (pick(12))
    pass_barrier(to.place, 2, is_for_device);
  return std::nullopt;
}

} // namespace lockstep::fuzz
