#include "runtime/check/assumptions/assumptions.h"

#include "abi/assumptions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::Assumptions;
using compiler::LaunchAtom;
using compiler::LaunchNumber;
using compiler::LaunchSum;

const LaunchAtom item{LaunchNumber::local_id, 0, 0}, row{LaunchNumber::local_id, 1, 0},
    group{LaunchNumber::group_id, 0, 0}, pitch{LaunchNumber::argument, 0, 0},
    size{LaunchNumber::global_size, 0, 0}, rounds{LaunchNumber::counter, 0, 0};

// A kernel of an int and two pointers; groups of 8 x `rows` items in one row of groups.
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

  uint64_t failed(const Assumptions &assumptions) const {
    return failed_assumptions(compiler::assumptions_of(words_of(assumptions)), kernel, launch,
                              accesses, local_sizes);
  }
  uint64_t failed(std::vector<LaunchSum> offsets, bool is_of_one_item = false,
                  std::vector<LaunchSum> counters = {}) const {
    Assumptions assumptions;
    compiler::DistinctAddresses &places = assumptions.unequal.emplace_back();
    places.number = 5;
    places.is_of_one_item = is_of_one_item;
    places.counters = std::move(counters);
    for (LaunchSum &offset : offsets)
      places.places.push_back({std::move(offset), 4});
    return failed(assumptions);
  }

  std::vector<int> memory = std::vector<int>(128);
  Arguments arguments;
  compiler::KernelInfo kernel;
  compiler::LaunchInfo launch{};
  std::vector<Access> accesses;
  std::vector<uint64_t> local_sizes;
};

constexpr uint64_t failed_5 = 1 << 5;

TEST(Assumptions, NoAssumptionCannotFail) {
  EXPECT_EQ(TestLaunch(0).failed(Assumptions{}), 0u);
}

TEST(Assumptions, IdsThatCountThroughMemoryAreApart) {
  const TestLaunch launch(0);
  EXPECT_EQ(launch.failed({{{32, {group}}, {4, {item}}}}), 0u);
  // From the last one down
  EXPECT_EQ(launch.failed({{{32, {group}}, {-4, {item}}, {28, {}}}}), 0u);
  EXPECT_EQ(launch.failed({{{28, {group}}, {4, {item}}}}), failed_5);
  EXPECT_EQ(launch.failed({{{32, {group}}, {2, {item}}}}), failed_5); // words overlap
  EXPECT_EQ(launch.failed({{{4, {item}}}}), failed_5);                // all groups at one address
  EXPECT_EQ(launch.failed({{{4, {group}}}}), failed_5); // all items of a group at one address
  EXPECT_EQ(launch.failed({{{4, {group}}}}, /*is_of_one_item=*/true), 0u);
  EXPECT_EQ(TestLaunch(0, 1, 1).failed({{{4, {item}}}}), 0u); // there is one group
}

TEST(Assumptions, SeveralPlacesOfAnItemAreApartFromTheOthers) {
  const TestLaunch launch(0);
  EXPECT_EQ(launch.failed({{{64, {group}}, {8, {item}}}, {{64, {group}}, {8, {item}}, {4, {}}}}),
            0u);
  EXPECT_EQ(launch.failed({{{32, {group}}, {4, {item}}}, {{32, {group}}, {4, {item}}, {4, {}}}}),
            failed_5); // the neighbor's address
  EXPECT_EQ(launch.failed({{{32, {group}}, {4, {item}}}, {{64, {group}}, {4, {item}}}}), failed_5);
  // Rows of a tile at a large distance.
  EXPECT_EQ(launch.failed({{{32, {group}}, {4, {item}}}, {{32, {group}}, {4, {item}}, {128, {}}}}),
            0u);
}

TEST(Assumptions, TilesOfAnItemAreRowsOfRows) {
  // Each item has a tile of rows between those of others: 8 items of 4 groups.
  const auto tile = [](std::vector<int64_t> begins) {
    std::vector<LaunchSum> places;
    for (int64_t begin : begins)
      places.push_back({{256, {group}}, {4, {item}}, {begin, {}}});
    return places;
  };
  const TestLaunch launch(0);
  EXPECT_EQ(launch.failed(tile({0, 32, 64, 96, 1024, 1056, 1088, 1120})), 0u);
  EXPECT_EQ(launch.failed(tile({1024, 0, 96, 32, 1056, 1120, 64, 1088})), 0u);
  EXPECT_EQ(launch.failed(tile({0, 28, 1024, 1052})), failed_5);     // a neighbor's address
  EXPECT_EQ(launch.failed(tile({0, 32, 256, 288})), failed_5);       // another group's address
  EXPECT_EQ(launch.failed(tile({0, 32, 64, 1024, 1056})), failed_5); // not a tile
  EXPECT_EQ(launch.failed(tile({0, 32, 1024, 1060})), failed_5);     // not evenly spaced
  EXPECT_EQ(launch.failed(tile({0, 32, 64, 128, 1024, 1056, 1088, 1152})), failed_5);
}

