// Tests the checker's EnqueueOrder with random trees of kernels that enqueue each other, reported
// as launches report them, against an oracle. For each pair of accesses to the same bytes, the
// oracle checks whether one is reachable from the other. Both must report the same part of a launch
// as the first race, or none.
//
//   fuzz_enqueued [--seed N] [--count N] [--show]
//
// Children wait for nothing, for their group, for the kernel, or for events of others, markers and
// user events. Events happen one after the other, in any order. In every third run some launches
// communicate with atomics. There a reported race must be one, unless the atomics may have ordered
// the accesses; but not every race is reported.
#include "runs.h"
#include "runtime/check/commands/enqueue_order.h"

#include <array>
#include <bitset>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

namespace lockstep::fuzz {

namespace {

using runtime::Access;
using runtime::EnqueueOrder;
using runtime::MemoryView;
using runtime::ReachedBytes;
using Wait = EnqueueOrder::Wait;

constexpr std::size_t bytes = 64, most_vertices = 512, most_launches = 24;
using Set = std::bitset<most_vertices>;

class Run {
public:
  Run(uint64_t seed, bool shows) : random_(seed), shows_(shows), has_talkers_(seed % 3 == 0) {}

  bool go() {
    careless_ = pick(40);
    add_launch(order_->add(), nowhere, {});
    while (agrees_ && !has_race_ && vertices_.size() + 8 < most_vertices && step())
      ;
    return agrees_;
  }
  bool has_race() const { return has_race_; }

private:
  static constexpr std::size_t nowhere = ~std::size_t(0);

  struct Touch {
    std::size_t launch, vertex, begin, end;
    bool writes, is_atomic;
  };
  struct Event {
    EnqueueOrder::KnownRef known;
    std::size_t vertex = nowhere; // once it is determined
    std::size_t launch = nowhere; // the launch that it belongs to, with all that this has enqueued
    std::vector<std::size_t> waits{};
    bool is_marker = false;
  };
  struct Launch {
    EnqueueOrder::NodeRef node;
    std::size_t parent = nowhere, completion = nowhere; // an event
    std::vector<std::size_t> waits{};                   // events, gates among them
    std::size_t last = nowhere;                         // vertex
    std::size_t first = nowhere;
    std::size_t kernel_gate = nowhere, group_gate = nowhere; // events, if a child waits for them
    std::vector<ReachedBytes> pending{};
    bool has_begun = false, has_ended = false, talks = false;
  };

  uint64_t pick(uint64_t count) {
    return std::uniform_int_distribution<uint64_t>(0, count - 1)(random_);
  }

  std::size_t vertex(std::initializer_list<std::size_t> before) {
    Set mine;
    for (const std::size_t each : before)
      if (each != nowhere) {
        mine |= vertices_[each];
        mine.set(each);
      }
    vertices_.push_back(mine);
    return vertices_.size() - 1;
  }
  void after(std::size_t vertex, std::size_t before) {
    vertices_[vertex] |= vertices_[before];
    vertices_[vertex].set(before);
  }

  std::size_t add_event(Event event) {
    events_.push_back(std::move(event));
    return events_.size() - 1;
  }

  void add_launch(EnqueueOrder::NodeRef node, std::size_t parent, std::vector<std::size_t> waits) {
    Launch launch;
    launch.node = std::move(node);
    launch.parent = parent;
    launch.waits = std::move(waits);
    launch.talks = has_talkers_ && pick(3) == 0;
    launch.completion = parent == nowhere ? nowhere : launches_[parent]->completion;
    launches_.push_back(std::make_unique<Launch>(std::move(launch)));
    Launch *mine = launches_.back().get();
    order_->set_source(mine->node, "kernel", mine->talks,
                       [mine](uint64_t &) { return std::exchange(mine->pending, {}); });
  }

  // ---- what happens

  bool step() {
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i != launches_.size(); ++i) {
      Launch &launch = *launches_[i];
      if (!launch.has_begun && is_ready(launch))
        begin(i);
      if (launch.has_begun && !launch.has_ended)
        running.push_back(i);
    }
    if (running.empty())
      return false;
    const std::size_t number = running[pick(running.size())];
    switch (pick(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      touch(number);
      break;
    case 5:
    case 6:
    case 7:
      enqueue(number);
      break;
    case 8:
      pick(2) ? add_marker() : add_user_event();
      break;
    case 9:
      set_user_event(number);
      break;
    case 10:
      end_group(number);
      break;
    default:
      if (pick(2))
        end(number);
    }
    return true;
  }

