// Synchronization of the work-items of a run other than by atomics, and the end of a group.
#include "run.h"

#include <cstdio>
#include <map>
#include <utility>

namespace lockstep::fuzz {

void Run::fence() {
  const unsigned place = pick_place(), first = unsigned(pick(shape_.group_size));
  static std::map<std::array<unsigned, 4>, CheckSite *> known;
  const CheckOrder wanted = order();
  const CheckScope reach = scope();
  const auto flags = unsigned(1 + pick(3));
  CheckSite *&site = known[{unsigned(wanted), unsigned(reach), flags, how()}];
  if (!site) {
    site = &new_site();
    site->kind = AccessKind::fence;
    site->order = wanted;
    site->scope = reach;
    site->fences = flags;
    site->synchronizes = how();
  }
  const Place &at = places_[place];
  oracle_->fence(at.group * shape_.group_size + first, wanted, reach, flags);
  if (shows_)
    std::printf("group %u item %u: fence order %u scope %u flags %u\n", at.group, first,
                unsigned(wanted), unsigned(reach), flags);
  compiler::check_hooks.fence(&launch_, &at.info, site, 1, first, at.intervals);
}

void Run::meet_as_sub_group(unsigned place) {
  const Place &at = places_[place];
  const unsigned first = pick_sub_group();
  const uint64_t lanes = all_lanes(lanes_from(first));
  static CheckSite *site = nullptr;
  if (!site) {
    site = &new_site();
    site->kind = AccessKind::sub_group_barrier;
  }
  site->synchronizes = how();
  oracle_->sub_group_barrier(at.group, first, lanes);
  if (shows_)
    std::printf("group %u items %u+%llx: sub-group's barrier\n", at.group, first,
                static_cast<unsigned long long>(lanes));
  compiler::check_hooks.fence(&launch_, &at.info, site, lanes, first, at.intervals);
}

void Run::meet_copies(unsigned place) {
  const Place &at = places_[place];
  const bool is_wait = pick(3);
  if (shows_)
    std::printf("group %u: %s\n", at.group, is_wait ? "waits for copies" : "parts copies");
  if (!is_wait) {
    oracle_->part_copies(at.group);
    return pass(place, Intervals::copy_fence_step);
  }
  oracle_->wait_for_copies(at.group);
  pass(place, Intervals::wait_step);
  static CheckSite *site = nullptr;
  if (!site) {
    site = &new_site();
    site->kind = AccessKind::wait_for_copies;
  }
  compiler::check_hooks.fence(&launch_, &at.info, site, 1, 0, at.intervals);
}

void Run::pass_barrier(unsigned place, unsigned flags, bool is_for_device) {
  const unsigned group = places_[place].group;
  if (shows_)
    std::printf("group %u: barrier %u%s\n", group, flags, is_for_device ? " for the device" : "");
  oracle_->barrier(group, flags, is_for_device);
  pass(place, (flags & 2 ? Intervals::global_step : 0) + (flags & 1 ? Intervals::local_step : 0) +
                  (is_for_device ? Intervals::device_step : 0));
}

void Run::meet(unsigned place) {
  if (has_sub_group_barriers_ && pick(2))
    return meet_as_sub_group(place);
  if (has_copies_ && pick(2))
    return meet_copies(place);
  const auto flags = unsigned(pick(4));
  pass_barrier(place, flags, flags & 2 && has_fences_ && pick(4) == 0);
}

// Ends a group as workers do: the next one begins with state that the checker keeps of this one, or
// with state that was returned earlier.
void Run::end_group() {
  const unsigned place = pick_place();
  Place &at = places_[place];
  if (shows_)
    std::printf("group %u ends\n", at.group);
  if (taker_.place == place)
    lock_stage_ = LockStage::free;
  if (row_.place == place)
    stage_ = 0;
  check_->leave(at.info);
  const bool is_last = next_group_ == shape_.groups;
  if (is_last || pick(2))
    check_->give_back(at.info);
  const auto local = word(place, local_memory, 0);
  oracle_->forget(local, local + local_words * 4);
  at.has_ended = is_last;
  at.group = is_last ? at.group : next_group_++;
  at.info.group_id[0] = at.group;
  at.intervals = 0;
}

} // namespace lockstep::fuzz
