#include "runtime/launch/nvidia/launch_streams.h"

#include "platform/linux/start_thread.h"
#include "runtime/threads/host_threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace lockstep::runtime {
namespace {

// A place: the number of the LaunchStreams, the stream, the number on the stream, which wraps.
constexpr unsigned id_shift = 28, stream_shift = 25;
constexpr uint32_t number_mask = (uint32_t{1} << stream_shift) - 1, most_ids = 15;

uint32_t next_id() {
  static constinit std::atomic<uint32_t> last{0};
  return ++last;
}

std::size_t stream_of(DevicePlace place) {
  return (place >> stream_shift) & 7;
}

} // namespace

LaunchStreams::LaunchStreams(std::shared_ptr<CudaContext> context)
    : context_(std::move(context)), id_(next_id()) {
  context_->set_waiting_kernels(*this);
}

bool LaunchStreams::has_all(std::span<const DevicePlace> places) const {
  return std::ranges::all_of(places,
                             [this](DevicePlace place) { return place >> id_shift == id_; });
}

DevicePlace LaunchStreams::end_of(std::span<const DevicePlace> places) const {
  const bool on_one_stream = std::ranges::all_of(places, [&](DevicePlace place) {
    return place >> stream_shift == places.front() >> stream_shift;
  });
  if (!on_one_stream || !has_all(places))
    return no_place;
  return *std::ranges::max_element(places, [](DevicePlace a, DevicePlace b) {
    return ((b - a) & number_mask) - 1 < number_mask / 2; // the numbers may have wrapped
  });
}

Result<void> LaunchStreams::start() {
  LOCKSTEP_TRY(context_->start());
  if (is_started_) // each launch asks
    return {};
  const CudaContext::Use use(*context_);
  const std::lock_guard lock(mutex_);
  if (is_started_)
    return {};
  for (Stream &each : streams_)
    if (!each.stream)
      LOCKSTEP_TRY(
          context_->checked(context_->cuda().create_stream(&each.stream, cuda::non_blocking_stream),
                            "cuStreamCreate"));
  LOCKSTEP_TRY(renew_clock());
  LOCKSTEP_TRY(start_thread({.purpose = "for NVIDIA cards",
                             .function = [](void *self) -> void * {
                               static_cast<LaunchStreams *>(self)->run();
                               return nullptr;
                             },
                             .data = this}));
  is_started_ = true;
  start_polling();
  if (id_ < most_ids)
    is_early_submission_used = true;
  return {};
}

Result<cuda::Event *> LaunchStreams::take_event(bool is_timed) {
  std::vector<cuda::Event *> &free = is_timed ? free_timed_events_ : free_events_;
  if (!free.empty()) {
    cuda::Event *event = free.back();
    free.pop_back();
    return event;
  }
  cuda::Event *made = nullptr;
  LOCKSTEP_TRY(context_->checked(
      context_->cuda().create_event(&made, is_timed ? 0 : cuda::event_without_timing),
      "cuEventCreate"));
  return made;
}

// The event is reached after it is recorded, so the times of commands are never too late. They are
// too early by the time that reaching it took, of which the shortest of several counts.
//
// The driver gives differences as float: after four seconds, the unit in the last place is 0.24 us.
// While launches are in flight, waiting for an event might mean to wait for them.
Result<void> LaunchStreams::renew_clock() {
  constexpr uint64_t most_nanoseconds = 4'000'000'000;
  const CudaDriver &cuda = context_->cuda();
  if (clock_ && (in_flight_ || now_nanoseconds() - clock_->nanoseconds < most_nanoseconds))
    return {};
  if (!clock_stream_)
    LOCKSTEP_TRY(context_->checked(cuda.create_stream(&clock_stream_, cuda::non_blocking_stream),
                                   "cuStreamCreate"));
  auto best = take_event(true);
  LOCKSTEP_TRY(best);
  auto next = take_event(true);
  LOCKSTEP_TRY(next);
  uint64_t recorded = 0, shortest = UINT64_MAX;
  for (int i = 0; i < 10; ++i) {
    const uint64_t before = now_nanoseconds();
    LOCKSTEP_TRY(context_->checked(cuda.record_event(*next, clock_stream_), "cuEventRecord"));
    LOCKSTEP_TRY(context_->checked(cuda.synchronize_event(*next), "cuEventSynchronize"));
    if (const uint64_t time = now_nanoseconds() - before; time < shortest) {
      shortest = time;
      recorded = before;
      std::swap(*best, *next);
    }
  }
  free_timed_events_.push_back(*next);
  clock_ = std::make_shared<Clock>(*context_, *best, recorded);
  return {};
}

