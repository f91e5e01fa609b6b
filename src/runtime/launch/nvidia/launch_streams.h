// Puts launches on the streams of a card, and settles their commands when they have ended.
//
// All dependencies of a command are settled when a device gets it, so launches need no order
// between each other: each goes to the next stream. A thread, the settler, finds out which launches
// have ended. It polls an event behind each launch: a callback of the driver would delay the stream.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/launch/nvidia/cuda_context.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
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
  };
  // Calls the driver. The context is current. Does not wait for the work.
  virtual Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) = 0;
  virtual std::string name() const = 0; // for messages: "kernel 'sum'"

protected:
  ~StreamWork() = default;
};

class LaunchStreams {
public:
  explicit LaunchStreams(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}

  // Makes the streams and the settler; later calls return at once.
  Result<void> start();
  // Returns before the work has run. The command keeps the work alive. Never settles the command
  // itself: the settler does.
  void add(Command &command, StreamWork &work);

private:
  struct Entry {
    Command *command = nullptr;
    StreamWork *work = nullptr;
    cuda::Event *end = nullptr;
    std::unique_ptr<StreamWork::Run> run; // may be null
  };
  struct Ended {
    Entry entry;
    Result<void> result;
  };
  // A stream holds about a thousand launches; one more would block the calling thread.
  static constexpr std::size_t streams = 8, most_in_flight = 512;

  void run();
  void enqueue(Entry entry); // requires the lock
  Result<void> try_enqueue(Entry &entry, cuda::Stream *stream);
  void collect_ended(std::vector<Ended> &ended); // requires the lock
  void settle(std::vector<Ended> &ended);
  Result<cuda::Event *> take_event();

  const std::shared_ptr<CudaContext> context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_started_ = false;
  struct Stream {
    cuda::Stream *stream = nullptr;
    std::deque<Entry> entries; // on the stream, the oldest first
  };
  std::array<Stream, streams> streams_;
  std::size_t next_ = 0, in_flight_ = 0;
  std::deque<Entry> waiting_; // for room on the streams
  std::vector<Ended> failed_; // could not be enqueued
  std::vector<cuda::Event *> free_events_;
};

} // namespace lockstep::runtime
