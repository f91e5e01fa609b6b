#include "runtime/graph/recorded_graph.h"

#include "runtime/graph/test_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

using namespace std::chrono_literals;
using Dependency = RecordedGraph::Dependency;

template <class Function>
std::shared_ptr<Operation> work(Function function, TaskPlace place = TaskPlace::worker) {
  return std::make_shared<Task<Function>>(place, std::move(function));
}

class Graphs : public testing::Test {
protected:
  CommandRef replay(CommandQueue &queue, WaitList wait_list = {}) {
    CommandQueue *const queues[] = {&queue};
    return graph.enqueue(queues, wait_list);
  }
  RecordedGraph::Node add(std::shared_ptr<Operation> operation,
                          const std::vector<Dependency> &dependencies = {}, uint32_t queue = 0) {
    return graph.add(std::move(operation), queue, dependencies);
  }

  std::shared_ptr<TestExecutor> executor = std::make_shared<TestExecutor>(3);
  CommandQueue in_order{executor, QueueOrder::in_order, false};
  CommandQueue out_of_order{executor, QueueOrder::out_of_order, false};
  RecordedGraph graph;
};

TEST_F(Graphs, AnEmptyOneHasItsPlaceInTheOrder) {
  CommandRef gate = Command::create_user_event();
  Command *waits[] = {gate.get()};
  CommandRef whole = replay(in_order, waits);
  EXPECT_FALSE(whole->settled());
  gate->set_user_status(status::complete);
  EXPECT_EQ(whole->wait(), status::complete);
}

// Each node records when it begins and ends; no dependency may end after the node began.
TEST_F(Graphs, NodesComeAfterTheirDependenciesInEachOfManyReplays) {
  constexpr unsigned nodes = 60, replays = 50;
  std::mt19937 random(7);
  std::atomic<uint64_t> clock{1};
  std::vector<std::vector<Dependency>> before(nodes);
  std::vector<uint64_t> begun(nodes), ended(nodes);
  for (unsigned i = 0; i < nodes; ++i) {
    for (unsigned k = 0; i > 0 && k < random() % 4; ++k)
      before[i].push_back(
          {unsigned(random() % i), random() % 2 ? EdgeKind::needs : EdgeKind::after});
    auto note = [&clock, &begun, &ended, i] {
      begun[i] = clock++;
      if (i % 7 == 0)
        std::this_thread::yield();
      ended[i] = clock++;
    };
    if (i % 10 == 9)
      add(nullptr, before[i]);
    else if (i % 3 == 0)
      add(work(note, TaskPlace::in_place), before[i]);
    else
      add(work(note), before[i]);
  }
  for (unsigned replayed = 0; replayed < replays; ++replayed) {
    const uint64_t start = clock++;
    ASSERT_EQ(replay(replayed % 2 ? in_order : out_of_order)->wait(), status::complete);
    for (unsigned i = 0; i < nodes; ++i) {
      if (i % 10 == 9)
        continue;
      EXPECT_GT(begun[i], start) << i;
      for (const Dependency &one : before[i])
        if (one.before % 10 != 9)
          EXPECT_LT(ended[one.before], begun[i]) << one.before << " before " << i;
    }
  }
}

TEST_F(Graphs, ANodeWithoutOperationOrdersOthers) {
  std::vector<int> seen;
  std::mutex mutex;
  auto note = [&](int number) {
    return work([&, number] {
      std::lock_guard lock(mutex);
      seen.push_back(number);
    });
  };
  const auto a = add(note(1)), b = add(note(2));
  const auto barrier = add(nullptr, {{a, EdgeKind::after}, {b, EdgeKind::after}});
  add(note(3), {{barrier, EdgeKind::after}});
  for (int i = 0; i < 100; ++i) {
    seen.clear();
    ASSERT_EQ(replay(out_of_order)->wait(), status::complete);
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[2], 3);
  }
}

TEST_F(Graphs, AReplayStandsInTheOrderOfAnInOrderQueue) {
  std::vector<int> seen; // one command at a time writes it
  const auto first = add(work([&] { seen.push_back(1); }));
  add(work([&] { seen.push_back(2); }), {{first}});
  std::vector<int> expected;
  for (int i = 0; i < 300; ++i) {
    in_order.enqueue(*Command::create_task(TaskPlace::worker, [&] { seen.push_back(0); }));
    replay(in_order);
    expected.insert(expected.end(), {0, 1, 2});
  }
  in_order.finish();
  EXPECT_EQ(seen, expected);
}

