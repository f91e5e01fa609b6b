// One thread that calls the callbacks of commands and memory objects.
//
// A callback may be slow or wait for another command. In the worker that completes the command, it
// would delay or deadlock the device. A callback must not run with a lock held, or inside a
// clEnqueue* call, either. In this thread a callback may do anything. Callbacks run in the order in
// which they were queued.
//
// A call becomes due while a worker settles a command, and then no caller could receive an error.
// So the registration starts the thread and allocates the call. To make the call due needs neither.
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

// Each registration calls this first. ErrorKind::out_of_resources: the system cannot start a
// thread.
Result<void> start_callback_thread();

// Calls `call` in the callback thread, then destroys it. If there is no thread, calls wait until a
// later attempt to start it.
void call_later(std::unique_ptr<LaterCall> call) noexcept;

// Exists while a thread settles a command and releases the objects that the command used. One of
// them may be a memory object whose last reference this is, with a destructor callback. That
// callback must not run before the command's status is published: if it waits for the command, it
// would wait for its own thread. Scopes nest, since releasing an object may settle another command.
class Settling {
public:
  Settling() { begin(); }
  ~Settling() { end(); }
  Settling(const Settling &) = delete;
  Settling &operator=(const Settling &) = delete;

private:
  friend class DeferringMutex;
  static void begin();
  static void end(); // the outermost one queues the deferred calls
};

// A mutex of an object of the program. While a thread owns it, that thread calls no function of the
// program, neither when it releases the last reference to an object, nor when a call fails. So such
// a function may use the same object.
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

// True if this thread settles a command or owns a DeferringMutex.
bool defers_callbacks();

// Calls at once; or, if this thread defers callbacks, in the callback thread after that.
void call_when_settled(std::unique_ptr<LaterCall> call);

} // namespace lockstep::runtime