TEST(Assumptions, APitchMustBeAsLongAsARow) {
  const std::vector<LaunchSum> two_dimensions = {{{4, {pitch, row}}, {32, {group}}, {4, {item}}}};
  EXPECT_EQ(TestLaunch(32, 2).failed(two_dimensions), 0u);
  EXPECT_EQ(TestLaunch(31, 2).failed(two_dimensions), failed_5);
  EXPECT_EQ(TestLaunch(31, 1).failed(two_dimensions), 0u); // there is one row
  EXPECT_EQ(TestLaunch(-32, 2).failed(two_dimensions), failed_5);
}

TEST(Assumptions, RoundsOfLoopsCount) {
  const TestLaunch launch(3);
  const LaunchSum stride = {{32, {group}}, {4, {item}}, {4, {size, rounds}}};
  EXPECT_EQ(launch.failed({stride}, false, {{}}), 0u); // any number of iterations
  const LaunchSum chunks = {{96, {group}}, {12, {item}}, {4, {rounds}}};
  EXPECT_EQ(launch.failed({chunks}, false, {{{1, {pitch}}}}), 0u);
  EXPECT_EQ(launch.failed({chunks}, false, {{{1, {pitch}}, {1, {}}}}), failed_5);
  EXPECT_EQ(launch.failed({chunks}, false, {{}}), failed_5);
}

// Offsets that are sums of quotients of ids.
struct Divided : TestLaunch {
  using TestLaunch::TestLaunch;
  uint64_t failed(std::vector<compiler::Division> divisions, std::vector<LaunchSum> offsets) const {
    Assumptions assumptions;
    compiler::DistinctAddresses &places = assumptions.unequal.emplace_back();
    places.number = 5;
    places.divisions = std::move(divisions);
    for (LaunchSum &offset : offsets)
      places.places.push_back({std::move(offset), 4});
    return TestLaunch::failed(assumptions);
  }
};

const LaunchAtom quotient{LaunchNumber::quotient, 0, 0}, second{LaunchNumber::quotient, 1, 0},
    third{LaunchNumber::quotient, 2, 0};
const LaunchSum number = {{8, {group}}, {1, {item}}}; // number of the work-item: 32 of them

TEST(Assumptions, PairsOfARunAreApart) {
  // i / d * 2 * d + i % d equals i + d * (i / d); its partner is d further on
  const std::vector<LaunchSum> pair = {
      {{32, {group}}, {4, {item}}, {4, {pitch, quotient}}},
      {{32, {group}}, {4, {item}}, {4, {pitch, quotient}}, {4, {pitch}}}};
  const compiler::Division by_pitch{number, {{1, {pitch}}}, 32};
  for (int distance : {1, 2, 3, 8, 12, 31, 32, 100})
    EXPECT_EQ(Divided(distance).failed({by_pitch}, pair), 0u) << distance;
  EXPECT_EQ(Divided(0).failed({by_pitch}, pair), failed_5);
  EXPECT_EQ(Divided(-4).failed({by_pitch}, pair), failed_5);
  // The number needs more than 4 bits
  EXPECT_EQ(Divided(4).failed({{number, {{1, {pitch}}}, 4}}, pair), failed_5);
  EXPECT_EQ(Divided(4).failed({{number, {{8, {}}}, 32}}, pair), failed_5); // runs of 8
  // The partner is one element too near, and thus another item's.
  EXPECT_EQ(
      Divided(4).failed(
          {by_pitch},
          {pair[0], {{32, {group}}, {4, {item}}, {4, {pitch, quotient}}, {4, {pitch}}, {-4, {}}}}),
      failed_5);
  // Without the undivided part several items have the same address.
  EXPECT_EQ(Divided(4).failed({by_pitch}, {{{4, {quotient}}}}), failed_5);
  // Numbers from -4 on are rounded to 0.
  EXPECT_EQ(Divided(4).failed({{{{8, {group}}, {1, {item}}, {-4, {}}}, {{1, {pitch}}}, 32}}, pair),
            failed_5);
  // Division as `i & (d - 1)`.
  const compiler::Division masked{number, {{1, {pitch}}}, 32, true};
  EXPECT_EQ(Divided(8).failed({masked}, pair), 0u);
  EXPECT_EQ(Divided(12).failed({masked}, pair), failed_5);
}

TEST(Assumptions, DigitsOfANumberMayBePutTogetherAnew) {
  // i % 4 * 8 + i / 4
  const compiler::Division by_4{number, {{4, {}}}, 32};
  EXPECT_EQ(Divided(0).failed({by_4}, {{{256, {group}}, {32, {item}}, {-124, {quotient}}}}), 0u);
  EXPECT_EQ(Divided(0).failed({by_4}, {{{224, {group}}, {28, {item}}, {-108, {quotient}}}}),
            failed_5); // i % 4 * 7
  // i % 2 + i / 2 % 4 * 2 + i / 8 * 16: i / 2 % 4 is i / 2 - 4 * (i / 2 / 4), which is i / 8
  const compiler::Division by_2{number, {{2, {}}}, 32}, of_that{{{1, {quotient}}}, {{4, {}}}, 32},
      by_8{number, {{8, {}}}, 32};
  const LaunchSum spread = {{32, {group}}, {4, {item}}, {-32, {second}}, {64, {third}}};
  EXPECT_EQ(Divided(0).failed({by_2, of_that, by_8}, {spread}), 0u);
  LaunchSum close = spread;
  close.back().factor = 24;
  EXPECT_EQ(Divided(0).failed({by_2, of_that, by_8}, {close}), failed_5);
  // i / 2 and i / 3 are not digits.
  const compiler::Division by_3{number, {{3, {}}}, 32};
  EXPECT_EQ(Divided(0).failed({by_2, by_3}, {{{4, {quotient}}, {400, {second}}}}), failed_5);
  // An unused division changes nothing.
  EXPECT_EQ(Divided(0).failed({by_2, by_3}, {{{32, {group}}, {4, {item}}}}), 0u);
}

