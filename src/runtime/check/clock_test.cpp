#include "runtime/check/clock.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace lockstep::runtime {
namespace {

// The same by maps of single work-items, without sharing.
struct Model {
  std::map<uint32_t, Stamp> before;
  std::map<std::pair<uint32_t, uint32_t>, Stamp> up_to;

  void add(uint32_t group, const Clock::Entry &entry) {
    before[group] = std::max(before[group], entry.before);
    for (const auto &[item, stamp] : entry.up_to)
      up_to[{group, item}] = std::max(up_to[{group, item}], stamp);
  }
  void join(const Model &other) {
    for (const auto &[group, stamp] : other.before)
      before[group] = std::max(before[group], stamp);
    for (const auto &[item, stamp] : other.up_to)
      up_to[item] = std::max(up_to[item], stamp);
  }
  bool covers(uint32_t group, uint32_t item, Stamp stamp) const {
    auto all = before.find(group);
    auto one = up_to.find({group, item});
    return (all != before.end() && stamp < all->second) ||
           (one != up_to.end() && stamp <= one->second);
  }
};

bool covers(const Clock &clock, uint32_t group, uint32_t item, Stamp stamp) {
  const Clock::Entry *entry = clock.find(group);
  return entry && entry->covers(item, stamp);
}

constexpr uint32_t groups[] = {0, 1, 15, 16, 17, 255, 4096, 65535, 16777216};
constexpr uint32_t items = 3;
constexpr Stamp most = 12;

void expect_same(const Clock &clock, const Model &model) {
  for (uint32_t group : groups)
    for (uint32_t item = 0; item != items; ++item)
      for (Stamp stamp = 1; stamp <= most; ++stamp)
        ASSERT_EQ(covers(clock, group, item, stamp), model.covers(group, item, stamp))
            << "group " << group << ", item " << item << ", stamp " << stamp;
}

TEST(Clock, KnowsNothingAtFirst) {
  const Clock clock;
  EXPECT_TRUE(clock.is_empty());
  EXPECT_EQ(clock.find(3), nullptr);
}

TEST(Clock, AnEntryIsOfAllBeforeAndOfSingleItems) {
  Clock clock;
  clock.add(7, {.before = 5, .up_to = {{2, 9}}});
  EXPECT_TRUE(covers(clock, 7, 0, 4));
  EXPECT_FALSE(covers(clock, 7, 0, 5));
  EXPECT_TRUE(covers(clock, 7, 2, 9));
  EXPECT_FALSE(covers(clock, 7, 2, 10));
  EXPECT_FALSE(covers(clock, 8, 2, 1));
}

TEST(Clock, ACopyDoesNotChangeWithTheOriginal) {
  Clock one;
  one.add(1, {.before = 3});
  const Clock copy = one;
  one.add(1, {.before = 8});
  one.add(2, {.before = 2});
  EXPECT_FALSE(covers(copy, 1, 0, 3));
  EXPECT_EQ(copy.find(2), nullptr);
  EXPECT_TRUE(covers(one, 1, 0, 7));
}

// Threads and objects that hand clocks to each other at random, as atomics do, against the model.
TEST(Clock, AsTheModelInRandomExchanges) {
  for (unsigned seed = 0; seed != 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    auto pick = [&](uint32_t count) { return uint32_t(random() % count); };
    constexpr uint32_t count = 4;
    Clock threads[count], objects[count];
    Model of_threads[count], of_objects[count];
    for (int step = 0; step != 60; ++step) {
      const uint32_t thread = pick(count), object = pick(2);
      const uint32_t group = groups[pick(std::size(groups))];
      const Clock::Entry entry{.before = pick(most), .up_to = {{pick(items), 1 + pick(most)}}};
      Clock carried = threads[thread];
      Model model = of_threads[thread];
      switch (pick(5)) {
      case 0:
        threads[thread].add(group, entry);
        of_threads[thread].add(group, entry);
        break;
      case 1: // acquire
      case 2:
        threads[thread].join(objects[object]);
        of_threads[thread].join(of_objects[object]);
        break;
      case 3: // release by a read-modify-write
        carried.add(group, entry);
        model.add(group, entry);
        objects[object].absorb(carried);
        of_objects[object].join(model);
        break;
      default: // by a store
        carried.add(group, entry);
        model.add(group, entry);
        objects[object].replace(carried);
        of_objects[object] = model;
        break;
      }
    }
    for (uint32_t i = 0; i != count; ++i) {
      expect_same(threads[i], of_threads[i]);
      expect_same(objects[i], of_objects[i]);
    }
  }
}

} // namespace
} // namespace lockstep::runtime
