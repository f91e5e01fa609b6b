// Streams and transfers of a card, used by many threads at once, on the fake driver.
#include "runtime/graph/command.h"
#include "runtime/launch/nvidia/launch_streams.h"
#include "runtime/launch/nvidia/nvidia_memory.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>

namespace lockstep::runtime {
namespace {

const char *const text = R"(
.version 7.8
.target sm_90
.visible .entry add(.param .u64 .ptr .global .align 4 to, .param .u32 value) { ret; }
)";

class Thirteen final : public StreamWork::Run {
public:
  Result<void> finish(Command &) override { return Error{ErrorKind::internal, "13"}; }
};

// Adds a number to a number on the card.
class Addition final : public Operation, public StreamWork {
public:
  Addition(const CudaContext &context, cuda::Function *function, std::byte *to, uint32_t value)
      : context_(context), function_(function), to_(reinterpret_cast<uint64_t>(to)), value_(value) {
  }
  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override {
    void *parameters[] = {&to_, &value_};
    LOCKSTEP_TRY(context_.checked(
        context_.cuda().launch(function_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr),
        name()));
    return value_ == 13 ? std::make_unique<Thirteen>() : std::unique_ptr<Run>();
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

private:
  LaunchStreams &streams_;
};

cuda::Status run_addition(const fake_cuda::Launch &launch) {
  uint64_t address = 0;
  uint32_t value = 0;
  std::memcpy(&address, launch.parameters[0].data(), sizeof address);
  std::memcpy(&value, launch.parameters[1].data(), sizeof value);
  std::atomic_ref(*reinterpret_cast<uint32_t *>(address)) += value;
  return cuda::success;
}

// The objects of a device; its threads use them until the process ends.
struct Card {
  std::shared_ptr<CudaContext> context;
  LaunchStreams *streams = nullptr;
  ToStreams *executor = nullptr;
  NvidiaMemory *memory = nullptr;
  cuda::Function *function = nullptr;
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
    return card;
  }();
  return made;
}

CommandRef add(std::byte *to, uint32_t value, const std::vector<CommandRef> &after = {}) {
  CommandRef command = Command::create<Addition>(*card().context, card().function, to, value);
  for (const CommandRef &before : after)
    command->depend_on(*before);
  command->bind(card().executor);
  command->start();
  return command;
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
      std::vector<CommandRef> last;
      for (int i = 0; i < commands; ++i) {
        CommandRef command = add(sum, 2, i % 3 == 0 ? last : std::vector<CommandRef>());
        last.push_back(command);
        if (last.size() == 8)
          last.erase(last.begin());
        if (i % 50 == 0)
          EXPECT_EQ(command->wait(), status::complete);
      }
      for (const CommandRef &command : last)
        EXPECT_EQ(command->wait(), status::complete);
    });
  for (std::thread &thread : all)
    thread.join();
  for (std::byte *sum : sums)
    while (read(sum) != 2u * commands) // earlier commands than the last ones
      std::this_thread::yield();
  for (std::byte *sum : sums)
    card().memory->free(sum, sizeof(uint32_t));
}

TEST(LaunchStreams, AnErrorAfterTheLaunchFailsTheCommand) {
  auto sum = card().memory->allocate(sizeof(uint32_t));
  ASSERT_TRUE(sum);
  CommandRef fails = add(*sum, 13), works = add(*sum, 1);
  EXPECT_TRUE(is_failure(fails->wait()));
  ASSERT_TRUE(fails->error());
  EXPECT_EQ(fails->error()->message, "13");
  EXPECT_EQ(works->wait(), status::complete);
  card().memory->free(*sum, sizeof(uint32_t));
}

TEST(NvidiaMemory, ManyThreadsTransfer) {
  card();
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
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
