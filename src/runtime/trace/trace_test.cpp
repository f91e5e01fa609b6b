// Reads back the timelines of random graphs, and compares them with the enqueued commands.
#include "runtime/trace/trace.h"

#include "runtime/graph/command_queue.h"
#include "runtime/graph/test_executor.h"
#include "runtime/memory/transfers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

using Json = nlohmann::json;

class TraceTest : public testing::Test {
protected:
  ~TraceTest() override { unlink(file().c_str()); }

  static std::string file() {
    return testing::TempDir() + "lockstep_trace_test." + std::to_string(getpid()) + ".json";
  }
  static Json read() { return Json::parse(std::ifstream(file())); }

  static Json bars(const Json &events) {
    Json found = Json::array();
    for (const Json &event : events)
      if (event["ph"] == "X" && event["cat"] == "command")
        found.push_back(event);
    return found;
  }
};

// Times have three decimals: nanoseconds.
int64_t nanoseconds(const Json &microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

void enqueue_some(CommandQueue &queue, int count, std::vector<CommandRef> &commands,
                  std::set<std::pair<int, int>> &edges, std::mt19937 &random) {
  for (int i = 0; i < count; ++i) {
    CommandRef command = Command::create_task(i % 3 ? TaskPlace::worker : TaskPlace::in_place, [] {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
    std::set<int> before;
    for (int n = 0; !commands.empty() && n < int(random() % 3); ++n)
      before.insert(int(random() % commands.size()));
    std::vector<Command *> wait_list;
    for (int number : before) {
      wait_list.push_back(commands[std::size_t(number)].get());
      edges.emplace(number + 1, int(commands.size()) + 1);
    }
    queue.enqueue(*command, wait_list);
    commands.push_back(std::move(command));
  }
}

TEST_F(TraceTest, HasAllCommandsInRowsAndTheArrowsBetweenThem) {
  std::set<std::pair<int, int>> edges; // from wait lists; pairs of command numbers
  {
    Trace trace(file(), false);
    auto executor = std::make_shared<TestExecutor>(3);
    CommandQueue first(executor, QueueOrder::in_order, false);
    CommandQueue second(executor, QueueOrder::in_order, false);
    std::vector<CommandRef> commands;
    std::mt19937 random(1);
    for (int round = 0; round < 5; ++round)
      for (CommandQueue *queue : {&first, &second})
        enqueue_some(*queue, 20, commands, edges, random);
    first.finish();
    second.finish();
  }
  const Json events = read();
  std::map<int, Json> by_number;
  std::map<int, std::map<int64_t, int64_t>> rows; // by row: end by begin
  for (const Json &bar : bars(events)) {
    EXPECT_EQ(bar["name"], "host task");
    EXPECT_EQ(bar["args"]["status"], 0);
    EXPECT_TRUE(by_number.emplace(bar["args"]["command"].get<int>(), bar).second);
    const int64_t begin = nanoseconds(bar["ts"]);
    EXPECT_GE(nanoseconds(bar["dur"]), 50'000);
    rows[bar["tid"]].emplace(begin, begin + nanoseconds(bar["dur"]));
  }
  EXPECT_EQ(by_number.size(), 200u);
  EXPECT_EQ(rows.size(), 2u); // in-order queues, so nothing overlaps
  for (const auto &[row, bars_of_row] : rows) {
    int64_t last = 0;
    for (const auto &[begin, end] : bars_of_row) {
      EXPECT_LE(last, begin);
      last = end;
    }
  }
  std::set<std::pair<int, int>> found;
  for (const auto &[number, bar] : by_number)
    for (const Json &before : bar["args"]["after"]) {
      EXPECT_LE(nanoseconds(by_number[before]["ts"]) + nanoseconds(by_number[before]["dur"]),
                nanoseconds(bar["ts"]));
      found.emplace(before.get<int>(), number);
    }
  for (const auto &edge : edges)
    EXPECT_TRUE(found.contains(edge)) << edge.first << " before " << edge.second;
  std::map<std::string, int> phases;
  for (const Json &event : events)
    ++phases[event["ph"].get<std::string>() + event.value("name", "")];
  EXPECT_EQ(phases["sneeds"], int(edges.size()));
  EXPECT_EQ(phases["fneeds"], int(edges.size()));
  // each command except the first of a queue comes after the previous one
  EXPECT_EQ(phases["safter"], 198);
}

// Bars of one row do not overlap, even for an out-of-order queue.
TEST_F(TraceTest, GivesOverlappingCommandsRowsOfTheirOwn) {
  {
    Trace trace(file(), false);
    auto executor = std::make_shared<TestExecutor>(4);
    CommandQueue queue(executor, QueueOrder::out_of_order, false);
    std::vector<CommandRef> commands;
    std::set<std::pair<int, int>> edges;
    std::mt19937 random(2);
    enqueue_some(queue, 100, commands, edges, random);
    CommandRef barrier = queue.enqueue_barrier();
    queue.finish();
  }
  std::map<int, std::map<int64_t, int64_t>> rows;
  std::map<std::string, int> names;
  for (const Json &bar : bars(read())) {
    ++names[bar["name"]];
    const int64_t begin = nanoseconds(bar["ts"]);
    rows[bar["tid"]].emplace(begin, begin + nanoseconds(bar["dur"]));
  }
  EXPECT_EQ(names["host task"], 100);
  EXPECT_EQ(names["marker"], 1);
  EXPECT_GE(names["all so far"], 1);
  for (const auto &[row, bars_of_row] : rows) {
    int64_t last = 0;
    for (const auto &[begin, end] : bars_of_row) {
      EXPECT_LE(last, begin);
      last = end;
    }
  }
}

TEST_F(TraceTest, SaysWhatACommandAccessesAndThatItFailed) {
  std::byte from[64] = {}, to[64];
  {
    Trace trace(file(), false);
    auto executor = std::make_shared<TestExecutor>(1);
    CommandQueue queue(executor, QueueOrder::in_order, false);
    CommandRef event = Command::create_user_event();
    CommandRef copy = Command::create<Copy>(MemoryView(to, 64), MemoryView(from, 64));
    queue.enqueue(*copy);
    CommandRef fails = Command::create_task(TaskPlace::worker, [] {});
    Command *wait_list[] = {event.get()};
    queue.enqueue(*fails, wait_list);
    event->set_user_status(-7);
    queue.finish();
  }
  std::map<std::string, Json> by_name;
  for (const Json &bar : bars(read()))
    by_name[bar["name"]] = bar;
  EXPECT_EQ(by_name["user event"]["args"]["status"], -7);
  EXPECT_EQ(by_name["host task"]["args"]["status"], status::dependency_failed);
  const Json &accesses = by_name["copy"]["args"]["accesses"];
  ASSERT_EQ(accesses.size(), 2u);
  std::map<std::string, Json> by_mode;
  for (const Json &access : accesses)
    by_mode[access["mode"]] = access;
  ASSERT_TRUE(by_mode.contains("read"));
  EXPECT_EQ(by_mode["read"]["bytes"], 64);
  EXPECT_EQ(std::stoull(by_mode["read"]["address"].get<std::string>(), nullptr, 16),
            reinterpret_cast<uintptr_t>(from));
}

} // namespace
} // namespace lockstep::runtime
