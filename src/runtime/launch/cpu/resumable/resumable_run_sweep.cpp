// Implements the polling of waiting groups: which groups, and in which order.
#include "runtime/launch/cpu/resumable/resumable_run.h"

#include "back_ends/cpu/host_functions/address_space_query.h"
#include "runtime/launch/cpu/diagnostics/wait_summary.h"

#include <algorithm>
#include <utility>

namespace lockstep::runtime {
namespace {

// Doublings of the number of groups between passes; those if the groups that were started last wait.
constexpr uint64_t most_doublings = 4, most_of_queue = 2;
constexpr uint64_t between_looks = 2'000; // nanoseconds
// Nanoseconds until a worker starts more groups although the last ones wait: the group that the
// others wait for may only be slow. If groups take turns, a group that starts now is the last one.
constexpr uint64_t longest_stall = 20'000, longest_ordered_stall = 1'000'000;
// Nanoseconds without a pass for each group that waits, while the groups that are started do not: a
// small multiple of the time to poll a group without success.
constexpr uint64_t rest_for_each = 64;
// Nanoseconds in which a group of a queue should have its turn, if the groups of the queue wait at
// different addresses. Otherwise they may be no queue, but wait for groups that are not started, like
// the groups of a tree whose root has the first id.
constexpr uint64_t longest_in_queue = 10'000;
constexpr uint64_t passes_between_true_ones = 64;
constexpr uint64_t passes_between_visits = 8; // to other workers' lists
// For each worker: all of them visit each list, which takes its cache lines from its owner.
constexpr uint64_t between_visits_each = 3'000;       // nanoseconds
constexpr uint64_t between_helpers_sweeps_each = 100; // nanoseconds per group of the list
constexpr uint64_t least_between_helpers_sweeps = 50'000, most_between_helpers_sweeps = 500'000;
constexpr int most_blocks_of_help = 16;
constexpr int most_steps_beside = 64; // at a time
constexpr int most_readers = 256;     // consecutive ones
// If an index finds groups by their waits, few may be taken out of the list at once.
constexpr std::size_t most_away = 4;
constexpr std::size_t groups_ahead = 5;          // number of groups to prefetch
constexpr std::size_t observed_groups_ahead = 3; // the same for the observer's data
constexpr unsigned slow_passes_before_index = 2;
constexpr std::size_t most_shared = 1024; // groups that a worker takes over at once

} // namespace

// Prefetches the observer's data of the groups that are polled next.
static void prefetch_observed(const LaunchObserver &observer, std::span<const Waiter> waiters) {
  if (waiters.size() > observed_groups_ahead)
    if (const WaitingGroup *soon = waiters[observed_groups_ahead].group)
      observer.prefetch(soon->info);
  if (waiters.size() > 1)
    if (const WaitingGroup *next = waiters[1].group)
      observer.prefetch_items(next->info);
}

void ResumableRun::begin_pass(Lane &lane) {
  lane.is_in_pass = true;
  lane.pass_has_changed = lane.pass_has_advanced = false;
  lane.pass_advances = 0;
  lane.waits_elsewhere = false;
  ++lane.passes;
  lane.waiters.begin_sweep(lane.passes * 0x9e3779b97f4a7c15u >> 32);
}

void ResumableRun::end_pass(Lane &lane) {
  lane.is_in_pass = false;
  lane.started_since_pass = 0;
  const uint64_t first = std::max<uint64_t>(4, lane.waiters.size() / 4);
  lane.vain_passes = lane.pass_has_advanced ? 0 : lane.vain_passes + 1;
  const uint64_t most = lane.waited_in_a_row < first_of_queue ? most_doublings : most_of_queue;
  lane.pass_after = first << std::min<uint64_t>(lane.vain_passes, most);
  const uint64_t now = now_nanoseconds();
  lane.next_pass = now + rest_for_each * lane.waiters.size();
  if (lane.pass_has_advanced)
    lane.advanced_at = now;
  look_at_others(lane, now);
  if (is_queue(lane)) {
    if (lane.others_advance &&
        (!lane.waits_are_apart || now - lane.advanced_at < longest_in_queue)) {
      lane.pass_after = lane.waiters.size() < first_of_queue; // the queue does not grow
    } else if (lane.others_advance) {
      lane.pass_after = lane.waiters.size(); // they may be no queue
      lane.advanced_at = now;
    } else
      allow_more(lane, now);
  }
  if (!lane.pass_has_advanced)
    return;
  // Counts all lists, because a group likely waits for one in another list.
  const uint64_t all = waiting_groups(), own = std::max<uint64_t>(lane.waiters.size(), 1);
  const bool is_slow = WaiterList::is_index_faster(all, layout_.coroutines(),
                                                   lane.pass_advances * std::max(all, own) / own);
  lane.slow_passes = is_slow ? lane.slow_passes + 1 : 0;
  if (lane.slow_passes < slow_passes_before_index)
    return;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (Lane *other = lanes_[i].load(std::memory_order_acquire))
      other->waiters.make_index();
  has_index_.store(true, std::memory_order_relaxed);
}

// If the groups that a worker started last wait, it matters whether any group of the run advances.
void ResumableRun::look_at_others(Lane &lane, uint64_t now) {
  if (lane.waited_in_a_row < first_of_queue)
    return;
  if (now - lane.looked_at >= between_looks) { // each look takes the cache lines of all workers
    lane.looked_at = now;
    const uint64_t advances = all_advances();
    if (std::exchange(lane.advances_seen, advances) != advances)
      lane.saw_advance_at = now;
  }
  lane.others_advance =
      now - lane.saw_advance_at < (lane.waits_are_ordered ? longest_ordered_stall : longest_stall);
}

ResumableRun::Served ResumableRun::poll_some(Lane &lane) {
  if (!lane.is_in_pass)
    begin_pass(lane);
  bool goes_on = false;
  run_kernel(lane, [this, &lane, &goes_on] {
    goes_on = poll_block(lane, lane, lane.passes % passes_between_true_ones == 0);
  });
  lane.pass_has_changed |= lane.batch.has_changed;
  lane.pass_has_advanced |= lane.batch.has_advanced;
  lane.pass_advances += lane.batch.advances;
  if (goes_on)
    return lane.batch.has_changed ? Served::moved : Served::nothing_new;
  const bool has_changed = lane.pass_has_changed;
  end_pass(lane);
  Served helped = Served::in_vain;
  const bool is_time = now_nanoseconds() - lane.visited_at >= lane_count_ * between_visits_each;
  if (is_time && (!has_changed || lane.passes % passes_between_visits == 0))
    helped = help_others(lane);
  if (has_changed)
    return Served::moved;
  const bool may_start = has_unstarted() && lane.slots.ensure(1);
  return helped == Served::in_vain && may_start ? Served::nothing_new : helped;
}

// Takes over the groups of all workers that are away, because the limit may not admit them.
void ResumableRun::adopt(Lane &lane) {
  for (unsigned i = 0; i < lane_count_; ++i) {
    Lane *other = lanes_[i].load(std::memory_order_acquire);
    if (other && other != &lane && other->waiters.size() > 0 &&
        other->is_away.load(std::memory_order_relaxed)) {
      lane.waiters.put(other->waiters.take_last(other->waiters.size()));
      has_adopted_.store(true, std::memory_order_relaxed);
    }
  }
}

// Takes over half of the longest list, unless its groups take turns. So the groups that adopt() has
// gathered are shared out again.
bool ResumableRun::share(Lane &lane) {
  Lane *longest = nullptr;
  std::size_t most = 1;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (Lane *other = lanes_[i].load(std::memory_order_acquire);
        other && other != &lane && other->waiters.size() > most) {
      longest = other;
      most = other->waiters.size();
    }
  if (!longest)
    return false;
  const std::vector<Waiter> taken =
      longest->waiters.take_last(std::min(most / 2, most_shared), true);
  lane.waiters.put(taken);
  return !taken.empty();
}

// Polls groups of other workers' lists: the groups next to advances, and, if the worker is away,
// all groups. The latter no more often than one worker would.
ResumableRun::Served ResumableRun::help_others(Lane &lane) {
  lane.visited_at = now_nanoseconds();
  if (lane.waiters.size() == 0 && has_adopted_.load(std::memory_order_relaxed) &&
      !limit_.is_lowered() && !has_unstarted() && share(lane))
    return Served::nothing_new;
  for (unsigned i = 0; i < lane_count_; ++i) {
    if (!lane.is_helping)
      lane.victim = (lane.victim + 1) % lane_count_;
    Lane *other = lanes_[lane.victim].load(std::memory_order_acquire);
    if (!other || other == &lane || other->waiters.size() == 0) {
      lane.is_helping = false;
      continue;
    }
    if (const Served served = help(lane, *other); served != Served::in_vain)
      return served;
  }
  return Served::in_vain;
}

ResumableRun::Served ResumableRun::help(Lane &lane, Lane &other) {
  bool has_changed = false, goes_on = false;
  run_kernel(lane, [this, &lane, &other, &has_changed] {
    poll_beside(lane, other, 0);
    poll_beside(lane, other, 1);
    has_changed = lane.batch.has_changed;
  });
  if (!lane.is_helping) {
    const uint64_t now = now_nanoseconds();
    const uint64_t between = std::clamp(other.waiters.size() * between_helpers_sweeps_each,
                                        least_between_helpers_sweeps, most_between_helpers_sweeps);
    if (!other.is_away.load(std::memory_order_relaxed) ||
        now - other.last_sweep.load(std::memory_order_relaxed) < between)
      return has_changed ? Served::moved : Served::in_vain;
    other.last_sweep.store(now, std::memory_order_relaxed);
    other.waiters.begin_sweep(now);
  }
  const bool truly = lane.passes % passes_between_true_ones == 0;
  for (int i = 0; i < most_blocks_of_help && !is_closed(); ++i) {
    run_kernel(lane, [&] { goes_on = poll_block(lane, other, truly); });
    has_changed |= lane.batch.has_changed;
    if (!goes_on)
      break;
  }
  lane.is_helping = goes_on;
  return has_changed ? Served::moved : goes_on ? Served::nothing_new : Served::in_vain;
}

// Compares without taking the group: a descheduled worker would keep taken groups from all others.
bool ResumableRun::is_worth_polling(const Waiter &waiter, bool truly) const {
  if (!waiter.group || truly)
    return waiter.group;
  if (waiter.wait.size)
    return !goes_on(waiter.wait);
  return !waiter.wait.value || !layout_.all_go_on(*waiter.group, waiter.wait.value);
}

// Polls the next block of a sweep of the owner's list; false if the sweep has ended. Groups worth
// polling are taken in contiguous runs, because a skipped group may become worth it after the run.
bool ResumableRun::poll_block(Lane &lane, Lane &owner, bool truly) {
  Batch &batch = lane.batch;
  poll_beside(lane, owner, 0);
  poll_beside(lane, owner, 1);
  poll_readers(lane);
  const WaiterList::Block block = owner.waiters.next(batch.waiters);
  const std::span<Waiter> waiters{batch.waiters.data(), block.count};
  if (lane.back_off > 0)
    lane.waits_elsewhere |= std::any_of(waiters.begin(), waiters.end(), [&](const Waiter &waiter) {
      return waiter.group && waiter.wait.address != lane.contended;
    });
  for (std::size_t i = 0; i < waiters.size() && !batch.diverged;) {
    if (!is_worth_polling(waiters[i], truly)) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    const std::size_t most = has_index_.load(std::memory_order_relaxed) ? most_away : batch_size;
    while (++i < waiters.size() && i - begin < most && is_worth_polling(waiters[i], truly)) {
    }
    const bool had_advanced = std::exchange(batch.has_advanced, false);
    poll_run(lane, owner, block, begin, waiters.subspan(begin, i - begin), truly);
    if (batch.has_advanced) {
      owner.frontiers[0].store(block.first + begin, std::memory_order_relaxed);
      owner.frontiers[1].store(block.first + i - 1, std::memory_order_relaxed);
      poll_beside(lane, owner, 0);
      poll_readers(lane);
    }
    batch.has_advanced |= had_advanced;
  }
  return !waiters.empty();
}

void ResumableRun::poll_run(Lane &lane, Lane &owner, const WaiterList::Block &block,
                            std::size_t begin, std::span<Waiter> waiters, bool truly) {
  owner.waiters.take(block, begin, waiters);
  poll_waiters(lane, waiters, truly);
  owner.waiters.put_back(block, begin, waiters);
}

// Polls the nearest entry on one side of the last advance, then the next one on that side, as long
// as they advance.
void ResumableRun::poll_beside(Lane &lane, Lane &owner, std::size_t frontier) {
  std::atomic<std::size_t> &place = owner.frontiers[frontier];
  Batch &batch = lane.batch;
  const bool had_advanced = std::exchange(batch.has_advanced, false);
  bool has_advanced = false;
  for (int step = 0; step < most_steps_beside && !batch.diverged; ++step) {
    const std::size_t from = place.load(std::memory_order_relaxed);
    if (from == nowhere)
      break;
    const WaiterList::Block block =
        owner.waiters.neighbor(from, frontier == 0 ? -1 : 1, batch.neighbor);
    if (!block.count) {
      place.store(nowhere, std::memory_order_relaxed);
      break;
    }
    if (!is_worth_polling(batch.neighbor, false))
      break;
    batch.has_advanced = false;
    poll_run(lane, owner, block, 0, {&batch.neighbor, 1}, false);
    if (!batch.has_advanced)
      break;
    has_advanced = true;
    place.store(block.first, std::memory_order_relaxed);
  }
  batch.has_advanced = had_advanced || has_advanced;
}

// Polls the groups that wait for what the last advancing group wrote, and so on.
void ResumableRun::poll_readers(Lane &lane) {
  Batch &batch = lane.batch;
  const bool had_advanced = std::exchange(batch.has_advanced, false);
  bool has_advanced = false;
  for (int step = 0; step < most_readers && lane.wrote[0] && !batch.diverged; ++step) {
    const auto wrote = std::exchange(lane.wrote, {});
    has_advanced |= poll_readers_of(lane, wrote[0]) ||
                    (wrote[1] != wrote[0] && poll_readers_of(lane, wrote[1]));
  }
  batch.has_advanced = had_advanced || has_advanced;
}

// Returns whether one of them advanced.
bool ResumableRun::poll_readers_of(Lane &lane, const void *address) {
  if (poll_reader(lane, {address}))
    return true;
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (number % sizeof(uint32_t) != 0)
    return false;
  const uint64_t word = __atomic_load_n(static_cast<const uint32_t *>(address), __ATOMIC_RELAXED);
  if (poll_reader(lane, {address, true, word}))
    return true;
  if (number % sizeof(uint64_t) != 0)
    return false;
  const uint64_t two = __atomic_load_n(static_cast<const uint64_t *>(address), __ATOMIC_RELAXED);
  return two != word && poll_reader(lane, {address, true, two});
}

bool ResumableRun::poll_reader(Lane &lane, const WaiterList::News &news) {
  Batch &batch = lane.batch;
  for (unsigned i = 0; i < lane_count_; ++i) {
    Lane *owner = lanes_[i].load(std::memory_order_acquire);
    if (!owner || (news.is_of_value && !owner->waiters.lists_values()))
      continue;
    const WaiterList::Block block = owner->waiters.waiting_for(news, batch.neighbor);
    if (!block.count || !is_worth_polling(batch.neighbor, false))
      continue;
    batch.has_advanced = false;
    poll_run(lane, *owner, block, 0, {&batch.neighbor, 1}, false);
    if (batch.has_advanced)
      return true;
  }
  return false;
}

void ResumableRun::poll_waiters(Lane &lane, std::span<Waiter> waiters, bool truly,
                                WaitSummary *summary) {
  Batch &batch = lane.batch;
  const bool has_index = has_index_.load(std::memory_order_relaxed),
             is_observed = view_.observer->observes_groups();
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    Waiter &waiter = waiters[i];
    if (i + groups_ahead < waiters.size())
      layout_.prefetch(waiters[i + groups_ahead].group);
    if (is_observed)
      prefetch_observed(*view_.observer, waiters.subspan(i));
    if (!waiter.group)
      continue;
    WaitingGroup &group = *waiter.group;
    batch.current = &group;
    lane.running.store(group.number, std::memory_order_relaxed);
    compiler::thread_local_memory = {group.info.local_memory, view_.local_memory_bytes};
    compiler::thread_private_memory = {&group, layout_.bytes()};
    Written wrote{};
    if (is_observed && has_index)
      view_.observer->take_atomic_write(); // of a group that began on this thread
    const PollResult polled =
        truly ? poll_group_truly(group, summary) : poll_group(group, has_index ? &wrote : nullptr);
    batch.has_changed |= polled.has_changed;
    batch.has_advanced |= polled.has_advanced;
    batch.advances += polled.has_advanced;
    if (is_observed && has_index && !wrote[0])
      if (const void *by_observer = view_.observer->take_atomic_write())
        wrote = {by_observer, by_observer};
    if (wrote[0])
      lane.wrote = wrote;
    if (polled.has_advanced || polled.state != GroupState::waits) {
      report_end_of_wait(group);
      if (polled.state == GroupState::waits)
        report_wait(group);
    }
    const PureWait before = waiter.wait;
    batch.completed_late += polled.state == GroupState::done;
    batch.ended_waits += polled.has_advanced || (polled.has_changed && before.size > 0 &&
                                                 before.ends_by != compiler::EndsBy::difference);
    if (summary && polled.state == GroupState::waits)
      summary->add(group, true);
    take_in(lane, group, polled.state, waiter);
    if (!truly && before.size && !polled.has_advanced && waiter.wait.address == before.address &&
        waiter.wait.value == before.value) {
      ++batch.lost_races;
      lane.contended = before.address;
    }
    if (batch.diverged)
      return;
  }
}

} // namespace lockstep::runtime
