// Tests additions of groups to one counter that the launch makes in batches, and those that groups
// leave to the launch.
#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/resumable/test_coroutine.h"
#include "runtime/launch/cpu/resumable/waiting_group.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::Step;
using compiler::UpdateRequest;

const bool four_workers = [] { return setenv("LOCKSTEP_THREADS", "4", 0) == 0; }();

struct Shared {
  std::atomic<uint32_t> next = 0, ended = 0, batched = 0;
  alignas(64) std::atomic<uint32_t> serving = 0;
  alignas(64) std::atomic<uint64_t> sum = 0;
  uint64_t guarded = 0;       // by the ticket lock
  uint32_t *values = nullptr; // by group
  uint32_t groups = 0;
};

Shared &shared_of(const TestFrame &frame) {
  return *frame.argument<Shared *>();
}

// As the compiler's code does: the addition is requested, or made here. True: it was requested.
template <class Word> bool request(TestFrame &frame, std::atomic<Word> &to, Word value) {
  UpdateRequest &update = frame.update;
  if (update.state != UpdateRequest::may_request) {
    update.value = to.fetch_add(value);
    return false;
  }
  update.address = &to;
  update.size = sizeof(Word);
  update.value = value;
  frame.step = Step::updates;
  return true;
}

// ---- make_updates

class Updates : public testing::Test {
protected:
  struct Group {
    WaitingGroup head{};
    TestFrame frame{};
  };
  std::vector<Group> groups_;
  std::vector<WaitingGroup *> pointers;

  void make(std::size_t count) {
    groups_ = std::vector<Group>(count);
    for (Group &each : groups_) {
      each.head.first_frame = uint32_t(reinterpret_cast<std::byte *>(&each.frame) -
                                       reinterpret_cast<std::byte *>(&each.head));
      pointers.push_back(&each.head);
    }
  }
  template <class Word> void ask(std::size_t group, std::atomic<Word> &to, Word value) {
    groups_[group].frame.update.state = UpdateRequest::may_request;
    EXPECT_TRUE(request(groups_[group].frame, to, value));
  }
  uint64_t old_of(std::size_t group) const { return groups_[group].frame.update.value; }
};

TEST_F(Updates, GiveEachGroupItsOldValue) {
  make(5);
  std::atomic<uint32_t> one = 100;
  std::atomic<uint64_t> other = ~uint64_t{0}; // wraps around
  ask<uint32_t>(0, one, 1);
  ask<uint64_t>(1, other, 5);
  ask<uint32_t>(2, one, 7);
  ask<uint64_t>(3, other, 1);
  ask<uint32_t>(4, one, uint32_t(-3));
  make_updates(pointers);
  EXPECT_EQ(one, 105U);
  EXPECT_EQ(other, 5U);
  EXPECT_EQ(uint32_t(old_of(0)), 100U);
  EXPECT_EQ(old_of(1), ~uint64_t{0});
  EXPECT_EQ(uint32_t(old_of(2)), 101U);
  EXPECT_EQ(old_of(3), 4U);
  EXPECT_EQ(uint32_t(old_of(4)), 108U);
}

TEST_F(Updates, OfOneSizeDoNotTouchWhatIsBesideThem) {
  make(3);
  struct {
    std::atomic<uint32_t> low = UINT32_MAX, high = 9;
  } words;
  for (std::size_t i = 0; i < 3; ++i)
    ask<uint32_t>(i, words.low, 1);
  make_updates(pointers);
  EXPECT_EQ(words.low, 2U);
  EXPECT_EQ(words.high, 9U);
  EXPECT_EQ(uint32_t(old_of(2)), 1U);
}

TEST_F(Updates, ThatAreLeftAreAddedUp) {
  make(6);
  std::atomic<uint32_t> one = 100;
  std::atomic<uint64_t> other = 7;
  auto leave = [&]<class Word>(std::size_t group, std::atomic<Word> &to, Word value) {
    groups_[group].frame.update = {UpdateRequest::left, sizeof(Word), &to, value};
  };
  leave(0, one, 1U);
  leave(1, one, uint32_t(-3));
  leave(3, other, ~uint64_t{0});
  leave(4, one, 5U);
  PendingAddition pending;
  pending.take_from(groups_[0].head);
  pending.take_from(groups_[1].head);
  pending.take_from(groups_[2].head); // has left nothing
  EXPECT_EQ(one, 100U);
  pending.take_from(groups_[3].head);
  EXPECT_EQ(one, 98U);
  EXPECT_EQ(other, 7U);
  pending.take_from(groups_[4].head);
  EXPECT_EQ(other, 6U);
  pending.make();
  EXPECT_EQ(one, 103U);
  pending.make();
  for (Group &each : groups_) {
    EXPECT_EQ(each.frame.update.state, UpdateRequest::direct);
    pending.take_from(each.head);
  }
  pending.make();
  EXPECT_EQ(one, 103U);
  EXPECT_EQ(other, 6U);
}

