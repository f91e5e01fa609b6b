// Implements the command graph; command.h has the rules. The order of steps in end_run matters:
//   operation destroyed   a waiter finds the operation's references (buffers, contexts) released;
//   status published      the final status is visible; waiters are woken;
//   dependants closed     a later depend_on sees "closed" and then the final status;
//   dependants released   each may run at once in this thread or another;
//   reference dropped     the node may be destroyed after that.
#include "runtime/graph/command.h"

#include "platform/linux/fork.h"
#include "platform/linux/futex.h"
#include "platform/linux/leaked.h"
#include "platform/linux/protection_keys.h"
#include "runtime/events/events.h"
#include "runtime/graph/awaited_transfers.h"
#include "runtime/graph/before_wait.h"
#include "runtime/graph/polled_device.h"
#include "runtime/threads/host_threads.h"
#include "runtime/threads/spin_place.h"
#include "support/environment.h"
#include "support/out_of_memory.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

namespace lockstep::runtime {

// Commands that this thread settles without an executor, in the order in which they became ready.
class Command::WorkList {
public:
  // Takes a command whose dependencies are settled: adds it to the list or submits it to its
  // executor.
  void ready(Command &command) {
    if (command.is_early_)
      return; // its executor settles it
    command.early_.store(Early::decided, std::memory_order_relaxed);
    notify(&Listener::command_ready, command);
    if (command.operation_ && awaited_transfers.load(std::memory_order_relaxed) &&
        command.awaits_memory())
      return;
    HostWork *host = command.operation_ ? command.operation_->host() : nullptr;
    bool fails = command.dependency_failure_.load(std::memory_order_acquire) != status::complete;
    if (command.operation_ && !fails && !(host && host->runs_in_place())) {
      command.executor_->submit(command);
      return;
    }
    command.next_ready_ = nullptr;
    (last_ ? last_->next_ready_ : first_) = &command;
    last_ = &command;
  }

  Command *pop() {
    Command *command = first_;
    if (command && !(first_ = command->next_ready_))
      last_ = nullptr;
    return command;
  }

