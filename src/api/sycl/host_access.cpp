#include "api/sycl/host_access.h"

#include "api/sycl/error.h"
#include "runtime/graph/host_threads.h"
#include "support/fork.h"

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

// Those that this thread made and that live. A thread that ends leaves none behind for others.
thread_local constinit std::vector<runtime::Command *> *own_accesses = nullptr;

// Host accessors that the forking thread holds are its parent's.
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

// No other thread of the program can destroy the accessor. Threads that are about to sleep are asked again.
bool nobody_else_can_act(const runtime::Command &command) {
  const runtime::BlockedThread blocked(command);
  const auto others =
      runtime::count_host_threads([&](const runtime::Command &one) { return &one == &command; });
  return others.others == 0 || others.others_sleep;
}

} // namespace

HostAccess::HostAccess(runtime::CommandRef until) : until_(std::move(until)) {
  accesses_of_thread().push_back(until_.get());
}

HostAccess::~HostAccess() {
  if (own_accesses) // else another thread made it, or this one ends
    std::erase(*own_accesses, until_.get());
  seen_.reset();
  until_->set_user_status(runtime::status::complete);
}

void wait_on_host(const runtime::CommandRef &command) {
  if (!has_own_accesses()) {
    command->wait();
    return;
  }
  bool was_told = false;
  while (!command->wait_for(patience)) {
    if (!waits_for_this_thread(*command))
      continue;
    if (nobody_else_can_act(*command))
      raise(sycl::errc::invalid, sentence);
    if (!std::exchange(was_told, true))
      std::fprintf(stderr, "lockstep: %s; another thread may do so\n", sentence);
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