// ---- launches

class BatchedUpdates : public testing::Test {
protected:
  std::shared_ptr<CpuDevice> device = CpuDevice::root();
  CommandQueue queue{device, QueueOrder::out_of_order, false};
  std::shared_ptr<Buffer> memory = *Buffer::allocate(device->memory(), sizeof(Shared));
  Shared &shared = *new (memory->data()) Shared;
  std::vector<uint32_t> values;

  template <runtime::TestBody body> void run(uint32_t groups) {
    values.assign(groups, UINT32_MAX);
    run_on<body>(values.data(), groups);
  }
  template <runtime::TestBody body> void run_on(void *data, uint32_t groups) {
    shared.values = static_cast<uint32_t *>(data);
    shared.groups = groups;
    auto program = CoroutineProgram::make<body>();
    program->set_batches_updates();
    compiler::KernelInfo info;
    info.name = "adds";
    info.argument_block_size = 8;
    auto kernel =
        std::make_shared<CpuKernel>(program, std::make_shared<const compiler::KernelInfo>(info), 1);
    Shared *argument = &shared;
    auto launch = KernelLaunch::make(
        *device, *kernel, {.global_size = {groups, 1, 1}, .local_size = {1}},
        {std::as_bytes(std::span(&argument, 1)), {}, {{.memory = {memory, 0, sizeof(Shared)}}}});
    ASSERT_TRUE(launch) << launch.error().message;
    CommandRef command = Command::create(std::move(*launch));
    queue.enqueue(*command);
    EXPECT_EQ(command->wait(), status::complete);
  }
};

// As a group that appends to a list, or that looks whether it is the last one.
Step append(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.state++ == 0) {
    shared.sum.fetch_add(frame.number(), std::memory_order_relaxed);
    if (request<uint32_t>(frame, shared.next, 1)) {
      shared.batched.fetch_add(1, std::memory_order_relaxed);
      return frame.step;
    }
  }
  const auto old = uint32_t(frame.update.value);
  shared.values[old] = uint32_t(frame.number());
  if (old + 1 == shared.groups) // sees what all groups have done before
    shared.guarded = shared.sum.load(std::memory_order_relaxed);
  ++shared.ended;
  return frame.done();
}

TEST_F(BatchedUpdates, GiveEachGroupAnotherPlace) {
  for (uint32_t groups : {1U, 2U, 63U, 64U, 65U, 1'000U, 50'000U}) {
    shared.next = shared.ended = 0;
    shared.sum = 0;
    run<append>(groups);
    EXPECT_EQ(shared.next, groups);
    EXPECT_EQ(shared.ended, groups);
    EXPECT_EQ(shared.guarded, uint64_t(groups) * (groups - 1) / 2);
    std::sort(values.begin(), values.end());
    for (uint32_t i = 0; i < groups; ++i)
      ASSERT_EQ(values[i], i);
  }
  if (device->compute_units() > 1)
    EXPECT_GT(shared.batched, 0U);
}

// Two counters, one after the other: the second request follows the first addition.
Step add_twice(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.state == 0) {
    frame.state = 1;
    if (request<uint64_t>(frame, shared.sum, 3))
      return frame.step;
  }
  if (frame.state == 1) {
    shared.values[frame.number()] = uint32_t(frame.update.value / 3);
    frame.state = 2;
    if (request<uint32_t>(frame, shared.next, 1))
      return frame.step;
  }
  ++shared.ended;
  return frame.done();
}

TEST_F(BatchedUpdates, MayFollowEachOther) {
  constexpr uint32_t groups = 20'000;
  run<add_twice>(groups);
  EXPECT_EQ(shared.next, groups);
  EXPECT_EQ(shared.ended, groups);
  EXPECT_EQ(shared.sum, 3U * groups);
  std::sort(values.begin(), values.end());
  for (uint32_t i = 0; i < groups; ++i)
    ASSERT_EQ(values[i], i);
}

