// Puts launches on the streams of a card, and settles their commands when they have ended.
//
// A command whose dependencies are settled goes to the next stream. A command that is submitted
// early (graph/early_submission.cpp) goes behind its dependencies: to the stream of one of them, if
// nothing else is behind it there. The stream waits for events of the others.
//
// Polling finds out which launches have ended, and settles each command after its dependencies. A
// thread, the settler, polls, and so do threads that wait for a command. A poll looks at events: a
// callback of the driver would delay the stream. An event costs as much as a launch, so there is
// none behind each launch. A poll records one behind the last launch of a stream if there is none
// yet, and all launches before it end with it.
//
// While a thread enqueues many launches, it polls now and then (assist()), and the settler does not:
// the two would wait for each other's locks, also those of the driver, and cache lines.
//
// Work that may wait (persistent_run.h) leaves the card and comes back, as docs/nvidia.md says.
//
// If the queue records times, events are before and behind the launch.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/graph/polled_device.h"
#include "runtime/launch/nvidia/cuda_context.h"
#include "runtime/launch/nvidia/ring.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::runtime {

// What a command does on a stream. Commands of a recorded graph may run the same work at once.
class StreamWork {
public:
  // State of one run, if the work needs one.
  class Run {
  public:
    virtual ~Run() = default;
    // After the stream has reached the end of the work. The context is current.
    virtual Result<void> finish(Command &command) = 0;
    // Now and then while it runs. `others_run`: other work than such that stands still.
    virtual void look(Command &, bool /*others_run*/) {}
    virtual bool stands_still() const { return false; }
    // Asks work that may wait to leave the card before it has ended. Any thread may call it.
    virtual void leave() {}
    // After the stream has reached the end of the work: whether it has left before its end.
    virtual bool has_left() const { return false; }
    virtual Result<void> enqueue_again(cuda::Stream *) { return {}; }
  };
  // Calls the driver. The context is current. Does not wait for the work. One thread at a time
  // enqueues work of a device.
  virtual Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) = 0;
  virtual std::string name() const = 0; // for messages: "kernel 'sum'"
  // Whether it may wait for other commands or for the host. Then it can leave the card, and nothing
  // is submitted behind it early.
  virtual bool may_wait() const { return false; }

protected:
  ~StreamWork() = default;
};

class LaunchStreams final : public PolledDevice, private WaitingKernels {
public:
  explicit LaunchStreams(std::shared_ptr<CudaContext> context);

  // Makes the streams and the settler; later calls return at once.
  Result<void> start();
  bool is_started() const { return is_started_; }
  // Returns before the work has run. The command keeps the work alive. Never settles the command
  // itself: the settler does.
  void add(Command &command, StreamWork &work);
  // The same for a command that is submitted early. Requires has_all(places).
  void add_behind(Command &command, StreamWork &work, std::span<const DevicePlace> places,
                  Followers &followers);
  // Whether all these places are on streams of this object.
  bool has_all(std::span<const DevicePlace> places) const;
  // The last of them, if they are on one stream.
  DevicePlace end_of(std::span<const DevicePlace> places) const;
  bool poll() override;
  void assist() override;
  bool is_busy() override;

private:
  // An event that was reached at a known time of the host's clock.
  struct Clock {
    Clock(const CudaContext &context, cuda::Event *event, uint64_t nanoseconds)
        : context(context), event(event), nanoseconds(nanoseconds) {}
    ~Clock() { context.cuda().destroy_event(event); }
    Clock(const Clock &) = delete;
    Clock &operator=(const Clock &) = delete;
    const CudaContext &context;
    cuda::Event *const event;
    const uint64_t nanoseconds;
  };
  struct Entry {
    Command *command = nullptr;
    StreamWork *work = nullptr;
    cuda::Event *end = nullptr;   // null: only an event of a later entry says that it has ended
    cuda::Event *begin = nullptr; // null: the command does not record times
    std::shared_ptr<const Clock> clock{};
    std::unique_ptr<StreamWork::Run> run{}; // may be null
    std::unique_ptr<Error> failure{};       // why it could not be enqueued
    uint64_t since = 0;                     // by the clock: on the card, or away; if it may wait
    uint32_t number = 0;                    // on its stream
    cuda::Status status = cuda::success;    // with which it has ended
    bool is_running = false;
  };
  using Behind = std::span<const DevicePlace>; // the places before a command submitted early
  // Not on a stream yet, or not any more.
  struct Parked {
    Entry entry;
    DevicePlaces behind{};
  };
  // The driver holds about a thousand launches; one more would block the calling thread.
  static constexpr std::size_t streams = 8, most_in_flight = 900;
  static constexpr std::chrono::microseconds shortest_pause{20}; // of the settler
  static constexpr uint64_t between_looks = 20'000'000;          // nanoseconds, at runs
  static constexpr uint64_t longest_stay = 200'000'000;          // on the card, or away from it
  static constexpr uint32_t between_assists = 32;                // launches
  static constexpr std::size_t most_marks_seen = 16;             // by one poll of a stream