TEST(Assumptions, GuardsMakeFewerWorkItems) {
  // if (x < width) of 32 items, in rows of `pitch` words: 4 * (pitch * y + x)
  const LaunchSum x = {{8, {group}}, {1, {item}}},
                  place = {{4, {pitch, row}}, {32, {group}}, {4, {item}}};
  auto failed = [&](int pitch_, std::vector<compiler::Guard> guards, LaunchSum offset) {
    Assumptions assumptions;
    assumptions.unequal.push_back(
        {.number = 5, .places = {{std::move(offset), 4}}, .guards = std::move(guards)});
    return TestLaunch(pitch_, 2).failed(assumptions);
  };
  const LaunchSum width = {{1, {pitch}}};
  EXPECT_EQ(failed(32, {}, place), 0u);
  EXPECT_EQ(failed(20, {}, place), failed_5);
  EXPECT_EQ(failed(20, {{x, width, 32, true}}, place), 0u);
  EXPECT_EQ(failed(20, {{x, width, 32, false}}, place), 0u);
  EXPECT_EQ(failed(20, {{x, {{1, {pitch}}, {1, {}}}, 32, true}}, place), failed_5); // x <= width
  // if (x - 1 < width - 2): excludes the first and the last column
  const LaunchSum from_1 = {{8, {group}}, {1, {item}}, {-1, {}}};
  EXPECT_EQ(failed(20, {{from_1, {{1, {pitch}}, {-2, {}}}, 32, false}}, place), 0u);
  EXPECT_EQ(failed(20, {{from_1, {{1, {pitch}}}, 32, true}}, place), failed_5);
  // As unsigned, a negative number is large.
  EXPECT_EQ(failed(20, {{x, {{-8, {}}}, 32, false}}, place), failed_5);
  EXPECT_EQ(failed(20, {{x, {{1, {pitch}}, {-30, {}}}, 32, false}}, place), failed_5);
  // A guard of another number, or one that overflows, has no effect.
  EXPECT_EQ(failed(20, {{{{1, {item}}}, width, 32, true}}, place), failed_5);
  EXPECT_EQ(failed(20, {{x, width, 4, true}}, place), failed_5);
  EXPECT_EQ(failed(20, {{x, width, 32, true, {{x, 4, true}}}}, place), failed_5);
  EXPECT_EQ(failed(-20, {{x, width, 32, true}}, place), failed_5);
  // Excluded items have no address, but the remaining ones must still differ.
  EXPECT_EQ(failed(20, {{x, width, 32, true}}, {{4, {group}}, {4, {item}}}), failed_5);
}

// A brute-force model: enumerates all work-items for random sums with quotients and guards.
struct Tried {
  std::vector<compiler::Division> divisions;
  std::vector<compiler::Guard> guards;
  std::vector<LaunchSum> offsets;
  std::array<int64_t, 2> groups{}, items{}; // by dimension

  struct Ids {
    std::array<int64_t, 2> group{}, item{};
  };
  int64_t value(const LaunchSum &sum, const Ids &ids) const {
    int64_t all = 0;
    for (const auto &[factor, atoms] : sum) {
      int64_t product = factor;
      for (const LaunchAtom &each : atoms)
        product *= each.number == LaunchNumber::local_id   ? ids.item[each.index]
                   : each.number == LaunchNumber::group_id ? ids.group[each.index]
                                                           : quotient_of(each.index, ids);
      all += product;
    }
    return all;
  }
  int64_t quotient_of(uint32_t number, const Ids &ids) const {
    return value(divisions[number].dividend, ids) / value(divisions[number].divisor, ids);
  }
  // Calls `visit` with the offset of each access and the number of its work-item.
  template <class Visit> void visit(Visit visit) const {
    int64_t number = 0;
    for (int64_t gy = 0; gy != groups[1]; ++gy)
      for (int64_t gx = 0; gx != groups[0]; ++gx)
        for (int64_t y = 0; y != items[1]; ++y)
          for (int64_t x = 0; x != items[0]; ++x, ++number) {
            const Ids ids{{gx, gy}, {x, y}};
            if (std::any_of(guards.begin(), guards.end(), [&](const compiler::Guard &each) {
                  return value(each.sum, ids) >= value(each.bound, ids);
                }))
              continue;
            for (const LaunchSum &offset : offsets)
              visit(value(offset, ids), number);
          }
  }
  bool is_disjoint() const {
    std::map<int64_t, int64_t> owners; // owner of each byte
    bool is_disjoint = true;
    visit([&](int64_t place, int64_t number) {
      for (int64_t byte = 0; byte != 4; ++byte)
        is_disjoint &= owners.emplace(place + byte, number).first->second == number;
    });
    return is_disjoint;
  }
  bool reaches(int64_t word) const {
    bool reaches = false;
    visit([&](int64_t place, int64_t) { reaches |= place < word + 4 && word < place + 4; });
    return reaches;
  }
};

