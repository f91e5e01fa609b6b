// A command: one node of the graph of all work that was enqueued.
//
// Life. A command is created with a guard, gets dependencies, and is started. When the guard is
// dropped and all dependencies are settled (complete or failed), it goes to its executor (a
// device). A command without operation (marker, barrier, join) settles at once. The program settles
// user events. The status goes queued -> submitted -> running -> complete or a negative error.
//
// Edges. A node counts its unsettled dependencies and has a list of edges to its dependants, a
// lock-free stack. The dependant contains the edge, so that building the graph rarely allocates.
// Settling closes the list; an edge added later sees the final status. Nodes do not refer to their
// dependencies, so a chain is freed as fast as it completes. Settling does not recurse.
//
// Failure. An edge is of kind `needs` (wait list) or `after` (order only: in-order queues,
// barriers, markers without wait list). If a dependency fails, dependants along `needs` fail with
// status::dependency_failed once their other dependencies are settled. Dependants along `after` run
// normally, so one failure does not poison an in-order queue.
//
// Threads. Any thread may call any function, except that depend_on and start belong to the creator
// until start() returns.
#pragma once

#include "runtime/events/status.h"
#include "runtime/graph/node_memory.h"
#include "runtime/graph/operation.h"
#include "runtime/threads/callback_thread.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class Command;

// The position of a command in the order of a device that has got it. The device makes it, and the
// graph only hands it on.
using DevicePlace = uint32_t;
inline constexpr DevicePlace no_place = 0, settled_place = ~DevicePlace{0};

// The places behind which a command goes. Most commands have one or two, which need no allocation.
class DevicePlaces {
public:
  void add(DevicePlace place) {
    if (count_ == few_.size() && more_.empty())
      more_.assign(few_.begin(), few_.end());
    if (count_++ < few_.size())
      few_[count_ - 1] = place;
    else
      more_.push_back(place);
  }
  bool empty() const { return count_ == 0; }
  const DevicePlace *begin() const { return more_.empty() ? few_.data() : more_.data(); }
  const DevicePlace *end() const { return begin() + count_; }
  operator std::span<const DevicePlace>() const { return {begin(), count_}; }

private:
  std::array<DevicePlace, 3> few_{};
  uint32_t count_ = 0;
  std::vector<DevicePlace> more_; // all of them, if they are more
};

// True since a device has started that takes commands early (early_submission.cpp).
inline constinit std::atomic<bool> is_early_submission_used{false};

// Commands that a device may take early. Each of them is kept from becoming ready meanwhile. They
// must be submitted without a lock.
class Followers {
public:
  Followers() = default;
  Followers(const Followers &) = delete;
  Followers &operator=(const Followers &) = delete;
  void add(Command &command);
  void submit(); // also those that follow them

private:
  Command *first_ = nullptr, *last_ = nullptr;
};

// State of one run of a command, owned by the command and made by its executor.
class RunState {
public:
  virtual ~RunState() = default;
  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }
};

// Runs commands. A device implements this interface; the graph knows nothing else about devices.
class Executor {
public:
  virtual ~Executor() = default;
  // Makes the state for a command with this operation before it is enqueued, so that submit() cannot fail.
  // Null if the executor needs none. Throws std::bad_alloc only.
  virtual std::unique_ptr<RunState> make_run_state(Operation & /*operation*/) { return nullptr; }
  // Takes a command whose dependencies are settled. The graph's reference keeps the command alive
  // until the executor ends its work with Command::settle. Must not run the command inside the call
  // and must not block. Enqueuing threads and workers call it without locks. As soon as another
  // thread can run the command, only submit itself keeps the executor alive.
  virtual void submit(Command &ready) = 0;

  // ---- early submission (early_submission.cpp); only executors of devices that order commands

  // True: the executor may take commands before their dependencies are settled.
  virtual bool takes_early() const { return false; }
  // Whether it can run `command` behind the commands at `places`. Each of them is on a device.
  virtual bool can_follow(const Command & /*command*/, std::span<const DevicePlace>) const {
    return false;
  }
  // A place behind which all of `places` have been reached; no_place: the device has none.
  virtual DevicePlace end_of(std::span<const DevicePlace> /*places*/) const { return no_place; }
  // As submit(), for a command whose unsettled dependencies are at `places`. Settles it only when
  // Command::dependencies_settled(). Adds commands that can be submitted next to `followers`.
  virtual void submit_behind(Command &, std::span<const DevicePlace> /*places*/,
                             Followers & /*followers*/) {}
};

