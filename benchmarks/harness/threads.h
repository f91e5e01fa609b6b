// Plain C++ on all cores: a pool whose threads wait for the next loop.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep::benchmarks {

class Threads {
public:
  explicit Threads(unsigned count = std::thread::hardware_concurrency());
  ~Threads();
  unsigned count() const { return unsigned(threads_.size()) + 1; }

  // Runs body(begin, end) over [0, n) in one equal piece per thread; returns when all are done.
  void split(size_t n, const std::function<void(size_t begin, size_t end)> &body);
  // The same for pieces of unequal cost: each thread takes the next `grain` items when it is free.
  void share(size_t n, size_t grain, const std::function<void(size_t begin, size_t end)> &body);

private:
  void work(unsigned number);
  void run(const std::function<void(unsigned number)> &job);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(unsigned)> *job_ = nullptr;
  unsigned long round_ = 0;
  unsigned running_ = 0;
  bool stop_ = false;
};

} // namespace lockstep::benchmarks