// The same memory is also another argument, of which one word is read.
bool refuses_word(const TestLaunch &sizes, const compiler::DistinctAddresses &written,
                  int64_t word) {
  TestLaunch launch = sizes;
  launch.launch.args = &launch.arguments;
  const std::byte *begin = reinterpret_cast<const std::byte *>(sizes.memory.data());
  for (int32_t argument : {1, 2})
    launch.accesses.push_back({.memory = MemoryView(begin, 512), .argument = argument});
  Assumptions assumptions;
  assumptions.arguments = {{.argument = 1, .writes = true, .number = 0, .reach = written},
                           {.argument = 2, .number = 1, .reach = {.places = {{{{word, {}}}, 4}}}}};
  assumptions.are_disjoint = true;
  return launch.failed(assumptions) != 0;
}

TEST(Assumptions, WhatIsNotRefusedIsApartByTrying) {
  std::mt19937 random(7);
  auto any = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  int supposed = 0, with_quotients = 0, out_of_reach = 0;
  for (int run = 0; run != 40000; ++run) {
    Tried tried;
    TestLaunch launch(0);
    for (uint32_t d : {0u, 1u}) {
      tried.items[d] = any(1, d == 0 ? 6 : 3);
      tried.groups[d] = any(1, 3);
      launch.launch.local_size[d] = uint64_t(tried.items[d]);
      launch.launch.num_groups[d] = uint64_t(tried.groups[d]);
    }
    auto id = [&](uint32_t d, int64_t factor, LaunchSum &to) {
      to.push_back({factor * tried.items[d], {{LaunchNumber::group_id, d, 0}}});
      to.push_back({factor, {{LaunchNumber::local_id, d, 0}}});
    };
    const int64_t width = tried.items[0] * tried.groups[0], bound = any(1, width + 1);
    if (any(0, 2) == 0) {
      tried.guards.push_back({{}, {{bound, {}}}, 32, true});
      id(0, 1, tried.guards[0].sum);
    }
    LaunchSum offset;
    id(0, 4 * any(0, 3), offset);
    id(1, 4 * any(0, 2 * width), offset);
    const auto quotients = uint32_t(any(0, 3));
    for (uint32_t i = 0; i != quotients; ++i) {
      compiler::Division division{{}, {{any(1, 6), {}}}, 32};
      if (i && any(0, 2) == 0)
        division.dividend.push_back({1, {{LaunchNumber::quotient, i - 1, 0}}});
      else
        id(any(0, 5) == 0, 1, division.dividend);
      if (any(0, 3) == 0)
        id(1, any(1, 2 * width), division.dividend);
      tried.divisions.push_back(division);
      offset.push_back({4 * any(-4, 12), {{LaunchNumber::quotient, i, 0}}});
    }
    tried.offsets.push_back(offset);
    const int64_t further = 4 * any(1, 12), behind = 4 * any(1, 40);
    const bool is_tile = any(0, 4) == 0;
    const auto add = [&](int64_t bytes) {
      tried.offsets.push_back(offset);
      tried.offsets.back().push_back({bytes, {}});
    };
    if (any(0, 2) == 0)
      add(further);
    if (is_tile && tried.offsets.size() == 2) {
      add(behind);
      add(further + behind);
    }
    Assumptions assumptions;
    auto &places = assumptions.unequal.emplace_back();
    places = {.number = 5, .divisions = tried.divisions, .guards = tried.guards};
    for (const LaunchSum &each : tried.offsets)
      places.places.push_back({each, 4});
    const int64_t word = 4 * any(-40, 200);
    if (!refuses_word(launch, places, word)) {
      ++out_of_reach;
      EXPECT_FALSE(tried.reaches(word)) << run;
    }
    if (launch.failed(assumptions))
      continue;
    ++supposed;
    with_quotients += !tried.divisions.empty();
    EXPECT_TRUE(tried.is_disjoint()) << run;
  }
  EXPECT_GT(supposed, 4000);
  EXPECT_GT(with_quotients, 1000);
  EXPECT_GT(out_of_reach, 10000);
}

TEST(Assumptions, WhatOverflowsIsRefused) {
  auto fitting = [](const TestLaunch &launch, LaunchSum sum, int64_t bits, bool is_signed) {
    Assumptions assumptions;
    assumptions.unequal.push_back({.number = 5,
                                   .fitting = {{std::move(sum), bits, is_signed}},
                                   .places = {{{{32, {group}}, {4, {item}}}, 4}}});
    return launch.failed(assumptions);
  };
  EXPECT_EQ(fitting(TestLaunch(1 << 26), {{1, {pitch, item}}}, 32, true), 0u); // 7 << 26
  EXPECT_EQ(fitting(TestLaunch(1 << 29), {{1, {pitch, item}}}, 32, true), failed_5);
  EXPECT_EQ(fitting(TestLaunch(1 << 29), {{1, {pitch, item}}}, 32, false), 0u);
  EXPECT_EQ(fitting(TestLaunch(1 << 30), {{1, {pitch, item}}}, 32, false), failed_5);
}