// A ticket lock: the groups take turns in the order of their tickets.
Step take_ticket(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.state == 0) {
    frame.state = 1;
    if (request<uint32_t>(frame, shared.next, 1))
      return frame.step;
  }
  if (frame.state == 1) {
    frame.state = 2;
    frame.ticks = uint32_t(frame.update.value);
  }
  if (const uint32_t serving = shared.serving; serving != frame.ticks)
    return wait_until(frame, shared.serving, serving, frame.ticks);
  shared.values[shared.guarded++] = frame.ticks;
  shared.serving = frame.ticks + 1;
  return frame.done();
}

TEST_F(BatchedUpdates, TakeTurns) {
  const uint32_t first = UINT32_MAX - 100; // wraps around
  for (uint32_t groups : {1U, 3U, 200U, 50'000U}) {
    shared.next = shared.serving = first;
    shared.guarded = 0;
    run<take_ticket>(groups);
    EXPECT_EQ(shared.guarded, groups);
    for (uint32_t i = 0; i < groups; ++i)
      ASSERT_EQ(values[i], first + i);
  }
}

// A group may wait before or after its addition. The last one to arrive opens the gate for all.
Step wait_for_all(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.state == 0) {
    frame.state = 1;
    if (request<uint32_t>(frame, shared.next, 1))
      return frame.step;
  }
  if (frame.state == 1) {
    frame.state = 2;
    if (uint32_t(frame.update.value) + 1 == shared.groups)
      shared.serving = 1;
  }
  if (shared.serving == 0)
    return wait_until(frame, shared.serving, 0, 1);
  ++shared.ended;
  return frame.done();
}

TEST_F(BatchedUpdates, LetGroupsMeet) {
  for (uint32_t groups : {2U, 1'000U, 20'000U}) {
    shared.next = shared.serving = shared.ended = 0;
    run<wait_for_all>(groups);
    EXPECT_EQ(shared.ended, groups);
  }
}

// A tree: `fan` groups feed the next one, which waits until their additions have arrived. A group
// leaves its addition to the launch, and `values` has its sum.
constexpr uint32_t fan = 16;

struct Tree {
  std::array<std::atomic<uint32_t>, 32768 / fan * 2> arrived{};
  std::array<std::atomic<uint32_t>, 32768 * 2> sums{};
  uint32_t leaves = 0, groups = 0;
  bool is_reversed = false;
};

Step feed_parent(TestFrame &frame) {
  Tree &tree = *reinterpret_cast<Tree *>(shared_of(frame).values);
  const auto number = uint32_t(frame.number());
  const uint32_t group = tree.is_reversed ? tree.groups - 1 - number : number;
  uint32_t sum = 1;
  if (group >= tree.leaves) {
    const uint32_t first = (group - tree.leaves) * fan, parent = group - tree.leaves;
    if (const uint32_t seen = tree.arrived[parent]; seen != fan)
      return wait_until(frame, tree.arrived[parent], seen, fan);
    sum = 0;
    for (uint32_t i = 0; i < fan; ++i)
      sum += tree.sums[first + i].load(std::memory_order_relaxed);
  }
  tree.sums[group].store(sum, std::memory_order_relaxed);
  if (group + 1 < tree.groups)
    frame.update = {UpdateRequest::left, sizeof(uint32_t), &tree.arrived[group / fan], 1};
  return frame.done();
}

TEST_F(BatchedUpdates, FeedGroupsThatWait) {
  for (uint32_t leaves : {fan, 256U, 4'096U, 32'768U})
    for (bool is_reversed : {false, true}) {
      auto tree = std::make_unique<Tree>();
      tree->leaves = leaves;
      tree->is_reversed = is_reversed;
      for (uint32_t level = leaves; level > 0; level /= fan)
        tree->groups += level;
      if (leaves == 32'768) // three levels of 16, and 8 at the top
        tree->groups = leaves + 2048 + 128 + 8;
      run_on<feed_parent>(tree.get(), tree->groups);
      uint32_t sum = 0;
      const uint32_t tops = leaves == 32'768 ? 8 : 1;
      for (uint32_t i = tree->groups - tops; i < tree->groups; ++i)
        sum += tree->sums[i];
      EXPECT_EQ(sum, leaves);
    }
}

} // namespace
} // namespace lockstep::runtime