Result<void> LaunchStreams::set_times(const Entry &entry) const {
  float start = 0, run = 0; // milliseconds
  const CudaDriver &cuda = context_->cuda();
  LOCKSTEP_TRY(context_->checked(cuda.elapsed_time(&start, entry.clock->event, entry.begin),
                                 "cuEventElapsedTime"));
  LOCKSTEP_TRY(
      context_->checked(cuda.elapsed_time(&run, entry.begin, entry.end), "cuEventElapsedTime"));
  const uint64_t started = entry.clock->nanoseconds + uint64_t(std::max(0.0, double(start)) * 1e6);
  entry.command->set_run_times(started, started + uint64_t(std::max(0.0, double(run)) * 1e6));
  return {};
}

// Null: the device has reached the place.
LaunchStreams::Entry *LaunchStreams::unfinished(DevicePlace place) {
  Ring<Entry> &entries = streams_[stream_of(place)].entries;
  if (entries.empty())
    return nullptr;
  const uint32_t behind_front = (place - entries.front().number) & number_mask;
  return behind_front < entries.size() ? &entries[behind_front] : nullptr;
}

// The stream of the last of them, if that is on one; else one that is idle, or the next.
std::size_t LaunchStreams::choose_stream(Behind behind) {
  for (const DevicePlace place : behind)
    if (const Entry *entry = unfinished(place))
      if (const std::size_t stream = stream_of(place); entry == &streams_[stream].entries.back())
        return stream;
  if (!streams_[next_].entries.empty())
    next_ = (next_ + 1) % streams;
  return next_;
}

// Requires that the entry is the last one of the stream.
Result<void> LaunchStreams::record_end(Stream &stream, Entry &entry) {
  auto event = take_event(false);
  LOCKSTEP_TRY(event);
  auto recorded =
      context_->checked(context_->cuda().record_event(*event, stream.stream), "cuEventRecord");
  if (!recorded) {
    free_events_.push_back(*event);
    return recorded;
  }
  entry.end = *event;
  stream.marks.push_back({*event, entry.number});
  return recorded;
}

// The first event behind the place. It may be behind later launches, too: then the stream that
// waits for it waits longer than it must. Null: the device has reached the place.
Result<cuda::Event *> LaunchStreams::event_behind(DevicePlace place) {
  const Entry *const entry = unfinished(place);
  if (!entry)
    return nullptr;
  if (entry->end)
    return entry->end;
  Stream &stream = streams_[stream_of(place)];
  const uint32_t front = stream.entries.front().number; // the numbers may have wrapped
  const auto mark = std::ranges::lower_bound(stream.marks, entry->number - front, {},
                                             [front](const Mark &m) { return m.number - front; });
  if (mark != stream.marks.end())
    return mark->event;
  LOCKSTEP_TRY(record_end(stream, stream.entries.back()));
  return stream.entries.back().end;
}

