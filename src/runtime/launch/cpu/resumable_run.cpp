#include "runtime/launch/cpu/resumable_run.h"

#include "compiler/host_functions/address_space_query.h"
#include "compiler/host_functions/device_printf.h"
#include "runtime/launch/cpu/deadlock_report.h"
#include "runtime/launch/cpu/fault_handling.h"
#include "runtime/launch/cpu/group_order.h"
#include "runtime/launch/cpu/waiting_launches.h"
#include "runtime/launch/cpu/worker.h"

#include <algorithm>

namespace lockstep::runtime {
namespace {

constexpr uint64_t chunk_nanoseconds = 3'000; // worth a visit to the shared counter
constexpr uint64_t most_doublings = 4;        // of the distance between passes
constexpr uint64_t passes_between_true_ones = 64;
constexpr uint64_t passes_between_visits = 8; // to the lists of others

} // namespace

ResumableRun::ResumableRun(Command &command, const TaskQueue &queue, const ResumableLaunch &launch,
                           unsigned lanes)
    : command_(&command), queue_(&queue), launch_(launch), view_(launch.view()),
      layout_(*view_.inner, view_.edge, view_.items, view_.local_memory_bytes), lane_count_(lanes),
      lanes_(std::make_unique<std::atomic<Lane *>[]>(lanes)) {
  last_move_.store(now_nanoseconds(), std::memory_order_relaxed);
}

ResumableRun::~ResumableRun() {
  free_lanes();
}

ResumableRun::Lane &ResumableRun::lane_of(const Worker &worker) {
  std::atomic<Lane *> &place = lanes_[worker.index()]; // written by this worker only
  Lane *lane = place.load(std::memory_order_relaxed);
  if (!lane)
    place.store(lane = new Lane(layout_), std::memory_order_release);
  return *lane;
}

void ResumableRun::free_lanes() {
  for (unsigned i = 0; i < lane_count_; ++i)
    delete lanes_[i].exchange(nullptr, std::memory_order_acquire);
}

// ---- entering and leaving

bool ResumableRun::enter() {
  const uint32_t before = state_.fetch_add(1, std::memory_order_seq_cst);
  return !(before & closed_bit) && !WaitingLaunches::instance().is_paused();
}

void ResumableRun::leave(Worker &worker) {
  if (state_.fetch_sub(1, std::memory_order_seq_cst) - 1 == closed_bit &&
      !is_settled_.exchange(true, std::memory_order_acq_rel))
    finish(worker);
}

// Workers that come later find the run closed and touch nothing but state_.
void ResumableRun::finish(Worker &worker) {
  WaitingLaunches::instance().remove(*this);
  free_lanes();
  worker.settle(*command_, std::move(error_));
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
    const uint64_t begin = now_nanoseconds();
    uint64_t now = begin;
    do {
      const Served served = serve_once(lane);
      now = now_nanoseconds();
      has_moved |= served == Served::moved;
      if (served == Served::in_vain)
        break;
    } while (!is_closed() && now - begin < nanoseconds);
    if (has_moved)
      last_move_.store(now, std::memory_order_seq_cst);
    compiler::flush_device_printf(); // who waits for the command finds its output written
  }
  leave(worker);
  return has_moved;
}

bool ResumableRun::is_being_served() const {
  return (state_.load(std::memory_order_seq_cst) & ~closed_bit) != 0;
}

bool ResumableRun::is_closed() const {
  return state_.load(std::memory_order_relaxed) & closed_bit;
}

ResumableRun::Served ResumableRun::serve_once(Lane &lane) {
  if (!lane.is_in_pass && lane.started_since_pass < lane.pass_after && start_some(lane))
    return Served::moved;
  return ask_some(lane);
}

// ---- kernel code

// Everything that calls machine code, or reads memory on its behalf, goes through here.
template <class Function> void ResumableRun::run_kernel(Lane &lane, Function function) {
  Batch &batch = lane.batch;
  batch.current = batch.diverged = nullptr;
  batch.kept_count = 0;
  batch.completed = 0;
  batch.has_changed = batch.has_advanced = false;
  auto fault = catch_faults(function);
  compiler::thread_private_memory = {};
  if (fault)
    fail(error_of(*fault, view_.kernel->name,
                  batch.current ? batch.current->info.group_id : nullptr));
  else if (batch.diverged)
    fail(divergence_error(*this, *batch.diverged));
  settle_batch(lane);
}