// The object on whose behalf a command was enqueued. Retained until the command is settled.
class CommandClient {
public:
  virtual void retain() = 0;
  virtual void release() = 0;
  // Called at most once for each command, after Operation::failed and by the same rules.
  virtual void failed(const Error &error) = 0;
  // Reports something to the program that does not fail the command.
  virtual void warn(const std::string &sentence) = 0;

protected:
  ~CommandClient() = default;
};

// Nanoseconds of the steady clock: host timer and device timer are the same clock.
uint64_t now_nanoseconds();

struct CommandTimes {
  uint64_t queued = 0, submitted = 0, started = 0, ended = 0, completed = 0; // 0: not recorded
};

// A counted reference.
class CommandRef {
public:
  CommandRef() = default;
  explicit CommandRef(Command *command); // adds a reference
  static CommandRef adopt(Command *command) {
    CommandRef r;
    r.command_ = command;
    return r;
  }
  CommandRef(const CommandRef &other) : CommandRef(other.command_) {}
  CommandRef(CommandRef &&other) noexcept : command_(std::exchange(other.command_, nullptr)) {}
  CommandRef &operator=(CommandRef other) noexcept {
    std::swap(command_, other.command_);
    return *this;
  }
  ~CommandRef();

  Command *get() const { return command_; }
  Command *operator->() const { return command_; }
  Command &operator*() const { return *command_; }
  explicit operator bool() const { return command_ != nullptr; }
  Command *release() {
    return std::exchange(command_, nullptr);
  } // gives the reference to the caller

private:
  Command *command_ = nullptr;
};

enum class EdgeKind : uint8_t { needs, after };

class Command {
public:
  // The callback thread (threads/callback_thread.h) calls it exactly once with the status reached:
  // the requested one, or the error if the command failed before or at it. Must not throw. It may
  // call anything and may block, which delays other callbacks only.
  using Callback = std::function<void(Status)>;

  // ---- creation; all throw std::bad_alloc only

  // A command that runs `operation` and destroys it when it is settled.
  static CommandRef create(std::unique_ptr<Operation> operation);
  template <class Op, class... Arguments> static CommandRef create(Arguments &&...arguments) {
    return create(std::unique_ptr<Operation>(new Op(std::forward<Arguments>(arguments)...)));
  }
  // A command that runs an operation owned elsewhere (a recorded one).
  static CommandRef create_shared(std::shared_ptr<Operation> operation);
  // A command without operation: marker, barrier, a join.
  static CommandRef create_marker();
  // A user event: status submitted, until set_user_status.
  static CommandRef create_user_event();
  // A host task or native kernel from a callable.
  template <class Function> static CommandRef create_task(TaskPlace place, Function function) {
    return create<Task<Function>>(place, std::move(function));
  }

  Command(const Command &) = delete;
  Command &operator=(const Command &) = delete;

  // ---- building: by the creator, before start()

  void record_times(); // profiling; sets times().queued
  // Room for this many more edges: depend_on does not allocate within it.
  void reserve_dependencies(std::size_t count);
  // The program gets an event of the command, so any number of commands may depend on it.
  void has_event() { has_event_ = true; }
  void depend_on(Command &dependency, EdgeKind kind = EdgeKind::needs);
  // As if the command depended on a command that ended with `status`. Needs no memory.
  void add_outcome(Status status) { dependency_failed(status, EdgeKind::needs); }
  // Sets the executor that runs the command and the client that gets its reports. After that,
  // start() cannot fail. `executor` may be null only for commands without operation; it must
  // outlive the command's completion (CommandQueue ensures that).
  void bind(Executor *executor, CommandClient *client = nullptr);
  // Before other threads can know the command: adds the graph's reference, and `more`, which the
  // caller owns. Then start() adds none.
  void add_first_references(uint32_t more) {
    references_.store(references_.load(std::memory_order_relaxed) + 1 + more,
                      std::memory_order_relaxed);
    has_graph_reference_ = true;
  }
  // Hands the command to the graph, which keeps a reference until the command is settled.
  void start();

