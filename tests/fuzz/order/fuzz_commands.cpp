// Tests the checker's CommandOrder with random graphs of commands, which the runtime itself
// reports, against an oracle. For each pair of commands that access the same bytes, the oracle
// checks whether one is reachable from the other. Both must report the same command as the first
// race of a run.
//
//   fuzz_commands [--seed N] [--count N] [--show]
//
// Covers in-order and out-of-order queues, maps, markers and barriers with and without wait lists,
// user events, and waits of the program. There are no threads: ready commands end when this program
// says so, in any order, so that a seed always gives the same run.
#include "runs.h"
#include "runtime/check/assumptions/assumptions.h"
#include "runtime/check/commands/command_order.h"
#include "runtime/device/kernel.h"
#include "runtime/graph/command_queue.h"
#include "runtime/memory/buffer.h"
#include "runtime/memory/map_change.h"

#include <bitset>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace lockstep::fuzz {

namespace {

using runtime::Access;
using runtime::AccessMode;
using runtime::Command;
using runtime::CommandQueue;
using runtime::CommandRef;
using runtime::QueueOrder;

constexpr std::size_t object_bytes = 64, most_commands = 120;
constexpr unsigned buffers = 2, objects = buffers + 1, // the last one is host memory
    queues = 4;

struct Touch {
  unsigned object;
  std::size_t begin, end;
  bool writes, is_atomic, is_of_map;
};

// A transfer, or another operation that declares the bytes that it accesses.
class Plain final : public runtime::Operation {
public:
  explicit Plain(runtime::Accesses accesses) : accesses_(std::move(accesses)) {}
  std::span<const Access> accesses() const override { return accesses_; }

private:
  runtime::Accesses accesses_;
};

class FakeLaunch final : public runtime::Launch {
public:
  FakeLaunch(runtime::Accesses memories, bool is_atomic)
      : Launch(std::move(memories)), footprint_(accesses(), is_atomic) {
    info_.name = "kernel";
  }
  const compiler::KernelInfo &kernel() const override { return info_; }
  std::array<uint64_t, 3> local_size() const override { return {1, 1, 1}; }
  runtime::LaunchObserver &observer() const override { return footprint_; }

private:
  class Footprint final : public runtime::LaunchObserver {
  public:
    Footprint(std::span<const Access> accesses, bool is_atomic)
        : accesses_(accesses), is_atomic_(is_atomic) {}
    bool reached(std::vector<runtime::ReachedBytes> &all) const override {
      for (const Access &access : accesses_)
        all.push_back({&access, 0, access.memory.size(), writes(access.mode), is_atomic_, true});
      return true;
    }

  private:
    std::span<const Access> accesses_;
    bool is_atomic_;
  };

  compiler::KernelInfo info_;
  mutable Footprint footprint_;
};

class Change final : public runtime::MapChange {
public:
  using MapChange::MapChange;
  bool runs_in_place() const override { return false; }
};

// Holds ready commands until the program ends them.
class Executor final : public runtime::Executor {
public:
  void submit(Command &command) override { ready.push_back(&command); }
  std::vector<Command *> ready;
};

// The predecessors of a command, one bit for each command.
using Set = std::bitset<most_commands>;

struct Node {
  CommandRef command;
  Set dependencies, known_to_program; // at creation; for a user event: when it was set
  std::vector<Touch> touches;
  bool is_user_event = false, is_set = false, has_ended = false, is_kernel = false;
};

struct Mapping {
  std::size_t map;
  std::optional<std::size_t> unmap;
};

std::byte memory_of_host[object_bytes];

class Run {
public:
  Run(uint64_t seed, bool shows) : random_(seed), shows_(shows) {
    const auto account = std::make_shared<runtime::MemoryAccount>(1 << 20);
    for (auto &buffer : buffers_)
      buffer = *runtime::Buffer::allocate(account, object_bytes);
    for (unsigned i = 0; i != queues; ++i)
      queues_[i].commands = std::make_unique<CommandQueue>(
          executor_, i % 2 ? QueueOrder::in_order : QueueOrder::out_of_order, false);
    carelessness_ = pick(3) ? 1 : 20;
  }
  ~Run() { // its commands must not reach the next run
    while (end_all())
      ;
    for (Queue &queue : queues_)
      queue.commands->finish();
  }
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