TEST(Assumptions, CopiesOfAGroupLieBesideEachOther) {
  auto failed = [](int distance, LaunchSum first, LaunchSum second) {
    Assumptions assumptions;
    assumptions.ranges.push_back({.number = 5,
                                  .distance = {{4, {pitch}}},
                                  .first = std::move(first),
                                  .second = std::move(second)});
    return TestLaunch(distance).failed(assumptions);
  };
  EXPECT_EQ(failed(16, {{64, {}}}, {{1000, {}}}), 0u);
  EXPECT_EQ(failed(15, {{64, {}}}, {{4, {}}}), failed_5);
  EXPECT_EQ(failed(16, {{4, {pitch}}}, {{4, {pitch}}}), 0u);
  // An unknown number of iterations
  EXPECT_EQ(failed(16, {{4, {rounds}}}, {{4, {pitch}}}), failed_5);
}

TEST(Assumptions, ArgumentsThatOneWritesMustNotOverlap) {
  Assumptions assumptions;
  assumptions.arguments = {{.argument = 1, .writes = true, .number = 3},
                           {.argument = 2, .number = 4}};
  assumptions.are_disjoint = true;
  constexpr uint64_t both = 1 << 3 | 1 << 4;
  TestLaunch launch(0);
  EXPECT_EQ(launch.failed(assumptions), both); // the memory of the arguments is unknown
  const std::byte *begin = reinterpret_cast<const std::byte *>(launch.memory.data());
  auto with = [&](std::size_t second) {
    launch.accesses.clear();
    launch.accesses.push_back({.memory = MemoryView(begin, 64), .argument = 1});
    launch.accesses.push_back({.memory = MemoryView(begin + second, 64), .argument = 2});
    return launch.failed(assumptions);
  };
  EXPECT_EQ(with(64), 0u);
  EXPECT_EQ(with(60), both);
  assumptions.arguments[0].writes = false;
  EXPECT_EQ(with(60), 0u);
}

// Both arguments are the same memory of 512 bytes; the first is written.
struct Overlapping : TestLaunch {
  explicit Overlapping(int pitch = 0) : TestLaunch(pitch) {
    kernel.args[0].size = 4;
    const std::byte *begin = reinterpret_cast<const std::byte *>(memory.data());
    for (int32_t argument : {1, 2})
      accesses.push_back({.memory = MemoryView(begin, 512), .argument = argument});
  }
  uint64_t failed(compiler::DistinctAddresses written, compiler::DistinctAddresses read) const {
    Assumptions assumptions;
    assumptions.arguments = {
        {.argument = 1, .writes = true, .number = 0, .reach = std::move(written)},
        {.argument = 2, .number = 1, .reach = std::move(read)}};
    assumptions.are_disjoint = true;
    return TestLaunch::failed(assumptions);
  }
};

compiler::DistinctAddresses reach(LaunchSum offset, int64_t bytes = 4) {
  return {.places = {{std::move(offset), bytes}}};
}
const LaunchSum words_of_items = {{32, {group}}, {4, {item}}}; // 32 items

LaunchSum behind(int64_t bytes) {
  LaunchSum sum = words_of_items;
  sum.push_back({bytes, {}});
  return sum;
}

TEST(Assumptions, ArgumentsInOneMemoryAreApartByWhatIsReached) {
  const Overlapping launch;
  EXPECT_EQ(launch.failed(reach(words_of_items), reach(behind(128))), 0u);
  EXPECT_EQ(launch.failed(reach(words_of_items), reach(behind(124))), 3u);
  EXPECT_EQ(launch.failed(reach(words_of_items, 8), reach(behind(128))), 3u); // wider accesses
  EXPECT_EQ(launch.failed(reach(behind(128)), reach(words_of_items)), 0u);
  EXPECT_EQ(launch.failed(reach(behind(128)), {}), 3u); // anywhere
  EXPECT_EQ(launch.failed({}, reach(behind(128))), 3u);
  EXPECT_EQ(launch.failed(reach({{-4, {item}}, {256, {}}}), reach({{4, {item}}, {260, {}}})), 0u);
  EXPECT_EQ(launch.failed(reach({{-4, {item}}, {256, {}}}), reach({{4, {item}}, {228, {}}})), 3u);
  // An unknown number of iterations.
  EXPECT_EQ(launch.failed({.counters = {{}}, .places = {{{{4, {rounds}}, {256, {}}}, 4}}},
                          reach(words_of_items)),
            3u);
  EXPECT_EQ(launch.failed({.counters = {{{32, {}}}}, .places = {{{{4, {rounds}}, {256, {}}}, 4}}},
                          reach(words_of_items)),
            0u);
}