  // ---- building many at once, before any other thread can know them (recorded_graph.h)

  // Creates a command that is already started. It waits only for the edges that are added here.
  // When the caller releases the returned reference, the graph owns the command. `operation` may be
  // null; it, the executor and the client must outlive the command.
  static CommandRef create_recorded(Operation *operation, Executor &executor,
                                    CommandClient *client);
  void follow(Command &before, EdgeKind kind); // as depend_on; `before` is not started yet
  void lead_to(Command &after); // at most one edge per command, of kind `after`; allocates nothing

  // ---- status and waiting

  Status status() const { return status_.load(std::memory_order_acquire); }
  // The program may treat a settled command as if it had waited for it.
  Status status_for_program() const;
  bool settled() const { return is_settled(status()); }
  // Waits until settled and returns the final status. Spins a little (spin_time()), then sleeps.
  Status wait();
  // As wait(). Polls the devices that must be polled (polled_device.h), so the caller has no lock.
  Status wait_and_poll();
  bool wait_for(std::chrono::nanoseconds time); // true if settled
  // Null unless the status is negative. User events and failed dependencies have an error text,
  // too.
  const Error *error() const;
  const CommandTimes &times() const { return times_; } // complete only when settled
  bool is_user_event() const { return is_user_event_; }
  bool has_dependants() const { return dependants_.load(std::memory_order_relaxed) != nullptr; }
  // Calls `function` with every direct or indirect dependant. False if there are more than `most`.
  // While this command cannot settle, its dependants cannot either.
  bool for_all_dependants(std::size_t most, const std::function<void(Command &)> &function);
  // `at`: submitted, running or complete. If that status is reached already, the callback is queued
  // at once. The program's registration starts the callback thread first. Throws std::bad_alloc,
  // and then nothing was added.
  void add_callback(Status at, Callback callback);
  // The same in two steps; the second one cannot fail.
  class CallbackEntry;
  static std::unique_ptr<CallbackEntry> make_callback(Status at, Callback callback);
  void add_callback(std::unique_ptr<CallbackEntry> entry) noexcept;

  // Settles a user event: complete (0) or a negative error. False if it was settled before.
  bool set_user_status(Status status);

  // ---- for executors

  Operation *operation() const { return operation_; }
  void set_running(); // status running, times().started
  void note_end();    // sets times().ended, if the command is settled later
  bool records_times() const { return records_times_; }
  // Before settle(), if the device has measured the times: replaces the two above.
  void set_run_times(uint64_t started, uint64_t ended);
  void
  settle(Result<void> result); // ends the run, releases dependants; drops the graph's reference

  // The device has the command, and can run others behind it that name `place`. The caller ensures
  // that no thread settles the command during the call.
  void set_place(DevicePlace place, Followers &followers);
  // False: at most one command depends on it, or it is followed in the order of a queue only.
  bool may_have_several_dependants() const;
  bool dependencies_settled() const { return unmet_.load(std::memory_order_acquire) == 0; }

  // what the executor's make_run_state() returned
  RunState *run_state() const { return run_state_.get(); }
  void warn(const std::string &sentence) const {
    if (client_)
      client_->warn(sentence);
  }

  // ---- data that a listener attaches to each command (commands/command_order.h) at its creation

  void keep_beside(std::shared_ptr<void> kept) const { beside_ = std::move(kept); }
  const std::shared_ptr<void> &beside() const { return beside_; }

  void add_reference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }

