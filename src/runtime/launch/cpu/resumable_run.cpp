#include "runtime/launch/cpu/resumable_run.h"

#include "compiler/device_enqueue_abi.h"
#include "compiler/host_functions/address_space_query.h"
#include "compiler/host_functions/device_printf.h"
#include "runtime/check/launch_check.h"
#include "runtime/check/memory_check.h"
#include "runtime/graph/futex.h"
#include "runtime/launch/cpu/deadlock_report.h"
#include "runtime/launch/cpu/fault_handling.h"
#include "runtime/launch/cpu/group_order.h"
#include "runtime/launch/cpu/subnormals.h"
#include "runtime/launch/cpu/wait_summary.h"
#include "runtime/launch/cpu/waiting_launches.h"
#include "runtime/launch/cpu/worker.h"

#include <algorithm>
#include <sched.h>
#include <utility>

namespace lockstep::runtime {
namespace {

constexpr uint64_t chunk_nanoseconds = 3'000;
constexpr uint64_t most_doublings = 4; // of the distance between passes
constexpr uint64_t passes_between_true_ones = 64;
constexpr uint64_t passes_between_visits = 8;         // to the lists of others
constexpr uint64_t between_visits = 50'000;           // nanoseconds, with no list of its own
constexpr uint64_t between_helpers_sweeps_each = 100; // nanoseconds for each group of the list
constexpr uint64_t least_between_helpers_sweeps = 50'000, most_between_helpers_sweeps = 500'000;
constexpr int most_blocks_of_help = 16;
constexpr int most_steps_beside = 64; // at a time
constexpr int most_readers = 256;     // in a row
// While groups are looked for by what they wait for, few are away from the list.
constexpr std::size_t most_away = 4;
constexpr uint64_t first_back_off = 500;             // nanoseconds
constexpr uint64_t longest_back_off = 15'000;        // for each worker
constexpr uint64_t first_of_queue = 2;               // groups
constexpr uint64_t longest_without_more = 1'000'000; // nanoseconds
constexpr std::size_t groups_ahead = 4;              // are fetched from memory
constexpr unsigned slow_passes_before_index = 2;

} // namespace

ResumableRun::ResumableRun(Command &command, const TaskQueue &queue, const ResumableLaunch &launch,
                           unsigned lanes)
    : command_(&command), queue_(&queue), launch_(launch), view_(launch.view()),
      layout_(*view_.inner, view_.edge, view_.items, view_.local_memory_bytes, view_.local_planes),
      lane_count_(lanes), lanes_(std::make_unique<std::atomic<Lane *>[]>(lanes)),
      unstarted_(view_.groups, lanes), begin_(now_nanoseconds()), last_move_(begin_),
      last_advance_(begin_), last_done_(begin_) {}

ResumableRun::~ResumableRun() {
  free_lanes();
}

ResumableRun::Lane &ResumableRun::lane_of(const Worker &worker) {
  std::atomic<Lane *> &place = lanes_[worker.index()]; // written by this worker only
  Lane *lane = place.load(std::memory_order_relaxed);
  if (!lane)
    place.store(lane = new Lane(worker.index(), layout_), std::memory_order_release);
  return *lane;
}

void ResumableRun::free_lanes() {
  for (unsigned i = 0; i < lane_count_; ++i)
    delete lanes_[i].exchange(nullptr, std::memory_order_acquire);
}

// ---- entering and leaving

bool ResumableRun::enter() {
  return !(state_.fetch_add(1, std::memory_order_seq_cst) & (closed_bit | held_bit));
}

bool ResumableRun::stay() {
  if (!(state_.fetch_add(1, std::memory_order_seq_cst) & closed_bit))
    return true;
  leave(nullptr);
  return false;
}

void ResumableRun::leave(Worker *worker) {
  if (state_.fetch_sub(1, std::memory_order_seq_cst) - 1 == closed_bit &&
      !is_settled_.exchange(true, std::memory_order_acq_rel))
    finish(worker);
}

// Those who come later find the run closed and touch nothing but state_.
void ResumableRun::finish(Worker *worker) {
  WaitingLaunches::instance().remove(*this);
  free_lanes();
  Worker::settle(worker, *command_, std::move(error_));
}

bool ResumableRun::hold(uint64_t longest_nanoseconds, Worker *worker) {
  state_.fetch_or(held_bit, std::memory_order_seq_cst);
  state_.fetch_add(1, std::memory_order_seq_cst);
  const uint64_t begin = now_nanoseconds();
  for (int tries = 0;; ++tries) {
    const uint32_t state = state_.load(std::memory_order_seq_cst);
    if (state == (held_bit | 1))
      return true;
    if ((state & closed_bit) || now_nanoseconds() - begin > longest_nanoseconds)
      break;
    if (tries < 64)
      spin_pause();
    else
      sched_yield(); // to one that lost its CPU inside
  }
  release(worker);
  return false;
}

void ResumableRun::release(Worker *worker) {
  state_.fetch_and(~held_bit, std::memory_order_seq_cst);
  leave(worker);
}

void ResumableRun::fail(Error error) {
  if (!has_error_.exchange(true, std::memory_order_acq_rel))
    error_ = std::make_unique<Error>(std::move(error));
  close();
}

bool ResumableRun::serve(Worker &worker, uint64_t nanoseconds) {
  bool has_moved = false;
  if (enter()) {
    Lane &lane = lane_of(worker);
    lane.is_away.store(false, std::memory_order_relaxed);
    lane.has_advanced = lane.has_completed = false;
    const uint64_t begin = now_nanoseconds();
    uint64_t now = begin;
    do {
      const Served served = serve_once(worker, lane, now);
      now = now_nanoseconds();
      has_moved |= served == Served::moved;
      if (served == Served::in_vain)
        break;
    } while (!(state_.load(std::memory_order_relaxed) & (closed_bit | held_bit)) &&
             now - begin < nanoseconds);
    count_completed(lane);
    lane.is_away.store(true, std::memory_order_relaxed);
    if (has_moved)
      last_move_.store(now, std::memory_order_seq_cst);
    if (lane.has_advanced)
      last_advance_.store(now, std::memory_order_seq_cst);
    if (lane.has_completed)
      last_done_.store(now, std::memory_order_relaxed);
    compiler::flush_device_printf(); // who waits for the command finds its output written
  }
  leave(&worker);
  return has_moved;
}

void ResumableRun::give_back_claim(Worker &worker) {
  if (enter() && lanes_[worker.index()].load(std::memory_order_relaxed))
    unstarted_.give_back(worker.index());
  leave(&worker);
}

bool ResumableRun::is_closed() const {
  return state_.load(std::memory_order_relaxed) & closed_bit;
}

ResumableRun::Served ResumableRun::serve_once(Worker &worker, Lane &lane, uint64_t now) {
  const bool is_away = now < lane.away_until, queues = is_queue(lane);
  if (queues && now - lane.allowed_more_at > longest_without_more)
    allow_more(lane, now);
  const bool is_allowed = lane.started_since_pass < lane.pass_after;
  const bool may_start = queues ? is_allowed : is_away || (!lane.is_in_pass && is_allowed);
  if (may_start && start_some(lane))
    return Served::moved;
  if (is_away) {
    worker.away_until_ = std::min(worker.away_until_, lane.away_until);
    return Served::in_vain;
  }
  if (needs_no_pass(lane, now)) {
    lane.started_since_pass = 0;
    return Served::nothing_new;
  }
  const Served served = ask_some(lane);
  keep_away(lane);
  return served;
}

// None of its groups wait, and it has more to start. A pass would lock its list and look at those of all others, and so would
// theirs: with n workers each looks at n - 1 lines of the cache that were written since, every few microseconds.
bool ResumableRun::needs_no_pass(const Lane &lane, uint64_t now) const {
  return !lane.is_in_pass && lane.waiters.size() == 0 && lane.back_off < first_back_off &&
         now < lane.visited_at + between_visits && unstarted_.has_claim(lane.index);
}

// All that it has want a lock of another worker's groups, and so did those that it started last: to
// start more makes the queue longer, and each of them looks at the lock.
bool ResumableRun::is_queue(const Lane &lane) {
  return lane.back_off >= first_back_off && !lane.waits_elsewhere &&
         lane.waited_in_a_row >= first_of_queue;
}

// Yet they may be what is waited for under the lock, so some are started after each pass, and soon:
// with many threads and many groups a pass with all its back-offs takes long.
void ResumableRun::allow_more(Lane &lane, uint64_t now) {
  lane.started_since_pass = 0;
  lane.pass_after = std::max<uint64_t>(1, lane.waiters.size() / 16);
  lane.allowed_more_at = now;
}

// Who wants a lock that another worker's groups take and give back all the time slows these down with
// each look, so a worker that came too late asks nobody for a while, longer each time and the longer
// the more workers there are. Meanwhile it starts groups, or sleeps.
// If all that it asks want that lock, to find it taken is a reason as well: it may be free and taken
// again before the next look.
void ResumableRun::keep_away(Lane &lane) const {
  const bool all_want_it = !lane.waits_elsewhere;
  if (lane.batch.advances > 0)
    lane.back_off /= 2;
  else if (lane.batch.lost_races > 0)
    lane.back_off = std::clamp(2 * lane.back_off, first_back_off,
                               all_want_it ? lane_count_ * longest_back_off : 2 * longest_back_off);
  else if (all_want_it && !lane.is_in_pass)
    lane.back_off -= lane.back_off / 16;
  else
    return;
  if (lane.back_off >= first_back_off)
    lane.away_until = now_nanoseconds() + lane.back_off;
}

// ---- kernel code

// Everything that calls machine code, or reads memory on its behalf, goes through here.
template <class Function> void ResumableRun::run_kernel(Lane &lane, Function function) {
  Batch &batch = lane.batch;
  batch.current = batch.diverged = nullptr;
  batch.completed = batch.advances = batch.lost_races = 0;
  batch.has_changed = batch.has_advanced = false;
  auto fault =
      with_subnormals(!view_.kernel->denorms_are_zero, [&] { return catch_faults(function); });
  compiler::thread_private_memory = {};
  lane.running.store(no_group, std::memory_order_relaxed);
  if (fault)
    fail(error_of(*fault, view_.kernel->name,
                  batch.current ? batch.current->info.group_id : nullptr));
  else if (batch.diverged)
    fail(divergence_error(*this, *batch.diverged));
  else if (const auto *check = static_cast<const LaunchCheck *>(view_.launch->check);
           check && check->has_given_up())
    fail(check->no_memory());
  else if (const auto *memory_check = static_cast<const MemoryCheck *>(view_.launch->memory_check))
    if (auto has_planes = memory_check->has_planes(); !has_planes)
      fail(has_planes.take_error());
  settle_batch(lane);
}

void ResumableRun::tell_of(GroupEvent event, const WaitingGroup &group) const {
  if (anyone_listens())
    tell(event, *command_->operation()->launch(), std::to_array(group.info.group_id),
         Listener::Size{1, 1, 1});
}

void ResumableRun::leave_check(const WaitingGroup &group) const {
  if (auto *check = static_cast<LaunchCheck *>(view_.launch->check))
    check->leave(group.info);
}

// `to`: what is to be listed.
void ResumableRun::take_in(Lane &lane, WaitingGroup &group, GroupState state, Waiter &to) {
  to.group = nullptr;
  switch (state) {
  case GroupState::done:
    tell_of(&Listener::groups_ended, group);
    leave_check(group);
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
  }
}

void ResumableRun::settle_batch(Lane &lane) {
  const Batch &batch = lane.batch;
  lane.has_advanced |= batch.has_advanced;
  if (!batch.completed)
    return;
  lane.has_completed = lane.has_advanced = true;
  lane.completed += batch.completed;
  // All workers count in one place: who has more to start does so later.
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

// False if no group is left.
bool ResumableRun::start_some(Lane &lane) {
  if (!unstarted_.has_claim(lane.index) && !unstarted_.any()) // claims are others' lines
    return false;
  uint64_t wanted = std::min(lane.chunk, uint64_t{batch_size});
  if (is_queue(lane))
    wanted =
        std::min(wanted, lane.pass_after - std::min(lane.pass_after - 1, lane.started_since_pass));
  const uint64_t possible = lane.slots.ensure(wanted);
  if (possible == 0)
    return false; // until a group is done, or the verdict says that none will be
  const auto groups = unstarted_.take(lane.index, possible);
  if (groups.size() == 0)
    return false;
  const std::size_t waiting_before = lane.waiters.size();
  const uint64_t before = now_nanoseconds();
  const bool are_whole = view_.inner->resumable.is_of_group && !view_.edge;
  run_kernel(lane, [this, &lane, &groups, are_whole] {
    are_whole ? start_whole_groups(lane, groups.begin, groups.end)
              : start_groups(lane, groups.begin, groups.end);
  });
  const uint64_t took = now_nanoseconds() - before;
  if (took < chunk_nanoseconds)
    lane.chunk = std::min<uint64_t>(2 * lane.chunk, batch_size);
  else if (took > 2 * chunk_nanoseconds)
    lane.chunk = std::max<uint64_t>(lane.chunk / 2, 1);
  lane.started_since_pass += groups.size();
  const std::size_t waiting = std::max(lane.waiters.size(), waiting_before) - waiting_before;
  lane.waited_in_a_row = waiting == groups.size() ? lane.waited_in_a_row + waiting : 0;
  unstarted_.note(lane.index, groups.size(), waiting);
  lane.started.store(lane.started.load(std::memory_order_relaxed) + groups.size(),
                     std::memory_order_relaxed);
  lane.has_advanced = true;
  return true;
}

void ResumableRun::start_groups(Lane &lane, uint64_t begin, uint64_t end) {
  compiler::GroupInfo info{};
  auto &waiters = lane.batch.waiters;
  std::size_t count = 0;
  for (uint64_t i = begin; i < end && !lane.batch.diverged; ++i) {
    const uint64_t number = view_.order->group(i);
    const compiler::KernelCode &code = launch_.set_group(number, info);
    WaitingGroup &group = layout_.make(lane.slots.take(), code, info);
    group.number = number;
    lane.batch.current = &group;
    tell_of(&Listener::groups_begun, group);
    compiler::thread_local_memory = {group.info.local_memory, view_.local_memory_bytes};
    compiler::thread_private_memory = {&group, layout_.bytes()};
    lane.running.store(number, std::memory_order_relaxed);
    GroupState state = GroupState::done;
    if (code.is_resumable())
      state = start_group(*view_.launch, group).state;
    else
      code.function(view_.launch, &group.info);
    take_in(lane, group, state, waiters[count]);
    count += waiters[count].group != nullptr;
  }
  lane.waiters.put({waiters.data(), count});
}

// The same for groups that are one coroutine each. Most of them do not wait, and some take no longer
// than it would to set up the next: so that one gets the slot of the one before, as it is.
void ResumableRun::start_whole_groups(Lane &lane, uint64_t begin, uint64_t end) {
  auto &waiters = lane.batch.waiters;
  std::size_t count = 0;
  const bool is_ascending = view_.order->is_ascending();
  WaitingGroup *group = nullptr;
  for (uint64_t i = begin; i < end; ++i) {
    const uint64_t number = view_.order->group(i);
    if (!group) {
      compiler::GroupInfo info{};
      const compiler::KernelCode &code = launch_.set_group(number, info);
      group = &layout_.make(lane.slots.take(), code, info);
      compiler::thread_local_memory = {group->info.local_memory, view_.local_memory_bytes};
      compiler::thread_private_memory = {group, layout_.bytes()};
    } else {
      uint64_t *id = group->info.group_id;
      if (is_ascending)
        for (int d = 0; ++id[d] == view_.launch->num_groups[d]; ++d)
          id[d] = 0;
      else
        launch_.set_group(number, group->info);
      GroupLayout::make_again(*group);
    }
    group->number = number;
    lane.batch.current = group;
    tell_of(&Listener::groups_begun, *group);
    lane.running.store(number, std::memory_order_relaxed);
    if (start_whole_group(*view_.launch, *group) == GroupState::done) {
      tell_of(&Listener::groups_ended, *group);
      leave_check(*group);
      if (view_.launch->enqueues)
        view_.launch->enqueues->group_ended(group->info);
      ++lane.batch.completed;
      continue;
    }
    take_in(lane, *group, GroupState::waits, waiters[count++]);
    group = nullptr;
  }
  if (group)
    lane.slots.give_back(group);
  lane.waiters.put({waiters.data(), count});
}

// ---- waiting groups

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
  lane.pass_after = first << std::min<uint64_t>(lane.vain_passes, most_doublings);
  if (is_queue(lane))
    allow_more(lane, now_nanoseconds());
  if (!lane.pass_has_advanced)
    return;
  // Of all lists, as who is waited for is likely in another one.
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

ResumableRun::Served ResumableRun::ask_some(Lane &lane) {
  if (!lane.is_in_pass)
    begin_pass(lane);
  bool goes_on = false;
  run_kernel(lane, [this, &lane, &goes_on] {
    goes_on = ask_block(lane, lane, lane.passes % passes_between_true_ones == 0);
  });
  lane.pass_has_changed |= lane.batch.has_changed;
  lane.pass_has_advanced |= lane.batch.has_advanced;
  lane.pass_advances += lane.batch.advances;
  if (goes_on)
    return lane.batch.has_changed ? Served::moved : Served::nothing_new;
  const bool has_changed = lane.pass_has_changed;
  end_pass(lane);
  Served helped = Served::in_vain;
  if (!has_changed || lane.passes % passes_between_visits == 0)
    helped = help_others(lane);
  if (has_changed)
    return Served::moved;
  const bool may_start = has_unstarted() && lane.slots.ensure(1);
  return helped == Served::in_vain && may_start ? Served::nothing_new : helped;
}

// Asks groups of other workers' lists: those that are likely to go on, and all of a worker that is
// away, but no more often than one worker would.
ResumableRun::Served ResumableRun::help_others(Lane &lane) {
  lane.visited_at = now_nanoseconds();
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
    ask_beside(lane, other, 0);
    ask_beside(lane, other, 1);
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
    run_kernel(lane, [&] { goes_on = ask_block(lane, other, truly); });
    has_changed |= lane.batch.has_changed;
    if (!goes_on)
      break;
  }
  lane.is_helping = goes_on;
  return has_changed ? Served::moved : goes_on ? Served::nothing_new : Served::in_vain;
}

// Without taking it, since a worker that loses its core keeps what it has taken from all others.
bool ResumableRun::is_worth_asking(const Waiter &waiter, bool truly) const {
  if (!waiter.group || truly)
    return waiter.group;
  if (waiter.wait.size)
    return !goes_on(waiter.wait);
  return !waiter.wait.value || !layout_.all_go_on(*waiter.group, waiter.wait.value);
}

// The next part of a sweep of the owner's list; false if it is over. Those who are worth asking are
// asked in runs without gaps, since one that is passed over may be worth it after the run.
bool ResumableRun::ask_block(Lane &lane, Lane &owner, bool truly) {
  Batch &batch = lane.batch;
  ask_beside(lane, owner, 0);
  ask_beside(lane, owner, 1);
  ask_readers(lane);
  const WaiterList::Block block = owner.waiters.next(batch.waiters);
  const std::span<Waiter> waiters{batch.waiters.data(), block.count};
  if (lane.back_off > 0)
    lane.waits_elsewhere |= std::any_of(waiters.begin(), waiters.end(), [&](const Waiter &waiter) {
      return waiter.group && waiter.wait.address != lane.contended;
    });
  for (std::size_t i = 0; i < waiters.size() && !batch.diverged;) {
    if (!is_worth_asking(waiters[i], truly)) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    const std::size_t most = has_index_.load(std::memory_order_relaxed) ? most_away : batch_size;
    while (++i < waiters.size() && i - begin < most && is_worth_asking(waiters[i], truly)) {
    }
    const bool had_advanced = std::exchange(batch.has_advanced, false);
    ask_run(lane, owner, block, begin, waiters.subspan(begin, i - begin), truly);
    if (batch.has_advanced) {
      owner.frontiers[0].store(block.first + begin, std::memory_order_relaxed);
      owner.frontiers[1].store(block.first + i - 1, std::memory_order_relaxed);
      ask_beside(lane, owner, 0);
      ask_readers(lane);
    }
    batch.has_advanced |= had_advanced;
  }
  return !waiters.empty();
}

void ResumableRun::ask_run(Lane &lane, Lane &owner, const WaiterList::Block &block,
                           std::size_t begin, std::span<Waiter> waiters, bool truly) {
  owner.waiters.take(block, begin, waiters);
  ask_waiters(lane, waiters, truly);
  owner.waiters.put_back(block, begin, waiters);
}

// Asks the nearest entry on one side of what advanced last, and the one beside that, as long as they
// advance, too.
void ResumableRun::ask_beside(Lane &lane, Lane &owner, std::size_t frontier) {
  std::atomic<std::size_t> &place = owner.frontiers[frontier];
  Batch &batch = lane.batch;
  const bool had_advanced = std::exchange(batch.has_advanced, false);
  bool has_advanced = false;
  for (int step = 0; step < most_steps_beside && !batch.diverged; ++step) {
    const std::size_t from = place.load(std::memory_order_relaxed);
    if (from == nowhere)
      break;
    const WaiterList::Block block =
        owner.waiters.neighbour(from, frontier == 0 ? -1 : 1, batch.neighbour);
    if (!block.count) {
      place.store(nowhere, std::memory_order_relaxed);
      break;
    }
    if (!is_worth_asking(batch.neighbour, false))
      break;
    batch.has_advanced = false;
    ask_run(lane, owner, block, 0, {&batch.neighbour, 1}, false);
    if (!batch.has_advanced)
      break;
    has_advanced = true;
    place.store(block.first, std::memory_order_relaxed);
  }
  batch.has_advanced = had_advanced || has_advanced;
}

// Asks who waits for what the group that advanced last wrote, and so on.
void ResumableRun::ask_readers(Lane &lane) {
  Batch &batch = lane.batch;
  const bool had_advanced = std::exchange(batch.has_advanced, false);
  bool has_advanced = false;
  for (int step = 0; step < most_readers && lane.wrote[0] && !batch.diverged; ++step) {
    const auto wrote = std::exchange(lane.wrote, {});
    has_advanced |=
        ask_readers_of(lane, wrote[0]) || (wrote[1] != wrote[0] && ask_readers_of(lane, wrote[1]));
  }
  batch.has_advanced = had_advanced || has_advanced;
}

// Whether one of them advanced.
bool ResumableRun::ask_readers_of(Lane &lane, const void *address) {
  if (ask_reader(lane, {address}))
    return true;
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (number % sizeof(uint32_t) != 0)
    return false;
  const uint64_t word = __atomic_load_n(static_cast<const uint32_t *>(address), __ATOMIC_RELAXED);
  if (ask_reader(lane, {address, true, word}))
    return true;
  if (number % sizeof(uint64_t) != 0)
    return false;
  const uint64_t two = __atomic_load_n(static_cast<const uint64_t *>(address), __ATOMIC_RELAXED);
  return two != word && ask_reader(lane, {address, true, two});
}

bool ResumableRun::ask_reader(Lane &lane, const WaiterList::News &news) {
  Batch &batch = lane.batch;
  for (unsigned i = 0; i < lane_count_; ++i) {
    Lane *owner = lanes_[i].load(std::memory_order_acquire);
    if (!owner || (news.is_of_value && !owner->waiters.lists_values()))
      continue;
    const WaiterList::Block block = owner->waiters.waiting_for(news, batch.neighbour);
    if (!block.count || !is_worth_asking(batch.neighbour, false))
      continue;
    batch.has_advanced = false;
    ask_run(lane, *owner, block, 0, {&batch.neighbour, 1}, false);
    if (batch.has_advanced)
      return true;
  }
  return false;
}

void ResumableRun::ask_waiters(Lane &lane, std::span<Waiter> waiters, bool truly,
                               WaitSummary *summary) {
  Batch &batch = lane.batch;
  const bool has_index = has_index_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    Waiter &waiter = waiters[i];
    if (i + groups_ahead < waiters.size())
      layout_.prefetch(waiters[i + groups_ahead].group);
    if (!waiter.group)
      continue;
    WaitingGroup &group = *waiter.group;
    batch.current = &group;
    lane.running.store(group.number, std::memory_order_relaxed);
    compiler::thread_local_memory = {group.info.local_memory, view_.local_memory_bytes};
    compiler::thread_private_memory = {&group, layout_.bytes()};
    Written wrote{};
    const Asked asked =
        truly ? ask_group_truly(group, summary) : ask_group(group, has_index ? &wrote : nullptr);
    batch.has_changed |= asked.has_changed;
    batch.has_advanced |= asked.has_advanced;
    batch.advances += asked.has_advanced;
    if (wrote[0])
      lane.wrote = wrote;
    const PureWait before = waiter.wait;
    if (summary && asked.state == GroupState::waits)
      summary->add(group, true);
    take_in(lane, group, asked.state, waiter);
    if (!truly && before.size && !asked.has_advanced && waiter.wait.address == before.address &&
        waiter.wait.value == before.value) {
      ++batch.lost_races;
      lane.contended = before.address;
    }
    if (batch.diverged)
      return;
  }
}