  bool is_ready(const Launch &launch) const {
    for (const std::size_t each : launch.waits)
      if (events_[each].vertex == nowhere)
        return false;
    return true;
  }
  void begin(std::size_t number) {
    Launch &launch = *launches_[number];
    launch.has_begun = true;
    launch.first = launch.last = vertex({launch.last});
    for (const std::size_t each : launch.waits)
      after(launch.first, events_[each].vertex);
    show(number, "begins");
  }

  void touch(std::size_t number) {
    Launch &launch = *launches_[number];
    launch.last = vertex({launch.last});
    // Most accesses are to bytes of their own.
    const std::size_t begin =
        pick(100) < careless_ + 5 ? pick(bytes - 4) : (number * 5) % (bytes - 4);
    const std::size_t end = begin + 1 + pick(4);
    const bool writes = pick(2), is_atomic = launch.talks || pick(8) == 0;
    launch.pending.push_back({&access_, begin, end, writes, is_atomic, true});
    untold_.push_back({number, launch.last, begin, end, writes, is_atomic});
    if (shows_)
      std::printf("%zu: %s%s %zu to %zu\n", number, is_atomic ? "atomically " : "",
                  writes ? "writes" : "reads", begin, end);
  }

  std::vector<std::size_t> some_events() {
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i != events_.size(); ++i)
      if ((events_[i].launch != nowhere || events_[i].is_marker) && pick(events_.size()) < 2)
        some.push_back(i);
    return some;
  }
  std::vector<EnqueueOrder::KnownRef> known_of(const std::vector<std::size_t> &events) const {
    std::vector<EnqueueOrder::KnownRef> known;
    for (const std::size_t each : events)
      known.push_back(events_[each].known);
    return known;
  }

  void enqueue(std::size_t number) {
    if (launches_.size() == most_launches)
      return;
    const auto wait = Wait(pick(3));
    auto waits = some_events();
    if (wait != Wait::for_nothing) {
      Launch &parent = *launches_[number];
      std::size_t &gate = wait == Wait::for_kernel ? parent.kernel_gate : parent.group_gate;
      if (gate == nowhere)
        gate = add_event({.known = order_->known_after({})});
      waits.push_back(gate);
    }
    const std::size_t at = vertex({launches_[number]->last});
    launches_[number]->last = at;
    EnqueueOrder::NodeRef node;
    compare(number,
            [&] { node = order_->add_child(launches_[number]->node, wait, known_of(waits)); });
    add_launch(node, number, waits);
    launches_.back()->last = at;
    if (pick(2))
      launches_.back()->completion =
          add_event({.known = order_->known_of(node), .launch = launches_.size() - 1});
    if (shows_) {
      std::printf("%zu: enqueues %zu, waits %d, for", number, launches_.size() - 1, int(wait));
      for (const std::size_t each : waits)
        std::printf(" %zu", each);
      std::printf("\n");
    }
  }

  void add_marker() {
    auto waits = some_events();
    const auto known = order_->known_after(known_of(waits));
    add_event({.known = known, .waits = std::move(waits), .is_marker = true});
    settle_events();
  }
  void add_user_event() {
    user_events_.push_back(add_event({.known = order_->known_after({}), .is_marker = true}));
    events_.back().waits = {user_events_.back()}; // itself: not before it is set
  }
  void set_user_event(std::size_t number) {
    for (const std::size_t each : user_events_)
      if (events_[each].vertex == nowhere && pick(2)) {
        reach(number, each, "sets");
        return;
      }
  }
  void end_group(std::size_t number) {
    if (const std::size_t gate = std::exchange(launches_[number]->group_gate, nowhere);
        gate != nowhere)
      reach(number, gate, "ends the group of");
  }
  void reach(std::size_t number, std::size_t event, const char *what) {
    Launch &launch = *launches_[number];
    launch.last = vertex({launch.last});
    compare(number, [&] { order_->reach(launch.node, events_[event].known); });
    events_[event].vertex = launch.last;
    if (shows_)
      std::printf("%zu: %s event %zu\n", number, what, event);
    settle_events();
  }

  void end(std::size_t number) {
    Launch &launch = *launches_[number];
    launch.last = vertex({launch.last});
    std::vector<EnqueueOrder::KnownRef> known;
    for (const std::size_t gate : {launch.kernel_gate, launch.group_gate, launch.completion})
      if (gate != nowhere)
        known.push_back(events_[gate].known);
    compare(number, [&] {
      order_->end(launch.node);
      for (const EnqueueOrder::KnownRef &each : known)
        order_->add_ended(launch.node, each);
    });
    launch.has_ended = true;
    for (const std::size_t gate : {launch.kernel_gate, launch.group_gate})
      if (gate != nowhere)
        events_[gate].vertex = launch.last;
    show(number, "ends");
    settle_events();
  }

