#include "runtime/graph/command.h"

#include "runtime/graph/test_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <random>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

using namespace std::chrono_literals;

#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr int long_chain = 100'000; // sanitizers multiply the memory of a node
#else
constexpr int long_chain = 1'000'000;
#endif

template <class Function> CommandRef task(Function function) {
  return Command::create_task(TaskPlace::worker, std::move(function));
}

Error some_error() {
  return {ErrorKind::out_of_resources, "asked for by the test"};
}

// Collects the statuses that a callback receives, and waits for the callback thread.
class CallbackLog {
public:
  Command::Callback callback() {
    return [this](Status status) {
      std::lock_guard lock(mutex_);
      told_.push_back(status);
      changed_.notify_all();
    };
  }
  // Waits for `count` calls, then a little longer for calls that must not happen.
  std::vector<Status> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 20s, [&] { return told_.size() >= count; });
    changed_.wait_for(lock, 20ms, [&] { return told_.size() > count; });
    return told_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Status> told_;
};

// ---- order

struct RandomGraph {
  std::vector<std::vector<int>> dependencies; // by node: indices of earlier nodes
  std::vector<int> kind;                      // 0: worker, 1: in place, 2: marker
};

RandomGraph random_graph(int seed, int nodes) {
  std::mt19937 random(seed);
  RandomGraph graph;
  for (int node = 0; node < nodes; ++node) {
    std::vector<int> dependencies;
    for (unsigned i = 0, count = node ? random() % 7 : 0; i < count; ++i)
      dependencies.push_back(std::max(0, node - 1 - int(random() % 40)));
    graph.dependencies.push_back(std::move(dependencies));
    graph.kind.push_back(int(random() % 3));
  }
  return graph;
}

// Each node computes a number from those of its dependencies.
uint64_t value_of(const RandomGraph &graph, int node, const std::vector<uint64_t> &values) {
  uint64_t value = uint64_t(node) * 0x9e3779b97f4a7c15;
  for (int dependency : graph.dependencies[node])
    value = (value ^ values[dependency]) * 0x100000001b3;
  return value;
}

class RandomGraphs : public testing::TestWithParam<int> {};