void ResumableRun::tell_of(GroupEvent event, const WaitingGroup &group) const {
  if (anyone_listens())
    tell(event, *command_->operation()->launch(), std::to_array(group.info.group_id),
         Listener::Size{1, 1, 1});
}

void ResumableRun::take_in(Lane &lane, WaitingGroup &group, GroupState state) {
  Batch &batch = lane.batch;
  switch (state) {
  case GroupState::done:
    tell_of(&Listener::groups_ended, group);
    lane.slots.give_back(&group);
    ++batch.completed;
    return;
  case GroupState::waits:
    batch.kept[batch.kept_count++] = {pure_wait_of(group), &group};
    return;
  case GroupState::diverged:
    batch.diverged = &group;
    return;
  }
}

void ResumableRun::settle_batch(Lane &lane) {
  Batch &batch = lane.batch;
  lane.waiters.put({batch.kept.data(), batch.kept_count});
  if (batch.completed &&
      done_.fetch_add(batch.completed, std::memory_order_acq_rel) + batch.completed == view_.groups)
    close();
}

// ---- new groups

bool ResumableRun::start_some(Lane &lane) {
  const uint64_t next = next_.load(std::memory_order_relaxed);
  if (next >= view_.groups)
    return false;
  const uint64_t share = (view_.groups - next) / (4 * lane_count_);
  const uint64_t wanted = std::clamp<uint64_t>(std::min(lane.chunk, share), 1, batch_size);
  const uint64_t possible = lane.slots.ensure(wanted);
  if (possible == 0)
    return false; // until a group is done, or the verdict says that none will be
  const uint64_t begin = next_.fetch_add(possible, std::memory_order_relaxed);
  if (begin >= view_.groups)
    return false;
  const uint64_t end = std::min(begin + possible, view_.groups);
  const uint64_t before = now_nanoseconds();
  run_kernel(lane, [this, &lane, begin, end] { start_groups(lane, begin, end); });
  const uint64_t took = now_nanoseconds() - before;
  if (took < chunk_nanoseconds)
    lane.chunk = std::min<uint64_t>(2 * lane.chunk, batch_size);
  else if (took > 2 * chunk_nanoseconds)
    lane.chunk = std::max<uint64_t>(lane.chunk / 2, 1);
  lane.started_since_pass += end - begin;
  return true;
}

void ResumableRun::start_groups(Lane &lane, uint64_t begin, uint64_t end) {
  compiler::GroupInfo info{};
  for (uint64_t i = begin; i < end; ++i) {
    const uint64_t number = view_.order->group(i);
    const compiler::KernelCode &code = launch_.set_group(number, info);
    WaitingGroup &group = layout_.make(lane.slots.take(), code, info);
    group.number = number;
    lane.batch.current = &group;
    tell_of(&Listener::groups_begun, group);
    compiler::thread_local_memory = {group.info.local_memory, view_.local_memory_bytes};
    compiler::thread_private_memory = {&group, layout_.bytes()};
    if (!code.is_resumable()) {
      code.function(view_.launch, &group.info);
      take_in(lane, group, GroupState::done);
      continue;
    }
    take_in(lane, group, start_group(*view_.launch, group).state);
    if (lane.batch.diverged)
      return;
  }
}

// ---- waiting groups

void ResumableRun::begin_pass(Lane &lane) {
  lane.is_in_pass = true;
  lane.pass_has_changed = lane.pass_has_advanced = false;
  lane.pass_left = lane.waiters.size();
  ++lane.passes;
  if (lane.pass_left == 0 || lane.passes % passes_between_visits == 0)
    steal(lane);
}

void ResumableRun::end_pass(Lane &lane) {
  lane.is_in_pass = false;
  lane.started_since_pass = 0;
  const uint64_t first = std::max<uint64_t>(4, lane.waiters.size() / 4);
  lane.vain_passes = lane.pass_has_advanced ? 0 : lane.vain_passes + 1;
  lane.pass_after = first << std::min<uint64_t>(lane.vain_passes, most_doublings);
}

