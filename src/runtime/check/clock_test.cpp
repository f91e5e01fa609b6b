#include "runtime/check/clock.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace lockstep::runtime {
namespace {

// The same by maps of single work-items, without sharing.
struct Model {
  std::map<uint32_t, Stamp> before, copies;
  std::map<std::pair<uint32_t, uint32_t>, Stamp> up_to;

  void add(uint32_t group, Stamp all, Stamp awaited, uint32_t item, Stamp stamp) {
    before[group] = std::max(before[group], all);
    copies[group] = std::max(copies[group], awaited);
    up_to[{group, item}] = std::max(up_to[{group, item}], stamp);
  }
  void join(const Model &other) {
    for (const auto &[group, stamp] : other.before)
      before[group] = std::max(before[group], stamp);
    for (const auto &[group, stamp] : other.copies)
      copies[group] = std::max(copies[group], stamp);
    for (const auto &[item, stamp] : other.up_to)
      up_to[item] = std::max(up_to[item], stamp);
  }
  bool covers(uint32_t group, uint32_t item, Stamp stamp) const {
    if (is_copy(item)) {
      auto awaited = copies.find(group);
      return awaited != copies.end() && stamp < awaited->second;
    }
    auto all = before.find(group);
    auto one = up_to.find({group, item});
    return (all != before.end() && stamp < all->second) ||
           (one != up_to.end() && stamp <= one->second);
  }
};

constexpr uint32_t groups[] = {0, 1, 15, 16, 17, 255, 4096, 65535, 16777216};
constexpr uint32_t items[] = {0, 1, 15, 16, 300, first_copy - 1, first_copy + 2};
constexpr Stamp most = 12;

void expect_same(const Clock &clock, const Model &model) {
  for (uint32_t group : groups)
    for (uint32_t item : items)
      for (Stamp stamp = 1; stamp <= most; ++stamp)
        ASSERT_EQ(clock.covers(group, item, stamp), model.covers(group, item, stamp))
            << "group " << group << ", item " << item << ", stamp " << stamp;
}

TEST(Clock, KnowsNothingAtFirst) {
  const Clock clock;
  EXPECT_TRUE(clock.is_empty());
  EXPECT_FALSE(clock.covers(3, 0, 1));
}

TEST(Clock, AnEntryIsOfAllBeforeAndOfSingleItems) {
  Clock clock;
  clock.add(7, {.before = 5, .up_to = {2, 9}});
  EXPECT_TRUE(clock.covers(7, 0, 4));
  EXPECT_FALSE(clock.covers(7, 0, 5));
  EXPECT_TRUE(clock.covers(7, 2, 9));
  EXPECT_FALSE(clock.covers(7, 2, 10));
  EXPECT_FALSE(clock.covers(8, 2, 1));
}

TEST(Clock, ACopyDoesNotChangeWithTheOriginal) {
  Clock one;
  one.add(1, {.before = 3});
  const Clock copy = one;
  one.add(1, {.before = 8});
  one.add(2, {.before = 2});
  EXPECT_FALSE(copy.covers(1, 0, 3));
  EXPECT_FALSE(copy.covers(2, 0, 1));
  EXPECT_TRUE(one.covers(1, 0, 7));
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
      const uint32_t item = items[pick(std::size(items) - 1)];
      const Stamp before = pick(most), awaited = pick(most), stamp = 1 + pick(most);
      const Clock::Entry entry{.before = before, .copies = awaited, .up_to = {item, stamp}};
      Clock carried = threads[thread];
      if (pick(3) == 0)
        carried.settle();
      Model model = of_threads[thread];
      switch (pick(5)) {
      case 0:
        threads[thread].add(group, entry);
        of_threads[thread].add(group, before, awaited, item, stamp);
        break;
      case 1: // acquire
      case 2:
        threads[thread].join(objects[object]);
        of_threads[thread].join(of_objects[object]);
        break;
      case 3: // release by a read-modify-write
        model.add(group, before, awaited, item, stamp);
        if (pick(2)) {
          objects[object].absorb(carried, group, entry);
        } else {
          carried.add(group, entry);
          objects[object].absorb(carried);
        }
        of_objects[object].join(model);
        break;
      default: // by a store
        model.add(group, before, awaited, item, stamp);
        if (pick(2)) {
          objects[object].replace(carried, group, entry);
        } else {
          carried.add(group, entry);
          objects[object].replace(carried);
        }
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

// A lock that one thread takes after the other, more often than additions stay beside the tree.
TEST(Clock, ALockThatIsGivenOn) {
  constexpr uint32_t count = 3;
  Clock threads[count], lock;
  Model of_threads[count], of_lock;
  for (uint32_t take = 0; take != 100; ++take) {
    const uint32_t thread = take * take % count, group = groups[take % std::size(groups)];
    const Stamp stamp = 1 + take % most;
    threads[thread].join(lock);
    of_threads[thread].join(of_lock);
    if (take % 4 == 0) {
      lock.absorb(threads[thread], group, {.before = 1, .up_to = {take % 20, stamp}});
      of_lock.join(of_threads[thread]);
    } else {
      lock.replace(threads[thread], group, {.before = 1, .up_to = {take % 20, stamp}});
      of_lock = of_threads[thread];
    }
    of_lock.add(group, 1, 0, take % 20, stamp);
    expect_same(lock, of_lock);
    for (uint32_t i = 0; i != count; ++i)
      expect_same(threads[i], of_threads[i]);
  }
}

} // namespace
} // namespace lockstep::runtime
