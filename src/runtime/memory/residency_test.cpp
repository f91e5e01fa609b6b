// Runs commands in three memories, ordered only by their dependencies, and compares the result with
// serial execution. tests/devices tests this with kernels and the API.
#include "runtime/memory/residency.h"

#include "runtime/graph/test_executor.h"
#include "runtime/memory/access.h"
#include "runtime/memory/transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace lockstep::runtime {
namespace {

// Stores the host's bytes inverted, so that bytes of one space are never valid in the other.
class InvertedSpace final : public MemorySpace {
public:
  Result<std::byte *> allocate(std::size_t size) override { return new std::byte[size]; }
  void free(std::byte *address, std::size_t) override { delete[] address; }
  Result<void> write(std::byte *to, const std::byte *from, std::size_t size) override {
    moved += size;
    for (std::size_t i = 0; i < size; ++i)
      to[i] = ~from[i];
    return {};
  }
  Result<void> read(std::byte *to, const std::byte *from, std::size_t size) override {
    return write(to, from, size);
  }
  std::atomic<std::size_t> moved = 0;
};

using Spaces = std::vector<std::shared_ptr<InvertedSpace>>; // the first is null: the host

// to[i] = 3 * to[i] + from[i] for bytes, in any memory space.
class Mix final : public HostOperation {
public:
  Mix(std::shared_ptr<InvertedSpace> space, const MemoryView &to, const MemoryView &from)
      : space_(std::move(space)),
        accesses_{Access{to, AccessMode::read_write}, Access{from, AccessMode::read}},
        to_(address(to)), from_(address(from)) {}
  std::span<const Access> accesses() const override { return accesses_; }
  const MemorySpace *memory_space() const override { return space_.get(); }
  uint64_t parts() const override { return 1; }
  Result<void> run(uint64_t, uint64_t) override {
    const std::byte flip = space_ ? std::byte{0xff} : std::byte{0};
    for (std::size_t i = 0; i < accesses_[0].memory.size(); ++i)
      to_[i] = flip ^ mixed(flip ^ to_[i], flip ^ from_[i]);
    return {};
  }
  static std::byte mixed(std::byte to, std::byte from) {
    return std::byte(3 * unsigned(to) + unsigned(from));
  }

private:
  std::byte *address(const MemoryView &view) const {
    return space_ ? *view.buffer()->address_in(space_) + view.offset() : view.data();
  }
  const std::shared_ptr<InvertedSpace> space_;
  const std::array<Access, 2> accesses_;
  std::byte *const to_;
  const std::byte *const from_;
};

constexpr std::size_t unit = 16, units = 12, buffer_size = unit * units;

// The commands that have used a unit of a buffer.
struct Uses {
  Command *writer = nullptr;
  std::vector<Command *> readers;
};

class RandomOrders : public testing::TestWithParam<int> {};

TEST_P(RandomOrders, EndAsOneAfterTheOther) {
  std::mt19937 random(GetParam());
  TestExecutor executor(3);
  Spaces spaces{nullptr, std::make_shared<InvertedSpace>(), std::make_shared<InvertedSpace>()};
  auto account = std::make_shared<MemoryAccount>(1 << 20);
  std::vector<std::shared_ptr<Buffer>> buffers;
  std::vector<std::vector<std::byte>> expected;
  std::vector<std::vector<Uses>> uses;
  for (int b = 0; b < 3; ++b) {
    buffers.push_back(*Buffer::allocate(account, buffer_size));
    for (std::size_t i = 0; i < buffer_size; ++i)
      buffers[b]->data()[i] = std::byte(random());
    expected.emplace_back(buffers[b]->data(), buffers[b]->data() + buffer_size);
    uses.emplace_back(units);
  }
  std::vector<CommandRef> commands;
  for (int n = 0; n < 300; ++n) {
    const std::size_t count = random() % 3 == 0 ? units : 1 + random() % 4;
    const std::size_t to = random() % 3, from = (to + 1 + random() % 2) % 3;
    const std::size_t t = random() % (units - count + 1), f = random() % (units - count + 1);
    for (std::size_t i = 0; i < count * unit; ++i)
      expected[to][t * unit + i] =
          Mix::mixed(expected[to][t * unit + i], expected[from][f * unit + i]);
    CommandRef command =
        Command::create<Mix>(spaces[random() % 3], MemoryView(buffers[to], t * unit, count * unit),
                             MemoryView(buffers[from], f * unit, count * unit));
    for (std::size_t i = 0; i < count; ++i) {
      Uses &written = uses[to][t + i], &read = uses[from][f + i];
      if (written.writer)
        command->depend_on(*written.writer);
      for (Command *reader : written.readers)
        command->depend_on(*reader);
      if (read.writer)
        command->depend_on(*read.writer);
      written = {command.get(), {}};
      read.readers.push_back(command.get());
    }
    commands.push_back(std::move(command));
  }
  std::vector<Command *> order;
  for (CommandRef &command : commands) {
    command->bind(&executor);
    order.push_back(command.get());
  }
  std::shuffle(order.begin(), order.end(),
               random); // a command may start before its predecessors start
  for (Command *command : order)
    command->start();
  EXPECT_TRUE(wait_all(order));
  for (int b = 0; b < 3; ++b) { // transfers everything to the host
    CommandRef all = Command::create<NoWork>(
        Accesses{Access{MemoryView(buffers[b], 0, buffer_size), AccessMode::read}});
    all->bind(&executor);
    all->start();
    EXPECT_EQ(all->wait(), status::complete);
    EXPECT_TRUE(std::equal(expected[b].begin(), expected[b].end(), buffers[b]->data())) << b;
  }
  EXPECT_GT(spaces[1]->moved, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomOrders, testing::Range(0, 20));

} // namespace
} // namespace lockstep::runtime
