#include "runtime/launch/cpu/kernel/kernel_launch.h"

#include "runtime/events/events.h"
#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/test_program.h"
#include "runtime/launch/cpu/pool/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

namespace lockstep::runtime {
namespace {

using compiler::GroupInfo;
using compiler::LaunchInfo;
using Size = std::array<uint64_t, 3>;

// Set before the pool is made. More workers than the machine may have produce more interleavings.
const bool four_workers = [] { return setenv("LOCKSTEP_THREADS", "4", 1) == 0; }();

// The argument of the test kernels: records what they did.
struct Seen {
  explicit Seen(const Size &global)
      : global_size(global), visits(global[0] * global[1] * global[2]) {}
  const Size global_size;
  std::vector<std::atomic<int>> visits; // of each work-item
  std::atomic<int> groups = 0, small_groups = 0, joined_calls = 0, wrong = 0;
};

template <class T> T argument(const LaunchInfo *launch, std::size_t offset = 0) {
  T value;
  std::memcpy(&value, static_cast<const std::byte *>(launch->args) + offset, sizeof value);
  return value;
}

void visit(const LaunchInfo *launch, const GroupInfo *group) {
  Seen &seen = *argument<Seen *>(launch);
  ++seen.groups;
  bool is_small = false;
  for (int d = 0; d < 3; ++d) {
    is_small |= group->local_size[d] < launch->local_size[d];
    seen.wrong += group->group_id[d] >= launch->num_groups[d];
    seen.wrong += launch->global_size[d] != seen.global_size[d];
  }
  seen.small_groups += is_small;
  for (uint64_t z = 0; z < group->local_size[2]; ++z)
    for (uint64_t y = 0; y < group->local_size[1]; ++y)
      for (uint64_t x = 0; x < group->local_size[0]; ++x) {
        uint64_t gx = group->group_id[0] * launch->local_size[0] + x;
        uint64_t gy = group->group_id[1] * launch->local_size[1] + y;
        uint64_t gz = group->group_id[2] * launch->local_size[2] + z;
        ++seen.visits.at((gz * seen.global_size[1] + gy) * seen.global_size[0] + gx);
      }
}

// Runs for edge groups only: a whole group here is an error.
void visit_edge(const LaunchInfo *launch, const GroupInfo *group) {
  bool is_small = false;
  for (int d = 0; d < 3; ++d)
    is_small |= group->local_size[d] < launch->local_size[d];
  argument<Seen *>(launch)->wrong += !is_small;
  visit(launch, group);
}

void visit_four_rows(const LaunchInfo *launch, const GroupInfo *group) {
  GroupInfo each = *group;
  ++argument<Seen *>(launch)->joined_calls;
  for (int row = 0; row < 4; ++row, ++each.group_id[1])
    visit(launch, &each);
}

void visit_four_side_by_side(const LaunchInfo *launch, const GroupInfo *group) {
  GroupInfo each = *group;
  ++argument<Seen *>(launch)->joined_calls;
  for (int column = 0; column < 4; ++column, ++each.group_id[0])
    visit(launch, &each);
}

compiler::KernelInfo info_with(uint32_t block_size, std::string name = "visit") {
  compiler::KernelInfo info;
  info.name = std::move(name);
  info.argument_block_size = block_size;
  return info;
}

template <class T> std::span<const std::byte> bytes_of(const T &value) {
  return std::as_bytes(std::span(&value, 1));
}

class KernelLaunches : public testing::Test {
protected:
  std::shared_ptr<CpuDevice> device = CpuDevice::root();
  CommandQueue queue{device, QueueOrder::in_order, false};

