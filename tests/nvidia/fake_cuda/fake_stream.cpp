#include "tests/nvidia/fake_cuda/fake_stream.h"

#include "tests/nvidia/fake_cuda/fake_cuda.h"

#include <chrono>
#include <pthread.h>

namespace lockstep::runtime::cuda {

bool Event::is_reached(uint64_t record) {
  const std::lock_guard lock(mutex);
  return reached >= record;
}

void Event::wait(uint64_t record) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return reached >= record; });
}

Stream::Stream(unsigned microseconds_before_each)
    : most_microseconds_(microseconds_before_each), thread_([this] { run(); }) {
  thread_.detach();
}

void Stream::add(std::function<void()> operation) {
  const std::lock_guard lock(mutex_);
  operations_.push_back(std::move(operation));
  changed_.notify_all();
}

void Stream::synchronize() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return operations_.empty() && !is_running_; });
}

void Stream::record(Event &event) {
  uint64_t record;
  {
    const std::lock_guard lock(event.mutex);
    record = ++event.recorded;
  }
  add([&event, record] {
    const std::lock_guard lock(event.mutex);
    event.reached = record;
    event.reached_at = std::chrono::steady_clock::now();
    event.changed.notify_all();
  });
}

void Stream::wait_for(Event &event) {
  uint64_t record;
  {
    const std::lock_guard lock(event.mutex);
    record = event.recorded;
  }
  add([&event, record] { event.wait(record); });
}

void Stream::run() {
  pthread_setname_np(pthread_self(), "cuda-EvtHandlr"); // as NVIDIA's driver does
  for (;;) {
    std::function<void()> operation;
    {
      std::unique_lock lock(mutex_);
      is_running_ = false;
      changed_.notify_all();
      changed_.wait(lock, [&] { return !operations_.empty(); });
      operation = std::move(operations_.front());
      operations_.pop_front();
      is_running_ = true;
    }
    if (fake_cuda::controls().is_late)
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % most_microseconds_));
    while (fake_cuda::controls().is_held)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    operation();
  }
}

} // namespace lockstep::runtime::cuda
