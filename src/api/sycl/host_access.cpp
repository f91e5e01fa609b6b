#include "api/sycl/host_access.h"

#include "api/sycl/error.h"
#include "platform/linux/fork.h"
#include "runtime/threads/host_threads.h"
#include "support/message.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace lockstep::sycl_api {
namespace {

constexpr std::chrono::milliseconds patience{1000};
constexpr std::size_t most_dependants = 100000;
constexpr const char *sentence =
    "this thread waits for a command that needs the memory of a host_accessor, which this thread "
    "made and did not destroy (SYCL 2020 section 4.7.6.10)";

// The living host accessors that this thread made. The list dies with its thread.
thread_local constinit std::vector<runtime::Command *> *own_accesses = nullptr;

// In a child of fork(), the forking thread's host accessors belong to the parent.
const ForkHook reset([] {
  if (own_accesses)
    own_accesses->clear();
});

struct OwnAccesses {
  std::vector<runtime::Command *> all;
  OwnAccesses() { own_accesses = &all; }
  ~OwnAccesses() { own_accesses = nullptr; }
};
std::vector<runtime::Command *> &accesses_of_thread() {
  thread_local OwnAccesses accesses;
  return accesses.all;
}

bool has_own_accesses() {
  return own_accesses && !own_accesses->empty();
}

bool waits_for_this_thread(const runtime::Command &command) {
  for (runtime::Command *access : *own_accesses) {
    if (access->settled())
      continue;
    bool found = access == &command;
    if (!found)
      access->for_all_dependants(most_dependants,
                                 [&](runtime::Command &one) { found |= &one == &command; });
    if (found)
      return true;
  }
  return false;
}

// True if no other thread of the program can destroy the accessor: there is none, or all others
// sleep.
bool no_other_thread_can_act(const runtime::Command &command) {
  const runtime::BlockedThread blocked(
      command, [](const runtime::Command &waited_for) { return waited_for.settled(); });
  const auto others =
      runtime::count_host_threads([&](const runtime::Command &one) { return &one == &command; });
  return others.others == 0 || others.others_sleep;
}

} // namespace

HostAccess::HostAccess(runtime::CommandRef until) : until_(std::move(until)) {
  accesses_of_thread().push_back(until_.get());
}

HostAccess::~HostAccess() {
  if (own_accesses) // null: another thread made the accessor, or this thread ends
    std::erase(*own_accesses, until_.get());
  seen_.reset();
  until_->set_user_status(runtime::status::complete);
}

void wait_on_host(const runtime::CommandRef &command) {
  if (!has_own_accesses()) {
    command->wait_and_poll();
    return;
  }
  bool was_reported = false;
  while (!command->wait_for(patience)) {
    if (!waits_for_this_thread(*command))
      continue;
    if (no_other_thread_can_act(*command))
      raise(sycl::errc::invalid, sentence);
    if (!std::exchange(was_reported, true))
      print_message("%s; another thread may do so", sentence);
  }
}

void wait_on_host(const std::vector<runtime::CommandRef> &commands) {
  for (const runtime::CommandRef &one : commands)
    wait_on_host(one);
}

void finish_on_host(runtime::CommandQueue &queue) {
  if (has_own_accesses())
    wait_on_host(queue.enqueue_marker());
  else
    queue.finish();
}

} // namespace lockstep::sycl_api
