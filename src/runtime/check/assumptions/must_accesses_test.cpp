#include "runtime/check/assumptions/must_accesses.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::AccessCondition;
using compiler::LaunchAtom;
using compiler::LaunchNumber;
using compiler::LaunchSum;
using compiler::MustAccess;
using Bytes = std::set<std::size_t>;

constexpr std::size_t memory_size = 1 << 14;

// A kernel of a pointer and an int.
struct TestLaunch {
  struct Arguments {
    const void *to;
    int number;
  };
  TestLaunch(std::array<uint64_t, 2> local, std::array<uint64_t, 2> groups, int number)
      : arguments{memory.data(), number},
        accesses{{MemoryView(memory.data(), memory.size()), AccessMode::read_write}} {
    kernel.args.resize(2);
    kernel.args[0].kind = compiler::ArgKind::global_pointer;
    kernel.args[0].size = 8;
    kernel.args[1].kind = compiler::ArgKind::value;
    kernel.args[1].size = 4;
    kernel.args[1].offset = 8;
    launch.args = &arguments;
    for (unsigned d : {0u, 1u, 2u}) {
      launch.local_size[d] = d < 2 ? local[d] : 1;
      launch.num_groups[d] = d < 2 ? groups[d] : 1;
      launch.global_size[d] = launch.local_size[d] * launch.num_groups[d];
    }
  }
  std::optional<AccessedRows> rows(const MustAccess &entry) const {
    return must_access_rows(entry, kernel, LaunchNumbers(kernel, launch), accesses);
  }

  std::vector<std::byte> memory = std::vector<std::byte>(memory_size);
  Arguments arguments;
  compiler::KernelInfo kernel;
  compiler::LaunchInfo launch{};
  std::vector<Access> accesses;
};

void add_rows(const AccessedRows &rows, std::size_t depth, std::size_t begin, Bytes &bytes) {
  if (depth == 0)
    for (std::size_t byte = 0; byte != rows.size; ++byte)
      bytes.insert(begin + byte);
  else
    for (std::size_t i = 0; i != rows.steps[depth - 1].count; ++i)
      add_rows(rows, depth - 1, begin + i * rows.steps[depth - 1].bytes, bytes);
}

// Values of ids and iterations.
using Ids = std::map<LaunchAtom, int64_t>;
int64_t value_of(const LaunchSum &sum, const Ids &ids) {
  int64_t value = 0;
  for (const auto &[factor, atoms] : sum) {
    int64_t product = factor;
    for (const LaunchAtom &each : atoms)
      product *= ids.at(each);
    value += product;
  }
  return value;
}

const LaunchAtom x{LaunchNumber::local_id, 0}, y{LaunchNumber::local_id, 1},
    group_x{LaunchNumber::group_id, 0}, group_y{LaunchNumber::group_id, 1},
    rounds{LaunchNumber::counter, 0}, width{LaunchNumber::local_size, 0},
    number{LaunchNumber::argument, 1};

bool holds(const AccessCondition &condition, const Ids &ids) {
  const int64_t value = value_of(condition.sum, ids);
  return condition.kind == AccessCondition::is_positive ? value > 0
         : condition.kind == AccessCondition::is_zero   ? value == 0
                                                        : value != 0;
}

Bytes accessed_by_all(const TestLaunch &test, const MustAccess &entry, int64_t count) {
  Bytes bytes;
  const auto &launch = test.launch;
  Ids ids{{width, launch.local_size[0]}, {number, test.arguments.number}};
  for (ids[x] = 0; ids[x] != int64_t(launch.local_size[0]); ++ids[x])
    for (ids[y] = 0; ids[y] != int64_t(launch.local_size[1]); ++ids[y])
      for (ids[group_x] = 0; ids[group_x] != int64_t(launch.num_groups[0]); ++ids[group_x])
        for (ids[group_y] = 0; ids[group_y] != int64_t(launch.num_groups[1]); ++ids[group_y])
          for (ids[rounds] = 0; ids[rounds] != count; ++ids[rounds])
            if (std::all_of(entry.conditions.begin(), entry.conditions.end(),
                            [&](const AccessCondition &each) { return holds(each, ids); }))
              for (int64_t byte = 0; byte != entry.place.size; ++byte)
                bytes.insert(std::size_t(value_of(entry.place.offset, ids) + byte));
  return bytes;
}