  // Returns false if the checker and the oracle differ.
  bool go() {
    while (nodes_.size() + 2 < most_commands) {
      const uint64_t what = pick(100);
      std::optional<bool> agree;
      if (what < 35)
        enqueue();
      else if (what < 42)
        enqueue_marker();
      else if (what < 44)
        enqueue_map();
      else if (what < 46)
        enqueue_unmap();
      else if (what < 48)
        make_user_event();
      else if (what < 51)
        set_user_event();
      else if (what < 56)
        hear_of_one();
      else if (what < 58)
        agree = finish();
      else
        agree = end_one();
      if (agree)
        return *agree;
    }
    return end_all().value_or(true);
  }
  bool has_race() const { return has_race_; }

private:
  struct Queue {
    std::unique_ptr<CommandQueue> commands;
    Set all, barrier; // all commands so far; barrier: those that all later ones follow
  };

  uint64_t pick(uint64_t count) { return random_() % count; }

  Set before(std::size_t number) const {
    Set found, open;
    open.set(number);
    while (open.any()) {
      const std::size_t one = open._Find_first();
      open.reset(one);
      const Node &node = nodes_[one];
      const Set more = (node.dependencies | node.known_to_program) & ~found;
      found |= more;
      open |= more;
    }
    return found;
  }

  static bool conflict(const Node &one, const Node &other) {
    for (const Touch &a : one.touches)
      for (const Touch &b : other.touches)
        if (a.object == b.object && a.begin < b.end && b.begin < a.end && (a.writes || b.writes) &&
            !(a.is_atomic && b.is_atomic) && !(a.is_of_map && b.is_of_map))
          return true;
    return false;
  }
  // A kernel that uses memory mapped by the program: after the map, and not after the unmap, which
  // may come later.
  bool is_of_program(std::size_t number) const {
    const Node &node = nodes_[number];
    const Set mine = before(number);
    for (const Mapping &mapping : mappings_)
      if (node.is_kernel && mine[mapping.map] && conflict(node, nodes_[mapping.map]) &&
          !(mapping.unmap && (mine[*mapping.unmap] || nodes_[*mapping.unmap].has_ended)))
        return true;
    return false;
  }
  // Is it unordered with a command that accesses the same bytes?
  bool is_unordered(std::size_t number) const {
    const Set mine = before(number);
    for (std::size_t other = 0; other != nodes_.size(); ++other)
      if (other != number && conflict(nodes_[number], nodes_[other]) && !mine[other] &&
          !before(other)[number])
        return true;
    return false;
  }

  std::vector<Touch> random_touches() {
    std::vector<Touch> touches;
    for (uint64_t left = 1 + pick(2); left; --left) {
      const auto begin = std::size_t(pick(object_bytes / 8)) * 8;
      const auto end = begin + 8 * (1 + std::size_t(pick((object_bytes - begin) / 8)));
      touches.push_back({unsigned(pick(objects)), begin, end, pick(2) != 0, false, false});
    }
    if (pick(4) == 0)
      for (Touch &touch : touches)
        touch.is_atomic = true;
    return touches;
  }

  std::vector<Command *> random_wait_list(Node &node, uint64_t most) {
    std::vector<Command *> list;
    for (uint64_t left = nodes_.empty() ? 0 : pick(most + 1); left; --left) {
      const auto which = std::size_t(pick(nodes_.size()));
      node.dependencies.set(which);
      list.push_back(nodes_[which].command.get());
    }
    return list;
  }

