#include "runtime/check/races/clocks/clock.h"

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace lockstep::runtime {
namespace {

// A reference model: maps of single work-items, without sharing.
struct Model {
  std::map<uint32_t, Epoch> before, copies;
  std::map<std::pair<uint32_t, uint32_t>, Epoch> up_to;

  void add(uint32_t group, Epoch all, Epoch awaited, uint32_t item, Epoch epoch) {
    before[group] = std::max(before[group], all);
    copies[group] = std::max(copies[group], awaited);
    up_to[{group, item}] = std::max(up_to[{group, item}], epoch);
  }
  void join(const Model &other) {
    for (const auto &[group, epoch] : other.before)
      before[group] = std::max(before[group], epoch);
    for (const auto &[group, epoch] : other.copies)
      copies[group] = std::max(copies[group], epoch);
    for (const auto &[item, epoch] : other.up_to)
      up_to[item] = std::max(up_to[item], epoch);
  }
  bool covers(uint32_t group, uint32_t item, Epoch epoch) const {
    if (is_copy(item)) {
      auto awaited = copies.find(group);
      return awaited != copies.end() && epoch < awaited->second;
    }
    auto all = before.find(group);
    auto one = up_to.find({group, item});
    return (all != before.end() && epoch < all->second) ||
           (one != up_to.end() && epoch <= one->second);
  }
};

constexpr uint32_t groups[] = {0, 1, 15, 16, 17, 255, 4096, 65535, 16777216};
constexpr uint32_t items[] = {0, 3, 15, 16, 300, first_copy - 1, first_copy + 2};
constexpr Epoch most = 40;

void expect_same(const Clock &clock, const Model &model) {
  for (uint32_t group : groups) {
    const auto all = model.before.find(group);
    ASSERT_EQ(clock.covers_before(group), all == model.before.end() ? 0 : all->second);
    for (uint32_t item : items)
      for (Epoch epoch = 1; epoch <= most; ++epoch)
        ASSERT_EQ(clock.covers(group, item, epoch), model.covers(group, item, epoch))
            << "group " << group << ", item " << item << ", epoch " << epoch;
  }
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

// Compares clocks with the model: work-items of three groups and objects exchange clocks at random,
// like atomics and barriers.
class RandomExchanges {
public:
  explicit RandomExchanges(unsigned seed) : random_(seed) {}

  void step() {
    const uint32_t item = pick(count), group = item / 2, object = pick(2);
    switch (pick(6)) {
    case 0:
      return pass_barrier(group);
    case 1:
      return join(item, pick(count)); // as after a sub-group barrier
    case 2:
    case 3:
      clocks_[item].join(objects_[object]);
      of_items_[item].join(of_objects_[object]);
      return;
    default:
      release(item, object, pick(2));
    }
  }
  void expect_all_same() const {
    for (uint32_t i = 0; i != count; ++i)
      expect_same(clocks_[i], of_items_[i]);
    for (uint32_t i = 0; i != 2; ++i)
      expect_same(objects_[i], of_objects_[i]);
  }

private:
  static constexpr uint32_t count = 6;

  uint32_t pick(uint32_t many) { return uint32_t(random_() % many); }
  uint32_t number(uint32_t item) const { return item % 2 ? 16 : 3; }

  void pass_barrier(uint32_t group) {
    const uint32_t one = 2 * group, other = one + 1;
    clocks_[one].join(clocks_[other]);
    of_items_[one].join(of_items_[other]);
    clocks_[other] = clocks_[one];
    of_items_[other] = of_items_[one];
    before_[group] = ++now_[group];
    if (pick(2))
      awaited_[group] = now_[group];
  }
  void join(uint32_t item, uint32_t other) {
    Clock all = clocks_[other];
    const uint32_t group = other / 2, epoch = now_[group]++;
    all.add(groups[group], entry(other, epoch));
    clocks_[item].join(all);
    of_items_[item].join(with_own(other, epoch));
  }
  void release(uint32_t item, uint32_t object, bool replaces) {
    const uint32_t group = item / 2, epoch = now_[group]++;
    const Model all = with_own(item, epoch);
    if (replaces)
      of_objects_[object] = all;
    else
      of_objects_[object].join(all);
    Clock carried = clocks_[item];
    const Clock::Entry own = entry(item, epoch);
    if (pick(2)) {
      if (!objects_[object].goes_on_with(carried, groups[group], own)) {
        replaces ? objects_[object].replace(carried, groups[group], own)
                 : objects_[object].absorb(carried, groups[group], own);
      }
      if (pick(2) && objects_[object].is_all_of(groups[group], number(item))) {
        clocks_[item] = objects_[object];
        of_items_[item] = all;
      }
      return;
    }
    carried.add(groups[group], own);
    replaces ? objects_[object].replace(carried) : objects_[object].absorb(carried);
  }
  Clock::Entry entry(uint32_t item, Epoch epoch) const {
    const uint32_t group = item / 2;
    return {.before = before_[group], .copies = awaited_[group], .up_to = {number(item), epoch}};
  }
  Model with_own(uint32_t item, Epoch epoch) const {
    Model all = of_items_[item];
    all.add(groups[item / 2], before_[item / 2], awaited_[item / 2], number(item), epoch);
    return all;
  }

  std::mt19937 random_;
  Clock clocks_[count], objects_[2];
  Model of_items_[count], of_objects_[2];
  Epoch now_[count / 2] = {1, 1, 1}, before_[count / 2]{}, awaited_[count / 2]{};
  static constexpr uint32_t groups[] = {0, 17, 4096};
};

TEST(Clock, AsTheModelInRandomExchanges) {
  for (unsigned seed = 0; seed != 500; ++seed) {
    SCOPED_TRACE(seed);
    RandomExchanges all(seed);
    for (int step = 0; step != (seed % 10 == 0 ? 1000 : 60); ++step)
      all.step();
    all.expect_all_same();
  }
}

// Threads take a lock in turn, more often than additions fit beside the tree.
TEST(Clock, ALockThatIsGivenOn) {
  constexpr uint32_t count = 3;
  Clock threads[count], lock;
  Model of_threads[count], of_lock;
  for (uint32_t take = 0; take != 100; ++take) {
    const uint32_t thread = take * take % count, group = groups[take % std::size(groups)];
    const Epoch epoch = 1 + take % most;
    threads[thread].join(lock);
    of_threads[thread].join(of_lock);
    if (take % 4 == 0) {
      lock.absorb(threads[thread], group, {.before = 1, .up_to = {take % 20, epoch}});
      of_lock.join(of_threads[thread]);
    } else {
      lock.replace(threads[thread], group, {.before = 1, .up_to = {take % 20, epoch}});
      of_lock = of_threads[thread];
    }
    of_lock.add(group, 1, 0, take % 20, epoch);
    expect_same(lock, of_lock);
    for (uint32_t i = 0; i != count; ++i)
      expect_same(threads[i], of_threads[i]);
  }
}

// A releasing and acquiring read-modify-write takes the lock, a store releases it. In each
// iteration the lock's clock grows.
TEST(Clock, ALockThatIsTakenByAReleaseGoesOn) {
  Clock lock;
  lock.replace({}, 0, {.up_to = {0, 1}});
  for (uint32_t group = 1; group != 4; ++group) {
    Clock own;
    own.join(lock);
    ASSERT_TRUE(lock.goes_on_with(own, group, {.up_to = {5, group}}));
    EXPECT_FALSE(lock.goes_on_with(own, group + 1, {.up_to = {5, group}})); // by another group
    EXPECT_FALSE(lock.goes_on_with(own, group, {.up_to = {5, group - 1}})); // with an older epoch
    if (!lock.goes_on_with(own, group, {.up_to = {5, group + 1}}))          // the line is full
      lock.replace(own, group, {.up_to = {5, group + 1}});
    EXPECT_TRUE(own.is_earlier_version_of(lock));
    EXPECT_TRUE(lock.covers(group, 5, group + 1));
    EXPECT_FALSE(lock.covers(group, 5, group + 2));
  }
}

// A clock merged from two objects and released to one becomes that object's clock: later releases
// there are later versions.
TEST(Clock, WhatIsReleasedTogetherIsAVersion) {
  Clock one, other, own;
  one.replace({}, 0, {.up_to = {0, 1}});
  other.replace({}, 1, {.up_to = {0, 1}});
  own.join(one);
  own.join(other);
  EXPECT_FALSE(own.is_earlier_version_of(one));
  one.replace(own, 2, {.up_to = {3, 7}});
  EXPECT_FALSE(one.is_all_of(2, 4));
  ASSERT_TRUE(one.is_all_of(2, 3));
  own = one;
  Clock third = one;
  one.replace(third, 4, {.up_to = {0, 2}});
  EXPECT_TRUE(own.is_earlier_version_of(one));
  own.join(one);
  EXPECT_TRUE(own.covers(1, 0, 1) && own.covers(2, 3, 7) && own.covers(4, 0, 2));
}

// Others try to take a lock by exchanges that release. The owner's store ends their releases at the
// lock, but not what they know of each other.
TEST(Clock, WhoKnowsWhatAStoreHasEndedKeepsThat) {
  Clock lock;
  lock.replace(Clock(), 0, {.before = 1, .up_to = {0, 1}});
  Clock holder;
  holder.join(lock);
  for (uint32_t group = 100; group != 103; ++group) {
    Clock other;
    other.join(lock);
    lock.absorb(other, group, {.before = 2, .up_to = {5, 3}});
  }
  Clock waits;
  waits.join(lock);
  waits.add(200, {.before = 9});
  lock.replace(holder, 1, {.before = 2, .up_to = {0, 2}});
  EXPECT_FALSE(lock.covers(101, 5, 3));
  waits.join(lock);
  for (uint32_t group = 100; group != 103; ++group) {
    EXPECT_TRUE(waits.covers(group, 5, 3));
    EXPECT_FALSE(waits.covers(group, 4, 3));
  }
  EXPECT_TRUE(waits.covers(0, 0, 1));
  EXPECT_TRUE(waits.covers(1, 0, 2));
  EXPECT_TRUE(waits.covers(200, 0, 8));
  EXPECT_TRUE(waits.is_version_of(lock));
  EXPECT_FALSE(waits.covers(1, 0, 3));
}

// The next group of a thread gets the reference that the one before has left, in its own version.
TEST(Clock, SpareLineIsAnotherVersionOfTheSameClock) {
  Clock object;
  Clock::SpareLine spare;
  object.absorb({}, 1, {.before = 5, .up_to = {0, 7}});
  Clock first;
  first.join(object, spare);
  EXPECT_TRUE(first.covers(1, 0, 7));
  first.clear(spare);
  EXPECT_TRUE(first.is_empty());
  EXPECT_TRUE(spare.has(object));
  object.absorb(Clock(object), 2, {.before = 5, .up_to = {3, 9}});
  Clock second, third;
  second.join(object, spare);
  EXPECT_FALSE(spare.has(object));
  third.join(object, spare); // there is no second one
  for (const Clock *each : {&second, &third}) {
    EXPECT_TRUE(each->has_version(object));
    EXPECT_TRUE(each->covers(1, 0, 7));
    EXPECT_TRUE(each->covers(2, 3, 9));
    EXPECT_FALSE(each->covers(2, 3, 10));
  }
  second.clear(spare);
  third.clear(spare);
  object.replace(Clock()); // another line
  object.absorb({}, 4, {.before = 20});
  Clock fourth;
  fourth.join(object, spare);
  EXPECT_TRUE(fourth.covers(4, 9, 19));
  EXPECT_FALSE(fourth.covers(1, 0, 7));
}

// Groups count at one of several counters, and the last group at each goes on to a counter of all.
TEST(Clock, ShortClocksGoOnToLongOnes) {
  Clock all;
  constexpr uint32_t counters = 12, each_counter = 16;
  for (uint32_t counter = 0; counter != counters; ++counter) {
    Clock few;
    const Clock empty;
    for (uint32_t i = 0; i != each_counter; ++i) {
      const uint32_t group = counter * each_counter + i;
      few.absorb(i == 0 ? empty : Clock(few), group, {.before = 5, .up_to = {0, 10 + i}});
      EXPECT_TRUE(few.has_line_only());
    }
    Clock last = few;
    last.join(all);
    EXPECT_TRUE(counter == 0 || last.is_version_of(all));
    all.absorb(last, counter * each_counter + each_counter - 1, {.before = 5, .up_to = {0, 99}});
    for (uint32_t group = 0; group != counters * each_counter; ++group) {
      const uint32_t i = group % each_counter;
      const bool is_known = group / each_counter <= counter;
      EXPECT_EQ(all.covers(group, 3, 4), is_known);
      EXPECT_EQ(all.covers(group, 0, 10 + i), is_known);
      EXPECT_EQ(all.covers(group, 0, 99), is_known && i == each_counter - 1);
      EXPECT_EQ(last.covers(group, 0, 10 + i), is_known);
      EXPECT_EQ(last.covers(group, 0, 99),
                i == each_counter - 1 && group / each_counter < counter); // by earlier ones
    }
  }
}

// An object's clock grows through many lines, whose trees are made when they are needed: here by
// several threads at once, of versions that earlier acquires have.
TEST(Clock, TreesOfEarlierVersionsAreMadeLater) {
  constexpr uint32_t releases = 3000, threads = 4;
  Clock object;
  std::vector<std::pair<Clock, uint32_t>> versions; // and how many releases each has
  std::mt19937 random(1);
  for (uint32_t group = 0; group != releases; ++group) {
    const bool knows_all = random() % 2;
    object.absorb(knows_all ? object : Clock(), group, {.before = 5, .up_to = {0, 10}});
    if (random() % 50 == 0)
      versions.emplace_back(object, group + 1);
    if (random() % 500 == 0) {
      object.replace(Clock(object), group, {.before = 5, .up_to = {0, 10}}); // a store
    }
  }
  std::vector<std::thread> all;
  std::atomic<unsigned> wrong = 0;
  for (uint32_t thread = 0; thread != threads; ++thread)
    all.emplace_back([&, thread] {
      for (std::size_t i = 0; i != versions.size(); ++i) {
        const auto &[clock, many] = versions[(i + thread * versions.size() / 2) % versions.size()];
        const Clock own = clock;
        for (uint32_t group = 0; group < releases; group += 1 + group % 3)
          wrong += own.covers(group, 3, 4) != (group < many) ||
                   own.covers(group, 0, 10) != (group < many) || own.covers(group, 0, 11);
      }
    });
  for (std::thread &each : all)
    each.join();
  EXPECT_EQ(wrong, 0u);
}

// As in a queue of work: each work-item acquires one object after the other, and releases to new
// ones. Several threads query the clocks, which makes their trees.
TEST(Clock, ClocksOfManyObjectsAreJoinedLate) {
  constexpr uint32_t items_of_group = 6, count = 4 * items_of_group, steps = 3000, threads = 4;
  constexpr Epoch last = steps + 1;
  std::vector<Clock> clocks(count), objects(1);
  std::vector<std::vector<Epoch>> known(count, std::vector<Epoch>(count)), released(1, known[0]);
  std::mt19937 random(3);
  for (Epoch epoch = 1; epoch != last; ++epoch) {
    const auto item = uint32_t(random() % count);
    for (uint32_t times = random() % 3; times; --times) {
      const std::size_t object =
          objects.size() - 1 - random() % std::min<std::size_t>(objects.size(), 60);
      clocks[item].join(objects[object]);
      for (uint32_t i = 0; i != count; ++i)
        known[item][i] = std::max(known[item][i], released[object][i]);
    }
    if (objects.size() == 1 || random() % 4) {
      objects.emplace_back();
      released.emplace_back(count);
    }
    const Clock::Entry own{.up_to = {item % items_of_group, epoch}};
    const bool replaces = random() % 2;
    if (replaces)
      objects.back().replace(clocks[item], item / items_of_group, own);
    else
      objects.back().absorb(clocks[item], item / items_of_group, own);
    for (uint32_t i = 0; i != count; ++i)
      released.back()[i] = std::max(replaces ? 0 : released.back()[i], known[item][i]);
    released.back()[item] = epoch;
  }
  std::vector<std::thread> all;
  std::atomic<unsigned> wrong = 0;
  for (uint32_t thread = 0; thread != threads; ++thread)
    all.emplace_back([&, thread] {
      for (std::size_t i = 0; i != objects.size(); ++i) {
        const std::size_t object = (i * 7 + thread * objects.size() / 3) % objects.size();
        const Clock own = objects[object];
        for (uint32_t item = thread % 2; item < count; item += 2) {
          const Epoch epoch = released[object][item];
          const uint32_t group = item / items_of_group, of_group = item % items_of_group;
          wrong += (epoch && !own.covers(group, of_group, epoch)) ||
                   own.covers(group, of_group, epoch + 1);
        }
      }
    });
  for (std::thread &each : all)
    each.join();
  EXPECT_EQ(wrong, 0u);
}

// More groups than additions fit beside a tree, of which some come again.
TEST(Clock, LinesOfFewEntriesAreAppended) {
  constexpr uint32_t counters = 40, each_counter = 30;
  Clock all;
  std::vector<Clock> few(counters);
  for (uint32_t counter = 0; counter != counters; ++counter)
    for (uint32_t i = 0; i != each_counter; ++i)
      few[counter].absorb(i == 0 ? Clock() : Clock(few[counter]), counter * each_counter + i,
                          {.before = 5, .up_to = {0, 10}});
  for (uint32_t counter = 0; counter != counters; ++counter) {
    for (uint32_t again : {counter, counter / 2}) {
      all.absorb(few[again]);
      EXPECT_TRUE(all.has_line_only());
    }
    for (uint32_t group = 0; group < counters * each_counter; group += 7)
      EXPECT_EQ(all.covers(group, 0, 10), group / each_counter <= counter);
  }
  const Clock before = all;
  for (const Clock &each : few)
    all.absorb(each);
  EXPECT_FALSE(all.covers(0, 0, 11));
  few[3].absorb(Clock(), 5000, {.before = 5, .up_to = {0, 10}}); // a later version
  all.absorb(few[3]);
  EXPECT_TRUE(all.covers(5000, 0, 10));
  EXPECT_FALSE(before.covers(5000, 0, 10));
}

TEST(Clock, CursorCoversTheSame) {
  Clock clock, object;
  for (uint32_t group = 0; group != 200; ++group)
    if (group % 7 != 3)
      object.absorb(Clock(object), group,
                    {.before = 10 * group, .up_to = {group % 4, 10 * group + 5}});
  clock.join(object);
  clock.add(500, {.before = 9});
  Clock::Cursor cursor(clock);
  for (uint32_t group = 0; group != 510; ++group)
    for (uint32_t item = 0; item != 4; ++item)
      for (Epoch epoch : {1u, 8u, 9u, 10 * group - 1, 10 * group, 10 * group + 5, 10 * group + 6})
        EXPECT_EQ(cursor.covers(group, item, epoch), clock.covers(group, item, epoch));
}

} // namespace
} // namespace lockstep::runtime
