// Which threads of the process could still enqueue a command or write memory that kernels see.
//
// A launch whose groups all wait is only dead if nobody outside can help it. A thread of the
// program that is blocked in a wait for a command cannot; our own threads do so only in callbacks.
// What is left of all threads that the system counts are threads that could, unless all of them
// sleep until another thread of the process wakes them, as the threads of an idle pool do: then
// nobody is left to begin. A signal could wake one, so that is only believed if the program catches
// none but those that ask it to end or tell of its faults.
#pragma once

#include <cstdint>
#include <functional>

namespace lockstep::runtime {

class Command;

struct HostThreads {
  unsigned blocked = 0;      // wait for a dead command, for ever
  unsigned others = 0;       // neither blocked nor ours; what they do is not known...
  bool others_sleep = false; // ...but that none of them will begin something
  unsigned user_events = 0;  // that are not settled
};
// `is_dead`: will never be settled if the program does nothing about it.
HostThreads count_host_threads(const std::function<bool(const Command &)> &is_dead);

// What a thread that serves commands, will enqueue none and never ends has as its first variable. It takes no memory, as a
// thread that has just begun could tell nobody that there is none.
class ServiceThread {
public:
  // Not before it runs: who counted a thread that is not there yet would take one of the program's for ours, and that one
  // may be about to help.
  ServiceThread();
  ServiceThread(const ServiceThread &) = delete;
  ServiceThread &operator=(const ServiceThread &) = delete;

private:
  friend struct BlockedThreads;
  const int thread_;
  ServiceThread *next_; // of all
};
// -1 while one of them runs a callback or a host task.
void count_service_threads(int difference);

// Around a wait of this thread for a command. Once the command is settled the thread does not count
// as blocked any more, even if it takes the system a while to run it.
class BlockedThread {
public:
  explicit BlockedThread(const Command &command);
  ~BlockedThread();
  BlockedThread(const BlockedThread &) = delete;
  BlockedThread &operator=(const BlockedThread &) = delete;

private:
  friend struct BlockedThreads;
  const Command &command_;
  const int thread_;
  BlockedThread *next_ = nullptr, *previous_ = nullptr; // of all
};

// User events that the program has still to settle, and those of which the commands that wait for
// them are not ready yet.
void count_user_events(int difference);

// Callbacks that the program has asked for and that did not end yet; and those of them that are
// due.
void count_callbacks(int difference);
unsigned open_callbacks();
void count_due_callbacks(int difference);

} // namespace lockstep::runtime