TEST(Assumptions, RoundsOfStepsReachAsFarAsALoopOfOnes) {
  const auto counted = [](int64_t step) { // over 32 words
    return compiler::DistinctAddresses{.counters = {{{32 + step - 1, {}}}},
                                       .steps = {step},
                                       .places = {{{{4 * step, {rounds}}}, 4}}};
  };
  const Overlapping launch;
  EXPECT_EQ(launch.failed(reach(behind(128)), counted(1)), 0u);
  EXPECT_EQ(launch.failed(reach(behind(128)), counted(8)), 0u);
  // The last iteration begins at byte 96
  EXPECT_EQ(launch.failed(reach(behind(100)), counted(8)), 0u);
  EXPECT_EQ(launch.failed(reach(behind(96)), counted(8)), 3u);
}

TEST(Assumptions, WhatIsReachedHangsOnNumbersOfTheLaunch) {
  const LaunchSum by_pitch = {{32, {group}}, {4, {item}}, {4, {pitch}}};
  EXPECT_EQ(Overlapping(32).failed(reach(words_of_items), reach(by_pitch)), 0u);
  EXPECT_EQ(Overlapping(31).failed(reach(words_of_items), reach(by_pitch)), 3u);
  EXPECT_EQ(Overlapping(-32).failed(reach(words_of_items), reach(by_pitch)), 3u);
  // The sum overflows in the kernel, and thus is elsewhere.
  compiler::DistinctAddresses wraps = reach(by_pitch);
  wraps.fitting = {{{{1 << 20, {pitch}}}, 32, true}};
  EXPECT_EQ(Overlapping(1 << 10).failed(reach(words_of_items), wraps), 0u);
  EXPECT_EQ(Overlapping(1 << 12).failed(reach(words_of_items), wraps), 3u);
  // A guard reduces the range.
  compiler::DistinctAddresses guarded = reach(words_of_items);
  guarded.guards = {{.sum = number, .bound = {{1, {pitch}}}}};
  EXPECT_EQ(Overlapping(16).failed(guarded, reach(behind(64))), 0u);
  EXPECT_EQ(Overlapping(17).failed(guarded, reach(behind(64))), 3u);
}

TEST(Assumptions, AProductOfIdsIsNoSum) {
  const LaunchSum of_both = {{4, {item, group}}};
  EXPECT_EQ(TestLaunch(0).failed({of_both}), failed_5);
  EXPECT_EQ(Overlapping().failed(reach({{4, {item, group}}, {256, {}}}), reach(words_of_items)),
            3u);
}

// A function object: a number and two pointers.
struct Members : testing::Test {
  struct Function {
    int32_t distance;
    alignas(8) const void *to, *from;
  };
  uint64_t failed(const void *to, const void *from, LaunchSum read, bool has_reach = true) {
    const Function function{distance, to, from};
    compiler::KernelInfo kernel;
    kernel.args.resize(1);
    kernel.args[0].kind = compiler::ArgKind::value;
    kernel.args[0].size = sizeof function;
    compiler::LaunchInfo info = sizes.launch;
    info.args = &function;
    Assumptions assumptions;
    assumptions.arguments = {
        {.argument = 0, .writes = true, .byte = offsetof(Function, to), .number = 0},
        {.argument = 0, .byte = offsetof(Function, from), .number = 1}};
    if (has_reach) {
      assumptions.arguments[0].reach = reach(words_of_items);
      assumptions.arguments[1].reach = reach(std::move(read));
    }
    assumptions.are_disjoint = true;
    return failed_assumptions(compiler::assumptions_of(words_of(assumptions)), kernel, info,
                              accesses, {});
  }
  static LaunchAtom member(uint32_t byte, uint32_t size) {
    return {.number = LaunchNumber::member, .byte = byte, .size = size};
  }

  const TestLaunch sizes{0};
  int32_t distance = 0;
  std::vector<int> memory = std::vector<int>(256);
  std::vector<Access> accesses;
};

TEST_F(Members, ThatArePointersReachMemory) {
  EXPECT_EQ(failed(&memory[0], &memory[32], words_of_items), 0u);
  EXPECT_EQ(failed(&memory[0], &memory[31], words_of_items), 3u);
  EXPECT_EQ(failed(&memory[31], &memory[0], words_of_items), 3u);
  EXPECT_EQ(failed(&memory[0], &memory[0], behind(128)), 0u);
  EXPECT_EQ(failed(&memory[0], nullptr, words_of_items), 0u);
  EXPECT_EQ(failed(&memory[0], &memory[128], {}, false), 3u); // the memory is unknown
}

TEST_F(Members, ThatAreNumbersAreKnown) {
  const LaunchSum shifted = {{32, {group}}, {4, {item}}, {4, {member(0, 4)}}};
  distance = 32;
  EXPECT_EQ(failed(&memory[0], &memory[0], shifted), 0u);
  distance = 31;
  EXPECT_EQ(failed(&memory[0], &memory[0], shifted), 3u);
  distance = -1;
  EXPECT_EQ(failed(&memory[0], &memory[0], shifted), 3u);
  distance = 32;
  EXPECT_EQ(failed(&memory[0], &memory[0], {{32, {group}}, {4, {item}}, {4, {member(20, 8)}}}), 3u);
}

