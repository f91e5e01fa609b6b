// Which threads of the process could still enqueue a command or write memory that kernels see.
//
// A launch whose groups all wait is only dead if nobody outside can help it. A thread of the
// program that is blocked in a wait for a command cannot; our own threads do so only in callbacks.
// What is left of all threads that the system counts are threads that could.
#pragma once

#include <cstdint>

namespace lockstep::runtime {

struct HostThreads {
  unsigned blocked = 0; // wait for a command, for ever
  unsigned others = 0;  // neither blocked nor ours; what they do is not known
};
HostThreads count_host_threads();

// Threads that serve commands and will enqueue none: +1 when one starts, -1 while it runs a
// callback.
void count_service_threads(int difference);

class Command;

// Around a wait of this thread for a command. Once the command is settled the thread does not count
// as blocked any more, even if it takes the system a while to run it.
class BlockedThread {
public:
  explicit BlockedThread(const Command &command);
  ~BlockedThread();
  BlockedThread(const BlockedThread &) = delete;
  BlockedThread &operator=(const BlockedThread &) = delete;

private:
  friend HostThreads count_host_threads();
  const Command &command_;
  BlockedThread *next_ = nullptr, *previous_ = nullptr; // of all
};

// User events that the program has still to settle.
void count_user_events(int difference);
unsigned unsettled_user_events();

} // namespace lockstep::runtime