  bool is_in(std::size_t launch, std::size_t tree) const {
    for (; launch != nowhere; launch = launches_[launch]->parent)
      if (launch == tree)
        return true;
    return false;
  }
  void settle_events() {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t number = events_.size(); number-- != 0;) { // children before their parents
        Event &event = events_[number];
        if (event.vertex != nowhere)
          continue;
        std::vector<std::size_t> before;
        if (event.launch != nowhere ? !is_complete(event.launch, before)
                                    : !event.is_marker || !are_settled(event.waits, before))
          continue;
        goes_on = true;
        event.vertex = vertex({});
        for (const std::size_t each : before)
          after(event.vertex, each);
        if (event.launch == nowhere)
          continue;
        const std::size_t parent = launches_[event.launch]->parent;
        if (const std::size_t completion = launches_[parent]->completion; completion != nowhere)
          order_->join(events_[completion].known, event.known);
      }
    }
  }
  bool is_complete(std::size_t tree, std::vector<std::size_t> &ends) const {
    for (std::size_t i = 0; i != launches_.size(); ++i)
      if (is_in(i, tree)) {
        if (!launches_[i]->has_ended)
          return false;
        ends.push_back(launches_[i]->last);
      }
    return true;
  }
  bool are_settled(const std::vector<std::size_t> &waits,
                   std::vector<std::size_t> &vertices) const {
    for (const std::size_t each : waits) {
      if (events_[each].vertex == nowhere)
        return false;
      vertices.push_back(events_[each].vertex);
    }
    return true;
  }

  // ---- the oracle

  bool is_before(std::size_t one, std::size_t other) const { return vertices_[other][one]; }
  // Whether `by` may be ordered after `of` through atomics.
  bool may_hear(const Touch &of, const Touch &by) const {
    for (std::size_t one = 0; one != launches_.size(); ++one)
      for (std::size_t other = 0; other != launches_.size(); ++other) {
        const Launch &tells = *launches_[one], &hears = *launches_[other];
        if (one == other || !tells.talks || !hears.talks || !tells.has_begun || !hears.has_begun)
          continue;
        if ((one == of.launch || is_before(of.vertex, tells.first)) &&
            (other == by.launch || is_before(hears.first, launches_[by.launch]->first)))
          return true;
      }
    return false;
  }
  bool do_race(const Touch &one, const Touch &other) const {
    return one.launch != other.launch && one.begin < other.end && other.begin < one.end &&
           (one.writes || other.writes) && !(one.is_atomic && other.is_atomic) &&
           !is_before(one.vertex, other.vertex) && !is_before(other.vertex, one.vertex) &&
           !may_hear(one, other) && !may_hear(other, one);
  }

  // Compares where the launch's accesses are taken over.
  template <class Act> void compare(std::size_t number, Act act) {
    bool is_race = false;
    std::vector<Touch> mine;
    std::erase_if(untold_, [&](const Touch &touch) {
      if (touch.launch == number)
        mine.push_back(touch);
      return touch.launch == number;
    });
    for (const Touch &one : mine)
      for (const Touch &other : told_)
        is_race |= do_race(one, other);
    told_.insert(told_.end(), mine.begin(), mine.end());
    const uint64_t before = told();
    act();
    const bool is_reported = told() != before;
    has_race_ |= is_race;
    if (is_reported != is_race && (is_reported || !has_talkers_)) {
      agrees_ = false;
      show(number, is_reported ? "is told, but is no race" : "races, but is not told");
    }
  }

  void show(std::size_t number, const char *what) const {
    if (shows_)
      std::printf("%zu: %s%s\n", number, what, launches_[number]->talks ? " (talks)" : "");
  }

  std::mt19937_64 random_;
  const bool shows_, has_talkers_;
  uint64_t careless_ = 0; // percent
  bool agrees_ = true, has_race_ = false;
  std::shared_ptr<EnqueueOrder> order_ = std::make_shared<EnqueueOrder>();
  std::array<std::byte, bytes> memory_{};
  const Access access_{MemoryView(memory_.data(), bytes)};
  std::vector<Set> vertices_; // the predecessors of each
  std::vector<std::unique_ptr<Launch>> launches_;
  std::vector<Event> events_;
  std::vector<std::size_t> user_events_;
  std::vector<Touch> told_, untold_;
};

} // namespace

} // namespace lockstep::fuzz

int main(int argc, char **argv) {
  using namespace lockstep;
  return fuzz::run_seeds(argc, argv, 2000, [](uint64_t seed, bool shows) {
    fuzz::Run run(seed, shows);
    const bool agrees = run.go();
    return fuzz::Ended{agrees, run.has_race()};
  });
}
