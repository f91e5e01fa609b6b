// Implements entering and leaving a run, and the choice of what a worker does next in it.
#include "runtime/launch/cpu/resumable/resumable_run.h"

#include "back_ends/cpu/host_functions/device_printf.h"
#include "platform/linux/futex.h"
#include "runtime/launch/cpu/diagnostics/wait_summary.h"
#include "runtime/launch/cpu/pool/worker.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "support/out_of_memory.h"

#include <algorithm>
#include <memory>
#include <new>
#include <sched.h>
#include <utility>

namespace lockstep::runtime {
namespace {

constexpr uint64_t between_visits = 50'000;   // nanoseconds, for a worker with an empty list
constexpr uint64_t first_back_off = 500;      // nanoseconds
constexpr uint64_t longest_back_off = 15'000; // nanoseconds, for each worker
constexpr uint64_t factor_if_checked = 8;     // factor for polling a taken lock in checked code
constexpr uint64_t longest_without_more = 1'000'000; // nanoseconds

} // namespace

ResumableRun::ResumableRun(Command &command, TaskQueue &queue, const ResumableLaunch &launch,
                           unsigned lanes)
    : command_(&command), queue_(&queue), launch_(launch), view_(launch.view()),
      layout_(*view_.inner, view_.edge, view_.items, view_.local_memory_bytes,
              view_.local_shadow_bytes),
      lane_count_(lanes + 1), lanes_(std::make_unique<std::atomic<Lane *>[]>(lane_count_)),
      unstarted_(view_.groups, lanes),
      limit_(lane_count_, now_nanoseconds(), view_.worker_limit,
             /*are_all_first=*/view_.inner->resumable.sites.empty()),
      lock_queues_(lane_count_), begin_(now_nanoseconds()), last_move_(begin_),
      last_advance_(begin_), last_done_(begin_) {}

ResumableRun::~ResumableRun() {
  free_lanes();
}

ResumableRun::Lane &ResumableRun::lane_of(const Worker &worker) {
  std::atomic<Lane *> &place = lanes_[worker.index()]; // only this worker writes it
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
  leave();
  return false;
}

void ResumableRun::leave() {
  if (state_.fetch_sub(1, std::memory_order_seq_cst) - 1 == closed_bit &&
      !is_settled_.exchange(true, std::memory_order_acq_rel))
    finish();
}

// Threads that enter later find the run closed and access only state_.
void ResumableRun::finish() {
  if (Worker *worker = Worker::current())
    worker->set_quiet(false); // while it keeps a ready command, which no queue has
  const WaitingLaunches::Ending ending;
  WaitingLaunches::instance().remove(*this);
  if (!has_error_)
    limit_.end(now_nanoseconds(), sample());
  free_lanes();
  Worker::settle_and_print(*command_, error_       ? Result<void>(std::move(*error_))
                                      : has_error_ ? Result<void>(out_of_memory_error())
                                                   : Result<void>());
}

bool ResumableRun::hold(uint64_t longest_nanoseconds) {
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
      sched_yield(); // lets a descheduled thread inside continue
  }
  release();
  return false;
}

void ResumableRun::release() {
  state_.fetch_and(~held_bit, std::memory_order_seq_cst);
  leave();
}

void ResumableRun::fail(Error error) {
  if (!has_error_.exchange(true, std::memory_order_acq_rel))
    error_.reset(new (std::nothrow) Error(std::move(error))); // null: out of memory
  close();
}

// ---- what a worker does next

bool ResumableRun::serve(Worker &worker, uint64_t nanoseconds) {
  bool has_moved = false, has_left = false;
  if (!limit_.enter(now_nanoseconds())) {
    worker.away_until_ = std::min(worker.away_until_, limit_.next_change());
    if (limit_.is_alone())
      worker.idle_since_ = 0; // it is not worth sleeping
    if (unstarted_.has_claim(worker.index())) {
      const Worker::KeepsNext keeps(worker);
      give_back_claim(worker);
    }
    return false;
  }
  if (enter())
    try {
      has_moved = serve_inside(worker, nanoseconds, has_left);
    } catch (const std::bad_alloc &) {
      fail(out_of_memory_error());
    }
  if (!has_left)
    limit_.leave();
  const Worker::KeepsNext keeps(worker);
  leave();
  return has_moved;
}

