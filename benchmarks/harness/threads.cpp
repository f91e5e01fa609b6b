#include "benchmarks/harness/threads.h"

#include <algorithm>
#include <atomic>

namespace lockstep::benchmarks {

Threads::Threads(unsigned count) {
  for (unsigned i = 1; i < std::max(1u, count); ++i)
    threads_.emplace_back([this, i] { work(i); });
}

Threads::~Threads() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

void Threads::work(unsigned number) {
  unsigned long seen = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    start_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_)
      return;
    seen = round_;
    const auto *job = job_;
    lock.unlock();
    (*job)(number);
    lock.lock();
    if (--running_ == 0)
      done_.notify_one();
  }
}

void Threads::run(const std::function<void(unsigned)> &job) {
  {
    std::lock_guard lock(mutex_);
    job_ = &job;
    running_ = unsigned(threads_.size());
    ++round_;
  }
  start_.notify_all();
  job(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return running_ == 0; });
}

void Threads::split(size_t n, const std::function<void(size_t, size_t)> &body) {
  const size_t pieces = count();
  run([&](unsigned number) { body(n * number / pieces, n * (number + 1) / pieces); });
}

void Threads::share(size_t n, size_t grain, const std::function<void(size_t, size_t)> &body) {
  std::atomic<size_t> next = 0;
  run([&](unsigned) {
    for (size_t begin; (begin = next.fetch_add(grain, std::memory_order_relaxed)) < n;)
      body(begin, std::min(n, begin + grain));
  });
}

} // namespace lockstep::benchmarks
