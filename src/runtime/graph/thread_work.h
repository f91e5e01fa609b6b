// Reports to listeners what a thread of the program does from construction to destruction: a call
// of the interface, or the compilation of a kernel.
//
// Requires: both strings outlive the object.
//
// Ensures: without a listener it costs a load and a branch.
#pragma once

#include "runtime/events/events.h"

#include <cstdint>
#include <string_view>

namespace lockstep::runtime {

class ThreadWork {
public:
  ThreadWork(const char *kind, std::string_view name) : kind_(kind), name_(name) {
    if (anyone_listens()) [[unlikely]]
      begin();
  }
  ~ThreadWork() {
    if (begun_) [[unlikely]]
      end();
  }
  ThreadWork(const ThreadWork &) = delete;
  ThreadWork &operator=(const ThreadWork &) = delete;

private:
  void begin();
  void end();

  const char *kind_;
  std::string_view name_;
  uint64_t begun_ = 0; // nanoseconds; 0: there was no listener
};

} // namespace lockstep::runtime