  Followers followers;

private:
  Command *first_ = nullptr, *last_ = nullptr;
};

Command::Edge *Command::closed() {
  static constinit Edge mark;
  return &mark;
}

namespace {

// Callbacks are rare, so all commands share a few locks.
constinit std::array<std::mutex, 16>
    callback_mutexes; // static, so that settling a command allocates nothing
const ForkHook reset([] { new (&callback_mutexes) std::array<std::mutex, 16>; });

std::mutex &callback_mutex(const void *command) {
  return callback_mutexes[(reinterpret_cast<uintptr_t>(command) >> 8) % callback_mutexes.size()];
}

thread_local bool woke_waiter = false;

bool has_reached(Status now, Status at) {
  return now <= at;
} // failures are negative, so they are below every other status

// A command must settle even if there is no memory for the error text.
template <class Function> Error error_from(Function make_sentence) noexcept {
  try {
    return {ErrorKind::invalid_argument, make_sentence()};
  } catch (const std::bad_alloc &) {
    return out_of_memory_error();
  }
}

Result<void> run_in_place(HostWork &host, uint64_t parts) {
  try {
    return host.run(0, parts);
  } catch (const std::bad_alloc
               &) { // the command fails, not the call that completed its last dependency
    return out_of_memory_error();
  }
}

Error failed_dependency(Status dependency_status) noexcept {
  return error_from([&] {
    return "a command in the wait list ended with status " + std::to_string(dependency_status) +
           ", so this one was not run";
  });
}

} // namespace

bool take_woke_waiter() {
  return std::exchange(woke_waiter, false);
}

uint64_t now_nanoseconds() {
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

std::chrono::nanoseconds spin_time() {
  // On a single CPU spinning only keeps the other thread from making progress.
  return leaked([] {
    const long long default_us = std::thread::hardware_concurrency() > 1 ? 20 : 0;
    return std::chrono::nanoseconds(
        1000 * std::clamp(environment_number("SPIN_US").value_or(default_us), 0LL, 1'000'000LL));
  });
}

// ---- making and destroying

CommandRef Command::create_marker() {
  CommandRef command = make();
  notify(&Listener::command_made, *command);
  return command;
}

CommandRef Command::make() {
  return CommandRef::adopt(new Command);
}

CommandRef Command::create(std::unique_ptr<Operation> operation) {
  CommandRef command = make();
  command->operation_ = operation.release();
  command->owns_operation_ = true;
  notify(&Listener::command_made, *command);
  return command;
}

CommandRef Command::create_shared(std::shared_ptr<Operation> operation) {
  CommandRef command = make();
  command->operation_ = operation.get();
  command->shared_operation_ = std::move(operation);
  notify(&Listener::command_made, *command);
  return command;
}

CommandRef Command::create_user_event() {
  CommandRef command = make();
  command->is_user_event_ = true;
  count_user_events(1);
  command->status_.store(status::submitted, std::memory_order_release);
  notify(&Listener::command_made, *command);
  return command;
}

void Command::destroy() {
  // A user event without references can never be settled. Its dependants fail now instead of
  // waiting forever.
  if (is_user_event_ && !settled()) {
    references_.store(1, std::memory_order_relaxed);
    set_user_status(status::dependency_failed);
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
  }
  notify(&Listener::command_gone, *this);
  let_go();
  delete this;
}

void Command::let_go() {
  Operation *operation = std::exchange(operation_, nullptr);
  if (owns_operation_)
    delete operation;
  shared_operation_.reset();
  if (CommandClient *client = std::exchange(client_, nullptr))
    client->release();
}

// ---- building

void Command::record_times() {
  records_times_ = true;
  times_.queued = now_nanoseconds();
}

void Command::reserve_dependencies(std::size_t count) {
  std::size_t free = inline_edges - used_edges_;
  if (count <= free)
    return;
  if (more_edges_ && more_edges_->size - more_edges_->used >= count)
    return;
  auto block = std::make_unique<EdgeBlock>();
  block->size = std::max(count, more_edges_ ? 2 * more_edges_->size : std::size_t{4});
  block->edges = std::make_unique<Edge[]>(block->size);
  block->previous = std::move(more_edges_);
  more_edges_ = std::move(block);
}

Command::Edge &Command::new_edge() {
  if (more_edges_ && more_edges_->used < more_edges_->size)
    return more_edges_->edges[more_edges_->used++];
  if (used_edges_ == inline_edges) {
    reserve_dependencies(1);
    return more_edges_->edges[more_edges_->used++];
  }
  return edges_[used_edges_++];
}

bool Command::add_dependant(Edge &edge) {
  Edge *head = dependants_.load(std::memory_order_acquire);
  do {
    if (head == closed())
      return false;
    edge.next = head;
  } while (!dependants_.compare_exchange_weak(head, &edge, std::memory_order_seq_cst,
                                              std::memory_order_acquire));
  // Either this thread sees the place, or set_place() sees the edge. Storing to early_ publishes it.
  if (is_early_submission_used.load(std::memory_order_relaxed))
    if (const DevicePlace place = place_.load(std::memory_order_seq_cst))
      edge.place.store(place, std::memory_order_relaxed);
  return true;
}

bool Command::for_all_dependants(std::size_t most, const std::function<void(Command &)> &function) {
  std::unordered_set<Command *> known{this};
  std::vector<Command *> open{this};
  while (!open.empty()) {
    Command *command = open.back();
    open.pop_back();
    Edge *edge = command->dependants_.load(std::memory_order_acquire);
    for (; edge && edge != closed(); edge = edge->next) {
      if (!known.insert(edge->dependant).second)
        continue;
      if (known.size() > most)
        return false;
      function(*edge->dependant);
      open.push_back(edge->dependant);
    }
  }
  return true;
}

void Command::depend_on(Command &dependency, EdgeKind kind) {
  assert(!is_started_ && &dependency != this);
  add_dependency(dependency, kind);
}

void Command::add_dependency(Command &dependency, EdgeKind kind) {
  notify(&Listener::edge_added, dependency, *this, kind);
  if (dependency.dependants_.load(std::memory_order_acquire) != closed()) {
    const bool is_known = used_edges_ != 0 || more_edges_; // to a thread that settles dependencies
    Edge &edge = new_edge();
    edge.dependant = this;
    edge.kind = kind;
    if (is_known)
      unmet_.fetch_add(1, std::memory_order_relaxed);
    else
      unmet_.store(unmet_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (dependency.add_dependant(edge))
      return;
    edge.place.store(settled_place, std::memory_order_relaxed);
    unmet_.fetch_sub(1, std::memory_order_relaxed); // not to 0: the guard is there
  }
  dependency_failed(dependency.status(), kind);
}

void Command::count_in(Command &join) {
  notify(&Listener::edge_added, *this, join, EdgeKind::after);
  queue_edge_.dependant = &join;
  queue_edge_.kind = EdgeKind::after;
  join.unmet_.fetch_add(1, std::memory_order_relaxed);
  [[maybe_unused]] bool added = add_dependant(queue_edge_);
  assert(added);
}

void Command::dependency_failed(Status dependency_status, EdgeKind kind) {
  if (kind != EdgeKind::needs || !is_failure(dependency_status))
    return;
  Status none = status::complete;
  dependency_failure_.compare_exchange_strong(none, dependency_status, std::memory_order_acq_rel);
}

void Command::bind(Executor *executor, CommandClient *client) {
  assert(!is_started_ && !client_ && (executor || !operation_));
  executor_ = executor;
  HostWork *host = operation_ ? operation_->host() : nullptr;
  if (operation_ && !(host && host->runs_in_place()))
    run_state_ = executor->make_run_state(*operation_);
  if ((client_ = client))
    client->retain();
}

void Command::start() {
  assert(!is_started_ && (executor_ || !operation_ || dependency_failure_ != status::complete));
  is_started_ = true;
  if (records_times_)
    times_.submitted = now_nanoseconds();
  if (!has_graph_reference_)
    add_reference(); // until end_run
  pass_status(status::submitted);
  Followers followers;
  if (is_early_submission_used.load(std::memory_order_relaxed) && executor_ &&
      executor_->takes_early() && unmet_.load(std::memory_order_acquire) > 1 && starts_early())
    is_early_ = submit_early(followers);
  drop_guard(); // the command may be gone
  followers.submit();
}

void Command::drop_guard() {
  if (!drop_dependency())
    return;
  WorkList list;
  list.ready(*this);
  run(list);
}

// ---- building many at once

CommandRef Command::create_recorded(Operation *operation, Executor &executor,
                                    CommandClient *client) {
  CommandRef command = make();
  command->operation_ = operation;
  notify(&Listener::command_made, *command);
  command->bind(&executor, client);
  command->is_started_ = true;
  if (executor.takes_early())
    command->early_.store(Early::possible, std::memory_order_relaxed);
  command->unmet_.store(0, std::memory_order_relaxed); // no guard
  command->status_.store(status::submitted, std::memory_order_relaxed);
  return command;
}

void Command::add_unseen(Command &before, Edge &edge, EdgeKind kind) {
  notify(&Listener::edge_added, before, *this, kind);
  edge.dependant = this;
  edge.kind = kind;
  edge.next = before.dependants_.load(std::memory_order_relaxed);
  before.dependants_.store(&edge, std::memory_order_relaxed);
  unmet_.store(unmet_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void Command::follow(Command &before, EdgeKind kind) {
  add_unseen(before, new_edge(), kind);
}

void Command::lead_to(Command &after) {
  after.add_unseen(*this, queue_edge_, EdgeKind::after);
}

// If the data that the operation reads is in another memory than its own, a command that was ready
// gets dependencies on transfers. True: the command will become ready again.
bool Command::awaits_memory() {
  for (;;) {
    if (dependency_failure_.load(std::memory_order_acquire) != status::complete)
      return false; // it does not run at all
    Transfers transfers;
    try {
      awaited_transfers.load(std::memory_order_acquire)(*operation_, transfers);
      reserve_dependencies(transfers.all.size());
      for (CommandRef &transfer : transfers.fresh)
        transfer->bind(executor_, client_);
    } catch (const std::bad_alloc
                 &) { // no caller can receive the error, so the command and its transfers fail
      add_outcome(status_of(ErrorKind::out_of_host_memory));
      for (CommandRef &transfer : transfers.fresh) {
        transfer->add_outcome(status_of(ErrorKind::out_of_host_memory));
        transfer->start();
      }
      return false;
    }
    if (transfers.all.empty())
      return false;
    unmet_.store(1, std::memory_order_relaxed); // the guard again
    for (CommandRef &transfer : transfers.all)
      add_dependency(*transfer, EdgeKind::needs);
    for (CommandRef &transfer : transfers.fresh)
      transfer->start();
    if (!drop_dependency())
      return true;
  }
}

// ---- settling

void Command::run(WorkList &list) {
  while (Command *command = list.pop())
    command->settle_here(list);
  list.followers.submit();
}

void Command::settle_here(WorkList &list) {
  Status failure = dependency_failure_.load(std::memory_order_acquire);
  if (is_failure(failure)) {
    end_run(status::dependency_failed, notify_failure(failed_dependency(failure)), list);
    return;
  }
  if (status() != status::running) // the last command of a replay is running since its first
    set_running();
  if (operation_) {
    HostWork *host = operation_->host();
    const ThreadRights rights(operation_->is_host_code() ? ThreadRights::Whose::program
                                                         : ThreadRights::Whose::command);
    uint64_t parts = host->parts();
    if (auto result = parts ? run_in_place(*host, parts) : Result<void>(); !result) {
      const Status failed = status_of(result.error().kind);
      end_run(failed, notify_failure(result.take_error()), list);
      return;
    }
  }
  end_run(status::complete, nullptr, list);
}

void Command::settle(Result<void> result) {
  WorkList list;
  const Status failure =
      is_early_ ? dependency_failure_.load(std::memory_order_acquire) : status::complete;
  if (is_failure(failure)) { // the device has run it, but not what it needs
    end_run(status::dependency_failed, notify_failure(failed_dependency(failure)), list);
  } else if (result) {
    end_run(status::complete, nullptr, list);
  } else {
    const Status failed = status_of(result.error().kind);
    end_run(failed, notify_failure(result.take_error()), list);
  }
  run(list);
}

// Returns null if there is no memory for the error; error() then has a fixed text. The status is
// set in either case.
std::unique_ptr<Error> Command::notify_failure(Error error) {
  try {
    if (operation_)
      operation_->failed(error);
    if (client_)
      client_->failed(error);
  } catch (const std::bad_alloc &) { // from a client or operation that allocates an error text
  }
  return std::unique_ptr<Error>(new (std::nothrow) Error(std::move(error)));
}

void Command::end_run(Status final_status, std::unique_ptr<Error> error, WorkList &list) {
  notify(&Listener::command_ended, *this, final_status);
  std::optional<Settling> settling(std::in_place); // exists until the status is published
  let_go();
  error_ = std::move(error);
  if (records_times_) {
    times_.completed = now_nanoseconds();
    if (!times_.ended)
      times_.ended = times_.completed;
    if (!times_.started) // failed before it ran
      times_.started = times_.ended;
  }
  bool had_graph_reference = is_started_;
  set_status(final_status);
  settling.reset();

  Edge *edge = dependants_.exchange(closed(), std::memory_order_acq_rel);
  Edge *oldest = nullptr; // the list is last in, first out: reverse it
  while (edge) {
    Edge *next = edge->next;
    edge->next = oldest;
    oldest = edge;
    edge = next;
  }
  const bool may_be_early = is_early_submission_used.load(std::memory_order_relaxed);
  while (oldest) {
    Command &dependant = *oldest->dependant;
    EdgeKind kind = oldest->kind;
    const bool may_follow =
        may_be_early && dependant.early_.load(std::memory_order_relaxed) != Early::decided;
    if (may_follow)
      oldest->place.store(settled_place, std::memory_order_seq_cst);
    oldest = oldest->next; // read before the edge's owner may run and be freed
    dependant.dependency_failed(final_status, kind);
    if (may_follow && dependant.unmet_.load(std::memory_order_acquire) > 1 &&
        dependant.becomes_follower()) // it does not become ready now
      list.followers.add(dependant);
    if (dependant.drop_dependency())
      list.ready(dependant);
  }
  if (had_graph_reference)
    drop_reference();
}

bool Command::set_user_status(Status status) {
  assert(is_user_event_ && is_settled(status));
  {
    std::lock_guard lock(callback_mutex(this));
    if (is_started_) // reused here for "a thread settles it"
      return false;
    is_started_ = true;
  }
  CommandRef keep(this); // dependants may drop the last other reference
  add_reference();       // dropped by end_run like the graph's
  std::unique_ptr<Error> error;
  if (is_failure(status))
    error.reset(new (std::nothrow) Error(error_from([&] {
      return "the user event was set to status " + std::to_string(status) + " by the program";
    })));
  WorkList list;
  end_run(status, std::move(error), list);
  run(list);
  count_user_events(-1); // after deadlock detection can see the commands that became ready
  return true;
}

// ---- status, waiting, callbacks

void Command::set_running() {
  notify(&Listener::command_begun, *this);
  if (records_times_)
    times_.started = now_nanoseconds();
  pass_status(status::running);
}

void Command::note_end() {
  if (records_times_)
    times_.ended = now_nanoseconds();
}

void Command::set_run_times(uint64_t started, uint64_t ended) {
  // The clocks of host and device agree only roughly. The difference of the two times is exact.
  const uint64_t now = now_nanoseconds();
  const uint64_t early = started < times_.submitted ? times_.submitted - started : 0;
  times_.started = std::min(started + early, now);
  times_.ended = std::clamp(ended + early, times_.started, now);
}

// If the program has no event, it can add no callback meanwhile.
void Command::pass_status(Status status) {
  if (has_event_ || observers_.load(std::memory_order_relaxed) != 0)
    set_status(status);
  else
    status_.store(status, std::memory_order_release);
}

void Command::set_status(Status status) {
  // Sequentially consistent on both sides (here and where observers_ is set): either the observer
  // sees the new status, or this thread sees the observer.
  status_.store(status, std::memory_order_seq_cst);
  uint32_t observers = observers_.load(std::memory_order_seq_cst);
  if (observers & observer_calls)
    call_back(status);
  if ((observers & observer_waits) && is_settled(status)) {
    woke_waiter = true;
    futex_wake_all(&status_);
  }
}

std::unique_ptr<Command::CallbackEntry> Command::make_callback(Status at, Callback callback) {
  return std::make_unique<CallbackEntry>(at, std::move(callback));
}

void Command::add_callback(Status at, Callback callback) {
  add_callback(make_callback(at, std::move(callback)));
}

void Command::add_callback(std::unique_ptr<CallbackEntry> entry) noexcept {
  count_callbacks(1);
  {
    std::lock_guard lock(callback_mutex(this));
    std::unique_ptr<CallbackEntry> *end = &callbacks_;
    while (*end)
      end = &(*end)->next_entry_;
    *end = std::move(entry);
    observers_.fetch_or(observer_calls, std::memory_order_seq_cst);
  }
  call_back(status_.load(std::memory_order_seq_cst));
}

void Command::call_back(Status reached) {
  // Queued under the lock, so that callbacks run in the order in which statuses were reached.
  std::lock_guard lock(callback_mutex(this));
  for (std::unique_ptr<CallbackEntry> *place = &callbacks_; *place;) {
    if (!has_reached(reached, (*place)->at_)) {
      place = &(*place)->next_entry_;
      continue;
    }
    std::unique_ptr<CallbackEntry> entry = std::move(*place);
    *place = std::move(entry->next_entry_);
    entry->command_ = CommandRef(this);
    entry->reached_ = is_failure(reached) ? reached : entry->at_;
    call_later(std::move(entry));
  }
}

void Command::CallbackEntry::call() {
  if (is_settled(reached_)) // the program learns that the command has ended
    notify(&Listener::command_awaited, *command_);
  callback_(reached_);
  count_callbacks(-1);
}

Status Command::wait() {
  wait_for(std::chrono::nanoseconds(-1));
  return status();
}

// A device is asked for longer than a thread spins for another thread: the device needs no
// processor, and the launches that programs wait for are often that short.
Status Command::wait_and_poll() {
  constexpr int spin_times = 50;
  if (settled() || !PolledDevice::poll_all())
    return wait();
  BeforeWait::call();
  const uint64_t end = now_nanoseconds() + spin_times * uint64_t(spin_time().count());
  while (!settled() && now_nanoseconds() < end && PolledDevice::poll_all())
    spin_pause();
  return wait();
}

Status Command::status_for_program() const {
  const Status now = status();
  if (is_settled(now))
    notify(&Listener::command_awaited, *this);
  return now;
}

bool Command::wait_for(std::chrono::nanoseconds time) {
  if (!wait_until_settled(time))
    return false;
  notify(&Listener::command_awaited, *this);
  return true;
}

bool Command::spin_until_settled(std::chrono::nanoseconds time) const {
  SpinPlace place;
  if (!place.may_spin())
    return false;
  const uint64_t end = now_nanoseconds() + uint64_t(time.count());
  do {
    for (int i = 0; i < 16; ++i) {
      spin_pause();
      if (settled())
        return true;
    }
  } while (now_nanoseconds() < end);
  return false;
}

bool Command::wait_until_settled(std::chrono::nanoseconds time) {
  if (settled())
    return true;
  BeforeWait::call();
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const bool for_ever = time.count() < 0;
  if (spin_until_settled(for_ever ? spin_time() : std::min(spin_time(), time)))
    return true;

  observers_.fetch_or(observer_waits, std::memory_order_seq_cst);
  std::optional<BlockedThread> blocked;
  if (for_ever)
    blocked.emplace(*this, [](const Command &command) { return command.settled(); });
  for (;;) {
    Status now = status_.load(std::memory_order_seq_cst);
    if (is_settled(now))
      return true;
    auto left = for_ever ? std::chrono::nanoseconds(-1)
                         : std::chrono::nanoseconds(time - (Clock::now() - begin));
    if (!for_ever && left.count() <= 0)
      return false;
    futex_wait(&status_, uint32_t(now), left);
  }
}

const Error *Command::error() const {
  const Error &without_memory = leaked([] { return out_of_memory_error(); });
  if (!is_failure(status()))
    return nullptr;
  return error_ ? error_.get() : &without_memory;
}

bool wait_all(std::span<Command *const> commands) {
  bool all_complete = true;
  for (Command *command : commands)
    all_complete &= command->wait() == status::complete;
  return all_complete;
}

} // namespace lockstep::runtime