TEST_P(RandomGraphs, ComputeWhatSerialOrderComputes) {
  const int nodes = 1500;
  RandomGraph graph = random_graph(GetParam(), nodes);
  // A marker computes nothing, so its dependants read a 0.
  std::vector<uint64_t> expected(nodes), values(nodes);
  for (int node = 0; node < nodes; ++node)
    if (graph.kind[node] != 2)
      expected[node] = value_of(graph, node, expected);

  TestExecutor executor(3);
  std::vector<CommandRef> commands;
  for (int node = 0; node < nodes; ++node) {
    auto compute = [&, node] { values[node] = value_of(graph, node, values); };
    CommandRef command =
        graph.kind[node] == 2
            ? Command::create_marker()
            : Command::create_task(graph.kind[node] == 1 ? TaskPlace::in_place : TaskPlace::worker,
                                   compute);
    for (int dependency : graph.dependencies[node])
      command->depend_on(*commands[dependency], node % 2 ? EdgeKind::needs : EdgeKind::after);
    command->bind(&executor);
    command->start();
    commands.push_back(std::move(command));
  }
  for (auto &command : commands)
    EXPECT_EQ(command->wait(), status::complete);
  EXPECT_EQ(values, expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range(0, 8));

TEST(Command, DependenciesBeyondTheInlineEdges) {
  TestExecutor executor(2);
  std::atomic<int> done = 0;
  std::vector<CommandRef> first;
  for (int i = 0; i < 100; ++i)
    first.push_back(task([&] { ++done; }));
  int seen = -1;
  CommandRef last = task([&] { seen = done; });
  for (auto &command : first)
    last->depend_on(*command);
  last->bind(&executor);
  last->start();
  for (auto &command : first) {
    command->bind(&executor);
    command->start();
  }
  EXPECT_EQ(last->wait(), status::complete);
  EXPECT_EQ(seen, 100);
}

TEST(Command, RecordedOperationRunsManyTimes) {
  TestExecutor executor(2);
  std::atomic<int> runs = 0;
  auto count = [&] { ++runs; };
  auto record = std::make_shared<Task<decltype(count)>>(TaskPlace::worker, count);
  std::vector<CommandRef> commands;
  for (int i = 0; i < 10; ++i) {
    commands.push_back(Command::create_shared(record));
    commands.back()->bind(&executor);
    commands.back()->start();
  }
  for (auto &command : commands)
    command->wait();
  EXPECT_EQ(runs, 10);
  commands.clear();
  EXPECT_EQ(record.use_count(), 1);
}

TEST(Command, OperationIsGoneBeforeCompletionIsSeen) {
  TestExecutor executor(2);
  for (int i = 0; i < 200; ++i) {
    auto held = std::make_shared<int>(0);
    CommandRef command = task([held] {});
    command->bind(&executor);
    command->start();
    command->wait();
    ASSERT_EQ(held.use_count(), 1);
  }
}

// ---- long chains

TEST(LongChain, CompletesAndIsFreedWithoutDeepStacks) {
  CommandRef gate = Command::create_user_event();
  CommandRef last = gate;
  for (int i = 0; i < long_chain; ++i) {
    CommandRef next = Command::create_marker();
    next->depend_on(*last);
    next->start();
    last = std::move(next);
  }
  EXPECT_EQ(last->status(), status::submitted);
  EXPECT_TRUE(gate->set_user_status(status::complete));
  EXPECT_EQ(last->wait(), status::complete);
}

TEST(LongChain, FailsFromEndToEnd) {
  CommandRef gate = Command::create_user_event();
  CommandRef last = gate;
  for (int i = 0; i < long_chain; ++i) {
    CommandRef next = Command::create_marker();
    next->depend_on(*last);
    next->start();
    last = std::move(next);
  }
  gate->set_user_status(-7);
  EXPECT_EQ(last->wait(), status::dependency_failed);
}

TEST(LongChain, NodesKeptByTheProgramMayGoInAnyOrder) {
  CommandRef gate = Command::create_user_event();
  std::vector<CommandRef> all{gate};
  for (int i = 0; i < 10'000; ++i) {
    CommandRef next = Command::create_marker();
    next->depend_on(*all.back());
    next->start();
    all.push_back(std::move(next));
  }
  gate->set_user_status(status::complete);
  while (!all.empty())
    all.pop_back();
}

// ---- failure

TEST(Failure, ReachesDependantsThatNeedItAndOnlyThose) {
  TestExecutor executor(2);
  CommandRef gate = Command::create_user_event();
  std::atomic<int> ran = 0;
  CommandRef fails = task([]() -> Result<void> { return some_error(); });
  fails->depend_on(*gate);
  CommandRef needs = task([&] { ++ran; }), after = task([&] { ran += 10; });
  needs->depend_on(*fails, EdgeKind::needs);
  after->depend_on(*fails, EdgeKind::after);
  CommandRef second = Command::create_marker();
  second->depend_on(*needs);
  for (auto &command : {fails, needs, after, second}) {
    command->bind(&executor);
    command->start();
  }
  gate->set_user_status(status::complete);
  EXPECT_EQ(fails->wait(), status::out_of_resources);
  EXPECT_EQ(needs->wait(), status::dependency_failed);
  EXPECT_EQ(after->wait(), status::complete);
  EXPECT_EQ(second->wait(), status::dependency_failed);
  EXPECT_EQ(ran, 10);
  ASSERT_TRUE(fails->error());
  EXPECT_EQ(fails->error()->message, "asked for by the test");
  ASSERT_TRUE(needs->error());
  EXPECT_EQ(after->error(), nullptr);
}

TEST(Failure, OfASettledDependencyIsSeenToo) {
  TestExecutor executor(1);
  CommandRef fails = Command::create_user_event();
  fails->set_user_status(-1000);
  bool ran = false;
  CommandRef late = task([&] { ran = true; });
  late->depend_on(*fails);
  late->bind(&executor);
  late->start();
  EXPECT_EQ(late->wait(), status::dependency_failed);
  EXPECT_FALSE(ran);
}

TEST(Failure, OfAnOperationInPlace) {
  CommandRef fails =
      Command::create_task(TaskPlace::in_place, []() -> Result<void> { return some_error(); });
  TestExecutor executor(1);
  fails->bind(&executor);
  fails->start();
  EXPECT_EQ(fails->status(), status::out_of_resources); // it ran in this thread
}

struct ToldOperation : HostOperation {
  explicit ToldOperation(std::atomic<int> &count) : told(count) {}
  uint64_t parts() const override { return 1; }
  Result<void> run(uint64_t, uint64_t) override { return some_error(); }
  void failed(const Error &) override { ++told; }
  std::atomic<int> &told;
};

TEST(Failure, OperationIsToldOnce) {
  TestExecutor executor(1);
  std::atomic<int> told = 0, told_as_dependant = 0;
  CommandRef fails = Command::create<ToldOperation>(told);
  CommandRef needs = Command::create<ToldOperation>(told_as_dependant);
  needs->depend_on(*fails);
  fails->bind(&executor);
  fails->start();
  needs->bind(&executor);
  needs->start();
  needs->wait();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(told_as_dependant, 1);
}

TEST(Failure, WaitAllTells) {
  CommandRef good = Command::create_user_event(), bad = Command::create_user_event();
  good->set_user_status(status::complete);
  bad->set_user_status(-1);
  Command *both[] = {good.get(), bad.get()};
  EXPECT_FALSE(wait_all(both));
  EXPECT_TRUE(wait_all(std::span(both, 1)));
}

// ---- user events

TEST(UserEvent, HoldsCommandsBackUntilSet) {
  TestExecutor executor(1);
  CommandRef event = Command::create_user_event();
  EXPECT_EQ(event->status(), status::submitted);
  CommandRef command = task([] {});
  command->depend_on(*event);
  command->bind(&executor);
  command->start();
  EXPECT_FALSE(command->wait_for(20ms));
  EXPECT_TRUE(event->set_user_status(status::complete));
  EXPECT_FALSE(event->set_user_status(-1));
  EXPECT_EQ(command->wait(), status::complete);
  EXPECT_EQ(event->status(), status::complete);
}

TEST(UserEvent, IsSetOnceByManyThreads) {
  for (int round = 0; round < 50; ++round) {
    CommandRef event = Command::create_user_event();
    std::atomic<int> won = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] { won += event->set_user_status(status::complete); });
    for (auto &thread : threads)
      thread.join();
    EXPECT_EQ(won, 1);
  }
}