TEST_F(Members, WithoutAReachHaveTheirWholeBuffer) {
  for (std::size_t begin : {0, 80, 160}) // words; the last two are adjacent
    accesses.push_back(
        {.memory = MemoryView(*Buffer::wrap(&memory[begin], begin ? 320 : 256), 64, 64)});
  EXPECT_EQ(failed(&memory[0], &memory[80], {}, false), 0u);
  EXPECT_EQ(failed(&memory[2], &memory[100], {}, false), 0u);
  EXPECT_EQ(failed(&memory[0], &memory[32], {}, false), 3u);
  EXPECT_EQ(failed(&memory[0], &memory[32], words_of_items), 0u);
  EXPECT_EQ(failed(&memory[100], &memory[170], {}, false), 0u);
  // Ambiguous: end of one, or beginning of the next
  EXPECT_EQ(failed(&memory[100], &memory[160], {}, false), 3u);
}

TEST(Assumptions, TellWhichBytesAreReached) {
  Assumptions all;
  all.arguments = {{1, true}, {2, false}};
  all.unequal.push_back({.argument = 1, .places = {{{{32, {group}}, {4, {item}}, {64, {}}}, 4}}});
  TestLaunch launch(0);
  const std::byte *begin = reinterpret_cast<const std::byte *>(launch.memory.data());
  for (int32_t argument : {1, 2})
    launch.accesses.push_back({.memory = MemoryView(begin, 512), .argument = argument});
  auto reached = [&](const std::vector<int64_t> &words) {
    const Assumptions known = compiler::assumptions_of(words);
    return reached_bytes(words.empty() ? nullptr : &known, launch.kernel, launch.launch,
                         launch.accesses);
  };
  auto some = reached(words_of(all));
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].begin, 64u); // 4 groups of 8 items
  EXPECT_EQ(some[0].end, 192u);
  EXPECT_TRUE(some[0].writes && some[0].is_exact);
  EXPECT_FALSE(some[1].writes || some[1].is_exact);
  EXPECT_EQ(some[1].end, 512u);
  all.unequal[0].are_bounds = true; // not all iterations, perhaps
  EXPECT_FALSE(reached(words_of(all))[0].is_exact);
  all.unequal[0].are_bounds = false;
  all.unequal[0].places[0].offset = {{64, {group}}, {8, {item}}}; // every second word
  EXPECT_FALSE(reached(words_of(all))[0].is_exact);
  all.arguments.pop_back();
  EXPECT_EQ(reached(words_of(all)).size(), 1u);
  some = reached({}); // nothing is known
  ASSERT_EQ(some.size(), 2u);
  EXPECT_TRUE(some[1].writes);
  EXPECT_FALSE(some[0].is_exact);
}

// 32 items, with 512 bytes of argument 1.
struct Inside : TestLaunch {
  explicit Inside(int pitch = 0, uint64_t rows = 1) : TestLaunch(pitch, rows) {
    launch.args = &arguments;
    const auto *begin = reinterpret_cast<const std::byte *>(memory.data());
    accesses.push_back({.memory = MemoryView(begin, 512), .argument = 1});
  }
  uint64_t failed(LaunchSum offset, compiler::DistinctAddresses places = {},
                  int64_t size = 0) const {
    Assumptions assumptions;
    places.number = 63;
    places.argument = size ? -1 : argument;
    places.places = {{std::move(offset), 4}};
    assumptions.in_bounds.push_back({size, std::move(places)});
    return TestLaunch::failed(assumptions);
  }
  int64_t argument = 1;
};

constexpr uint64_t failed_63 = uint64_t(1) << 63;

TEST(Inside, FromTheFirstByteToTheLast) {
  const Inside launch;
  EXPECT_EQ(launch.failed({{32, {group}}, {4, {item}}}), 0u);
  EXPECT_EQ(launch.failed({{128, {group}}, {16, {item}}, {12, {}}}), 0u); // up to 508
  EXPECT_EQ(launch.failed({{128, {group}}, {16, {item}}, {13, {}}}), failed_63);
  EXPECT_EQ(launch.failed({{-32, {group}}, {-4, {item}}, {124, {}}}), 0u); // down to 0
  EXPECT_EQ(launch.failed({{-32, {group}}, {-4, {item}}, {123, {}}}), failed_63);
  EXPECT_EQ(launch.failed({{4, {group, item}}}), failed_63); // unknown
  EXPECT_EQ(Inside(127).failed({{4, {pitch}}}), 0u);
  EXPECT_EQ(Inside(128).failed({{4, {pitch}}}), failed_63);
  EXPECT_EQ(Inside(-1).failed({{4, {pitch}}}), failed_63);
}