private:
  friend class CommandQueue;
  friend class Followers;
  struct Edge {
    Edge *next = nullptr;
    Command *dependant = nullptr;
    EdgeKind kind = EdgeKind::needs;
    std::atomic<DevicePlace> place{no_place}; // of the dependency
  };
  struct EdgeBlock {
    std::unique_ptr<EdgeBlock> previous; // blocks double in size, so this chain is short
    std::unique_ptr<Edge[]> edges;
    std::size_t size = 0, used = 0;
  };
  class WorkList;
  enum class Early : uint8_t { no, possible, decided };
  static constexpr unsigned inline_edges = 2;
  static constexpr uint32_t observer_waits = 1, observer_calls = 2; // bits of observers_

  Command() = default;
  ~Command() = default;
  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }
  static CommandRef make();
  void destroy();

  Edge &new_edge();
  void add_dependency(Command &dependency, EdgeKind kind);
  void add_unseen(Command &before, Edge &edge, EdgeKind kind);
  bool awaits_memory();
  bool add_dependant(Edge &edge); // false: this command is settled already
  // adds an edge from this command to `join`, which is not started yet
  void count_in(Command &join);
  void dependency_failed(Status dependency_status, EdgeKind kind);
  bool drop_dependency() { return unmet_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  void drop_guard();
  static Edge *closed(); // as a list head: the list takes no more edges
  bool all_have_places() const;
  bool starts_early();
  bool becomes_follower();
  DevicePlaces places_before() const;
  bool submit_early(Followers &followers);

  static void run(WorkList &list);
  // runs the command in this thread, if there is work, and settles it
  void settle_here(WorkList &list);
  void end_run(Status final_status, std::unique_ptr<Error> error, WorkList &list);
  std::unique_ptr<Error> notify_failure(Error error);
  void let_go();                   // destroys or releases the operation and the client
  void pass_status(Status status); // for a status that is not final
  void set_status(Status status);  // also runs callbacks, and wakes waiters if final
  void call_back(Status reached);
  bool wait_until_settled(std::chrono::nanoseconds time);
  bool spin_until_settled(std::chrono::nanoseconds time) const;

  // Fields that an executor uses to take and end the command. They fill one cache line, which a
  // spinning waiter does not read; the waiter reads the next line.
  std::atomic<uint32_t> references_{1};
  std::atomic<uint32_t> unmet_{1}; // starts with the guard
  std::atomic<Edge *> dependants_{nullptr};
  std::atomic<Status> dependency_failure_{status::complete};
  bool records_times_ = false, is_user_event_ = false, owns_operation_ = false;
  bool is_started_ = false;
  Operation *operation_ = nullptr;
  std::unique_ptr<RunState> run_state_;
  Executor *executor_ = nullptr;
  CommandClient *client_ = nullptr;
  Command *next_ready_ = nullptr; // link of the work list
  // What waiters and edges use:
  alignas(64) std::atomic<Status> status_{status::queued};
  std::atomic<uint32_t> observers_{0};
  uint8_t used_edges_ = 0;
  bool has_event_ = false;
  bool has_graph_reference_ = false; // before start()
  bool is_early_ = false;            // its executor has got it before its dependencies were settled
  std::atomic<Early> early_{Early::no};
  std::atomic<DevicePlace> place_{no_place};
  Edge edges_[inline_edges];
  Edge queue_edge_; // to the join of an out-of-order queue
  std::unique_ptr<EdgeBlock> more_edges_;
  // Rarely used:
  std::shared_ptr<Operation> shared_operation_;
  std::unique_ptr<Error> error_;
  std::unique_ptr<CallbackEntry> callbacks_; // guarded by a lock chosen by address
  CommandTimes times_;
  mutable std::shared_ptr<void> beside_;
};

// A callback of a command, which is also its entry in the queue of the callback thread. So the
// thread that settles the command allocates nothing.
class Command::CallbackEntry final : public LaterCall {
public:
  CallbackEntry(Status at, Callback callback) : at_(at), callback_(std::move(callback)) {}
  void call() override;

private:
  friend class Command;
  const Status at_;
  const Callback callback_;
  std::unique_ptr<CallbackEntry> next_entry_; // in the command's list; before the callback is due
  CommandRef command_;
  Status reached_ = status::queued;
};

inline CommandRef::CommandRef(Command *command) : command_(command) {
  if (command_)
    command_->add_reference();
}
inline CommandRef::~CommandRef() {
  if (command_)
    command_->drop_reference();
}

// Waits for all; returns false if one of them failed.
bool wait_all(std::span<Command *const> commands);

// Whether this thread has woken a sleeping waiter since the last call. The waiter may have been
// placed on this CPU, so the thread should not spin now.
bool take_woke_waiter();

// How long a waiting thread spins before it sleeps, LOCKSTEP_SPIN_US (microseconds).
std::chrono::nanoseconds spin_time();

} // namespace lockstep::runtime
