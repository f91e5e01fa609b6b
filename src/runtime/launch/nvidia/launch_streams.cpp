#include "runtime/launch/nvidia/launch_streams.h"

#include "platform/linux/start_thread.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace lockstep::runtime {

Result<void> LaunchStreams::start() {
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  const std::lock_guard lock(mutex_);
  if (is_started_)
    return {};
  for (Stream &each : streams_)
    if (!each.stream)
      LOCKSTEP_TRY(
          context_->checked(context_->cuda().create_stream(&each.stream, cuda::non_blocking_stream),
                            "cuStreamCreate"));
  LOCKSTEP_TRY(start_thread({.purpose = "for NVIDIA cards",
                             .function = [](void *self) -> void * {
                               static_cast<LaunchStreams *>(self)->run();
                               return nullptr;
                             },
                             .data = this}));
  is_started_ = true;
  return {};
}

Result<cuda::Event *> LaunchStreams::take_event() {
  if (!free_events_.empty()) {
    cuda::Event *event = free_events_.back();
    free_events_.pop_back();
    return event;
  }
  cuda::Event *made = nullptr;
  LOCKSTEP_TRY(context_->checked(context_->cuda().create_event(&made, cuda::event_without_timing),
                                 "cuEventCreate"));
  return made;
}

Result<void> LaunchStreams::try_enqueue(Entry &entry, cuda::Stream *stream) {
  auto event = take_event();
  LOCKSTEP_TRY(event);
  entry.end = *event;
  auto run = entry.work->enqueue(stream);
  LOCKSTEP_TRY(run);
  entry.run = std::move(*run);
  return context_->checked(context_->cuda().record_event(entry.end, stream), "cuEventRecord");
}

void LaunchStreams::enqueue(Entry entry) {
  Stream &to = streams_[next_++ % streams];
  entry.command->set_running();
  if (auto enqueued = try_enqueue(entry, to.stream); !enqueued) {
    failed_.push_back({std::move(entry), std::move(enqueued)});
    return;
  }
  to.entries.push_back(std::move(entry));
  ++in_flight_;
}

void LaunchStreams::add(Command &command, StreamWork &work) {
  const CudaContext::Use use(*context_);
  const std::lock_guard lock(mutex_);
  Entry entry{&command, &work, nullptr, nullptr};
  if (in_flight_ < most_in_flight && waiting_.empty())
    enqueue(std::move(entry));
  else
    waiting_.push_back(std::move(entry));
  changed_.notify_one();
}

void LaunchStreams::collect_ended(std::vector<Ended> &ended) {
  for (Ended &failed : failed_)
    ended.push_back(std::move(failed));
  failed_.clear();
  for (Stream &each : streams_)
    while (!each.entries.empty()) {
      const cuda::Status status = context_->cuda().query_event(each.entries.front().end);
      if (status == cuda::not_ready)
        break;
      Entry entry = std::move(each.entries.front());
      each.entries.pop_front();
      --in_flight_;
      auto result = context_->checked(status, entry.work->name());
      ended.push_back({std::move(entry), std::move(result)});
    }
  while (!waiting_.empty() && in_flight_ < most_in_flight) {
    enqueue(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

void LaunchStreams::settle(std::vector<Ended> &ended) {
  for (Ended &each : ended) {
    if (each.result && each.entry.run)
      each.result = each.entry.run->finish(*each.entry.command);
    each.entry.run.reset();
    if (each.entry.end) {
      const std::lock_guard lock(mutex_);
      free_events_.push_back(each.entry.end);
    }
    each.entry.command->settle(std::move(each.result)); // may destroy the work
  }
  ended.clear();
}

void LaunchStreams::run() {
  using namespace std::chrono_literals;
  const CudaContext::Use use(*context_);
  constexpr auto longest_pause = 100us;
  auto pause = 0us;
  std::vector<Ended> ended;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return in_flight_ || !waiting_.empty() || !failed_.empty(); });
      collect_ended(ended);
    }
    if (!ended.empty()) {
      settle(ended);
      pause = 0us;
    } else if (pause < 20us) { // a short launch is about to end
      std::this_thread::yield();
      pause += 1us;
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(longest_pause, pause + 10us);
    }
  }
}

} // namespace lockstep::runtime
