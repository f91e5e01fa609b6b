#include "runtime/graph/command_queue.h"

#include "runtime/graph/test_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

using namespace std::chrono_literals;

template <class Function> CommandRef task(Function function) {
  return Command::create_task(TaskPlace::worker, std::move(function));
}

class Queues : public testing::Test {
protected:
  std::shared_ptr<TestExecutor> executor = std::make_shared<TestExecutor>(3);
  CommandQueue in_order{executor, QueueOrder::in_order, false};
  CommandQueue out_of_order{executor, QueueOrder::out_of_order, false};
};

TEST_F(Queues, FinishOfAnEmptyQueueReturns) {
  in_order.finish();
  out_of_order.finish();
}

TEST_F(Queues, InOrderKeepsOrder) {
  std::vector<int> seen;
  for (int i = 0; i < 2000; ++i) {
    TaskPlace place = i % 3 ? TaskPlace::worker : TaskPlace::in_place;
    in_order.enqueue(*Command::create_task(place, [&seen, i] { seen.push_back(i); }));
    if (i % 100 == 0)
      in_order.enqueue_marker();
  }
  in_order.finish();
  ASSERT_EQ(seen.size(), 2000u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_F(Queues, InOrderFromSeveralThreadsKeepsEachThreadsOrder) {
  std::vector<std::pair<int, int>> seen; // written by one command at a time
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i)
        in_order.enqueue(*task([&seen, t, i] { seen.emplace_back(t, i); }));
      in_order.finish();
    });
  for (auto &thread : threads)
    thread.join();
  ASSERT_EQ(seen.size(), 1200u);
  std::vector<int> next(4);
  for (auto [t, i] : seen)
    EXPECT_EQ(next[t]++, i);
}

TEST_F(Queues, AFailureDoesNotPoisonAnInOrderQueue) {
  CommandRef fails = task([]() -> Result<void> { return Error{ErrorKind::internal, "test"}; });
  bool ran = false;
  CommandRef next = task([&] { ran = true; });
  in_order.enqueue(*fails);
  in_order.enqueue(*next);
  in_order.finish();
  EXPECT_TRUE(is_failure(fails->status()));
  EXPECT_EQ(next->status(), status::complete);
  EXPECT_TRUE(ran);
}

TEST_F(Queues, OutOfOrderCommandsDoNotWaitForEachOther) {
  CommandRef gate = Command::create_user_event();
  Command *waits[] = {gate.get()};
  CommandRef held = task([] {}), free = task([] {});
  out_of_order.enqueue(*held, waits);
  out_of_order.enqueue(*free);
  EXPECT_EQ(free->wait(), status::complete);
  EXPECT_FALSE(held->settled());
  gate->set_user_status(status::complete);
  out_of_order.finish();
  EXPECT_TRUE(held->settled());
}

TEST_F(Queues, MarkerWaitsForAllBeforeItAndForNothingAfter) {
  CommandRef gate = Command::create_user_event(), later_gate = Command::create_user_event();
  Command *waits[] = {gate.get()}, *later_waits[] = {later_gate.get()};
  out_of_order.enqueue(*task([] {}), waits);
  CommandRef marker = out_of_order.enqueue_marker();
  CommandRef later = task([] {});
  out_of_order.enqueue(*later, later_waits);
  CommandRef free = task([] {});
  out_of_order.enqueue(*free);
  EXPECT_EQ(free->wait(), status::complete); // a marker does not block later commands
  EXPECT_FALSE(marker->wait_for(10ms));
  gate->set_user_status(status::complete);
  EXPECT_EQ(marker->wait(), status::complete);
  EXPECT_FALSE(later->settled());
  later_gate->set_user_status(status::complete);
  out_of_order.finish();
}

TEST_F(Queues, MarkerWithAListWaitsForTheListOnly) {
  CommandRef gate = Command::create_user_event(), listed = Command::create_user_event();
  Command *waits[] = {gate.get()}, *list[] = {listed.get()};
  out_of_order.enqueue(*task([] {}), waits);
  CommandRef marker = out_of_order.enqueue_marker(list);
  EXPECT_FALSE(marker->wait_for(10ms));
  listed->set_user_status(-5);
  EXPECT_EQ(marker->wait(), status::dependency_failed);
  gate->set_user_status(status::complete);
  out_of_order.finish();
}

