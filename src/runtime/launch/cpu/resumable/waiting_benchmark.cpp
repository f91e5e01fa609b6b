// Measures the cost of waiting groups for the launch: suspending and resuming one, polling without
// success, memory for many, a contended lock. The kernels are C++ (test_coroutine.h), so the
// compiler's part of a suspension, a few stores, is not included.
#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/resumable/test_coroutine.h"
#include "runtime/launch/cpu/resumable/waiting_memory.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::Step;

struct Shared {
  std::atomic<uint32_t> counter = 0, lock = 0;
  uint64_t guarded = 0, groups = 0, peak = 0;
};

Shared &shared_of(const TestFrame &frame) {
  return *frame.argument<Shared *>();
}

template <Step (*body)(TestFrame &)> class Bench {
public:
  explicit Bench(benchmark::State &state) : state_(state) {}

  void run(uint64_t groups) {
    shared.counter = shared.lock = 0;
    shared.guarded = shared.peak = 0;
    shared.groups = groups;
    Shared *argument = &shared;
    auto prepared = KernelLaunch::make(*device_, *kernel_,
                                       {.global_size = {groups, 1, 1}, .local_size = {1, 1, 1}},
                                       {std::as_bytes(std::span(&argument, 1)), {}});
    CommandRef command = Command::create(std::move(*prepared));
    queue_.enqueue(*command);
    if (command->wait() != status::complete)
      state_.SkipWithError("the launch failed");
  }

  Shared shared;

private:
  benchmark::State &state_;
  std::shared_ptr<CpuDevice> device_ = CpuDevice::root();
  CommandQueue queue_{device_, QueueOrder::in_order, false};
  std::shared_ptr<CpuKernel> kernel_ = [] {
    compiler::KernelInfo info;
    info.name = "waits";
    info.argument_block_size = 8;
    return std::make_shared<CpuKernel>(CoroutineProgram::make<body>(),
                                       std::make_shared<const compiler::KernelInfo>(info), 1);
  }();
};

Step finish_at_once(TestFrame &frame) {
  return frame.done();
}

void groups_that_do_not_wait(benchmark::State &state) {
  Bench<finish_at_once> bench(state);
  const uint64_t groups = 1 << 20;
  for (auto _ : state)
    bench.run(groups);
  state.SetItemsProcessed(int64_t(state.iterations() * groups));
}
BENCHMARK(groups_that_do_not_wait)->UseRealTime()->Unit(benchmark::kMillisecond);

// A wait that must be resumed to be polled: the full cost of a suspension.
Step suspend_often(TestFrame &frame) {
  if (++frame.ticks == 1000)
    return frame.done();
  return frame.wait_for(shared_of(frame).counter, 0, 1, true);
}

void suspend_and_resume(benchmark::State &state) {
  Bench<suspend_often> bench(state);
  const auto groups = uint64_t(state.range(0));
  for (auto _ : state)
    bench.run(groups);
  state.SetItemsProcessed(int64_t(state.iterations() * groups * 1000));
}
BENCHMARK(suspend_and_resume)
    ->ArgName("groups")
    ->Arg(64)
    ->Arg(4096)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

Step meet(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.state == 0) {
    frame.state = 1;
    if (++shared.counter == shared.groups)
      shared.peak = WaitingMemory::instance().used();
  }
  const uint32_t seen = shared.counter;
  return seen < shared.groups ? frame.wait_for(shared.counter, seen) : frame.done();
}

// Each arrival changes the counter, so this is the expensive kind of barrier: each polled group is
// resumed.
void barrier_of_all_groups(benchmark::State &state) {
  Bench<meet> bench(state);
  const auto groups = uint64_t(state.range(0));
  for (auto _ : state)
    bench.run(groups);
  state.SetItemsProcessed(int64_t(state.iterations() * groups));
  state.counters["bytes/group"] = double(bench.shared.peak) / double(groups);
}
BENCHMARK(barrier_of_all_groups)
    ->ArgName("groups")
    ->Arg(1 << 10)
    ->Arg(1 << 15)
    ->Arg(1 << 20)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// All wait for group 0, which waits until the others were polled a number of times.
Step wait_for_first(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.number() == 0) {
    if (++frame.ticks < 1000)
      return frame.wait_for(shared.lock, 0, 1, true);
    shared.counter = 1;
    return frame.done();
  }
  return shared.counter ? frame.done() : frame.wait_for(shared.counter, 0);
}

void poll_in_vain(benchmark::State &state) {
  Bench<wait_for_first> bench(state);
  const auto groups = uint64_t(state.range(0));
  for (auto _ : state)
    bench.run(groups);
  state.SetItemsProcessed(int64_t(state.iterations() * groups * 1000));
}
BENCHMARK(poll_in_vain)
    ->ArgName("groups")
    ->Arg(4096)
    ->Arg(65536)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Each group waits for another one that comes later: the next one, or a random one (a cycle through
// all groups in random order, without one edge).
struct Chain {
  std::vector<std::atomic<uint32_t>> flags;
  std::vector<uint32_t> waits_for;
  uint64_t groups;
};
Chain *the_chain;

Step wait_for_another(TestFrame &frame) {
  Chain &chain = *the_chain;
  const uint64_t group = frame.number();
  if (const uint32_t other = chain.waits_for[group]; other != group)
    if (const uint32_t seen = chain.flags[other]; seen == 0)
      return frame.wait_for(chain.flags[other], seen);
  chain.flags[group] = 1;
  frame.wrote = &chain.flags[group];
  return frame.done();
}

void chain_of_groups(benchmark::State &state) {
  Bench<wait_for_another> bench(state);
  const auto groups = uint64_t(state.range(0));
  Chain chain{std::vector<std::atomic<uint32_t>>(groups), std::vector<uint32_t>(groups), groups};
  std::vector<uint32_t> order(groups);
  std::iota(order.begin(), order.end(), 0u);
  if (state.range(1))
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (uint64_t i = 0; i < groups; ++i)
    chain.waits_for[order[i]] = order[std::min(i + 1, groups - 1)];
  the_chain = &chain;
  for (auto _ : state) {
    for (auto &flag : chain.flags)
      flag = 0;
    bench.run(groups);
  }
  state.SetItemsProcessed(int64_t(state.iterations() * groups));
}
BENCHMARK(chain_of_groups)
    ->ArgNames({"groups", "random"})
    ->Args({1 << 10, 0})
    ->Args({1 << 15, 0})
    ->Args({1 << 20, 0})
    ->Args({1 << 10, 1})
    ->Args({1 << 13, 1})
    ->Args({1 << 15, 1})
    ->Args({1 << 20, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

Step take_lock(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  while (frame.ticks < 100) {
    if (uint32_t seen = shared.lock.exchange(1))
      return frame.wait_for(shared.lock, seen);
    ++shared.guarded;
    shared.lock = 0;
    ++frame.ticks;
  }
  return frame.done();
}

void spin_lock(benchmark::State &state) {
  Bench<take_lock> bench(state);
  const auto groups = uint64_t(state.range(0));
  for (auto _ : state) {
    bench.run(groups);
    if (bench.shared.guarded != groups * 100)
      state.SkipWithError("the lock did not exclude");
  }
  state.SetItemsProcessed(int64_t(state.iterations() * groups * 100));
}
BENCHMARK(spin_lock)->ArgName("groups")->RangeMultiplier(8)->Range(1, 4096)->UseRealTime();

} // namespace
} // namespace lockstep::runtime

BENCHMARK_MAIN();