bool ResumableRun::serve_inside(Worker &worker, uint64_t nanoseconds, bool &has_left) {
  bool has_moved = false;
  Lane &lane = lane_of(worker);
  lane.is_away.store(false, std::memory_order_relaxed);
  lane.has_advanced = lane.has_completed = false;
  const uint64_t begin = now_nanoseconds();
  uint64_t now = begin;
  do {
    if (const unsigned more = limit_.update(now, [this] { return sample(); }))
      worker.call_workers(*queue_, more);
    if (limit_.is_lowered()) {
      if (limit_.leave_if_exceeded()) {
        unstarted_.give_back(lane.index);
        has_left = true;
        break;
      }
      lane.back_off = lane.away_until = 0;
      adopt(lane);
    }
    const Served served = serve_once(worker, lane, now);
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
  compiler::flush_device_printf(); // a thread that waits for the command finds its output written
  return has_moved;
}

void ResumableRun::give_back_claim(Worker &worker) {
  if (enter() && lanes_[worker.index()].load(std::memory_order_relaxed))
    unstarted_.give_back(worker.index());
  leave();
}

bool ResumableRun::is_closed() const {
  return state_.load(std::memory_order_relaxed) & closed_bit;
}

// Sets `now` to the time at its end.
ResumableRun::Served ResumableRun::serve_once(Worker &worker, Lane &lane, uint64_t &now) {
  look_at_others(lane, now);
  const bool is_away = now < lane.away_until, queues = is_queue(lane);
  if (queues && now - lane.allowed_more_at > longest_without_more)
    allow_more(lane, now);
  const bool is_allowed = lane.started_since_pass < lane.pass_after ||
                          (lane.waited_in_a_row == 0 && now < lane.next_pass);
  const bool may_start = queues ? is_allowed : is_away || (!lane.is_in_pass && is_allowed);
  if (may_start && start_some(lane, now))
    return Served::moved;
  if (is_away) {
    worker.away_until_ = std::min(worker.away_until_, lane.away_until);
    return Served::in_vain;
  }
  if (needs_no_pass(lane, now)) {
    lane.started_since_pass = 0;
    return Served::nothing_new;
  }
  const Served served = poll_some(lane);
  keep_away(lane);
  now = now_nanoseconds();
  return served;
}

// None of its groups wait, and it has more groups to start. A pass would lock its list and read
// those of all others, and so would their passes: with n workers, each would read n - 1 recently
// written cache lines every few microseconds.
bool ResumableRun::needs_no_pass(const Lane &lane, uint64_t now) const {
  return !lane.is_in_pass && lane.waiters.size() == 0 && lane.back_off < first_back_off &&
         now < lane.visited_at + between_visits && unstarted_.has_claim(lane.index);
}

// The groups that the worker started last all wait, and starting more would make the queue longer:
// its groups want a lock of another worker's groups, or wait for their turn while others have it.
bool ResumableRun::is_queue(const Lane &lane) {
  return lane.waited_in_a_row >= first_of_queue &&
         (lane.others_advance || (lane.back_off >= first_back_off && !lane.waits_elsewhere));
}

// But a group that is not started may be needed to release the lock, so some are started after each
// pass and within longest_without_more. With many threads and groups, a pass with its back-offs
// takes long.
void ResumableRun::allow_more(Lane &lane, uint64_t now) {
  lane.started_since_pass = 0;
  lane.pass_after = std::max<uint64_t>(1, lane.waiters.size() / 16);
  lane.allowed_more_at = now;
}

// Polling a lock slows down the groups of another worker that use it. So a worker that was too late
// polls no groups for a while. The time grows with each failure and with the number of workers;
// meanwhile the worker starts groups or sleeps. If all polled groups want that lock, finding it
// taken counts as a reason, too: it may be released and taken again before the next poll.
void ResumableRun::keep_away(Lane &lane) const {
  const bool all_want_it = !lane.waits_elsewhere;
  const uint64_t longest =
      longest_back_off * (view_.observer->observes_groups() ? factor_if_checked : 1);
  if (lane.batch.advances > 0)
    lane.back_off /= 2;
  else if (lane.batch.lost_races > 0)
    lane.back_off = std::clamp(2 * lane.back_off, first_back_off,
                               all_want_it ? (lane_count_ - 1) * longest : 2 * longest);
  else if (all_want_it && !lane.is_in_pass)
    lane.back_off -= lane.back_off / 16;
  else
    return;
  if (lane.back_off >= first_back_off)
    lane.away_until = now_nanoseconds() + lane.back_off;
}

// ---- for deadlock detection

bool ResumableRun::can_start(Worker &worker) {
  Lane &own = lane_of(worker);
  if (own.slots.ensure(1))
    return true;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (Lane *lane = lanes_[i].load(std::memory_order_acquire); lane && lane != &own)
      own.slots.take_free_ones_of(lane->slots);
  return own.slots.has_free();
}

ResumableRun::Answer ResumableRun::poll_all_truly(Worker &worker, WaitSummary &summary,
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
        const std::span<Waiter> polled{batch.waiters.data(), block.count};
        lane->waiters.take(block, 0, polled);
        poll_waiters(own, polled, true, &summary);
        lane->waiters.put_back(block, 0, polled);
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

WorkerLimit::Sample ResumableRun::sample() const {
  WorkerLimit::Sample sample;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (const Lane *lane = lanes_[i].load(std::memory_order_acquire)) {
      sample.completed += lane->all_completed.load(std::memory_order_relaxed);
      sample.completed_late += lane->all_completed_late.load(std::memory_order_relaxed);
      sample.ended_waits += lane->all_ended_waits.load(std::memory_order_relaxed);
      sample.started += lane->started.load(std::memory_order_relaxed);
      sample.waited += lane->waited.load(std::memory_order_relaxed);
    }
  return sample;
}

uint64_t ResumableRun::all_advances() const {
  uint64_t sum = 0;
  for (unsigned i = 0; i < lane_count_; ++i)
    if (const Lane *lane = lanes_[i].load(std::memory_order_acquire))
      sum += lane->all_completed.load(std::memory_order_relaxed) +
             lane->all_advances.load(std::memory_order_relaxed);
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
