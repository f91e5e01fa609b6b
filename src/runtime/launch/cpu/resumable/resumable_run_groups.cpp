// Implements how work-groups of a run begin and end.
#include "runtime/launch/cpu/resumable/resumable_run.h"

#include "abi/device_enqueue_abi.h"
#include "back_ends/cpu/host_functions/address_space_query.h"
#include "platform/linux/subnormals.h"
#include "runtime/device/launch_names.h"
#include "runtime/launch/cpu/diagnostics/deadlock_report.h"
#include "runtime/launch/cpu/diagnostics/fault_handling.h"
#include "runtime/launch/cpu/resumable/group_order.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep::runtime {
namespace {

// How long a worker starts groups before it reads the clock again; the longer time if groups stop
// before locks, so that more of them then take the lock one after the other.
constexpr uint64_t chunk_nanoseconds = 3'000, long_chunk_nanoseconds = 10'000;
constexpr std::size_t most_batched_bytes = 64 << 10;

} // namespace

// All calls of machine code, and reads of memory on its behalf, go through this function.
void ResumableRun::run_kernel(Lane &lane, void (*function)(void *), void *data) {
  Batch &batch = lane.batch;
  batch.current = batch.diverged = nullptr;
  batch.completed = batch.completed_late = batch.advances = batch.ended_waits = batch.lost_races =
      0;
  batch.has_changed = batch.has_advanced = false;
  batch.waited_in_queues = 0;
  auto fault = with_subnormals(!view_.kernel->denorms_are_zero,
                               [&] { return catch_faults(function, data); });
  compiler::thread_private_memory = {};
  lane.running.store(no_group, std::memory_order_relaxed);
  if (fault) {
    if (batch.current)
      view_.observer->group_faulted(batch.current->info);
    fail(error_of(*fault, shown_name(*view_.kernel),
                  batch.current ? batch.current->info.group_id : nullptr,
                  launch_.place_of(*fault)));
  } else if (batch.diverged) {
    view_.observer->group_diverged(batch.diverged->info);
    fail(divergence_error(*this, *batch.diverged));
  } else if (auto outcome = view_.observer->outcome(); !outcome) {
    fail(outcome.take_error());
  }
  settle_batch(lane);
}

void ResumableRun::report_event(GroupEvent event, const WaitingGroup &group) const {
  if (anyone_listens())
    notify(event, *command_->operation()->launch(), std::to_array(group.info.group_id),
           Listener::Size{1, 1, 1});
}

// Reports where the first sub-group that waits is suspended.
void ResumableRun::report_wait(WaitingGroup &group) const {
  if (!anyone_listens())
    return;
  Listener::Place place;
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    const compiler::SubGroupFrame &frame = group.frame(i);
    if (frame.step != compiler::Step::waiting || frame.site >= group.code->sites.size())
      continue;
    const compiler::SuspensionSite &site = group.code->sites[frame.site];
    place = {site.file, site.line, site.column};
    break;
  }
  notify(&Listener::group_waits, *command_->operation()->launch(),
         std::to_array(group.info.group_id), place);
}

void ResumableRun::report_end_of_wait(const WaitingGroup &group) const {
  if (anyone_listens())
    notify(&Listener::group_goes_on, *command_->operation()->launch(),
           std::to_array(group.info.group_id));
}

void ResumableRun::end_observation(const WaitingGroup &group) const {
  if (!view_.observer->observes_groups())
    return;
  view_.observer->group_ended(group.info);
  view_.observer->no_group_follows(group.info);
}

// Handles the group's new state. `to` becomes its list entry; null group: none.
void ResumableRun::take_in(Lane &lane, WaitingGroup &group, GroupState state, Waiter &to) {
  to.group = nullptr;
  PendingAddition addition;
  addition.take_from(group);
  addition.make();
  switch (state) {
  case GroupState::done:
    report_event(&Listener::groups_ended, group);
    end_observation(group);
    if (view_.launch->enqueues)
      view_.launch->enqueues->group_ended(group.info);
    lane.slots.give_back(&group);
    ++lane.batch.completed;
    return;
  case GroupState::waits:
    layout_.get_pure_wait(group, to.wait);
    to.group = &group;
    return;
  case GroupState::diverged:
    lane.batch.diverged = &group;
    return;
  case GroupState::updates: // only while it is started
  case GroupState::before_lock:
    return;
  }
}

