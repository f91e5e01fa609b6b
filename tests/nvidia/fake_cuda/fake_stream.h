// Streams and events of the fake card.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

namespace lockstep::runtime::cuda {

// Counts how often it was recorded, and which of these records were reached.
struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t recorded = 0, reached = 0;
  bool is_timed = false;
  std::chrono::steady_clock::time_point reached_at; // the last time

  bool is_reached(uint64_t record);
  void wait(uint64_t record);
};

// A thread that runs operations in their order. It lives as long as the process.
struct Stream {
  explicit Stream(unsigned microseconds_before_each);
  void add(std::function<void()> operation);
  void synchronize();
  void record(Event &event);
  void wait_for(Event &event);

private:
  void run();

  const unsigned most_microseconds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> operations_;
  bool is_running_ = false;
  std::minstd_rand random_;
  std::thread thread_;
};

} // namespace lockstep::runtime::cuda
