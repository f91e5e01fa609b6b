// A binary semaphore that several processes have: an eventfd, by which the kernel counts signals that no wait has taken. Its
// descriptor can be sent to another process, which then has the same semaphore.
#pragma once

#include "runtime/graph/command.h"
#include "support/result.h"

#include <memory>

namespace lockstep::runtime {

class SharedSignal : public std::enable_shared_from_this<SharedSignal> {
public:
  // ErrorKind::out_of_host_memory: the process has too many files; out_of_resources: the system has no thread that could wait.
  static Result<std::shared_ptr<SharedSignal>> make();
  // Of another one's descriptor, which is the caller's until take_descriptor, for when all else has succeeded.
  // ErrorKind::invalid_argument: it is none; out_of_resources as above.
  static Result<std::shared_ptr<SharedSignal>> import(int file);
  void take_descriptor() { is_own_ = true; }
  ~SharedSignal();
  SharedSignal(const SharedSignal &) = delete;
  SharedSignal &operator=(const SharedSignal &) = delete;

  Result<int> duplicate() const; // of the descriptor, for the program
  void give();
  bool take(); // false: there is no signal
  bool is_there() const;
  // Completes when a signal was there, and has taken it. ErrorKind::out_of_resources: the system cannot wait for it.
  Result<CommandRef> wait();

private:
  explicit SharedSignal(int file, bool is_own) : file_(file), is_own_(is_own) {}
  const int file_;
  bool is_own_;
};

// A user event that is complete when the kernel says that the sync file is signalled, and fails when it says that the work
// failed. -1: at once. ErrorKind::invalid_argument: the descriptor is not open; out_of_resources: the system cannot
// wait for it. It is closed when the event is settled; after an error it is the caller's.
Result<CommandRef> wait_for_sync_file(int file);

} // namespace lockstep::runtime
