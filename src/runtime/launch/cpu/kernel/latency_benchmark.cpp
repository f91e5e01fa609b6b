// Measures the runtime's overhead for a kernel that does nothing, below the API, with a C++
// work-group function. Three usage patterns:
//   batch       enqueue many, wait once: cost per launch without waiting
//   round_trip  enqueue one, wait for it: two hand-overs between threads
//   chain       1,000 launches of an out-of-order queue, each waiting for the previous one's event
// Expectation: batch below 1 us, round trip below 10 us, chain below 1.5 us per launch.
#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/kernel/test_program.h"

#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

// counted, so that a launch that does not run is not taken for a fast one
std::atomic<uint64_t> runs;

struct Bench {
  std::shared_ptr<CpuDevice> device = CpuDevice::root();
  std::shared_ptr<CpuKernel> kernel = [] {
    compiler::KernelInfo info;
    info.name = "empty";
    auto count = [](const compiler::LaunchInfo *, const compiler::GroupInfo *group) {
      if (group->group_id[0] == 0)
        runs.fetch_add(1, std::memory_order_relaxed);
    };
    return make_kernel(std::make_shared<TestProgram>(count), info);
  }();

  CommandRef launch(uint64_t groups) {
    auto prepared = KernelLaunch::make(
        *device, *kernel, {.global_size = {groups, 1, 1}, .local_size = {1, 1, 1}}, {});
    return Command::create(std::move(*prepared));
  }
};

void check(benchmark::State &state, uint64_t expected) {
  if (runs.exchange(0) != expected)
    state.SkipWithError("not every launch ran");
}

void batch(benchmark::State &state) {
  Bench bench;
  CommandQueue queue(bench.device, QueueOrder(state.range(0)), false);
  const int count = 1000;
  for (auto _ : state) {
    for (int i = 0; i < count; ++i)
      queue.enqueue(*bench.launch(uint64_t(state.range(1))));
    queue.finish();
  }
  state.SetItemsProcessed(state.iterations() * count);
  check(state, state.iterations() * count);
}
BENCHMARK(batch)
    ->ArgNames({"out_of_order", "groups"})
    ->Args({0, 1})
    ->Args({1, 1})
    ->Args({0, 8})
    ->Args({0, 64})
    ->UseRealTime();

void round_trip(benchmark::State &state) {
  Bench bench;
  CommandQueue queue(bench.device, QueueOrder::in_order, false);
  for (auto _ : state) {
    queue.enqueue(*bench.launch(uint64_t(state.range(0))));
    queue.finish();
  }
  check(state, state.iterations());
}
BENCHMARK(round_trip)->ArgName("groups")->Arg(1)->Arg(8)->Arg(64)->UseRealTime();

// The program pauses between its launches, so workers and the waiting thread have gone to sleep.
void round_trip_after_a_pause(benchmark::State &state) {
  Bench bench;
  CommandQueue queue(bench.device, QueueOrder::in_order, false);
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    const auto begin = std::chrono::steady_clock::now();
    queue.enqueue(*bench.launch(1));
    queue.finish();
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  check(state, state.iterations());
}
BENCHMARK(round_trip_after_a_pause)->UseManualTime()->Iterations(1000);

void chain(benchmark::State &state) {
  Bench bench;
  CommandQueue queue(bench.device, QueueOrder::out_of_order, false);
  const int count = 1000;
  for (auto _ : state) {
    CommandRef last;
    for (int i = 0; i < count; ++i) {
      CommandRef next = bench.launch(1);
      Command *list[] = {last.get()};
      queue.enqueue(*next, last ? WaitList(list) : WaitList());
      last = std::move(next);
    }
    last->wait();
  }
  state.SetItemsProcessed(state.iterations() * count);
  check(state, state.iterations() * count);
}
BENCHMARK(chain)->UseRealTime();

} // namespace
} // namespace lockstep::runtime

BENCHMARK_MAIN();