  CommandRef enqueue(const std::shared_ptr<CpuKernel> &kernel, const LaunchGeometry &geometry,
                     LaunchArguments arguments) {
    auto prepared = KernelLaunch::make(*device, *kernel, geometry, std::move(arguments));
    EXPECT_TRUE(prepared) << prepared.error().message;
    CommandRef command = Command::create(std::move(*prepared));
    queue.enqueue(*command);
    return command;
  }
};

void expect_each_item_once(const Seen &seen) {
  EXPECT_EQ(seen.wrong, 0);
  for (const auto &visits : seen.visits)
    ASSERT_EQ(visits, 1);
}

// Several groups run in one call if the number of whole groups is divisible.
TEST_F(KernelLaunches, RunNeighborsInOneCall) {
  for (Size groups : {Size{3, 64, 1}, Size{5, 12, 2}, Size{1, 4, 1}, Size{2, 30, 3}, Size{7, 8, 1}})
    for (Size local : {Size{4, 1, 1}, Size{2, 3, 1}})
      for (bool has_edge : {false, true}) {
        auto program = std::make_shared<TestProgram>(visit);
        program->four_rows_function = visit_four_rows;
        LaunchGeometry geometry{.work_dim = 3, .local_size = local};
        for (int d = 0; d < 3; ++d)
          geometry.global_size[d] = groups[d] * local[d];
        geometry.global_size[0] -= has_edge;
        Seen seen(geometry.global_size);
        Seen *argument = &seen;
        auto kernel = make_kernel(program, info_with(sizeof argument));
        ASSERT_EQ(enqueue(kernel, geometry, {bytes_of(argument), {}})->wait(), status::complete);
        expect_each_item_once(seen);
        EXPECT_EQ(seen.groups, int(groups[0] * groups[1] * groups[2]));
        const bool has_whole_groups = !has_edge || groups[0] > 1 || local[0] == 1;
        EXPECT_EQ(seen.joined_calls > 0, has_whole_groups && groups[1] % 4 == 0 && groups[1] > 4);
      }
}

// In large launches, groups that fill no call run one by one. Other code serves those at edges.
TEST_F(KernelLaunches, LeaveGroupsThatFillNoCall) {
  struct Case {
    Size groups;
    bool has_edge, is_joined;
  };
  for (const Case &one : {Case{{3, 4099, 1}, false, true}, Case{{3, 4099, 1}, true, true},
                          Case{{700, 13, 2}, false, true}, Case{{1500, 7, 1}, false, false},
                          Case{{3, 79, 1}, false, false}})
    for (const bool is_above : {true, false}) {
      auto program = std::make_shared<TestProgram>(visit);
      (is_above ? program->four_rows_function : program->side_by_side_function) =
          is_above ? visit_four_rows : visit_four_side_by_side;
      Size groups = one.groups;
      if (!is_above)
        std::swap(groups[0], groups[1]);
      LaunchGeometry geometry{.work_dim = 3, .local_size = {8, 1, 1}};
      for (int d = 0; d < 3; ++d)
        geometry.global_size[d] = groups[d] * geometry.local_size[d];
      geometry.global_size[0] -= one.has_edge;
      Seen seen(geometry.global_size);
      Seen *argument = &seen;
      auto kernel = make_kernel(program, info_with(sizeof argument));
      ASSERT_EQ(enqueue(kernel, geometry, {bytes_of(argument), {}})->wait(), status::complete);
      expect_each_item_once(seen);
      EXPECT_EQ(seen.groups, int(groups[0] * groups[1] * groups[2]));
      EXPECT_EQ(seen.joined_calls > 0, one.is_joined) << groups[0] << " " << groups[1];
      EXPECT_EQ(program->compiled, one.is_joined ? 2 : 1 + one.has_edge);
    }
}

struct Visited {
  std::mutex mutex;
  // by worker, in the order in which it ran them
  std::map<std::thread::id, std::vector<Size>> groups;
};

void note_group(const LaunchInfo *launch, const GroupInfo *group) {
  Visited &visited = *argument<Visited *>(launch);
  std::lock_guard lock(visited.mutex);
  visited.groups[std::this_thread::get_id()].push_back(std::to_array(group->group_id));
}

// The dimension that the code requests is counted fastest. A worker runs consecutive groups, from
// its own share or another one's, so nearly each group is the successor of the previous one.
TEST_F(KernelLaunches, CountTheDimensionFirstThatTheCodeAsksFor) {
  constexpr std::array<std::array<int, 3>, 3> dimensions = {{{0, 1, 2}, {1, 0, 2}, {2, 0, 1}}};
  for (uint32_t first : {0, 1, 2})
    for (Size groups : {Size{4, 3, 2}, Size{1, 5, 7}, Size{7, 1, 1}, Size{20, 30, 10}}) {
      auto program = std::make_shared<TestProgram>(note_group);
      program->first_dimension = first;
      LaunchGeometry geometry{.work_dim = 3, .global_size = groups, .local_size = {1, 1, 1}};
      Visited visited;
      Visited *argument = &visited;
      auto kernel = make_kernel(program, info_with(sizeof argument));
      ASSERT_EQ(enqueue(kernel, geometry, {bytes_of(argument), {}})->wait(), status::complete);
      auto number_of = [&](const Size &group) {
        const auto [fastest, next, last] = dimensions[first];
        return group[fastest] + groups[fastest] * (group[next] + groups[next] * group[last]);
      };
      std::set<uint64_t> all;
      std::size_t jumps = 0;
      for (const auto &[thread, its] : visited.groups)
        for (std::size_t i = 0; i < its.size(); ++i) {
          EXPECT_TRUE(all.insert(number_of(its[i])).second);
          jumps += i > 0 && number_of(its[i]) != number_of(its[i - 1]) + 1;
        }
      EXPECT_EQ(all.size(), groups[0] * groups[1] * groups[2]);
      if (all.size() > 1000) // smaller launches have short chunks
        EXPECT_LT(jumps, all.size() / 4) << "dimension " << first;
    }
}

// Rows of up to 256 work-items, or 1,024 in rows of tiles.
TEST_F(KernelLaunches, RunTilesSideBySide) {
  struct Case {
    Size groups, local;
    bool is_joined;
  };
  for (const Case &one : {Case{{8, 32, 1}, {4, 2, 1}, true}, Case{{4, 1, 32}, {4, 1, 2}, true},
                          Case{{6, 32, 1}, {4, 2, 1}, false}, Case{{8, 32, 1}, {256, 2, 1}, true},
                          Case{{8, 32, 1}, {512, 2, 1}, false}, Case{{8, 32, 1}, {64, 1, 1}, true},
                          Case{{8, 32, 1}, {128, 1, 1}, false}, Case{{8, 32, 2}, {4, 2, 2}, true},
                          Case{{4, 1, 1}, {4, 2, 1}, false}}) {
    auto program = std::make_shared<TestProgram>(visit);
    program->side_by_side_function = visit_four_side_by_side;
    LaunchGeometry geometry{.work_dim = 3, .local_size = one.local};
    for (int d = 0; d < 3; ++d)
      geometry.global_size[d] = one.groups[d] * one.local[d];
    Seen seen(geometry.global_size);
    Seen *argument = &seen;
    auto kernel = make_kernel(program, info_with(sizeof argument));
    ASSERT_EQ(enqueue(kernel, geometry, {bytes_of(argument), {}})->wait(), status::complete);
    expect_each_item_once(seen);
    EXPECT_EQ(seen.groups, int(one.groups[0] * one.groups[1] * one.groups[2]));
    EXPECT_EQ(seen.joined_calls > 0, one.is_joined);
  }
}

// Code that runs one group at a time is not compiled again for other numbers of neighbors.
TEST_F(KernelLaunches, OfferNeighborsOnce) {
  auto program = std::make_shared<TestProgram>(visit);
  auto kernel = make_kernel(program, info_with(sizeof(Seen *)));
  for (uint64_t rows : {64, 32, 36, 7}) {
    LaunchGeometry geometry{.work_dim = 2, .global_size = {4, rows, 1}, .local_size = {4, 1, 1}};
    Seen seen(geometry.global_size);
    Seen *argument = &seen;
    ASSERT_EQ(enqueue(kernel, geometry, {bytes_of(argument), {}})->wait(), status::complete);
    expect_each_item_once(seen);
  }
  EXPECT_EQ(program->compiled, 1);
}

TEST_F(KernelLaunches, ShareCodeThatRunsFewerGroupsThanWereOffered) {
  auto program = std::make_shared<TestProgram>(visit);
  program->four_rows_function = visit_four_rows;
  auto kernel = make_kernel(program, info_with(sizeof(Seen *)));
  for (const auto &[rows, compiled] :
       std::vector<std::pair<uint64_t, int>>{{64, 1}, {512, 1}, {36, 1}, {7, 2}, {72, 2}}) {
    LaunchGeometry geometry{.work_dim = 2, .global_size = {4, rows, 1}, .local_size = {4, 1, 1}};
    Seen seen(geometry.global_size);
    Seen *argument = &seen;
    ASSERT_EQ(enqueue(kernel, geometry, {bytes_of(argument), {}})->wait(), status::complete);
    expect_each_item_once(seen);
    EXPECT_EQ(program->compiled, compiled) << rows << " rows";
  }
}

TEST_F(KernelLaunches, VisitEachWorkItemOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < 150; ++round) {
    uint32_t dimensions = 1 + random() % 3;
    LaunchGeometry geometry{.work_dim = dimensions};
    uint64_t groups = 1;
    bool has_edges = false;
    for (uint32_t d = 0; d < dimensions; ++d) {
      geometry.global_size[d] = 1 + random() % (dimensions == 1 ? 20'000 : 50);
      geometry.local_size[d] = 1 + random() % 9;
      groups *= (geometry.global_size[d] + geometry.local_size[d] - 1) / geometry.local_size[d];
      has_edges |= geometry.global_size[d] % geometry.local_size[d] != 0;
    }
    auto program = std::make_shared<TestProgram>(visit);
    program->any_size_function = visit_edge;
    Seen seen(geometry.global_size);
    Seen *argument = &seen;
    CommandRef command =
        enqueue(make_kernel(program, info_with(8)), geometry, {bytes_of(argument), {}});
    ASSERT_EQ(command->wait(), status::complete);
    ASSERT_EQ(uint64_t(seen.groups), groups);
    ASSERT_EQ(seen.small_groups > 0, has_edges);
    ASSERT_EQ(program->compiled, has_edges ? 2 : 1);
    expect_each_item_once(seen);
  }
}

TEST_F(KernelLaunches, ChooseALocalSize) {
  auto kernel = make_kernel(std::make_shared<TestProgram>(visit), info_with(8), 8);
  for (uint64_t size : {1, 100, 4096, 10'007}) {
    Seen seen({size, 3, 1});
    Seen *argument = &seen;
    CommandRef command =
        enqueue(kernel, {.work_dim = 2, .global_size = {size, 3, 1}}, {bytes_of(argument), {}});
    EXPECT_EQ(command->wait(), status::complete);
    expect_each_item_once(seen);
  }
}

// The first launch learns from the code of the usual size that square groups suit the kernel.
TEST_F(KernelLaunches, ChooseSquareGroupsThatSuitTheCode) {
  auto program = std::make_shared<TestProgram>(visit);
  program->suits_squares = true;
  const Size size{320, 320, 1}, odd_size{321, 330, 1};
  auto local_size_of = [&](CpuKernel &kernel, const Size &global) {
    Seen seen(global);
    Seen *argument = &seen;
    auto launch = KernelLaunch::make(*device, kernel, {.work_dim = 2, .global_size = global},
                                     {bytes_of(argument), {}});
    EXPECT_TRUE(launch);
    const Size local = (*launch)->local_size();
    CommandRef command = Command::create(std::move(*launch));
    queue.enqueue(*command);
    EXPECT_EQ(command->wait(), status::complete);
    expect_each_item_once(seen);
    return local;
  };
  auto kernel = make_kernel(program, info_with(8), 8);
  const Size first = local_size_of(*kernel, odd_size);
  EXPECT_EQ(first[0], 16u);
  EXPECT_GT(first[1], 1u);
  EXPECT_EQ(local_size_of(*kernel, size)[0], 16u);
  // A query before any launch answers what the launch will choose.
  auto other = make_kernel(program, info_with(8), 8);
  const LaunchGeometry geometry{.work_dim = 2, .global_size = size};
  const Size suggested = other->choose_local_size(*device, geometry);
  EXPECT_EQ(suggested[0], 16u);
  EXPECT_EQ(local_size_of(*other, size), suggested);
  // Code that suits rows is compiled once.
  auto of_rows = std::make_shared<TestProgram>(visit);
  auto rows = make_kernel(of_rows, info_with(8), 8);
  EXPECT_GT(local_size_of(*rows, size)[0], 16u);
  EXPECT_EQ(of_rows->compiled, 1);
}

TEST_F(KernelLaunches, OfNothingComplete) {
  auto program = std::make_shared<TestProgram>(visit);
  Seen seen({0, 5, 1});
  Seen *argument = &seen;
  CommandRef command = enqueue(make_kernel(program, info_with(8)),
                               {.work_dim = 2, .global_size = {0, 5, 1}}, {bytes_of(argument), {}});
  EXPECT_EQ(command->wait(), status::complete);
  EXPECT_EQ(seen.groups, 0);
  EXPECT_EQ(program->compiled, 0);
}

TEST_F(KernelLaunches, SeeOffsetAndDimensions) {
  static LaunchInfo seen;
  auto kernel =
      make_kernel(std::make_shared<TestProgram>(
                      [](const LaunchInfo *launch, const GroupInfo *) { seen = *launch; }),
                  info_with(0));
  enqueue(
      kernel,
      {.work_dim = 2, .global_offset = {5, 7, 9}, .global_size = {4, 2, 9}, .local_size = {4, 2}},
      {})
      ->wait();
  EXPECT_EQ(seen.work_dim, 2u);
  EXPECT_EQ(seen.global_offset[0], 5u);
  EXPECT_EQ(seen.global_offset[1], 7u);
  EXPECT_EQ(seen.global_offset[2], 0u);
  EXPECT_EQ(seen.global_size[2], 1u);
  EXPECT_EQ(seen.local_size[2], 1u);
  EXPECT_EQ(seen.num_groups[0] * seen.num_groups[1] * seen.num_groups[2], 1u);
}

TEST_F(KernelLaunches, CopyArgumentsOfAnySize) {
  struct Large {
    std::atomic<int> *equal;
    unsigned char bytes[1000];
  };
  auto kernel =
      make_kernel(std::make_shared<TestProgram>([](const LaunchInfo *launch, const GroupInfo *) {
                    auto large = argument<Large>(launch);
                    EXPECT_EQ(reinterpret_cast<uintptr_t>(launch->args) % 128, 0u);
                    bool equal = true;
                    for (int i = 0; i < 1000; ++i)
                      equal &= large.bytes[i] == i % 251;
                    *large.equal += equal;
                  }),
                  info_with(sizeof(Large)));
  std::atomic<int> equal = 0;
  Large large{&equal, {}};
  for (int i = 0; i < 1000; ++i)
    large.bytes[i] = i % 251;
  CommandRef command =
      enqueue(kernel, {.global_size = {10, 1, 1}, .local_size = {1, 1, 1}}, {bytes_of(large), {}});
  std::memset(large.bytes, 0, sizeof large.bytes); // the launch has its own copy
  command->wait();
  EXPECT_EQ(equal, 10);
}

TEST_F(KernelLaunches, PlaceACopyOfLocalArgumentsForEachGroupOfACall) {
  compiler::KernelInfo info = info_with(24);
  info.local_memory_size = 100;
  info.args.resize(3);
  info.args[1].kind = info.args[2].kind = compiler::ArgKind::local_pointer;
  info.args[1].offset = 8;
  info.args[1].pointee_alignment = 16;
  info.args[2].offset = 16;
  info.args[2].pointee_alignment = 64;
  static std::atomic<int> wrong, fours, singles;
  wrong = fours = singles = 0;
  auto program =
      std::make_shared<TestProgram>([](const LaunchInfo *, const GroupInfo *) { ++singles; });
  program->four_rows_function = [](const LaunchInfo *launch, const GroupInfo *group) {
    ++fours;
    wrong += argument<uint64_t>(launch, 8) != 128;  // behind the variables, aligned
    wrong += argument<uint64_t>(launch, 16) != 192; // 128 + 50 rounded up to 64
    wrong += launch->local_argument_bytes != 5120;  // 192 + 5000 - 128, rounded up to 128
    std::memset(group->local_memory, 1, 192 + 5000 + 3 * 5120);
  };
  auto kernel = make_kernel(program, info);
  std::byte block[24]{};
  const LaunchGeometry rows = {
      .work_dim = 2, .global_size = {1000, 64, 1}, .local_size = {10, 1, 1}};
  const uint64_t sizes[] = {0, 50, 5000}, large_sizes[] = {0, 50, 20000};
  EXPECT_EQ(enqueue(kernel, rows, {block, sizes})->wait(), status::complete);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(fours, 100 * 16);
  EXPECT_EQ(singles, 0);
  EXPECT_EQ(enqueue(kernel, rows, {block, large_sizes})->wait(), status::complete);
  EXPECT_EQ(singles, 100 * 64); // four copies would leave the first cache
}

TEST_F(KernelLaunches, PlaceLocalMemory) {
  compiler::KernelInfo info = info_with(24);
  info.local_memory_size = 100;
  info.args.resize(3);
  info.args[1].kind = info.args[2].kind = compiler::ArgKind::local_pointer;
  info.args[1].offset = 8;
  info.args[1].pointee_alignment = 16;
  info.args[2].offset = 16;
  info.args[2].pointee_alignment = 64;
  static std::atomic<int> wrong;
  wrong = 0;
  auto kernel = make_kernel(
      std::make_shared<TestProgram>([](const LaunchInfo *launch, const GroupInfo *group) {
        wrong += reinterpret_cast<uintptr_t>(group->local_memory) % 128 != 0;
        wrong += argument<uint64_t>(launch, 8) != 112;  // 100 rounded up to 16
        wrong += argument<uint64_t>(launch, 16) != 192; // 112 + 50 rounded up to 64
        std::memset(group->local_memory, 1, 192 + 5000);
      }),
      info);
  std::byte block[24]{};
  const uint64_t sizes[] = {0, 50, 5000};
  EXPECT_EQ(enqueue(kernel, {.global_size = {1000, 1, 1}, .local_size = {10, 1, 1}}, {block, sizes})
                ->wait(),
            status::complete);
  EXPECT_EQ(wrong, 0);
}

TEST_F(KernelLaunches, RefuseWhatTheDeviceHasNot) {
  auto refuse = [&](std::shared_ptr<CpuKernel> kernel, LaunchGeometry geometry,
                    LaunchArguments arguments) {
    auto prepared = KernelLaunch::make(*device, *kernel, geometry, std::move(arguments));
    EXPECT_FALSE(prepared);
    return prepared ? ErrorKind::internal : prepared.error().kind;
  };
  auto program = std::make_shared<TestProgram>(visit);
  const LaunchGeometry small{.global_size = {64, 1, 1}, .local_size = {8, 1, 1}};
  EXPECT_EQ(refuse(make_kernel(program, info_with(0)),
                   {.global_size = {1 << 20, 1, 1}, .local_size = {1 << 20, 1, 1}}, {}),
            ErrorKind::out_of_resources);
  compiler::KernelInfo hungry = info_with(0);
  hungry.local_memory_size = device->limits().local_memory_bytes + 1;
  EXPECT_EQ(refuse(make_kernel(program, hungry), small, {}), ErrorKind::out_of_resources);
  compiler::KernelInfo picky = info_with(0);
  picky.reqd_work_group_size = {16, 1, 1};
  EXPECT_EQ(refuse(make_kernel(program, picky), small, {}), ErrorKind::invalid_argument);
  auto deep = std::make_shared<TestProgram>(visit, device->limits().kernel_stack_bytes + 1);
  EXPECT_EQ(refuse(make_kernel(deep, info_with(0)), small, {}), ErrorKind::out_of_resources);
  EXPECT_EQ(refuse(make_kernel(program, info_with(0, "broken")), small, {}),
            ErrorKind::out_of_resources); // enqueue returns an error of code generation
}

TEST_F(KernelLaunches, HaveTheStackThatTheDevicePromises) {
  auto program = std::make_shared<TestProgram>(
      [](const LaunchInfo *launch, const GroupInfo *) {
        volatile char deep[100 << 20];
        for (std::size_t i = sizeof deep; i > 0; i -= 4096)
          deep[i - 1] = char(i);
        ++*argument<std::atomic<int> *>(launch);
      },
      100 << 20);
  std::atomic<int> ran = 0, *argument = &ran;
  CommandRef command =
      enqueue(make_kernel(program, info_with(8)),
              {.global_size = {1, 1, 1}, .local_size = {1, 1, 1}}, {bytes_of(argument), {}});
  EXPECT_EQ(command->wait(), status::complete);
  EXPECT_EQ(ran, 1);
}

TEST_F(KernelLaunches, CompileOncePerLocalSize) {
  auto program = std::make_shared<TestProgram>(visit);
  auto kernel = make_kernel(program, info_with(8));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (uint64_t local : {1, 2, 4, 8}) {
        Seen seen({64, 1, 1});
        Seen *argument = &seen;
        enqueue(kernel, {.global_size = {64, 1, 1}, .local_size = {local, 1, 1}},
                {bytes_of(argument), {}})
            ->wait();
        expect_each_item_once(seen);
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(program->compiled, 4);
}

TEST_F(KernelLaunches, TellOfEachGroupOnce) {
  struct Counter final : Listener {
    explicit Counter(Size groups) : seen(groups) {}
    void groups_begun(const Launch &launch, const Size &id, const Size &count) override {
      EXPECT_EQ(launch.kernel().name, "visit");
      for (uint64_t y = id[1]; y < id[1] + count[1]; ++y)
        for (uint64_t x = id[0]; x < id[0] + count[0]; ++x)
          ++begun[y * seen[0] + x];
    }
    void groups_ended(const Launch &, const Size &id, const Size &count) override {
      for (uint64_t y = id[1]; y < id[1] + count[1]; ++y)
        for (uint64_t x = id[0]; x < id[0] + count[0]; ++x)
          ended[y * seen[0] + x] += begun[y * seen[0] + x]; // it began before
    }
    const Size seen;
    std::array<std::atomic<int>, 1000> begun{}, ended{};
  };
  // Never destroyed: a worker that releases a command after its end may still report to it.
  static std::deque<Counter> all;
  Counter &counter = all.emplace_back(Listener::Size{5, 64, 1});
  add_listener(counter);
  for (bool is_joined : {false, true}) {
    auto program = std::make_shared<TestProgram>(visit);
    if (is_joined)
      program->four_rows_function = visit_four_rows;
    Seen seen({20, 64, 1});
    Seen *argument = &seen;
    EXPECT_EQ(enqueue(make_kernel(program, info_with(8, "visit")),
                      {.work_dim = 2, .global_size = {20, 64, 1}, .local_size = {4, 1, 1}},
                      {bytes_of(argument), {}})
                  ->wait(),
              status::complete);
  }
  remove_listener(counter);
  for (int i = 0; i < 5 * 64; ++i) {
    ASSERT_EQ(counter.begun[i], 2);
    ASSERT_EQ(counter.ended[i], 3);
  }
}

// If a program tries many local sizes, the most recently used codes are kept, and so is the code of
// a launch that is not done yet.
TEST_F(KernelLaunches, KeepALimitedNumberOfCodes) {
  auto program = std::make_shared<TestProgram>(visit);
  auto kernel = make_kernel(program, info_with(8));
  Seen seen({1, 1, 1});
  Seen *argument = &seen;
  auto launch = [&](uint64_t local) {
    auto made = KernelLaunch::make(*device, *kernel,
                                   {.global_size = {local, 1, 1}, .local_size = {local, 1, 1}},
                                   {bytes_of(argument), {}});
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  };
  auto first = launch(1);
  auto alive = [&] {
    return std::count_if(program->made.begin(), program->made.end(),
                         [](const auto &code) { return !code.expired(); });
  };
  for (uint64_t local = 2; local <= 300; ++local)
    launch(local);
  EXPECT_EQ(program->compiled, 300);
  EXPECT_EQ(alive(), long(CpuKernel::most_variants) + 1); // plus the code of `first`
  launch(300);
  launch(301 - CpuKernel::most_variants);
  EXPECT_EQ(program->compiled, 300);
  CommandRef command = Command::create(std::move(first));
  queue.enqueue(*command);
  EXPECT_EQ(command->wait(), status::complete);
  expect_each_item_once(seen);
  EXPECT_EQ(alive(), long(CpuKernel::most_variants));
  launch(1);
  EXPECT_EQ(program->compiled, 301);
}

TEST_F(KernelLaunches, UseSeveralWorkers) {
  static std::mutex mutex;
  static std::set<Worker *> workers;
  auto kernel =
      make_kernel(std::make_shared<TestProgram>([](const LaunchInfo *, const GroupInfo *) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(2));
                    std::lock_guard lock(mutex);
                    workers.insert(Worker::current());
                  }),
                  info_with(0));
  enqueue(kernel, {.global_size = {40, 1, 1}, .local_size = {1, 1, 1}}, {})->wait();
  EXPECT_EQ(workers.size(), device->compute_units());
  EXPECT_EQ(workers.count(nullptr), 0u);
}

// A kernel whose groups were short in the last launch is not distributed. When they turn out to be
// long, other workers must still help.
TEST_F(KernelLaunches, AskForHelpLateIfTheyMisjudged) {
  static std::atomic<int> sleep_ms;
  static std::mutex mutex;
  static std::set<Worker *> workers;
  auto kernel =
      make_kernel(std::make_shared<TestProgram>([](const LaunchInfo *, const GroupInfo *) {
                    if (sleep_ms == 0)
                      return;
                    std::this_thread::sleep_for(std::chrono::milliseconds(sleep_ms));
                    std::lock_guard lock(mutex);
                    workers.insert(Worker::current());
                  }),
                  info_with(0));
  const LaunchGeometry geometry{.global_size = {30, 1, 1}, .local_size = {1, 1, 1}};
  for (int i = 0; i < 40; ++i)
    enqueue(kernel, geometry, {})->wait();
  workers.clear();
  sleep_ms = 3;
  enqueue(kernel, geometry, {})->wait();
  EXPECT_EQ(workers.size(), device->compute_units());
}

// Batches run one group at a time, which costs groups that read much their neighbors.
TEST_F(KernelLaunches, BatchUpdatesOnlyOfGroupsThatContend) {
  const uint64_t workers = device->compute_units();
  if (workers == 1)
    GTEST_SKIP() << "one worker does not contend";
  static constinit std::atomic<uint64_t> nanoseconds = 0;
  auto program = std::make_shared<TestProgram>([](const LaunchInfo *, const GroupInfo *) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanoseconds);
    while (nanoseconds && std::chrono::steady_clock::now() < end) {
    }
  });
  program->adds_to_counter = true;
  auto kernel = make_kernel(program, info_with(0));
  nanoseconds = 400 * workers;
  for (int i = 0; i < 5; ++i)
    enqueue(kernel, {.global_size = {256 * workers, 1, 1}, .local_size = {1, 1, 1}}, {})->wait();
  EXPECT_EQ(program->batched, 0);
  nanoseconds = 0; // the average is short after some launches, also on a busy machine
  constexpr uint64_t groups = 20'000; // for each worker
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 200 && program->batched == 0; ++i) {
    const uint64_t begin = now_nanoseconds();
    enqueue(kernel, {.global_size = {groups * workers, 1, 1}, .local_size = {1, 1, 1}}, {})->wait();
    shortest = std::min(shortest, now_nanoseconds() - begin);
  }
  if (program->batched == 0 && shortest > 150 * workers * groups)
    GTEST_SKIP() << "an empty group takes " << shortest / groups << " ns here, as in an emulator";
  EXPECT_GT(program->batched, 0);
}