// ---- for the verdict

bool ResumableRun::can_start(Worker &worker) {
  Lane &own = lane_of(worker);
  if (own.slots.ensure(1))
    return true;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (Lane *lane = lanes_[i].load(std::memory_order_acquire); lane && lane != &own)
      own.slots.take_free_ones_of(lane->slots);
  return own.slots.has_free();
}

ResumableRun::Answer ResumableRun::ask_all_truly(Worker &worker, WaitSummary &summary,
                                                 uint64_t until) {
  Lane &own = lane_of(worker);
  Batch &batch = own.batch;
  Answer answer = Answer::same;
  for (unsigned i = 0; i < lane_count_; ++i) {
    Lane *lane = lanes_[i].load(std::memory_order_acquire);
    if (!lane)
      continue;
    lane->waiters.begin_sweep(0);
    for (WaiterList::Block block; (block = lane->waiters.next(batch.waiters)).count;) {
      run_kernel(own, [&] {
        const std::span<Waiter> asked{batch.waiters.data(), block.count};
        lane->waiters.take(block, 0, asked);
        ask_waiters(own, asked, true, &summary);
        lane->waiters.put_back(block, 0, asked);
      });
      count_completed(own);
      if (is_closed() || batch.completed) {
        const uint64_t now = now_nanoseconds();
        last_move_.store(now, std::memory_order_seq_cst);
        last_advance_.store(now, std::memory_order_seq_cst);
        last_done_.store(now, std::memory_order_relaxed);
        return Answer::ended;
      }
      if (batch.has_advanced)
        answer = Answer::advanced;
      if (answer == Answer::advanced && now_nanoseconds() > until)
        return answer;
      if (batch.has_changed && answer == Answer::same)
        answer = Answer::changed;
    }
  }
  return answer;
}

uint64_t ResumableRun::waiting_groups() const {
  uint64_t sum = 0;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (const Lane *lane = lanes_[i].load(std::memory_order_acquire))
      sum += lane->waiters.size();
  return sum;
}

uint64_t ResumableRun::unstarted_groups() const {
  uint64_t started = 0;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (const Lane *lane = lanes_[i].load(std::memory_order_acquire))
      started += lane->started.load(std::memory_order_relaxed);
  return view_.groups - started;
}

std::size_t ResumableRun::bytes_per_group() const {
  return layout_.bytes() + sizeof(Waiter);
}

std::vector<uint64_t> ResumableRun::running_groups() const {
  std::vector<uint64_t> groups;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (const Lane *lane = lanes_[i].load(std::memory_order_acquire))
      if (const uint64_t group = lane->running.load(std::memory_order_relaxed); group != no_group)
        groups.push_back(group);
  return groups;
}

void ResumableRun::end(Error error) {
  if (!is_closed())
    fail(std::move(error));
}

} // namespace lockstep::runtime