void ResumableRun::settle_batch(Lane &lane) {
  const Batch &batch = lane.batch;
  lane.has_advanced |= batch.has_advanced;
  if (batch.advances)
    lane.all_advances.store(lane.all_advances.load(std::memory_order_relaxed) + batch.advances,
                            std::memory_order_relaxed);
  if (batch.ended_waits)
    lane.all_ended_waits.store(lane.all_ended_waits.load(std::memory_order_relaxed) +
                                   batch.ended_waits,
                               std::memory_order_relaxed);
  if (!batch.completed)
    return;
  if (batch.completed_late)
    lane.all_completed_late.store(lane.all_completed_late.load(std::memory_order_relaxed) +
                                      batch.completed_late,
                                  std::memory_order_relaxed);
  lane.has_completed = lane.has_advanced = true;
  lane.completed += batch.completed;
  lane.all_completed.store(lane.all_completed.load(std::memory_order_relaxed) + batch.completed,
                           std::memory_order_relaxed);
  // All workers share one counter, so a worker with more groups to start adds to it later.
  if (!unstarted_.has_claim(lane.index))
    count_completed(lane);
}

void ResumableRun::count_completed(Lane &lane) {
  const uint64_t completed = std::exchange(lane.completed, 0);
  if (completed &&
      done_.fetch_add(completed, std::memory_order_acq_rel) + completed == view_.groups)
    close();
}

// ---- new groups

// Starts a chunk of groups at the time `now`, and sets it to the time at the end. False if none is left
// or there is no memory.
bool ResumableRun::start_some(Lane &lane, uint64_t &now) {
  // reading other workers' claims would take their cache lines
  if (!unstarted_.has_claim(lane.index) && !unstarted_.any())
    return false;
  uint64_t wanted = std::min(lane.chunk, uint64_t{batch_size});
  if (is_queue(lane))
    wanted =
        std::min(wanted, lane.pass_after - std::min(lane.pass_after - 1, lane.started_since_pass));
  const uint64_t possible = lane.slots.ensure(wanted);
  if (possible == 0)
    return false; // until a group is done, or deadlock detection ends the run
  auto groups = unstarted_.take(lane.index, possible);
  if (groups.size() == 0)
    return false;
  const std::size_t waiting_before = lane.waiters.size();
  const bool are_whole = view_.inner->resumable.is_of_group && !view_.edge;
  run_kernel(lane, [this, &lane, &groups, are_whole] {
    const uint64_t end = are_whole ? start_whole_groups(lane, groups.begin, groups.end)
                                   : start_groups(lane, groups.begin, groups.end);
    if (end != groups.end)
      unstarted_.put_back({end, groups.end});
    groups.end = end;
  });
  const uint64_t took = now_nanoseconds() - now;
  now += took;
  const uint64_t worked = took - std::min(took, lane.batch.waited_in_queues);
  const uint64_t aim =
      view_.inner->resumable.stops_before_locks ? long_chunk_nanoseconds : chunk_nanoseconds;
  if (worked < aim)
    lane.chunk = std::min<uint64_t>(2 * lane.chunk, batch_size);
  else if (worked > 2 * aim)
    lane.chunk = std::max<uint64_t>(lane.chunk / 2, 1);
  lane.started_since_pass += groups.size();
  const std::size_t waiting = std::max(lane.waiters.size(), waiting_before) - waiting_before;
  lane.waited_in_a_row =
      waiting == groups.size() ? lane.waited_in_a_row + waiting : lane.batch.waiting_at_end;
  unstarted_.note(lane.index, groups.size(), waiting);
  lane.started.store(lane.started.load(std::memory_order_relaxed) + groups.size(),
                     std::memory_order_relaxed);
  lane.waited.store(lane.waited.load(std::memory_order_relaxed) + waiting,
                    std::memory_order_relaxed);
  lane.has_advanced = true;
  return true;
}

// Whether the worker stops to start groups and looks at the others first: several in a row wait,
// and either they did not before, or each waits for its turn.
bool ResumableRun::begins_to_wait(const Lane &lane, std::size_t in_a_row) {
  constexpr std::size_t some = 4;
  return in_a_row >= some && (lane.waited_in_a_row == 0 || lane.waits_are_ordered);
}

// Two groups that wait for different values of one variable take turns, such as those with tickets
// of a lock. Groups that wait for the same value may all have to start, such as those at a barrier.
void ResumableRun::note_wait(Lane &lane, const PureWait &wait) {
  const PureWait before = std::exchange(lane.last_wait, wait);
  lane.waits_are_apart = wait.size != 0 && before.size != 0 && wait.address != before.address;
  if (wait.size == 0 || wait.address != before.address)
    lane.waits_are_ordered = false;
  else if (wait.value != before.value)
    lane.waits_are_ordered = wait.ends_by == compiler::EndsBy::equal;
}