  // The event of an entry.
  struct Mark {
    cuda::Event *event;
    uint32_t number;
  };
  struct Stream {
    cuda::Stream *stream = nullptr;
    Ring<Entry> entries;    // on the stream, the oldest first
    std::deque<Mark> marks; // of the entries that have an event
    uint32_t next_number = 1;
    // Only the thread that polls uses these. Some of the marks: the oldest ones, and the latest one.
    std::array<Mark, most_marks_seen> seen{};
    std::size_t seen_count = 0, seen_entries = 0;
    uint32_t first_number = 0; // of the entries
    // So many of the first entries have ended, with this status.
    std::size_t reached = 0;
    cuda::Status status = cuda::success;
  };

  bool are_on_card() const override { return waiting_on_card_ != 0; }
  void pause() override;
  void resume() override { --pauses_; }

  void run();
  bool has_work() const {
    return in_flight_ || has_ended_ || !waiting_.empty() || !failed_.empty() || !away_.empty();
  }
  bool seems_to_have_work();
  void await_work(std::chrono::steady_clock::time_point idle_since);
  bool leaves_polling_to_others();
  // Only the thread that has set is_polled_ calls these.
  bool poll_once(); // true: a command was settled
  bool settle_ended();
  void look_at(Stream &stream) const;
  void look_at_runs();
  Result<void> set_times(const Entry &entry) const;
  // These require the lock.
  void add(Entry &&entry, Behind behind, Followers &followers);
  void enqueue(Entry &&entry, Behind behind, Followers &followers);
  void try_to_place(Entry &&entry, Behind behind, Followers &followers);
  Result<void> try_enqueue(Entry &entry, Behind behind, std::size_t stream);
  Result<void> record_end(Stream &stream, Entry &entry);
  Result<cuda::Event *> event_behind(DevicePlace place);
  void collect_marks(Stream &stream);
  void collect_ended(Followers &followers);
  void pop_ended(Stream &from);
  bool others_move() const;
  void bring_back(Followers &followers);
  Result<void> try_enqueue_again(Entry &entry, Stream &target);
  Result<cuda::Event *> take_event(bool is_timed);
  Result<void> renew_clock();
  Entry *unfinished(DevicePlace place);
  std::size_t choose_stream(Behind behind);
  Result<void> result_of(Entry &entry) const;

  const std::shared_ptr<CudaContext> context_;
  const uint32_t id_;                       // in its places
  std::atomic<bool> is_polled_ = false;     // by the one thread that may
  std::atomic<uint32_t> helped_ = 0;        // counts polls by other threads
  std::atomic<uint32_t> added_at_poll_ = 0; // added_ at the last poll
  std::vector<Entry> ended_;                // to be settled; of the thread that polls
  std::atomic<bool> has_ended_ = false;     // after the last poll
  uint64_t looked_ = 0;                     // at runs; of the settler
  // Also of the settler: since when it counts launches that are added, and how many there were.
  uint64_t window_begin_ = 0, polled_at_ = 0; // nanoseconds; polled_at_: or noticed a poll
  uint32_t added_before_ = 0, helped_before_ = 0;
  bool is_burst_ = false;
  std::mutex mutex_; // guards the rest
  std::condition_variable changed_;
  bool settler_sleeps_ = false;
  std::atomic<bool> is_started_ = false;
  std::array<Stream, streams> streams_;
  std::size_t next_ = 0;
  std::atomic<uint32_t> added_ = 0;          // counts launches; it may wrap
  std::atomic<std::size_t> in_flight_ = 0;   // poll() reads it without the lock
  std::deque<Parked> waiting_;               // for room on the streams
  std::vector<Entry> failed_;                // could not be enqueued
  std::vector<Parked> away_;                 // have left the card, or not come to it
  std::atomic<std::thread::id> enqueuing_{}; // the thread that enqueues, with the lock
  std::atomic<uint32_t> waiting_on_card_ = 0, pauses_ = 0;
  std::vector<cuda::Event *> free_events_, free_timed_events_;
  cuda::Stream *clock_stream_ = nullptr; // always idle
  std::shared_ptr<const Clock> clock_;
};

} // namespace lockstep::runtime
