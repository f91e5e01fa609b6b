// One thread that calls what programs registered on commands and memory objects.
//
// Why not the worker that completes the command: a callback may be slow or wait for another
// command, and would then hold up or deadlock the device; nor may it run inside a lock or deep in
// somebody's clEnqueue*. In this thread it can do anything. Calls come in the order in which they
// were queued.
//
// When a call is due, a worker settles a command, and no caller is left who could be told of an error. So a registration
// starts the thread and takes the memory of the call; making the call due takes neither.
#pragma once

#include "support/result.h"

#include <memory>
#include <mutex>
#include <utility>

namespace lockstep::runtime {

class LaterCall {
public:
  virtual ~LaterCall() = default;
  virtual void call() = 0; // must not throw

private:
  friend class LaterCalls;
  LaterCall *next_ = nullptr;
};

template <class Function> std::unique_ptr<LaterCall> make_later_call(Function function) {
  struct Call final : LaterCall {
    explicit Call(Function its) : function(std::move(its)) {}
    void call() override { function(); }
    Function function;
  };
  return std::make_unique<Call>(std::move(function));
}

// By each registration. ErrorKind::out_of_resources: there is no thread for it.
Result<void> start_callback_thread();

// Destroys the call when it was made. While there is no thread, calls wait for the next attempt to start one.
void call_later(std::unique_ptr<LaterCall> call) noexcept;

// While a thread settles a command, it gives back what the command used: perhaps the last reference
// to a memory object whose destructor the program wants to hear of. That it must not hear before
// the command's status is published, or it would wait for ever for the very thread that calls it.
// These nest, since what is given back may settle another command.
class Settling {
public:
  Settling() { begin(); }
  ~Settling() { end(); }
  Settling(const Settling &) = delete;
  Settling &operator=(const Settling &) = delete;

private:
  friend class DeferringMutex;
  static void begin();
  static void end(); // the outermost one calls later what was put off
};

// A lock of an object of the program: no function of the program is called by the thread that has it, neither when an
// object ends whose last reference is given back under it, nor when a call fails. The function may use the same object.
class DeferringMutex {
public:
  void lock() {
    mutex_.lock();
    Settling::begin();
  }
  void unlock() {
    mutex_.unlock();
    Settling::end();
  }

private:
  std::mutex mutex_;
};

// This thread settles a command, or has such a lock.
bool defers_callbacks();

// Now; or, if this thread defers callbacks, in the callback thread once that is over.
void call_when_settled(std::unique_ptr<LaterCall> call);

} // namespace lockstep::runtime
