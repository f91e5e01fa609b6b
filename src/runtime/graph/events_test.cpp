// Compares the events that a listener receives with what the commands did.
#include "runtime/events/events.h"

#include "runtime/graph/command_queue.h"
#include "runtime/graph/test_executor.h"
#include "runtime/memory/transfers.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <random>
#include <set>

namespace lockstep::runtime {
namespace {

enum class What { made, ready, begun, ended, gone };

class Recorder final : public Listener {
public:
  Recorder() { add_listener(*this); }
  ~Recorder() override { remove_listener(*this); }

  void command_made(const Command &command) override { add(command, What::made); }
  void command_ready(const Command &command) override { add(command, What::ready); }
  void command_begun(const Command &command) override { add(command, What::begun); }
  void command_gone(const Command &command) override { add(command, What::gone); }
  void command_ended(const Command &command, Status status) override {
    add(command, What::ended);
    std::lock_guard lock(mutex);
    final_status[&command] = status;
    if (command.operation())
      touched += command.operation()->accesses().size();
  }
  void edge_added(const Command &before, const Command &after, EdgeKind) override {
    std::lock_guard lock(mutex);
    edges.emplace(&before, &after);
  }
  void command_awaited(const Command &command) override {
    std::lock_guard lock(mutex);
    awaited.insert(&command);
  }

  std::mutex mutex;
  std::map<const Command *, std::vector<std::pair<What, int>>> life; // with the logical time
  std::map<const Command *, Status> final_status;
  std::set<std::pair<const Command *, const Command *>> edges;
  std::set<const Command *> awaited;
  std::size_t touched = 0;

private:
  void add(const Command &command, What what) {
    std::lock_guard lock(mutex);
    life[&command].emplace_back(what, time_++);
  }
  int time_ = 0;
};

std::vector<What> order(const std::vector<std::pair<What, int>> &life) {
  std::vector<What> result;
  for (const auto &[what, time] : life)
    result.push_back(what);
  return result;
}

int time_of(Recorder &recorder, const Command *command, What what) {
  for (const auto &[known, time] : recorder.life[command])
    if (known == what)
      return time;
  return -1;
}

TEST(Events, TellALifeInOrder) {
  TestExecutor executor(2);
  Recorder recorder;
  std::mt19937 random(1);
  std::vector<CommandRef> commands;
  std::set<std::pair<const Command *, const Command *>> edges;
  for (int i = 0; i < 300; ++i) {
    CommandRef command =
        i % 7 ? Command::create_task(i % 3 ? TaskPlace::worker : TaskPlace::in_place, [] {})
              : Command::create_marker();
    for (int n = 0; i && n < int(random() % 3); ++n) {
      Command &dependency = *commands[random() % commands.size()];
      command->depend_on(dependency);
      edges.emplace(&dependency, command.get());
    }
    command->bind(&executor);
    command->start();
    commands.push_back(std::move(command));
  }
  for (auto &command : commands)
    EXPECT_EQ(command->wait(), status::complete);
  std::vector<const Command *> all;
  for (auto &command : commands)
    all.push_back(command.get());
  EXPECT_EQ(recorder.edges, edges); // including edges to commands that had ended
  EXPECT_EQ(recorder.awaited.size(), commands.size());
  for (const auto &[before, after] : edges)
    EXPECT_LT(time_of(recorder, before, What::ended), time_of(recorder, after, What::ready));
  commands.clear();
  for (const Command *command : all) // a worker may still be executing the end of the last ones
    while (true) {
      std::lock_guard lock(recorder.mutex);
      if (recorder.life[command].back().first == What::gone)
        break;
    }
  for (const Command *command : all) {
    EXPECT_EQ(order(recorder.life[command]),
              (std::vector{What::made, What::ready, What::begun, What::ended, What::gone}));
    EXPECT_EQ(recorder.final_status[command], status::complete);
  }
}

TEST(Events, TellOfFailures) {
  TestExecutor executor(1);
  Recorder recorder;
  CommandRef fails = Command::create_user_event(), next = Command::create_marker();
  next->depend_on(*fails);
  next->start();
  fails->set_user_status(-7);
  EXPECT_EQ(recorder.final_status[fails.get()], -7);
  EXPECT_EQ(recorder.final_status[next.get()], status::dependency_failed);
  EXPECT_EQ(time_of(recorder, next.get(), What::begun), -1);
}

// The edges of an in-order queue and of a barrier are reported even if their sources have ended.
TEST(Events, TellEdgesOfQueues) {
  auto executor = std::make_shared<TestExecutor>(1);
  for (QueueOrder queue_order : {QueueOrder::in_order, QueueOrder::out_of_order}) {
    Recorder recorder;
    CommandQueue queue(executor, queue_order, false);
    CommandRef first = Command::create_task(TaskPlace::in_place, [] {});
    queue.enqueue(*first);
    CommandRef barrier = queue.enqueue_barrier();
    EXPECT_EQ(barrier->wait(), status::complete);
    CommandRef last = Command::create_task(TaskPlace::in_place, [] {});
    queue.enqueue(*last);
    last->wait();
    EXPECT_TRUE(recorder.edges.contains({barrier.get(), last.get()}));
    // Follows the edges through the join, if there is one.
    std::set<const Command *> before{barrier.get()};
    for (std::size_t size = 0; size != before.size();) {
      size = before.size();
      for (const auto &[from, to] : recorder.edges)
        if (before.contains(to))
          before.insert(from);
    }
    EXPECT_TRUE(before.contains(first.get()));
    queue.finish();
  }
}

TEST(Events, ShowWhatACommandAccesses) {
  Recorder recorder;
  auto executor = std::make_shared<TestExecutor>(1);
  CommandQueue queue(executor, QueueOrder::in_order, false);
  std::byte from[64] = {}, to[64];
  CommandRef copy = Command::create<Copy>(MemoryView(to, 64), MemoryView(from, 64));
  queue.enqueue(*copy);
  copy->wait();
  EXPECT_EQ(recorder.touched, 2u);
}

} // namespace
} // namespace lockstep::runtime