// Returns the position behind the last group that it has started.
uint64_t ResumableRun::start_groups(Lane &lane, uint64_t begin, uint64_t end) {
  compiler::GroupInfo info{};
  auto &waiters = lane.batch.waiters;
  std::size_t count = 0, in_a_row = 0;
  uint64_t i = begin;
  for (; i < end && !lane.batch.diverged && !begins_to_wait(lane, in_a_row); ++i) {
    const uint64_t number = view_.order->group(i);
    const compiler::KernelCode &code = launch_.set_group(number, info);
    WaitingGroup &group = layout_.make(lane.slots.take(), code, info);
    group.number = number;
    lane.batch.current = &group;
    report_event(&Listener::groups_begun, group);
    compiler::thread_local_memory = {group.info.local_memory, view_.local_memory_bytes};
    compiler::thread_private_memory = {&group, layout_.bytes()};
    lane.running.store(number, std::memory_order_relaxed);
    GroupState state = GroupState::done;
    if (code.is_resumable())
      state = start_group(*view_.launch, group).state;
    else
      code.function(view_.launch, &group.info);
    if (state == GroupState::waits)
      report_wait(group);
    take_in(lane, group, state, waiters[count]);
    const bool waits = waiters[count].group != nullptr;
    if (waits)
      note_wait(lane, waiters[count].wait);
    count += waits;
    in_a_row = waits ? in_a_row + 1 : 0;
  }
  lane.waiters.put({waiters.data(), count});
  lane.batch.waiting_at_end = in_a_row;
  return i;
}

// Groups that are one coroutine each. Most of them do not wait, and some take less time than setting
// up a new slot. So the next group reuses the slot of a group that is done.
class ResumableRun::WholeGroups {
public:
  // `stops`: groups stop before locks.
  WholeGroups(ResumableRun &run, Lane &lane, bool batches, bool stops)
      : run_(run), lane_(lane), waiters_(lane.batch.waiters), stops_(stops),
        has_requests_(batches || stops), is_observed_(run.view_.observer->observes_groups()),
        is_plain_(!has_requests_ && !is_observed_ && !run.view_.launch->enqueues &&
                  run.view_.order->is_ascending() && !anyone_listens()),
        most_requests_(std::max<std::size_t>(2, most_batched_bytes / run.layout_.bytes())) {}

  uint64_t start(uint64_t begin, uint64_t end) {
    uint64_t i = begin;
    for (; i < end && !begins_to_wait(lane_, in_a_row_); ++i) {
      if (is_plain_ && free_ && free_->number + 1 == i) {
        i = start_plain(i, end);
        continue;
      }
      if (requested_ >= most_requests_)
        update();
      WaitingGroup &group = next(run_.view_.order->group(i));
      GroupLayout::set_requests(group, has_requests_);
      run_.report_event(&Listener::groups_begun, group);
      be_current(group);
      take_in(group, start_whole_group(*run_.view_.launch, group));
    }
    while (requested_ > 0)
      update();
    pending_.make();
    if (free_) {
      if (is_observed_)
        run_.view_.observer->no_group_follows(free_->info);
      lane_.slots.give_back(free_);
    }
    lane_.waiters.put({waiters_.data(), waiting_});
    lane_.batch.waiting_at_end = in_a_row_;
    return i;
  }

private:
  // Starts groups in the slot `free_`, up to the first one that waits. Returns the last one's position.
  uint64_t start_plain(uint64_t position, uint64_t end) {
    const compiler::LaunchInfo &launch = *run_.view_.launch;
    WaitingGroup &group = *std::exchange(free_, nullptr);
    be_current(group);
    GroupState state = GroupState::done;
    uint64_t i = position;
    for (;; ++i) {
      begin_next(group, launch);
      lane_.running.store(i, std::memory_order_relaxed);
      state = start_whole_group(launch, group);
      if (state != GroupState::done || i + 1 == end)
        break;
      pending_.take_from(group);
    }
    lane_.batch.completed += i - position;
    take_in(group, state);
    return i;
  }

  // Begins the group behind the one that is done in this slot.
  static void begin_next(WaitingGroup &group, const compiler::LaunchInfo &launch) {
    uint64_t *id = group.info.group_id;
    for (int d = 0; ++id[d] == launch.num_groups[d]; ++d)
      id[d] = 0;
    GroupLayout::make_again(group);
    ++group.number;
  }

  WaitingGroup &next(uint64_t number) {
    WaitingGroup *group = std::exchange(free_, nullptr);
    if (!group) {
      compiler::GroupInfo info{};
      const compiler::KernelCode &code = run_.launch_.set_group(number, info);
      group = &run_.layout_.make(lane_.slots.take(), code, info);
    } else {
      if (run_.view_.order->is_ascending() && group->number + 1 == number) {
        begin_next(*group, *run_.view_.launch);
        return *group;
      }
      run_.launch_.set_group(number, group->info);
      GroupLayout::make_again(*group);
    }
    group->number = number;
    return *group;
  }