TEST_F(Queues, BarrierHoldsBackWhatFollows) {
  CommandRef gate = Command::create_user_event();
  Command *waits[] = {gate.get()};
  std::atomic<int> before = 0;
  for (int i = 0; i < 10; ++i)
    out_of_order.enqueue(*task([&] { ++before; }), waits);
  CommandRef barrier = out_of_order.enqueue_barrier();
  std::atomic<int> wrong = 0;
  std::vector<CommandRef> after;
  for (int i = 0; i < 10; ++i) {
    after.push_back(task([&] { wrong += before != 10; }));
    out_of_order.enqueue(*after.back());
  }
  std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(barrier->settled());
  for (auto &command : after)
    EXPECT_FALSE(command->settled());
  gate->set_user_status(status::complete);
  out_of_order.finish();
  EXPECT_EQ(wrong, 0);
  for (auto &command : after)
    EXPECT_EQ(command->status(), status::complete);
}

TEST_F(Queues, BarrierWithAListHoldsBackToo) {
  CommandRef listed = Command::create_user_event();
  Command *list[] = {listed.get()};
  out_of_order.enqueue_barrier(list);
  CommandRef after = task([] {});
  out_of_order.enqueue(*after);
  EXPECT_FALSE(after->wait_for(10ms));
  listed->set_user_status(status::complete);
  EXPECT_EQ(after->wait(), status::complete);
}

TEST_F(Queues, FinishSeesEverythingBeforeIt) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> done = 0;
    for (int i = 0; i < 20; ++i) {
      out_of_order.enqueue(*task([&] { ++done; }));
      if (i % 7 == 3)
        out_of_order.enqueue_marker();
      if (i % 11 == 5)
        out_of_order.enqueue_barrier();
    }
    out_of_order.finish();
    ASSERT_EQ(done, 20);
  }
}

TEST_F(Queues, QueuesShareEventsFromSeveralThreads) {
  // Each thread has a queue and enqueues commands that need already published commands of other
  // threads. All commands must end, and each after those that it needs.
  const int per_thread = 400, threads = 4;
  std::vector<CommandRef> published(per_thread * threads);
  std::vector<std::atomic<bool>> is_published(per_thread * threads);
  std::vector<std::atomic<uint64_t>> ended(per_thread * threads);
  std::atomic<uint64_t> clock = 1;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      std::mt19937 random(t);
      CommandQueue queue(executor, t % 2 ? QueueOrder::in_order : QueueOrder::out_of_order, true);
      for (int i = 0; i < per_thread; ++i) {
        std::set<int> needs;
        for (int n = 0; n < 3; ++n) {
          int other = int(random() % published.size());
          if (is_published[other].load(std::memory_order_acquire))
            needs.insert(other);
        }
        std::vector<Command *> list;
        for (int need : needs)
          list.push_back(published[need].get());
        int own = t * per_thread + i;
        CommandRef command = task([&, own, needs] {
          for (int need : needs)
            wrong += ended[need].load() == 0;
          ended[own] = clock++;
        });
        queue.enqueue(*command, list);
        published[own] = command;
        is_published[own].store(true, std::memory_order_release);
        if (i % 50 == 49)
          queue.finish();
      }
      queue.finish();
    });
  for (auto &thread : running)
    thread.join();
  EXPECT_EQ(wrong, 0);
  for (auto &command : published)
    EXPECT_EQ(command->status(), status::complete);
}

TEST(QueueEnd, CommandsOutliveTheirQueueAndKeepTheExecutor) {
  for (QueueOrder order : {QueueOrder::in_order, QueueOrder::out_of_order}) {
    auto executor = std::make_shared<TestExecutor>(1);
    std::weak_ptr<TestExecutor> watch = executor;
    CommandRef gate = Command::create_user_event();
    CommandRef command = task([] {});
    {
      CommandQueue queue(std::move(executor), order, false);
      Command *waits[] = {gate.get()};
      queue.enqueue(*command, waits);
    }
    EXPECT_FALSE(watch.expired());
    gate->set_user_status(status::complete);
    EXPECT_EQ(command->wait(), status::complete);
    for (int i = 0; i < 1000 && !watch.expired(); ++i)
      std::this_thread::sleep_for(10ms);
    EXPECT_TRUE(watch.expired());
  }
}

} // namespace
} // namespace lockstep::runtime
