// Counts the threads of the process that could still enqueue a command or write memory that kernels
// read.
//
// If all groups of a launch wait, the launch is deadlocked only if no thread outside can help it. A
// program thread that is blocked in a wait for a command cannot; runtime threads can do so only in
// callbacks; those of NVIDIA's driver never do. All remaining threads of the process could help,
// unless all of them sleep until another thread of the process wakes them, like threads of an idle
// pool. A signal could also wake one. So sleeping counts only if the program handles no signals
// except those for termination and for faults.
#pragma once

#include <cstdint>
#include <functional>

namespace lockstep::runtime {

class Command;

struct HostThreads {
  unsigned blocked = 0;      // they wait forever for a command that is dead
  unsigned others = 0;       // neither blocked nor the runtime's; their work is unknown
  bool others_sleep = false; // all of `others` sleep until another thread wakes them
  unsigned user_events = 0;  // not settled yet
};
// `is_dead`: the command will never be settled unless the program acts.
HostThreads count_host_threads(const std::function<bool(const Command &)> &is_dead);

// The first variable of a runtime thread that never enqueues commands and never ends. It allocates
// nothing, since a new thread has no caller that could receive an error.
class ServiceThread {
public:
  // Must run in the thread itself. If the thread were counted before it exists, one of the
  // program's threads would be taken for it, and that one may be about to help.
  ServiceThread();
  ServiceThread(const ServiceThread &) = delete;
  ServiceThread &operator=(const ServiceThread &) = delete;

private:
  friend class ProgramCall;
  friend struct BlockedThreads;
  const int thread_;
  bool calls_program_ = false; // guarded like the list
  ServiceThread *next_;        // list of all of them
};
// Called with -1 while one of these threads runs a callback.
void count_service_threads(int difference);

// A function of the program that a service thread will call. From add_program_call() on, one thread
// more counts as the program's, although perhaps no thread has begun the call yet.
void add_program_call();
// Exists during the call, on the thread that calls: whether it sleeps is then seen like for any
// thread of the program.
class ProgramCall {
public:
  explicit ProgramCall(ServiceThread &thread);
  ~ProgramCall();
  ProgramCall(const ProgramCall &) = delete;
  ProgramCall &operator=(const ProgramCall &) = delete;

private:
  ServiceThread &thread_;
};

// Exists while another process or a driver may settle a command through a service thread. It counts
// as a thread of the program that does not sleep.
class OutsideHelp {
public:
  OutsideHelp();
  ~OutsideHelp();
  OutsideHelp(const OutsideHelp &) = delete;
  OutsideHelp &operator=(const OutsideHelp &) = delete;
};

// Exists while this thread waits for a command. Once the command is settled the thread no longer
// counts as blocked, even if the system runs it later.
class BlockedThread {
public:
  // `is_settled` is called by other threads while this exists.
  BlockedThread(const Command &command, bool (*is_settled)(const Command &));
  ~BlockedThread();
  BlockedThread(const BlockedThread &) = delete;
  BlockedThread &operator=(const BlockedThread &) = delete;

private:
  friend struct BlockedThreads;
  const Command &command_;
  bool (*const is_settled_)(const Command &);
  const int thread_;
  BlockedThread *next_ = nullptr, *previous_ = nullptr; // list of all of them
};

// Counts user events that the program has not settled, and those whose dependants are not ready
// yet.
void count_user_events(int difference);

// count_callbacks: callbacks that are registered and have not finished. count_due_callbacks: those
// of them that are due.
void count_callbacks(int difference);
unsigned open_callbacks();
void count_due_callbacks(int difference);

} // namespace lockstep::runtime