// Some groups from the list of another worker, which may be busy with something else.
bool ResumableRun::steal(Lane &lane) {
  for (unsigned i = 0; i < lane_count_; ++i) {
    lane.victim = (lane.victim + 1) % lane_count_;
    Lane *other = lanes_[lane.victim].load(std::memory_order_acquire);
    if (!other || other == &lane)
      continue;
    if (const std::size_t count = other->waiters.take(lane.batch.waiters)) {
      lane.waiters.put({lane.batch.waiters.data(), count});
      lane.pass_left += count;
      return true;
    }
  }
  return false;
}

ResumableRun::Served ResumableRun::ask_some(Lane &lane) {
  if (!lane.is_in_pass)
    begin_pass(lane);
  Batch &batch = lane.batch;
  batch.count = lane.waiters.take({batch.waiters.data(), std::min(batch_size, lane.pass_left)});
  lane.pass_left -= std::min(batch.count, lane.pass_left);
  if (batch.count) {
    ask_batch(lane, lane.passes % passes_between_true_ones == 0);
    lane.pass_has_changed |= batch.has_changed;
    lane.pass_has_advanced |= batch.has_advanced;
  }
  if (batch.count && lane.pass_left)
    return batch.has_changed ? Served::moved : Served::nothing_new;
  const bool has_changed = lane.pass_has_changed;
  end_pass(lane);
  if (has_changed)
    return Served::moved;
  return has_unstarted() && lane.slots.ensure(1) ? Served::nothing_new : Served::in_vain;
}

void ResumableRun::ask_batch(Lane &lane, bool truly) {
  run_kernel(lane, [this, &lane, truly] { ask_waiters(lane, truly); });
}

void ResumableRun::ask_waiters(Lane &lane, bool truly) {
  Batch &batch = lane.batch;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Waiter &waiter = batch.waiters[i];
    WaitingGroup &group = *waiter.group;
    batch.current = &group;
    if (!truly && waiter.wait.size && holds_same(waiter.wait)) {
      batch.kept[batch.kept_count++] = waiter;
      continue;
    }
    compiler::thread_local_memory = {group.info.local_memory, view_.local_memory_bytes};
    compiler::thread_private_memory = {&group, layout_.bytes()};
    const Asked asked = ask_group(group, truly);
    batch.has_changed |= asked.has_changed;
    batch.has_advanced |= asked.has_advanced;
    take_in(lane, group, asked.state);
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

bool ResumableRun::ask_all_truly(Worker &worker) {
  state_.fetch_add(1, std::memory_order_seq_cst); // the last group may be done with this
  const bool has_changed = is_closed() || ask_list_truly(lane_of(worker));
  leave(worker);
  return has_changed;
}

bool ResumableRun::ask_list_truly(Lane &own) {
  const uint64_t all = waiting_groups();
  for (unsigned i = 0; i < lane_count_; ++i) { // into one list
    Lane *lane = lanes_[i].load(std::memory_order_acquire);
    while (lane && lane != &own) {
      own.batch.count = lane->waiters.take(own.batch.waiters);
      if (!own.batch.count)
        break;
      own.waiters.put({own.batch.waiters.data(), own.batch.count});
    }
  }
  for (uint64_t left = all; left > 0 && !is_closed();) {
    own.batch.count =
        own.waiters.take({own.batch.waiters.data(), std::min<uint64_t>(batch_size, left)});
    left -= own.batch.count;
    ask_batch(own, true);
    if (own.batch.has_changed)
      return true;
  }
  return is_closed();
}

uint64_t ResumableRun::waiting_groups() const {
  uint64_t sum = 0;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (const Lane *lane = lanes_[i].load(std::memory_order_acquire))
      sum += lane->waiters.size();
  return sum;
}

uint64_t ResumableRun::unstarted_groups() const {
  return view_.groups - std::min(view_.groups, next_.load(std::memory_order_relaxed));
}

std::size_t ResumableRun::bytes_per_group() const {
  return layout_.bytes() + sizeof(Waiter);
}

bool ResumableRun::end(Worker &worker, Error error) {
  const uint32_t before = state_.fetch_add(1, std::memory_order_seq_cst);
  const bool is_open = !(before & closed_bit);
  if (is_open)
    fail(std::move(error));
  leave(worker);
  return is_open;
}

} // namespace lockstep::runtime
