// A binary semaphore shared by several processes: an eventfd, in which the kernel counts the
// signals that no wait has consumed. A process that receives the descriptor has the same semaphore.
#pragma once

#include "runtime/graph/command.h"
#include "support/result.h"

#include <memory>

namespace lockstep::runtime {

class SharedSignal : public std::enable_shared_from_this<SharedSignal> {
public:
  // ErrorKind::out_of_host_memory: the process has too many files; out_of_resources: the system
  // cannot start a thread that waits.
  static Result<std::shared_ptr<SharedSignal>> make();
  // Makes a semaphore from a descriptor of an existing one. The caller owns the descriptor until
  // take_descriptor, which is to be called when all other steps have succeeded.
  // ErrorKind::invalid_argument: the file is not an eventfd; out_of_resources as for make().
  static Result<std::shared_ptr<SharedSignal>> import(int file);
  void take_descriptor() { is_own_ = true; }
  ~SharedSignal();
  SharedSignal(const SharedSignal &) = delete;
  SharedSignal &operator=(const SharedSignal &) = delete;

  Result<int> duplicate() const; // of the descriptor, for the program
  void give();
  bool take(); // consumes a signal; false: there is none
  bool is_there() const;
  // Returns a command that completes when it has consumed a signal. ErrorKind::out_of_resources:
  // the system cannot wait for the file.
  Result<CommandRef> wait();

private:
  explicit SharedSignal(int file, bool is_own) : file_(file), is_own_(is_own) {}
  const int file_;
  bool is_own_;
};

// A user event that completes when the kernel reports the sync file as signaled, and fails if the
// kernel reports failed work. -1: completes at once. ErrorKind::invalid_argument: the descriptor is
// not open; out_of_resources: the system cannot wait for it. The descriptor is closed when the
// event settles; after an error the caller still owns it.
Result<CommandRef> wait_for_sync_file(int file);

} // namespace lockstep::runtime