TEST(UserEvent, GivenUpFailsThoseWhoWait) {
  CommandRef event = Command::create_user_event();
  CommandRef marker = Command::create_marker();
  marker->depend_on(*event);
  marker->start();
  event = {};
  EXPECT_EQ(marker->wait(), status::dependency_failed);
}

TEST(UserEvent, WakesSleepers) {
  CommandRef event = Command::create_user_event();
  std::vector<std::thread> sleepers;
  std::atomic<int> awake = 0;
  for (int i = 0; i < 4; ++i)
    sleepers.emplace_back([&] {
      event->wait();
      ++awake;
    });
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(awake, 0);
  event->set_user_status(status::complete);
  for (auto &thread : sleepers)
    thread.join();
  EXPECT_EQ(awake, 4);
}

// ---- callbacks

TEST(Callback, ComesForEachStateInOrderAndOnce) {
  TestExecutor executor(1);
  CommandRef gate = Command::create_user_event();
  CommandRef command = task([] {});
  CallbackLog log;
  for (Status at : {status::submitted, status::running, status::complete})
    command->add_callback(at, log.callback());
  command->depend_on(*gate);
  command->bind(&executor);
  command->start();
  EXPECT_EQ(log.wait_for(1), std::vector<Status>({status::submitted}));
  gate->set_user_status(status::complete);
  EXPECT_EQ(log.wait_for(3),
            std::vector<Status>({status::submitted, status::running, status::complete}));
}

TEST(Callback, AfterTheFactIsCalledToo) {
  TestExecutor executor(1);
  CommandRef command = task([] {});
  command->bind(&executor);
  command->start();
  command->wait();
  CallbackLog log;
  command->add_callback(status::complete, log.callback());
  command->add_callback(status::running, log.callback());
  EXPECT_EQ(log.wait_for(2), std::vector<Status>({status::complete, status::running}));
}

TEST(Callback, IsToldTheErrorWhateverItWaitedFor) {
  CommandRef event = Command::create_user_event();
  CommandRef marker = Command::create_marker();
  marker->depend_on(*event);
  marker->start();
  CallbackLog log;
  marker->add_callback(status::running, log.callback());
  marker->add_callback(status::complete, log.callback());
  event->set_user_status(-77);
  EXPECT_EQ(log.wait_for(2), std::vector<Status>(2, status::dependency_failed));
}

TEST(Callback, KeepsTheCommandAliveAndMayWait) {
  CommandRef first = Command::create_user_event(), second = Command::create_user_event();
  std::latch called(1);
  first->add_callback(status::complete, [&, second](Status) {
    second->wait(); // would deadlock if the thread that sets the event made this call
    called.count_down();
  });
  first->set_user_status(status::complete);
  first = {};
  second->set_user_status(status::complete);
  called.wait();
}

TEST(Callback, RacesWithCompletion) {
  TestExecutor executor(2);
  const int rounds = 500;
  std::atomic<int> calls = 0;
  for (int i = 0; i < rounds; ++i) {
    CommandRef command = task([] {});
    command->bind(&executor);
    command->start();
    command->add_callback(status::complete, [&](Status status) { calls += status == 0; });
  }
  for (int i = 0; i < 2000 && calls < rounds; ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_EQ(calls, rounds);
}

// ---- times

TEST(Times, AreInOrder) {
  TestExecutor executor(1);
  CommandRef gate = Command::create_user_event();
  CommandRef command = task([] { std::this_thread::sleep_for(2ms); });
  command->record_times();
  command->depend_on(*gate);
  command->bind(&executor);
  command->start();
  gate->set_user_status(status::complete);
  command->wait();
  CommandTimes times = command->times();
  EXPECT_GT(times.queued, 0u);
  EXPECT_LE(times.queued, times.submitted);
  EXPECT_LE(times.submitted, times.started);
  EXPECT_LE(times.started + 2'000'000, times.ended);
  EXPECT_LE(times.ended, times.completed);
}

} // namespace
} // namespace lockstep::runtime