TEST_F(KernelLaunches, DoNotWaitForCodeThatIsOnlyFaster) {
  const uint64_t workers = device->compute_units();
  if (workers == 1)
    GTEST_SKIP() << "one worker does not contend";
  auto program = std::make_shared<TestProgram>([](const LaunchInfo *, const GroupInfo *) {});
  program->adds_to_counter = program->holds_batched = true;
  auto kernel = make_kernel(program, info_with(0));
  auto launch = [&] {
    enqueue(kernel, {.global_size = {20'000 * workers, 1, 1}, .local_size = {1, 1, 1}}, {})->wait();
  };
  for (int i = 0; i < 200 && program->batched == 0; ++i)
    launch();
  ASSERT_EQ(program->batched, 1);
  for (int i = 0; i < 5; ++i)
    launch();
  EXPECT_EQ(program->compiled, 2);
  // A kernel that is released meanwhile lives until the code is there.
  const std::weak_ptr<CpuKernel> alive = kernel;
  kernel.reset();
  EXPECT_FALSE(alive.expired());
  program->holds_batched = false;
  while (!alive.expired())
    std::this_thread::yield();
  EXPECT_EQ(program->batched, 1);
}

TEST_F(KernelLaunches, ManyAtOnceOnSeveralQueues) {
  auto kernel = make_kernel(std::make_shared<TestProgram>(visit), info_with(8));
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      CommandQueue own(device, t ? QueueOrder::in_order : QueueOrder::out_of_order, true);
      std::vector<std::unique_ptr<Seen>> seen;
      for (int i = 0; i < 200; ++i) {
        uint64_t size = i % 10 ? 64 : 20'000;
        seen.push_back(std::make_unique<Seen>(Size{size, 1, 1}));
        Seen *argument = seen.back().get();
        auto prepared = KernelLaunch::make(*device, *kernel,
                                           {.global_size = {size, 1, 1}, .local_size = {16, 1, 1}},
                                           {bytes_of(argument), {}});
        own.enqueue(*Command::create(std::move(*prepared)));
      }
      own.finish();
      for (auto &one : seen)
        expect_each_item_once(*one);
    });
  for (auto &thread : threads)
    thread.join();
}

TEST_F(KernelLaunches, AnOperationThatFailsSkipsItsRest) {
  struct Fails : HostOperation {
    explicit Fails(std::atomic<int> &count) : ran(count) {}
    uint64_t parts() const override { return 1'000'000; }
    Result<void> run(uint64_t first, uint64_t last) override {
      ran += int(last - first);
      if (first < 10)
        return Error{ErrorKind::out_of_resources, "enough"};
      return {};
    }
    std::atomic<int> &ran;
  };
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> ran = 0;
    CommandRef command = Command::create<Fails>(ran);
    queue.enqueue(*command);
    EXPECT_EQ(command->wait(), status::out_of_resources);
    EXPECT_LE(ran, 1'000'000);
  }
}

} // namespace
} // namespace lockstep::runtime