Result<void> LaunchStreams::try_enqueue(Entry &entry, Behind behind, std::size_t stream) {
  Stream &target = streams_[stream];
  cuda::Stream *const to = target.stream;
  // After this, an event would be behind the new entry as well.
  if (!target.entries.empty() && !target.entries.back().end &&
      target.entries.back().command->may_have_several_dependants())
    LOCKSTEP_TRY(record_end(target, target.entries.back()));
  for (const DevicePlace place : behind) {
    if (stream_of(place) == stream)
      continue;
    auto event = event_behind(place);
    LOCKSTEP_TRY(event);
    if (*event)
      LOCKSTEP_TRY(
          context_->checked(context_->cuda().wait_in_stream(to, *event, 0), "cuStreamWaitEvent"));
  }
  if (!entry.command->records_times()) {
    auto run = entry.work->enqueue(to);
    LOCKSTEP_TRY(run);
    entry.run = std::move(*run);
    return {};
  }
  LOCKSTEP_TRY(renew_clock());
  entry.clock = clock_;
  for (cuda::Event **event : {&entry.begin, &entry.end}) {
    auto taken = take_event(true);
    LOCKSTEP_TRY(taken);
    *event = *taken;
  }
  LOCKSTEP_TRY(context_->checked(context_->cuda().record_event(entry.begin, to), "cuEventRecord"));
  auto run = entry.work->enqueue(to);
  LOCKSTEP_TRY(run);
  entry.run = std::move(*run);
  return context_->checked(context_->cuda().record_event(entry.end, to), "cuEventRecord");
}

namespace {

DevicePlaces copy_of(std::span<const DevicePlace> places) {
  DevicePlaces copy;
  for (const DevicePlace place : places)
    copy.add(place);
  return copy;
}

} // namespace

void LaunchStreams::enqueue(Entry &&entry, Behind behind, Followers &followers) {
  enqueuing_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  try_to_place(std::move(entry), behind, followers);
  enqueuing_.store({}, std::memory_order_relaxed);
}

