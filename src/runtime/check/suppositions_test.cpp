#include "runtime/check/suppositions.h"

#include "compiler/suppositions.h"

#include <gtest/gtest.h>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::LaunchAtom;
using compiler::LaunchNumber;
using compiler::LaunchSum;
using compiler::Suppositions;

const LaunchAtom item{LaunchNumber::local_id, 0, 0}, row{LaunchNumber::local_id, 1, 0},
    group{LaunchNumber::group_id, 0, 0}, pitch{LaunchNumber::argument, 0, 0},
    size{LaunchNumber::global_size, 0, 0}, rounds{LaunchNumber::counter, 0, 0};

// Groups of 8 x `rows` items in one row of groups, for a kernel of an int and two pointers.
struct TestLaunch {
  struct Arguments {
    int pitch;
    alignas(8) const void *to, *from;
  };

  explicit TestLaunch(int pitch, uint64_t rows = 1, uint64_t groups = 4)
      : arguments{pitch, memory.data(), memory.data() + 64} {
    kernel.args.resize(3);
    kernel.args[0].kind = compiler::ArgKind::value;
    kernel.args[0].size = 4;
    kernel.args[1].kind = kernel.args[2].kind = compiler::ArgKind::global_pointer;
    kernel.args[1].offset = offsetof(Arguments, to);
    kernel.args[2].offset = offsetof(Arguments, from);
    launch.args = &arguments;
    for (int d = 0; d < 3; ++d) {
      launch.local_size[d] = d == 0 ? 8 : d == 1 ? rows : 1;
      launch.num_groups[d] = d == 0 ? groups : 1;
      launch.global_size[d] = launch.local_size[d] * launch.num_groups[d];
    }
  }

  uint64_t refused(const Suppositions &suppositions) const {
    return refused_suppositions(words_of(suppositions), kernel, launch, accesses);
  }
  uint64_t refused(std::vector<LaunchSum> offsets, bool is_of_one_item = false,
                   std::vector<LaunchSum> counters = {}) const {
    Suppositions suppositions;
    compiler::UnequalPlaces &places = suppositions.unequal.emplace_back();
    places.number = 5;
    places.is_of_one_item = is_of_one_item;
    places.counters = std::move(counters);
    for (LaunchSum &offset : offsets)
      places.places.push_back({std::move(offset), 4});
    return refused(suppositions);
  }

  std::vector<int> memory = std::vector<int>(128);
  Arguments arguments;
  compiler::KernelInfo kernel;
  compiler::LaunchInfo launch{};
  std::vector<Access> accesses;
};

constexpr uint64_t refused_5 = 1 << 5;

TEST(Suppositions, NothingSupposedIsNothingRefused) {
  EXPECT_EQ(TestLaunch(0).refused(Suppositions{}), 0u);
}

TEST(Suppositions, IdsThatCountThroughMemoryAreApart) {
  const TestLaunch launch(0);
  EXPECT_EQ(launch.refused({{{32, {group}}, {4, {item}}}}), 0u);
  EXPECT_EQ(launch.refused({{{32, {group}}, {-4, {item}}, {28, {}}}}), 0u); // from the last one
  EXPECT_EQ(launch.refused({{{28, {group}}, {4, {item}}}}), refused_5);
  EXPECT_EQ(launch.refused({{{32, {group}}, {2, {item}}}}), refused_5); // words overlap
  EXPECT_EQ(launch.refused({{{4, {item}}}}), refused_5);                // all groups at one place
  EXPECT_EQ(launch.refused({{{4, {group}}}}), refused_5);               // all items of a group
  EXPECT_EQ(launch.refused({{{4, {group}}}}, /*is_of_one_item=*/true), 0u);
  EXPECT_EQ(TestLaunch(0, 1, 1).refused({{{4, {item}}}}), 0u); // there is one group
}

TEST(Suppositions, SeveralPlacesOfAnItemAreApartFromTheOthers) {
  const TestLaunch launch(0);
  EXPECT_EQ(launch.refused({{{64, {group}}, {8, {item}}}, {{64, {group}}, {8, {item}}, {4, {}}}}),
            0u);
  EXPECT_EQ(launch.refused({{{32, {group}}, {4, {item}}}, {{32, {group}}, {4, {item}}, {4, {}}}}),
            refused_5); // the neighbour's
  EXPECT_EQ(launch.refused({{{32, {group}}, {4, {item}}}, {{64, {group}}, {4, {item}}}}),
            refused_5);
  // Rows of a tile that lie far from each other.
  EXPECT_EQ(launch.refused({{{32, {group}}, {4, {item}}}, {{32, {group}}, {4, {item}}, {128, {}}}}),
            0u);
}