TEST_F(Graphs, FinishAndBarriersOfAnOutOfOrderQueueWaitForReplays) {
  std::atomic<int> done{0};
  CommandRef gate = Command::create_user_event();
  Command *waits[] = {gate.get()};
  for (int i = 0; i < 8; ++i)
    add(work([&] { ++done; }));
  replay(out_of_order, waits);
  std::atomic<int> seen{-1};
  out_of_order.enqueue_barrier();
  CommandRef after = Command::create_task(TaskPlace::worker, [&] { seen = done.load(); });
  out_of_order.enqueue(*after);
  CommandRef second = replay(out_of_order); // comes after the barrier, too
  EXPECT_FALSE(second->wait_for(5ms));
  gate->set_user_status(status::complete);
  out_of_order.finish();
  EXPECT_EQ(done, 16);
  EXPECT_EQ(after->status(), status::complete);
  EXPECT_GE(seen, 8);
}

// One queue is listed twice, and two threads list the two queues in both orders.
TEST_F(Graphs, OneOfSeveralQueuesHasAPlaceInTheOrderOfEach) {
  CommandQueue other{executor, QueueOrder::in_order, false};
  std::atomic<int> running{0};
  std::atomic<bool> overlapped{false};
  auto alone = [&] {
    overlapped = ++running != 1 || overlapped;
    std::this_thread::yield();
    --running;
  };
  const auto first = add(work(alone), {}, 0);
  add(work(alone), {{first}}, 1);
  RecordedGraph second;
  const auto node = second.add(work(alone), 0, {});
  second.add(work(alone), 1, std::vector<Dependency>{{node}});
  auto enqueue = [&](RecordedGraph &replayed, CommandQueue &a, CommandQueue &b) {
    CommandQueue *const queues[] = {&a, &b, &a};
    for (int i = 0; i < 200; ++i) {
      replayed.enqueue(queues);
      a.enqueue(*Command::create_task(TaskPlace::worker, [] {}));
    }
  };
  std::thread thread([&] { enqueue(second, other, in_order); });
  enqueue(graph, in_order, other);
  thread.join();
  in_order.finish();
  other.finish();
  EXPECT_FALSE(overlapped);
  CommandRef gate = Command::create_user_event();
  Command *waits[] = {gate.get()};
  CommandQueue *const mixed[] = {&in_order, &out_of_order};
  CommandRef whole = graph.enqueue(mixed, waits);
  CommandRef marker = out_of_order.enqueue_marker();
  EXPECT_FALSE(marker->wait_for(5ms));
  gate->set_user_status(status::complete);
  EXPECT_EQ(marker->wait(), status::complete);
  EXPECT_TRUE(whole->settled());
}

TEST_F(Graphs, TheFirstErrorIsThatOfTheWhole) {
  bool ran_after = false, ran_needing = false;
  const auto fails =
      add(work([]() -> Result<void> { return Error{ErrorKind::out_of_host_memory, "no memory"}; }));
  add(work([&] { ran_after = true; }), {{fails, EdgeKind::after}});
  add(work([&] { ran_needing = true; }), {{fails, EdgeKind::needs}});
  CommandRef whole = replay(in_order);
  EXPECT_EQ(whole->wait(), status::out_of_host_memory);
  ASSERT_NE(whole->error(), nullptr);
  EXPECT_EQ(whole->error()->message, "no memory");
  EXPECT_TRUE(ran_after);
  EXPECT_FALSE(ran_needing);
  CommandRef next = Command::create_task(TaskPlace::worker, [] {});
  in_order.enqueue(*next);
  EXPECT_EQ(next->wait(), status::complete) << "order alone is no reason to fail";
}

TEST_F(Graphs, NothingIsRunIfTheWaitListHasFailed) {
  bool ran = false;
  add(work([&] { ran = true; }));
  CommandRef event = Command::create_user_event();
  Command *waits[] = {event.get()};
  CommandRef whole = replay(in_order, waits);
  event->set_user_status(-5);
  EXPECT_EQ(whole->wait(), status::dependency_failed);
  EXPECT_FALSE(ran);
}

TEST_F(Graphs, WhatIsReplacedRunsInReplaysThatWereEnqueuedBefore) {
  std::vector<int> seen;
  const auto node = add(work([&] { seen.push_back(1); }));
  CommandRef gate = Command::create_user_event();
  Command *waits[] = {gate.get()};
  replay(in_order, waits);
  graph.replace(node, work([&] { seen.push_back(2); }));
  replay(in_order);
  graph.replace(node, work([&] { seen.push_back(3); }));
  graph.replace(node, work([&] { seen.push_back(4); }));
  replay(in_order);
  gate->set_user_status(status::complete);
  in_order.finish();
  EXPECT_EQ(seen, (std::vector{1, 2, 4}));
}