  void be_current(WaitingGroup &group) {
    if (lane_.batch.current != &group) {
      compiler::thread_local_memory = {group.info.local_memory, run_.view_.local_memory_bytes};
      compiler::thread_private_memory = {&group, run_.layout_.bytes()};
      lane_.batch.current = &group;
    }
    lane_.running.store(group.number, std::memory_order_relaxed);
  }

  void take_in(WaitingGroup &group, GroupState state) {
    if (state == GroupState::updates || state == GroupState::before_lock) {
      requests_[requested_++] = &group;
      return;
    }
    pending_.take_from(group);
    if (state != GroupState::done) {
      pending_.make();
      GroupLayout::set_requests(group, false);
      run_.report_wait(group);
      run_.take_in(lane_, group, GroupState::waits, waiters_[waiting_]);
      note_wait(lane_, waiters_[waiting_++].wait);
      ++in_a_row_;
      return;
    }
    run_.report_event(&Listener::groups_ended, group);
    if (is_observed_)
      run_.view_.observer->group_ended(group.info);
    if (run_.view_.launch->enqueues) {
      pending_.make(); // for the kernels that the group has enqueued
      run_.view_.launch->enqueues->group_ended(group.info);
    }
    ++lane_.batch.completed;
    in_a_row_ = 0;
    if (free_)
      lane_.slots.give_back(free_);
    free_ = &group;
  }

  // Makes the additions that are requested, and runs the groups on to their ends, waits or next
  // requests.
  void update() {
    if (stops_)
      return take_locks();
    const std::size_t count = std::exchange(requested_, 0);
    make_updates({requests_.data(), count});
    for (std::size_t i = 0; i < count; ++i)
      go_on(*requests_[i]);
  }

  void go_on(WaitingGroup &group) {
    GroupLayout::set_requests(group, has_requests_);
    be_current(group);
    take_in(group, resume_whole_group(group));
  }

  // Runs the groups that have stopped before locks, those with the same lock one after the other. They
  // count as groups that had to wait: one worker may be faster (worker_limit.h).
  void take_locks() {
    const std::size_t count = std::exchange(requested_, 0), completed = lane_.batch.completed;
    const auto groups = requests_;
    std::array<const void *, batch_size> locks{};
    for (std::size_t i = 0; i < count; ++i)
      locks[i] = groups[i]->frame(0).update.address;
    std::array<bool, batch_size> is_done{};
    for (std::size_t first = 0; first < count; ++first) {
      if (is_done[first])
        continue;
      const void *const lock = locks[first];
      const auto rest = std::span(locks).subspan(first, count - first);
      const bool is_first =
          std::ranges::count(rest, lock) > 1 &&
          run_.lock_queues_.begin(lane_.index, lock, lane_.batch.waited_in_queues);
      for (std::size_t i = first; i < count; ++i)
        if (!is_done[i] && locks[i] == lock) {
          is_done[i] = true;
          go_on(*groups[i]);
        }
      if (is_first)
        run_.lock_queues_.end(lane_.index);
    }
    lane_.batch.completed_late += lane_.batch.completed - completed;
  }

  ResumableRun &run_;
  Lane &lane_;
  std::array<Waiter, batch_size> &waiters_;
  std::array<WaitingGroup *, batch_size> requests_{};
  std::size_t waiting_ = 0, requested_ = 0, in_a_row_ = 0;
  PendingAddition pending_;
  WaitingGroup *free_ = nullptr; // the slot of a group that is done
  const bool stops_;             // before locks; otherwise groups may request additions
  const bool has_requests_, is_observed_;
  const bool is_plain_; // no group requests an addition, and nothing else follows each group
  const std::size_t most_requests_; // whose groups stay in a near cache
};

// Returns the position behind the last group that it has started.
uint64_t ResumableRun::start_whole_groups(Lane &lane, uint64_t begin, uint64_t end) {
  return WholeGroups(*this, lane, batches_updates(end - begin), stops_before_locks(end - begin))
      .start(begin, end);
}

// With one worker, no other one wants the counter's cache line. Listeners expect that a worker runs
// one group at a time.
bool ResumableRun::batches_updates(uint64_t groups) const {
  return view_.inner->resumable.may_batch_updates && groups > 1 && lane_count_ > 2 &&
         limit_.limit() > 1 && !anyone_listens();
}

// The same. Groups that are observed are reported one after the other, too.
bool ResumableRun::stops_before_locks(uint64_t groups) const {
  return view_.inner->resumable.stops_before_locks && groups > 1 && lane_count_ > 2 &&
         limit_.limit() > 1 && !view_.observer->observes_groups() && !anyone_listens() &&
         !lock_queues_.pause();
}

} // namespace lockstep::runtime