TEST(Suppositions, APitchMustBeAsLongAsARow) {
  const std::vector<LaunchSum> two_dimensions = {{{4, {pitch, row}}, {32, {group}}, {4, {item}}}};
  EXPECT_EQ(TestLaunch(32, 2).refused(two_dimensions), 0u);
  EXPECT_EQ(TestLaunch(31, 2).refused(two_dimensions), refused_5);
  EXPECT_EQ(TestLaunch(31, 1).refused(two_dimensions), 0u); // there is one row
  EXPECT_EQ(TestLaunch(-32, 2).refused(two_dimensions), refused_5);
}

TEST(Suppositions, RoundsOfLoopsCount) {
  const TestLaunch launch(3);
  const LaunchSum stride = {{32, {group}}, {4, {item}}, {4, {size, rounds}}};
  EXPECT_EQ(launch.refused({stride}, false, {{}}), 0u); // however many
  const LaunchSum chunks = {{96, {group}}, {12, {item}}, {4, {rounds}}};
  EXPECT_EQ(launch.refused({chunks}, false, {{{1, {pitch}}}}), 0u);
  EXPECT_EQ(launch.refused({chunks}, false, {{{1, {pitch}}, {1, {}}}}), refused_5);
  EXPECT_EQ(launch.refused({chunks}, false, {{}}), refused_5);
}

TEST(Suppositions, WhatOverflowsIsRefused) {
  auto fitting = [](const TestLaunch &launch, LaunchSum sum, int64_t bits, bool is_signed) {
    Suppositions suppositions;
    suppositions.unequal.push_back({.number = 5,
                                    .fitting = {{std::move(sum), bits, is_signed}},
                                    .places = {{{{32, {group}}, {4, {item}}}, 4}}});
    return launch.refused(suppositions);
  };
  EXPECT_EQ(fitting(TestLaunch(1 << 26), {{1, {pitch, item}}}, 32, true), 0u); // 7 << 26
  EXPECT_EQ(fitting(TestLaunch(1 << 29), {{1, {pitch, item}}}, 32, true), refused_5);
  EXPECT_EQ(fitting(TestLaunch(1 << 29), {{1, {pitch, item}}}, 32, false), 0u);
  EXPECT_EQ(fitting(TestLaunch(1 << 30), {{1, {pitch, item}}}, 32, false), refused_5);
}

TEST(Suppositions, ArgumentsThatOneWritesMustNotOverlap) {
  Suppositions suppositions;
  suppositions.arguments = {{1, true}, {2, false}};
  suppositions.are_apart = true;
  TestLaunch launch(0);
  EXPECT_EQ(launch.refused(suppositions), compiler::all_suppositions); // nobody says what they are
  const std::byte *begin = reinterpret_cast<const std::byte *>(launch.memory.data());
  auto with = [&](std::size_t second) {
    launch.accesses.clear();
    launch.accesses.push_back({.memory = MemoryView(begin, 64), .argument = 1});
    launch.accesses.push_back({.memory = MemoryView(begin + second, 64), .argument = 2});
    return launch.refused(suppositions);
  };
  EXPECT_EQ(with(64), 0u);
  EXPECT_EQ(with(60), compiler::all_suppositions);
  suppositions.arguments[0].writes = false;
  EXPECT_EQ(with(60), 0u);
}

TEST(Suppositions, TellWhichBytesAreReached) {
  Suppositions all;
  all.arguments = {{1, true}, {2, false}};
  all.unequal.push_back({.argument = 1, .places = {{{{32, {group}}, {4, {item}}, {64, {}}}, 4}}});
  TestLaunch launch(0);
  const std::byte *begin = reinterpret_cast<const std::byte *>(launch.memory.data());
  for (int32_t argument : {1, 2})
    launch.accesses.push_back({.memory = MemoryView(begin, 512), .argument = argument});
  auto reached = [&](const std::vector<int64_t> &words) {
    return reached_bytes(words, launch.kernel, launch.launch, launch.accesses);
  };
  auto some = reached(words_of(all));
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].begin, 64u); // 4 groups of 8 items
  EXPECT_EQ(some[0].end, 192u);
  EXPECT_TRUE(some[0].writes && some[0].is_exact);
  EXPECT_FALSE(some[1].writes || some[1].is_exact);
  EXPECT_EQ(some[1].end, 512u);
  all.arguments.pop_back();
  EXPECT_EQ(reached(words_of(all)).size(), 1u);
  some = reached({}); // nothing is known
  ASSERT_EQ(some.size(), 2u);
  EXPECT_TRUE(some[1].writes);
  EXPECT_FALSE(some[0].is_exact);
}

} // namespace
} // namespace lockstep::runtime