TEST_F(Graphs, ReplaysKeepOperationsAndGiveThemBackBeforeTheyAreComplete) {
  auto token = std::make_shared<int>(0);
  CommandRef gate = Command::create_user_event();
  Command *waits[] = {gate.get()};
  CommandRef whole;
  {
    RecordedGraph passing;
    passing.add(work([token] { ++*token; }), 0, {});
    CommandQueue *const queues[] = {&in_order};
    whole = passing.enqueue(queues, waits);
  }
  EXPECT_EQ(token.use_count(), 2);
  gate->set_user_status(status::complete);
  EXPECT_EQ(whole->wait(), status::complete);
  EXPECT_EQ(*token, 1);
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(Graphs, TheWholeRunsFromItsFirstNodeOn) {
  CommandQueue profiled{executor, QueueOrder::in_order, true};
  std::atomic<bool> is_in{false}, may_end{false};
  add(work([&] {
    is_in = true;
    while (!may_end)
      std::this_thread::yield();
  }));
  CommandRef gate = Command::create_user_event();
  Command *waits[] = {gate.get()};
  CommandRef whole = replay(profiled, waits);
  EXPECT_EQ(whole->status(), status::submitted);
  gate->set_user_status(status::complete);
  while (!is_in)
    std::this_thread::yield();
  EXPECT_EQ(whole->status(), status::running);
  const uint64_t now = now_nanoseconds();
  may_end = true;
  EXPECT_EQ(whole->wait(), status::complete);
  const CommandTimes &times = whole->times();
  EXPECT_LE(times.queued, times.submitted);
  EXPECT_LE(times.submitted, times.started);
  EXPECT_LE(times.started, now);
  EXPECT_GE(times.ended, now);
}

// Other threads do the work: its dependants wait for its end, not for the command that begins it.
TEST_F(Graphs, WorkElsewhereEndsWhenItSaysSo) {
  struct Work final : RecordedGraph::WorkElsewhere {
    Work(std::function<void()> its, CommandRef until)
        : do_begin(std::move(its)), until(std::move(until)) {}
    void begin() override { do_begin(); }
    void give_up() override { until->set_user_status(status::complete); }
    const std::function<void()> do_begin;
    const CommandRef until;
  };
  std::vector<std::thread> threads;
  std::atomic<int> seen{0}, done{0};
  const auto before = add(work([&] { seen = 1; }));
  const std::vector<Dependency> after_first{{before}};
  const auto elsewhere = graph.add(
      std::make_shared<const RecordedGraph::Elsewhere>([&](CommandRef until, const auto &) {
        return std::make_unique<Work>(
            [&, until] {
              EXPECT_EQ(seen, 1);
              threads.emplace_back([&, until] {
                std::this_thread::sleep_for(2ms);
                ++done;
                until->set_user_status(status::complete);
              });
            },
            until);
      }),
      0, after_first);
  add(work([&] { seen = 10 + done; }), {{elsewhere}});
  for (int i = 1; i <= 5; ++i) {
    ASSERT_EQ(replay(in_order)->wait(), status::complete);
    EXPECT_EQ(seen, 10 + i);
  }
  for (auto &thread : threads)
    thread.join();
  CommandRef event = Command::create_user_event();
  Command *waits[] = {event.get()};
  CommandRef whole = replay(in_order, waits);
  event->set_user_status(-5);
  EXPECT_EQ(whole->wait(), status::dependency_failed);
  EXPECT_EQ(done, 5);
}

TEST_F(Graphs, OneAtATimeNoneOverlaps) {
  graph.set_one_at_a_time();
  std::atomic<int> inside{0}, most{0};
  add(work([&] {
    most = std::max(most.load(), ++inside);
    std::this_thread::sleep_for(1ms);
    --inside;
  }));
  CommandQueue other{executor, QueueOrder::in_order, false};
  for (int i = 0; i < 10; ++i)
    replay(i % 2 ? out_of_order : other);
  other.finish();
  out_of_order.finish();
  EXPECT_EQ(most, 1);
}

TEST_F(Graphs, MoreCanBeWaitedFor) {
  bool ran = false;
  add(work([&] { ran = true; }));
  CommandRef gate = Command::create_user_event();
  Command *given = nullptr;
  CommandQueue *const queues[] = {&in_order};
  CommandRef whole = graph.enqueue(queues, {}, [&](Command &last) {
    given = &last;
    return std::vector{gate};
  });
  EXPECT_EQ(given, whole.get());
  EXPECT_FALSE(whole->wait_for(5ms));
  EXPECT_FALSE(ran);
  gate->set_user_status(status::complete);
  EXPECT_EQ(whole->wait(), status::complete);
}

TEST_F(Graphs, ReplaysMayOverlap) {
  std::atomic<int> inside{0};
  add(work([&] {
    ++inside;
    for (int i = 0; i < 2000 && inside < 2; ++i)
      std::this_thread::sleep_for(1ms);
  }));
  CommandRef one = replay(out_of_order), other = replay(out_of_order);
  one->wait();
  other->wait();
  EXPECT_EQ(inside, 2);
}

} // namespace
} // namespace lockstep::runtime