TEST(Inside, OfMemoryWhoseSizeTheLaunchKnows) {
  Inside launch;
  const LaunchSum place = {{32, {group}}, {4, {item}}};
  EXPECT_EQ(launch.failed(place, {}, 128), 0u); // a variable
  EXPECT_EQ(launch.failed(place, {}, 127), failed_63);
  launch.argument = 2; // a null pointer
  EXPECT_EQ(launch.failed(place), failed_63);
  launch.argument = 0; // not a pointer
  EXPECT_EQ(launch.failed(place), failed_63);
  launch.argument = 7; // no such argument
  EXPECT_EQ(launch.failed(place), failed_63);
  launch.argument = 1;
  launch.accesses[0].is_placed = true; // given by an address, which may be anywhere in the memory
  EXPECT_EQ(launch.failed(place), failed_63);
  launch.kernel.args[2].kind = compiler::ArgKind::local_pointer;
  launch.argument = 2;
  EXPECT_EQ(launch.failed(place), failed_63);
  launch.local_sizes = {0, 0, 128};
  EXPECT_EQ(launch.failed(place), 0u);
  launch.local_sizes[2] = 127;
  EXPECT_EQ(launch.failed(place), failed_63);
}

TEST(Inside, WhereGuardsHold) {
  const LaunchSum x = {{8, {group}}, {1, {item}}}, far = {{4 * 16, {group}}, {8, {item}}};
  const LaunchSum twice = {{64, {group}}, {8, {item}}, {264, {}}}; // 8 * x + 264: for x < 31
  const Inside launch(31);
  EXPECT_EQ(launch.failed(far), 0u);
  EXPECT_EQ(launch.failed(twice), failed_63);
  EXPECT_EQ(launch.failed(twice, {.guards = {{x, {{31, {}}}, 32, true}}}), 0u);
  EXPECT_EQ(launch.failed(twice, {.guards = {{x, {{1, {pitch}}}, 32, false}}}), 0u);
  EXPECT_EQ(launch.failed(twice, {.guards = {{x, {{32, {}}}, 32, true}}}), failed_63);
  // Lower bound: a[x - 1], where x > 0 is expressed as -x < 0.
  const LaunchSum before = {{32, {group}}, {4, {item}}, {-4, {}}},
                  minus_x = {{-8, {group}}, {-1, {item}}};
  EXPECT_EQ(launch.failed(before), failed_63);
  EXPECT_EQ(launch.failed(before, {.guards = {{minus_x, {}, 64, true}}}), 0u);
  EXPECT_EQ(launch.failed(before, {.guards = {{minus_x, {{1, {}}}, 64, true}}}), failed_63);
  EXPECT_EQ(launch.failed(before, {.guards = {{minus_x, {{-1, {}}}, 64, true}}}), 0u);
  // Both bounds, in any order.
  const LaunchSum both = {{128, {group}}, {16, {item}}, {-16, {}}};
  EXPECT_EQ(launch.failed(both, {.guards = {{minus_x, {}, 64, true}, {x, {{30, {}}}, 32, true}}}),
            0u);
  const LaunchSum high = {{128, {group}}, {16, {item}}, {28, {}}}; // up to x = 30
  EXPECT_EQ(launch.failed(high, {.guards = {{x, {{31, {}}}, 32, true}, {minus_x, {}, 64, true}}}),
            0u);
  EXPECT_EQ(launch.failed(high, {.guards = {{minus_x, {}, 64, true}}}), failed_63);
}

TEST(Inside, NumbersThatFitExactly) {
  const LaunchSum x = {{8, {group}}, {1, {item}}}, before = {{8, {group}}, {1, {item}}, {-1, {}}};
  const Inside launch;
  const LaunchSum place = {{32, {group}}, {4, {item}}};
  EXPECT_EQ(launch.failed(place, {.fitting = {{x, 8, false}}}), 0u);
  EXPECT_EQ(launch.failed(place, {.fitting = {{x, 4, false}}}), failed_63);
  // As unsigned, x - 1 is large for x = 0. So is a guard's number.
  EXPECT_EQ(launch.failed(place, {.fitting = {{before, 32, false}}}), failed_63);
  EXPECT_EQ(launch.failed(place, {.fitting = {{before, 32, true}}}), 0u);
  const LaunchSum far = {{64, {group}}, {8, {item}}, {264, {}}};
  EXPECT_EQ(launch.failed(far, {.guards = {{x, {{31, {}}}, 64, true, {{before, 32, false}}}}}),
            failed_63);
  EXPECT_EQ(launch.failed(far, {.guards = {{x, {{31, {}}}, 64, true, {{before, 32, true}}}}}), 0u);
}

TEST(Inside, RoundsOfLoops) {
  const LaunchSum place = {{32, {group}}, {4, {item}}, {128, {rounds}}};
  EXPECT_EQ(Inside(4).failed(place, {.counters = {{{1, {pitch}}}}}), 0u);
  EXPECT_EQ(Inside(5).failed(place, {.counters = {{{1, {pitch}}}}}), failed_63);
  EXPECT_EQ(Inside(4).failed(place, {.counters = {{}}}), failed_63);
  EXPECT_EQ(Inside(13).failed(place, {.counters = {{{1, {pitch}}, {2, {}}}}, .steps = {3}}),
            failed_63);
  EXPECT_EQ(Inside(12).failed(place, {.counters = {{{1, {pitch}}, {2, {}}}}, .steps = {3}}), 0u);
}

} // namespace
} // namespace lockstep::runtime