void LaunchStreams::try_to_place(Entry &&entry, Behind behind, Followers &followers) {
  const bool may_wait = entry.work->may_wait();
  if (may_wait) {
    entry.since = now_nanoseconds();
    if (pauses_ != 0 && !entry.run) {
      away_.push_back({std::move(entry), copy_of(behind)});
      return;
    }
    ++waiting_on_card_;
  }
  const std::size_t stream = choose_stream(behind);
  if (behind.empty() && !entry.is_running) {
    entry.command->set_running();
    entry.is_running = true;
  }
  auto enqueued =
      entry.run ? try_enqueue_again(entry, streams_[stream]) : try_enqueue(entry, behind, stream);
  if (!enqueued) {
    waiting_on_card_ -= may_wait;
    entry.failure = std::make_unique<Error>(enqueued.take_error());
    failed_.push_back(std::move(entry));
    return;
  }
  Stream &to = streams_[stream];
  entry.number = to.next_number++;
  Command &command = *entry.command;
  const DevicePlace place =
      id_ << id_shift | uint32_t(stream) << stream_shift | (entry.number & number_mask);
  if (entry.end)
    to.marks.push_back({entry.end, entry.number});
  to.entries.push_back(std::move(entry));
  in_flight_.store(in_flight_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (id_ < most_ids && !may_wait)
    command.set_place(place, followers); // it is not settled before the lock is released
}

void LaunchStreams::add(Entry &&entry, Behind behind, Followers &followers) {
  const CudaContext::Use use(*context_);
  const std::lock_guard lock(mutex_);
  added_.store(added_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (in_flight_ < most_in_flight && waiting_.empty())
    enqueue(std::move(entry), behind, followers);
  else
    waiting_.push_back({std::move(entry), copy_of(behind)});
  if (std::exchange(settler_sleeps_, false))
    changed_.notify_one();
}

void LaunchStreams::add(Command &command, StreamWork &work) {
  Followers followers;
  add({.command = &command, .work = &work}, {}, followers);
  followers.submit();
}

void LaunchStreams::add_behind(Command &command, StreamWork &work,
                               std::span<const DevicePlace> places, Followers &followers) {
  add({.command = &command, .work = &work}, places, followers);
}

// Prepares look_at(). Entries are only removed by the thread that polls.
void LaunchStreams::collect_marks(Stream &stream) {
  stream.reached = stream.seen_count = 0;
  stream.seen_entries = stream.entries.size();
  if (!stream.seen_entries)
    return;
  Entry &front = stream.entries.front();
  stream.first_number = front.number;
  if (!front.is_running && front.command->dependencies_settled()) {
    front.command->set_running();
    front.is_running = true;
  }
  if (stream.marks.empty())
    (void)record_end(stream, stream.entries.back());
  stream.seen_count = std::min(stream.marks.size(), stream.seen.size());
  std::copy_n(stream.marks.begin(), stream.seen_count, stream.seen.begin());
  if (stream.seen_count)
    stream.seen[stream.seen_count - 1] = stream.marks.back();
}

// Finds out how many of the first entries have ended, without mutex_: threads that launch do not
// wait for these calls of the driver.
void LaunchStreams::look_at(Stream &stream) const {
  if (!stream.seen_entries)
    return;
  const std::span seen(stream.seen.data(), stream.seen_count);
  if (seen.empty()) { // the context is lost, or there is no memory for an event
    stream.status = context_->cuda().synchronize_stream(stream.stream);
    stream.reached = stream.seen_entries;
    return;
  }
  const auto reaches = [&](const Mark &mark) {
    const cuda::Status status = context_->cuda().query_event(mark.event);
    if (status == cuda::not_ready)
      return false;
    stream.reached = mark.number - stream.first_number + 1;
    stream.status = status;
    return true;
  };
  if (!reaches(seen.back()))
    for (const Mark &mark : seen.first(seen.size() - 1))
      if (!reaches(mark))
        return;
}

// After a fault, the launches since the last event count as failed, also those that ran before it.
void LaunchStreams::pop_ended(Stream &from) {
  in_flight_.store(in_flight_.load(std::memory_order_relaxed) - from.reached,
                   std::memory_order_relaxed);
  for (; from.reached; --from.reached) {
    Entry &entry = ended_.emplace_back(from.entries.pop_front());
    entry.status = from.status;
    if (entry.end && !from.marks.empty() && from.marks.front().number == entry.number)
      from.marks.pop_front();
    if (entry.work->may_wait())
      --waiting_on_card_;
  }
}

void LaunchStreams::collect_ended(Followers &followers) {
  for (Entry &failed : failed_)
    ended_.push_back(std::move(failed));
  failed_.clear();
  for (Stream &each : streams_)
    pop_ended(each);
  while (!waiting_.empty() && in_flight_ < most_in_flight) {
    Parked next = std::move(waiting_.front());
    waiting_.pop_front();
    enqueue(std::move(next.entry), next.behind, followers);
  }
  if (!away_.empty() && pauses_ == 0)
    bring_back(followers);
}

// ---- work that may wait

// Whether work is in flight that does not stand still.
bool LaunchStreams::others_move() const {
  std::size_t still = 0;
  for (const Stream &stream : streams_)
    still += !stream.entries.empty() && stream.entries.front().run &&
             stream.entries.front().run->stands_still();
  return in_flight_ > still || !waiting_.empty() || !failed_.empty();
}

void LaunchStreams::bring_back(Followers &followers) {
  const bool all = !others_move();
  const uint64_t now = now_nanoseconds();
  for (Parked &each : std::exchange(away_, {}))
    if (all || now - each.entry.since > longest_stay)
      enqueue(std::move(each.entry), each.behind, followers);
    else
      away_.push_back(std::move(each));
}

Result<void> LaunchStreams::try_enqueue_again(Entry &entry, Stream &target) {
  LOCKSTEP_TRY(entry.run->enqueue_again(target.stream));
  if (!entry.command->records_times())
    return {};
  return context_->checked(context_->cuda().record_event(entry.end, target.stream),
                           "cuEventRecord");
}

void LaunchStreams::pause() {
  using namespace std::chrono_literals;
  ++pauses_;
  while (waiting_on_card_ != 0 &&
         enqueuing_.load(std::memory_order_relaxed) != std::this_thread::get_id()) {
    {
      const std::lock_guard lock(mutex_);
      for (const Stream &stream : streams_)
        for (std::size_t i = 0; i < stream.entries.size(); ++i)
          if (StreamWork::Run *const run = stream.entries[i].run.get())
            run->leave();
    }
    poll();
    std::this_thread::sleep_for(shortest_pause);
  }
}

Result<void> LaunchStreams::result_of(Entry &entry) const {
  if (entry.failure)
    return std::move(*entry.failure);
  if (entry.status != cuda::success)
    return context_->checked(entry.status, entry.work->name());
  auto finished = entry.run ? entry.run->finish(*entry.command) : Result<void>();
  return finished && entry.begin ? set_times(entry) : std::move(finished);
}

// Leaves those whose dependencies are not settled yet, or that another thread is still submitting.
// False: none could be settled.
bool LaunchStreams::settle_ended() {
  const std::size_t all = ended_.size();
  std::size_t left = 0; // the first ones
  for (std::size_t i = 0; i < all; ++i) {
    Entry &entry = ended_[i];
    if (!entry.command->dependencies_settled()) {
      if (left != i)
        ended_[left] = std::move(entry);
      ++left;
      continue;
    }
    if (!entry.is_running)
      entry.command->set_running();
    entry.is_running = true;
    if (entry.status == cuda::success && !entry.failure && entry.run && entry.run->has_left()) {
      const std::lock_guard lock(mutex_);
      if (!entry.command->records_times() && entry.end)
        free_events_.push_back(std::exchange(entry.end, nullptr));
      entry.since = now_nanoseconds();
      away_.push_back({std::move(entry)});
      continue;
    }
    auto result = result_of(entry);
    entry.run.reset();
    if (entry.end || entry.begin) {
      const std::lock_guard lock(mutex_);
      for (cuda::Event *event : {entry.begin, entry.end})
        if (event)
          (entry.command->records_times() ? free_timed_events_ : free_events_).push_back(event);
    }
    entry.command->settle(std::move(result)); // may destroy the work
  }
  ended_.erase(ended_.begin() + std::ptrdiff_t(left), ended_.end());
  return left < all;
}

bool LaunchStreams::poll_once() {
  {
    const std::lock_guard lock(mutex_);
    for (Stream &stream : streams_)
      collect_marks(stream);
    added_at_poll_.store(added_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  for (Stream &stream : streams_)
    look_at(stream);
  {
    Followers followers;
    {
      const std::lock_guard lock(mutex_);
      collect_ended(followers);
    }
    followers.submit();
  }
  bool has_settled = false;
  while (settle_ended())
    has_settled = true;
  has_ended_ = !ended_.empty();
  if (has_settled && waiting_on_card_ == 0)
    context_->free_what_is_left();
  return has_settled;
}

// The first entry of a stream runs; those behind it cannot help it.
void LaunchStreams::look_at_runs() {
  struct Running {
    Command *command;
    StreamWork::Run *run; // may be null
  };
  std::vector<Running> running;
  bool others_come = false;
  {
    const std::lock_guard lock(mutex_);
    others_come = !waiting_.empty() || !failed_.empty() || !away_.empty();
    for (const Stream &stream : streams_)
      if (!stream.entries.empty() && stream.entries.front().is_running)
        running.push_back({stream.entries.front().command, stream.entries.front().run.get()});
  }
  for (const Running &each : running)
    if (each.run)
      each.run->look(*each.command,
                     others_come || std::ranges::any_of(running, [&](const Running &other) {
                       return other.command != each.command &&
                              !(other.run && other.run->stands_still());
                     }));
  const std::lock_guard lock(mutex_);
  const bool others = others_move();
  for (const Stream &stream : streams_) {
    if (stream.entries.empty() || !stream.entries.front().run)
      continue;
    const Entry &front = stream.entries.front();
    if (front.run->stands_still() ? others
                                  : !away_.empty() && front.work->may_wait() &&
                                        now_nanoseconds() - front.since > longest_stay)
      front.run->leave();
  }
}

bool LaunchStreams::poll() {
  if (!in_flight_ && !has_ended_)
    return false;
  helped_.fetch_add(1, std::memory_order_relaxed);
  if (is_polled_.exchange(true)) // by another thread
    return true;
  const CudaContext::Use use(*context_);
  poll_once();
  is_polled_ = false;
  return true;
}

bool LaunchStreams::is_busy() {
  return is_polled_ || has_ended_ || seems_to_have_work();
}

void LaunchStreams::assist() {
  if (added_.load(std::memory_order_relaxed) - added_at_poll_.load(std::memory_order_relaxed) >=
      between_assists)
    poll();
}

// True while threads enqueue more than a launch each 20 us, unless no thread has polled for long.
bool LaunchStreams::leaves_polling_to_others() {
  constexpr uint64_t window = 20'000, between_launches = 20'000, longest = 300'000; // nanoseconds
  const uint64_t now = now_nanoseconds();
  if (const uint64_t time = now - window_begin_; time >= window) {
    const uint32_t added = added_.load(std::memory_order_relaxed);
    is_burst_ = (added - added_before_) * between_launches >= time;
    window_begin_ = now;
    added_before_ = added;
  }
  if (const uint32_t helped = helped_.load(std::memory_order_relaxed); helped != helped_before_) {
    helped_before_ = helped;
    polled_at_ = now;
  }
  if (is_burst_ && in_flight_ < most_in_flight && now - polled_at_ < longest)
    return true;
  polled_at_ = now; // this thread polls
  return false;
}

// A thread that launches has the lock most of the time, during the calls of the driver. A thread that
// waits for the lock must be woken by it.
bool LaunchStreams::seems_to_have_work() {
  if (in_flight_)
    return true;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return !lock || has_work();
}

// Sleeps until there is work. The time: since there was none.
void LaunchStreams::await_work(std::chrono::steady_clock::time_point idle_since) {
  using namespace std::chrono_literals;
  while (std::chrono::steady_clock::now() - idle_since < 1ms) {
    std::this_thread::sleep_for(shortest_pause);
    if (seems_to_have_work())
      return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { // another thread may have settled what woke this one
    settler_sleeps_ = !has_work();
    return !settler_sleeps_;
  });
}

// While a few launches are in progress, the settler polls without a pause, so that what follows
// them begins soon. While there are many, or other threads poll, it polls less often, because each
// poll delays the threads that launch. When all have ended, it looks for new ones for a while
// before it sleeps. So a program that waits for each of its launches does not wake it for each.
void LaunchStreams::run() {
  using namespace std::chrono_literals;
  const ServiceThread this_one;
  const CudaContext::Use use(*context_);
  constexpr auto longest_pause = 100us, pause_in_burst = 50us;
  constexpr std::size_t few = 4;
  sleep_precisely();
  auto pause = 0us;
  uint32_t helped = 0;
  for (;;) {
    if (!seems_to_have_work())
      await_work(std::chrono::steady_clock::now());
    if (leaves_polling_to_others()) {
      std::this_thread::sleep_for(pause_in_burst);
      continue;
    }
    const bool is_helped = helped != helped_.load(std::memory_order_relaxed);
    helped = helped_.load(std::memory_order_relaxed);
    if (!is_polled_.exchange(true)) {
      if (poll_once())
        pause = 0us;
      if (const uint64_t now = now_nanoseconds(); now - looked_ > between_looks) {
        looked_ = now;
        look_at_runs();
      }
      is_polled_ = false;
    }
    if (!is_helped && in_flight_ <= few && pause < shortest_pause) {
      std::this_thread::yield();
      pause += 1us;
    } else {
      std::this_thread::sleep_for(std::max(pause, shortest_pause));
      pause = std::min(longest_pause, pause + 10us);
    }
  }
}

} // namespace lockstep::runtime