  void enqueue() {
    Node node;
    Queue &queue = queues_[pick(queues)];
    node.touches = random_touches();
    auto list = random_wait_list(node, 2);
    const bool is_atomic = node.touches.front().is_atomic;
    node.is_kernel = is_atomic || pick(2);
    const auto number = add(std::move(node), queue);
    if (!number)
      return;
    runtime::Accesses accesses;
    for (const Touch &touch : nodes_[*number].touches) {
      const AccessMode mode = touch.writes ? AccessMode::read_write : AccessMode::read;
      const std::size_t size = touch.end - touch.begin;
      Access access{touch.object < buffers
                        ? runtime::MemoryView(buffers_[touch.object], touch.begin, size)
                        : runtime::MemoryView(memory_of_host + touch.begin, size),
                    mode};
      accesses.push_back(access);
    }
    if (nodes_[*number].is_kernel)
      enqueue(*number, std::make_unique<FakeLaunch>(std::move(accesses), is_atomic), queue, list);
    else
      enqueue(*number, std::make_unique<Plain>(std::move(accesses)), queue, list);
    show(*number, is_atomic ? "atomic kernel" : nodes_[*number].is_kernel ? "kernel" : "command");
  }

  // Returns nothing if the command would be a race and races are not wanted.
  std::optional<std::size_t> add(Node node, Queue &queue) {
    node.known_to_program = known_;
    node.dependencies |=
        queue.commands->order() == QueueOrder::in_order ? queue.all : queue.barrier;
    nodes_.push_back(std::move(node));
    const std::size_t number = nodes_.size() - 1;
    if ((is_unordered(number) || is_of_program(number)) && pick(100) >= carelessness_) {
      nodes_.pop_back();
      return std::nullopt;
    }
    return number;
  }
  void enqueue(std::size_t number, std::unique_ptr<runtime::Operation> operation, Queue &queue,
               runtime::WaitList list) {
    nodes_[number].command = Command::create(std::move(operation));
    queue.all.set(number);
    queue.commands->enqueue(*nodes_[number].command, list);
  }
  void enqueue(std::size_t number, runtime::MapChange::Kind kind, const Touch &touch, Queue &queue,
               runtime::WaitList list) {
    const runtime::MapChange::Region region{
        {buffers_[touch.object], touch.begin, touch.end - touch.begin}, touch.writes, false};
    enqueue(number, std::make_unique<Change>(kind, region), queue, list);
  }

  void enqueue_map() {
    Node node;
    Queue &queue = queues_[pick(queues)];
    Touch touch = random_touches().front();
    touch.object %= buffers;
    touch.is_atomic = false;
    touch.is_of_map = true;
    node.touches = {touch};
    auto list = random_wait_list(node, 2);
    const auto number = add(std::move(node), queue);
    if (!number)
      return;
    mappings_.push_back({*number, {}});
    enqueue(*number, runtime::MapChange::Kind::begins, touch, queue, list);
    show(*number, "map");
  }

  // Unmaps the first of several maps that begin at the same address.
  void enqueue_unmap() {
    for (Mapping &mapping : mappings_) {
      if (mapping.unmap)
        continue;
      Node node;
      Queue &queue = queues_[pick(queues)];
      node.touches = nodes_[mapping.map].touches;
      auto list = random_wait_list(node, 1);
      list.push_back(nodes_[mapping.map].command.get());
      node.dependencies.set(mapping.map);
      const Touch touch = node.touches.front();
      const auto number = add(std::move(node), queue);
      if (!number)
        return;
      mapping.unmap = number;
      enqueue(*number, runtime::MapChange::Kind::ends, touch, queue, list);
      show(*number, "unmap");
      return;
    }
  }

  void enqueue_marker() {
    Node node;
    Queue &queue = queues_[pick(queues)];
    const bool is_barrier = pick(2), is_in_order = queue.commands->order() == QueueOrder::in_order;
    auto list = random_wait_list(node, pick(2) * 2);
    node.known_to_program = known_;
    node.dependencies |= is_in_order || list.empty() ? queue.all : queue.barrier;
    const std::size_t number = nodes_.size();
    node.command =
        is_barrier ? queue.commands->enqueue_barrier(list) : queue.commands->enqueue_marker(list);
    nodes_.push_back(node);
    queue.all.set(number);
    if (is_barrier)
      queue.barrier.set(number);
    show(number, is_barrier ? "barrier" : "marker");
  }

  void make_user_event() {
    Node node;
    node.command = Command::create_user_event();
    node.is_user_event = true;
    nodes_.push_back(node);
    show(nodes_.size() - 1, "user event");
  }