LaunchSum global_x(int64_t factor) {
  return {{factor, {x}}, {factor, {width, group_x}}};
}

TEST(MustAccesses, AreWhatAllWorkItemsTouch) {
  std::mt19937 random(7);
  const auto any = [&](int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  unsigned known = 0, with_conditions = 0, in_rows = 0;
  for (int i = 0; i != 20000; ++i) {
    const TestLaunch test({uint64_t(any(1, 4)), uint64_t(any(1, 3))},
                          {uint64_t(any(1, 4)), uint64_t(any(1, 3))}, any(0, 12));
    MustAccess entry;
    entry.place.size = 1 << any(0, 3);
    LaunchSum &offset = entry.place.offset;
    offset = any(0, 3) ? global_x(4 * any(-2, 3)) : LaunchSum{{4 * any(0, 2), {x}}};
    offset.push_back({2000, {}});
    for (const LaunchAtom &each : {y, group_y, group_x})
      if (any(0, 2) == 0)
        offset.push_back({any(0, 1) ? 4 * any(-3, 12) : 16, {each}});
    int64_t count = 1;
    if (any(0, 1)) {
      entry.counters = {{{1, {number}}}};
      entry.steps = {any(1, 3)};
      count = test.arguments.number / entry.steps[0];
      if (count == 0) // such a loop is not entered
        continue;
      offset.push_back({4 * any(0, 6), {rounds}});
    }
    for (int conditions = any(0, 2); conditions != 0; --conditions) {
      LaunchSum sum =
          any(0, 1) ? global_x(any(-2, 2)) : LaunchSum{{any(-2, 2), {any(0, 1) ? y : x}}};
      if (any(0, 1))
        sum.push_back({1, {number}});
      sum.push_back({any(-6, 8), {}});
      entry.conditions.push_back({AccessCondition::Kind(any(0, 2)), sum, {}});
    }
    const auto rows = test.rows(entry);
    if (!rows)
      continue;
    Bytes found;
    if (rows->size)
      add_rows(*rows, rows->steps.size(), std::size_t(rows->begin - test.memory.data()), found);
    ASSERT_EQ(found, accessed_by_all(test, entry, count)) << i;
    ++known;
    with_conditions += !entry.conditions.empty() && rows->size != 0;
    in_rows += !rows->steps.empty();
  }
  EXPECT_GT(known, 8000u);
  EXPECT_GT(with_conditions, 1000u);
  EXPECT_GT(in_rows, 500u);
}

TEST(MustAccesses, AreNoneOfALaunchThatHasSmallerGroups) {
  TestLaunch test({4, 1}, {3, 1}, 1);
  MustAccess entry;
  entry.place = {global_x(4), 4};
  ASSERT_TRUE(test.rows(entry));
  EXPECT_EQ(test.rows(entry)->size, 48u);
  test.launch.global_size[0] = 11;
  EXPECT_FALSE(test.rows(entry));
}

TEST(MustAccesses, AreNoneOfWhatDoesNotFit) {
  const TestLaunch test({4, 1}, {3, 1}, 1);
  MustAccess entry;
  entry.place = {global_x(4), 4};
  entry.fitting = {{global_x(1), 4, /*is_signed=*/false}};
  EXPECT_TRUE(test.rows(entry));
  entry.fitting[0].is_signed = true;
  EXPECT_FALSE(test.rows(entry)); // up to 11
  entry.fitting[0] = {{{1, {x}}, {-1, {}}}, 32, /*is_signed=*/false};
  EXPECT_FALSE(test.rows(entry)); // -1
  entry.fitting[0].is_signed = true;
  EXPECT_TRUE(test.rows(entry));
}

TEST(MustAccesses, AreInTheirMemory) {
  TestLaunch test({4, 1}, {3, 1}, 1);
  MustAccess entry;
  entry.place = {global_x(4), 4};
  entry.place.offset.push_back({memory_size - 48, {}});
  EXPECT_TRUE(test.rows(entry));
  entry.place.offset.back().factor += 1;
  EXPECT_FALSE(test.rows(entry));
  entry.place.offset.back().factor = -1;
  EXPECT_FALSE(test.rows(entry));
  entry.place.offset.pop_back();
  test.arguments.to = nullptr;
  EXPECT_FALSE(test.rows(entry));
}

} // namespace
// for (i = start; i < bound; i += step) access(i), over all work-items.
TEST(MustAccesses, SweepsAreWhatAllWorkItemsTouch) {
  std::mt19937 random(11);
  const auto below = [&random](int64_t end) { return int64_t(random() % uint64_t(end)); };
  const LaunchAtom variable{LaunchNumber::counter, 0};
  unsigned known = 0, unknown = 0;
  for (unsigned round = 0; round != 3000; ++round) {
    const std::array<uint64_t, 2> local = {1 + uint64_t(below(8)), 1 + uint64_t(below(2))},
                                  groups = {1 + uint64_t(below(4)), 1 + uint64_t(below(3))};
    const TestLaunch test(local, groups, int(below(100)) - 10);
    const int64_t first = below(5), scale = 4 * (1 + below(2));
    compiler::Sweep sweep{
        .counter = 0, .start = {{1, {x}}}, .step = {{1 + below(20), {}}}, .bound = {{1, {number}}}};
    if (first)
      sweep.start.insert(sweep.start.begin(), {first, {}});
    if (below(2)) // the global id, or groups that are apart
      sweep.start.push_back(below(4) ? compiler::LaunchTerm{1, {width, group_x}}
                                     : compiler::LaunchTerm{9, {group_x}});
    const bool is_odd = below(8) == 0; // an id that the start has, too
    MustAccess entry{.argument = 0,
                     .place = {{{scale, {variable}}, {1000, {group_y}}}, 4},
                     .counters = {{}},
                     .steps = {1},
                     .sweeps = {sweep}};
    if (is_odd)
      entry.place.offset.push_back({8, {x}});
    if (below(3) == 0)
      entry.conditions = {{AccessCondition::is_positive, {{1, {variable}}, {-3, {}}}, {}}};
    const auto rows = test.rows(entry);
    (rows ? known : unknown) += 1;
    if (!rows)
      continue;
    Bytes expected;
    Ids ids{{width, local[0]}, {number, test.arguments.number}};
    for (ids[x] = 0; ids[x] != int64_t(local[0]); ++ids[x])
      for (ids[group_x] = 0; ids[group_x] != int64_t(groups[0]); ++ids[group_x])
        for (ids[group_y] = 0; ids[group_y] != int64_t(groups[1]); ++ids[group_y])
          for (ids[variable] = value_of(sweep.start, ids); ids[variable] < test.arguments.number;
               ids[variable] += sweep.step[0].factor)
            if (entry.conditions.empty() || holds(entry.conditions[0], ids))
              for (int64_t byte = 0; byte != 4; ++byte)
                expected.insert(std::size_t(value_of(entry.place.offset, ids) + byte));
    Bytes found;
    if (rows->size)
      add_rows(*rows, rows->steps.size(), std::size_t(rows->begin - test.memory.data()), found);
    ASSERT_EQ(found, expected) << "round " << round;
  }
  EXPECT_GT(known, 500U);
  EXPECT_GT(unknown, 500U);
}

} // namespace lockstep::runtime
