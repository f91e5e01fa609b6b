// Streams and transfers of a card, used by many threads at once, on the fake driver.
#include "runtime/graph/command.h"
#include "runtime/launch/nvidia/launch_streams.h"
#include "runtime/launch/nvidia/nvidia_memory.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <thread>

namespace lockstep::runtime {
namespace {

const char *const text = R"(
.version 7.8
.target sm_90
.visible .entry add(.param .u64 .ptr .global .align 4 to, .param .u32 value) { ret; }
.visible .entry sum(.param .u64 .ptr .global .align 4 to, .param .u32 mask) { ret; }
)";

constexpr uint32_t unlucky = 1 << 20; // an addition of it fails when it has run

class Thirteen final : public StreamWork::Run {
public:
  Result<void> finish(Command &) override { return Error{ErrorKind::internal, "13"}; }
};

thread_local int settled_by_this_thread =
    0; // the thread that settles a command destroys its operation

// Adds a number to a number on the card.
class Addition final : public Operation, public StreamWork {
public:
  Addition(const CudaContext &context, cuda::Function *function, std::byte *to, uint32_t value)
      : context_(context), function_(function), to_(reinterpret_cast<uint64_t>(to)), value_(value) {
  }
  ~Addition() override { ++settled_by_this_thread; }
  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override {
    void *parameters[] = {&to_, &value_};
    LOCKSTEP_TRY(context_.checked(
        context_.cuda().launch(function_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr),
        name()));
    return value_ == unlucky ? std::make_unique<Thirteen>() : std::unique_ptr<Run>();
  }
  std::string name() const override { return "an addition"; }

private:
  const CudaContext &context_;
  cuda::Function *const function_;
  uint64_t to_;
  uint32_t value_;
};

class ToStreams final : public Executor {
public:
  explicit ToStreams(LaunchStreams &streams) : streams_(streams) {}
  void submit(Command &ready) override {
    streams_.add(ready, static_cast<Addition &>(*ready.operation()));
  }
  bool takes_early() const override { return true; }
  bool can_follow(const Command &, std::span<const DevicePlace> places) const override {
    return streams_.has_all(places);
  }
  void submit_behind(Command &command, std::span<const DevicePlace> places,
                     Followers &followers) override {
    streams_.add_behind(command, static_cast<Addition &>(*command.operation()), places, followers);
  }

private:
  LaunchStreams &streams_;
};

cuda::Status run_addition(const fake_cuda::Launch &launch) {
  uint64_t address = 0;
  uint32_t value = 0;
  std::memcpy(&address, launch.parameters[0].data(), sizeof address);
  std::memcpy(&value, launch.parameters[1].data(), sizeof value);
  auto *to = reinterpret_cast<uint32_t *>(address);
  if (launch.function == "add") {
    std::atomic_ref(*to) += value;
    return cuda::success;
  }
  uint32_t sum = 1; // of those of the 16 numbers before that the mask selects
  for (uint32_t bit = 0; bit < 16; ++bit)
    if (value >> bit & 1)
      sum += std::atomic_ref<uint32_t>(*(to - 1 - bit)).load();
  std::atomic_ref<uint32_t> result(*to);
  result = sum;
  return cuda::success;
}

// The objects of a device; its threads use them until the process ends.
struct Card {
  std::shared_ptr<CudaContext> context;
  LaunchStreams *streams = nullptr;
  ToStreams *executor = nullptr;
  NvidiaMemory *memory = nullptr;
  cuda::Function *function = nullptr, *sum = nullptr;
};

const Card &card() {
  static const Card &made = *[] {
    auto *card = new Card;
    auto driver = CudaDriver::load(FAKE_CUDA_LIBRARY);
    EXPECT_TRUE(driver);
    fake_cuda::set_runner(run_addition);
    card->context = std::make_shared<CudaContext>(*driver, (*driver)->cards().front());
    card->streams = new LaunchStreams(card->context);
    card->executor = new ToStreams(*card->streams);
    card->memory = new NvidiaMemory(card->context);
    EXPECT_TRUE(card->streams->start());
    const CudaContext::Use use(*card->context);
    cuda::Module *module = nullptr;
    EXPECT_EQ((*driver)->load_module(&module, text, 0, nullptr, nullptr), cuda::success);
    EXPECT_EQ((*driver)->find_function(&card->function, module, "add"), cuda::success);
    EXPECT_EQ((*driver)->find_function(&card->sum, module, "sum"), cuda::success);
    return card;
  }();
  return made;
}

CommandRef add(std::byte *to, uint32_t value, const std::vector<CommandRef> &after = {},
               bool has_event = false) {
  CommandRef command = Command::create<Addition>(*card().context, card().function, to, value);
  if (has_event)
    command->has_event();
  for (const CommandRef &before : after)
    command->depend_on(*before);
  command->bind(card().executor);
  command->start();
  return command;
}

// Numbers on the card, 0 at first.
class Numbers {
public:
  explicit Numbers(std::size_t count) : bytes_(count * sizeof(uint32_t)) {
    auto begin = card().memory->allocate(bytes_);
    EXPECT_TRUE(begin);
    begin_ = begin ? *begin : nullptr;
    const std::vector<std::byte> zeros(bytes_);
    EXPECT_TRUE(card().memory->write(begin_, zeros.data(), bytes_));
  }
  ~Numbers() { card().memory->free(begin_, bytes_); }
  Numbers(const Numbers &) = delete;
  Numbers &operator=(const Numbers &) = delete;
  std::byte *at(std::size_t i) const { return begin_ + i * sizeof(uint32_t); }

private:
  const std::size_t bytes_;
  std::byte *begin_ = nullptr;
};

// While it exists, the card begins nothing.
struct HeldCard {
  HeldCard() { fake_cuda::controls().is_held = true; }
  ~HeldCard() { fake_cuda::controls().is_held = false; }
};

std::size_t submitted() {
  return fake_cuda::controls().submitted_launches;
}

uint32_t read(std::byte *from) {
  uint32_t value = 0;
  EXPECT_TRUE(card().memory->read(reinterpret_cast<std::byte *>(&value), from, sizeof value));
  return value;
}

TEST(LaunchStreams, ManyThreadsAddCommands) {
  constexpr int threads = 4, commands = 300;
  std::vector<std::byte *> sums;
  for (int t = 0; t < threads; ++t) {
    auto sum = card().memory->allocate(sizeof(uint32_t));
    ASSERT_TRUE(sum);
    const uint32_t zero = 0;
    ASSERT_TRUE(
        card().memory->write(*sum, reinterpret_cast<const std::byte *>(&zero), sizeof zero));
    sums.push_back(*sum);
  }
  std::vector<std::thread> all;
  for (std::byte *sum : sums)
    all.emplace_back([sum] {
      std::vector<CommandRef> last, every;
      for (int i = 0; i < commands; ++i) {
        CommandRef command = add(sum, 2, i % 3 == 0 ? last : std::vector<CommandRef>());
        last.push_back(command);
        every.push_back(command);
        if (last.size() == 8)
          last.erase(last.begin());
        if (i % 50 == 0)
          EXPECT_EQ(command->wait(), status::complete);
      }
      for (const CommandRef &command : every)
        EXPECT_EQ(command->wait(), status::complete);
    });
  for (std::thread &thread : all)
    thread.join();
  for (std::byte *sum : sums) {
    EXPECT_EQ(read(sum), 2u * commands);
    card().memory->free(sum, sizeof(uint32_t));
  }
}

// Otherwise the settler's thread would do it, and both would wait for each other's locks.
TEST(LaunchStreams, AThreadThatEnqueuesManyCommandsSettlesThem) {
  const Numbers sum(1);
  settled_by_this_thread = 0;
  std::vector<CommandRef> added;
  while (settled_by_this_thread == 0 && added.size() < 100'000) {
    added.push_back(add(sum.at(0), 1));
    card().streams->assist();
  }
  EXPECT_GT(settled_by_this_thread, 0);
  EXPECT_GE(added.size(), 32u); // not each of them: a poll costs as much as a launch
  for (const CommandRef &command : added)
    EXPECT_EQ(command->wait(), status::complete);
  EXPECT_EQ(read(sum.at(0)), added.size());
}

TEST(LaunchStreams, AnErrorAfterTheLaunchFailsTheCommand) {
  auto sum = card().memory->allocate(sizeof(uint32_t));
  ASSERT_TRUE(sum);
  CommandRef fails = add(*sum, unlucky), works = add(*sum, 1);
  EXPECT_TRUE(is_failure(fails->wait()));
  ASSERT_TRUE(fails->error());
  EXPECT_EQ(fails->error()->message, "13");
  EXPECT_EQ(works->wait(), status::complete);
  card().memory->free(*sum, sizeof(uint32_t));
}

TEST(EarlySubmission, AChainIsSubmittedBeforeItRuns) {
  const Numbers sum(1);
  const std::size_t before = submitted();
  std::vector<CommandRef> chain;
  {
    const HeldCard held;
    for (int i = 0; i < 20; ++i)
      chain.push_back(
          add(sum.at(0), 1, chain.empty() ? std::vector<CommandRef>() : std::vector{chain.back()}));
    EXPECT_EQ(submitted() - before, 20u);
    EXPECT_EQ(chain.back()->status(), status::submitted); // it does not run yet
  }
  EXPECT_EQ(chain.back()->wait_and_poll(), status::complete);
  for (const CommandRef &command : chain)
    EXPECT_EQ(command->status(), status::complete);
  EXPECT_EQ(read(sum.at(0)), 20u);
}

TEST(EarlySubmission, CommandsThatWereEnqueuedFirstFollowWhenTheirDependencyIsSubmitted) {
  const Numbers sum(1);
  const std::size_t before = submitted();
  CommandRef event = Command::create_user_event();
  std::vector<CommandRef> chain{event};
  const HeldCard *held = new HeldCard;
  for (int i = 0; i < 1000; ++i) // more than streams may hold
    chain.push_back(add(sum.at(0), 1, {chain.back()}));
  EXPECT_EQ(submitted() - before, 0u);
  event->set_user_status(status::complete);
  EXPECT_GE(submitted() - before, 900u);
  delete held;
  EXPECT_EQ(chain.back()->wait(), status::complete);
  EXPECT_EQ(read(sum.at(0)), 1000u);
}

// Each event of the driver costs as much as a launch.
TEST(EarlySubmission, AChainNeedsFewEvents) {
  const Numbers sum(1);
  const std::size_t before = fake_cuda::controls().recorded_events;
  std::vector<CommandRef> chain;
  {
    const HeldCard held;
    for (int i = 0; i < 200; ++i)
      chain.push_back(
          add(sum.at(0), 1, chain.empty() ? std::vector<CommandRef>() : std::vector{chain.back()}));
  }
  EXPECT_EQ(chain.back()->wait_and_poll(), status::complete);
  EXPECT_EQ(read(sum.at(0)), 200u);
  EXPECT_LT(fake_cuda::controls().recorded_events - before, 100u);
}

// Two commands that follow one do not wait for each other, whether or not it has an event.
TEST(EarlySubmission, CommandsThatFollowOneRunAtOnce) {
  const Numbers sum(3);
  for (const bool has_event : {true, false}) {
    const std::size_t before = fake_cuda::controls().recorded_events;
    CommandRef first, one, other;
    {
      const HeldCard held;
      CommandRef start = Command::create_user_event();
      first = add(sum.at(0), 1, {start}, has_event);
      if (has_event) // else both are known before the first one is submitted
        start->set_user_status(status::complete);
      one = add(sum.at(1), 1, {first});
      other = add(sum.at(2), 1, {first});
      if (!has_event)
        start->set_user_status(status::complete);
      // The one behind the first, so that the other stream does not wait for what follows.
      EXPECT_GE(fake_cuda::controls().recorded_events - before, 1u);
    }
    EXPECT_EQ(one->wait_and_poll(), status::complete);
    EXPECT_EQ(other->wait_and_poll(), status::complete);
  }
  for (const std::size_t i : {0, 1, 2})
    EXPECT_EQ(read(sum.at(i)), 2u);
}

TEST(EarlySubmission, AUserEventAndALaunchInProgress) {
  const Numbers sum(1);
  const std::size_t before = submitted();
  CommandRef event = Command::create_user_event(), failing = Command::create_user_event();
  CommandRef last, unwanted;
  {
    const HeldCard held;
    CommandRef first = add(sum.at(0), 1);
    last = add(sum.at(0), 2, {first, event});
    unwanted = add(sum.at(0), 4, {first, failing});
    EXPECT_EQ(submitted() - before, 1u);
    event->set_user_status(status::complete);
    EXPECT_EQ(submitted() - before, 2u);
    failing->set_user_status(-5);
  }
  EXPECT_EQ(last->wait(), status::complete);
  EXPECT_EQ(unwanted->wait(), status::dependency_failed);
  EXPECT_EQ(submitted() - before, 2u);
  EXPECT_EQ(read(sum.at(0)), 3u);
}

TEST(EarlySubmission, AnErrorReachesAllThatNeedIt) {
  const Numbers sum(1);
  CommandRef fails, needs, needs_that, after;
  {
    const HeldCard held;
    fails = add(sum.at(0), unlucky);
    needs = add(sum.at(0), 1, {fails});
    needs_that = add(sum.at(0), 1, {needs});
    after = Command::create<Addition>(*card().context, card().function, sum.at(0), 1);
    after->depend_on(*fails, EdgeKind::after);
    after->bind(card().executor);
    after->start();
  }
  EXPECT_EQ(needs->wait(), status::dependency_failed);
  EXPECT_EQ(needs_that->wait(), status::dependency_failed);
  EXPECT_EQ(after->wait(), status::complete);
  ASSERT_TRUE(needs_that->error());
  EXPECT_TRUE(is_failure(fails->status()));
}

TEST(EarlySubmission, ALaunchThatTheDriverRefusesInAChain) {
  const Numbers sum(1);
  CommandRef first, refused, behind;
  {
    const HeldCard held;
    first = add(sum.at(0), 1);
    fake_cuda::controls().launch_status = cuda::launch_out_of_resources;
    refused = add(sum.at(0), 2, {first});
    behind = add(sum.at(0), 4, {refused});
  }
  EXPECT_EQ(behind->wait(), status::dependency_failed);
  EXPECT_TRUE(is_failure(refused->status()));
  EXPECT_EQ(first->status(), status::complete);
  EXPECT_EQ(read(sum.at(0)), 1u);
}

// Each node adds up numbers of nodes that it depends on. So its number is wrong if it runs too early.
TEST(EarlySubmission, RandomGraphs) {
  constexpr uint32_t nodes = 600;
  std::minstd_rand random(7);
  for (int round = 0; round < 2; ++round) {
    const Numbers numbers(nodes);
    std::vector<uint32_t> expected;
    std::vector<CommandRef> commands;
    for (uint32_t i = 0; i < nodes; ++i) {
      uint32_t mask = random() & random() & random() & 0xffff, sum = 1;
      std::vector<CommandRef> before;
      for (uint32_t bit = 0; bit < 16; ++bit)
        if (bit >= i)
          mask &= ~(1u << bit);
        else if (mask >> bit & 1) {
          sum += expected[i - 1 - bit];
          before.push_back(commands[i - 1 - bit]);
        }
      expected.push_back(sum);
      CommandRef command =
          Command::create<Addition>(*card().context, card().sum, numbers.at(i), mask);
      for (const CommandRef &each : before)
        command->depend_on(*each, random() % 2 ? EdgeKind::needs : EdgeKind::after);
      command->bind(card().executor);
      command->start();
      commands.push_back(std::move(command));
    }
    for (const CommandRef &command : commands)
      ASSERT_EQ(command->wait(), status::complete);
    for (uint32_t i = 0; i < nodes; ++i)
      ASSERT_EQ(read(numbers.at(i)), expected[i]) << i;
  }
}

// More threads than rings of pinned blocks.
TEST(NvidiaMemory, ManyThreadsTransfer) {
  card();
  std::vector<std::thread> all;
  for (int t = 0; t < int(NvidiaMemory::rings) + 3; ++t)
    all.emplace_back([t] {
      std::vector<int> values(100'000 * (t + 1)), back(values.size());
      const std::size_t bytes = values.size() * sizeof(int);
      auto data = card().memory->allocate(bytes);
      ASSERT_TRUE(data);
      for (int i = 0; i < 5; ++i) {
        std::iota(values.begin(), values.end(), 1000 * t + i);
        EXPECT_TRUE(
            card().memory->write(*data, reinterpret_cast<const std::byte *>(values.data()), bytes));
        EXPECT_TRUE(card().memory->read(reinterpret_cast<std::byte *>(back.data()), *data, bytes));
        EXPECT_TRUE(back == values);
      }
      card().memory->free(*data, bytes);
    });
  for (std::thread &thread : all)
    thread.join();
}

} // namespace
} // namespace lockstep::runtime