  void set(Node &node) {
    node.is_set = true;
    node.known_to_program = known_;
    node.command->set_user_status(runtime::status::complete);
    show(std::size_t(&node - nodes_.data()), "set");
  }
  void set_user_event() {
    for (Node &node : nodes_)
      if (node.is_user_event && !node.is_set && pick(2))
        return set(node);
  }

  void hear_of(std::size_t number) {
    known_ |= before(number);
    known_.set(number);
    show(number, "the program hears of it");
  }
  // Orders a command before the program: by a query of its status, or by a wait for a command that
  // has ended.
  void hear_of_one() {
    if (nodes_.empty())
      return;
    const auto number = std::size_t(pick(nodes_.size()));
    Node &node = nodes_[number];
    if (!node.command->settled())
      return;
    if (pick(2))
      node.command->wait();
    else
      node.command->status_for_program();
    hear_of(number);
  }

  std::optional<bool> finish() {
    if (auto agree = end_all())
      return agree;
    Queue &queue = queues_[pick(queues)];
    queue.commands->finish();
    for (std::size_t number = 0; number != nodes_.size(); ++number)
      if (queue.all[number])
        hear_of(number);
    return std::nullopt;
  }

  // Ends a ready command, if there is one.
  std::optional<bool> end_one() {
    auto &ready = executor_->ready;
    if (ready.empty())
      return std::nullopt;
    const auto which = std::ptrdiff_t(pick(ready.size()));
    Command *command = ready[std::size_t(which)];
    ready.erase(ready.begin() + which);
    std::size_t number = 0;
    while (nodes_[number].command.get() != command)
      ++number;
    show(number, "ends");
    const Set mine = before(number);
    bool is_race = is_of_program(number);
    for (std::size_t other = 0; other != nodes_.size(); ++other)
      is_race |= other != number && nodes_[other].has_ended &&
                 conflict(nodes_[number], nodes_[other]) && !mine[other] && !before(other)[number];
    const uint64_t told_before = told();
    nodes_[number].has_ended = true;
    command->set_running();
    command->settle({});
    const bool is_reported = told() != told_before;
    if (is_reported != is_race) {
      show(number, is_reported ? "told, but is no race" : "race, but not told");
      return false;
    }
    has_race_ |= is_race;
    return is_race ? std::optional(true) : std::nullopt;
  }
  std::optional<bool> end_all() {
    for (;;) {
      while (!executor_->ready.empty())
        if (auto agree = end_one())
          return agree;
      bool has_set = false;
      for (Node &node : nodes_)
        if (node.is_user_event && !node.is_set) {
          set(node);
          has_set = true;
          break;
        }
      if (!has_set)
        return std::nullopt;
    }
  }

  void show(std::size_t number, const char *what) const {
    if (!shows_)
      return;
    const Node &node = nodes_[number];
    std::printf("%zu: %s", number, what);
    for (const Touch &touch : node.touches)
      std::printf(" %c%u[%zu..%zu]", touch.writes ? 'w' : 'r', touch.object, touch.begin,
                  touch.end);
    std::printf(" after");
    for (std::size_t other = 0; other != nodes_.size(); ++other)
      if (node.dependencies[other])
        std::printf(" %zu", other);
    std::printf("\n");
  }

  std::mt19937_64 random_;
  const bool shows_;
  bool has_race_ = false;
  uint64_t carelessness_ = 0; // percent
  std::shared_ptr<Executor> executor_ = std::make_shared<Executor>();
  std::shared_ptr<runtime::Buffer> buffers_[buffers];
  Queue queues_[queues];
  std::vector<Node> nodes_;
  std::vector<Mapping> mappings_;
  Set known_; // to the program
};

} // namespace

} // namespace lockstep::fuzz

int main(int argc, char **argv) {
  using namespace lockstep;
  static auto &order = *new runtime::CommandOrder; // as in check.cpp: never destroyed
  runtime::add_listener(order);
  return fuzz::run_seeds(argc, argv, 500, [](uint64_t seed, bool shows) {
    fuzz::Run run(seed, shows);
    const bool agrees = run.go();
    return fuzz::Ended{agrees, run.has_race()};
  });
}
