// Tests the index of a list: it finds groups by their waits, while entries are added, removed and
// moved.
#include "runtime/launch/cpu/resumable/waiter_list.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace lockstep::runtime {
namespace {

class WaiterLists : public testing::Test {
protected:
  static constexpr std::size_t count = 2000;
  std::vector<WaitingGroup> groups{count};
  std::vector<uint32_t> memory = std::vector<uint32_t>(2 * count);
  WaiterList list;

  Waiter waiter(std::size_t group, std::size_t place) {
    return {{&memory[place], 0, sizeof memory[place]}, &groups[group]};
  }
  void put_all() {
    std::vector<Waiter> waiters;
    for (std::size_t i = 0; i < count; ++i)
      waiters.push_back(waiter(i, i));
    list.put(waiters);
  }
  // The group that the index finds for `place`; null: none.
  WaitingGroup *find(std::size_t place) {
    Waiter found;
    return list.waiting_for({&memory[place]}, found).count ? found.group : nullptr;
  }
  // Takes the group out, as polling does, and puts it back as `to`.
  void poll(std::size_t place, const Waiter &to) {
    Waiter found;
    const WaiterList::Block block = list.waiting_for({&memory[place]}, found);
    ASSERT_EQ(block.count, 1U);
    list.take(block, 0, {&found, 1});
    ASSERT_NE(found.group, nullptr);
    EXPECT_EQ(find(place), nullptr) << "while it is polled";
    list.put_back(block, 0, {&to, 1});
  }
};

TEST_F(WaiterLists, FindNobodyWithoutAnIndex) {
  put_all();
  EXPECT_EQ(find(0), nullptr);
}

TEST_F(WaiterLists, FindWhoWaitsForAnAddress) {
  put_all();
  list.make_index();
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(find(i), &groups[i]);
  EXPECT_EQ(find(count), nullptr);
}

TEST_F(WaiterLists, FindWhoCameAfterTheIndexOrWaitsForSomethingElseNow) {
  list.make_index();
  const std::array some = {waiter(0, 0), waiter(1, 1)};
  list.put(some);
  EXPECT_EQ(find(1), &groups[1]);
  poll(1, waiter(1, count + 1));
  EXPECT_EQ(find(1), nullptr);
  EXPECT_EQ(find(count + 1), &groups[1]);
  poll(0, {}); // the group is done
  EXPECT_EQ(find(0), nullptr);
  EXPECT_EQ(list.size(), 1U);
}

TEST_F(WaiterLists, FindThemWhereACompactionHasPutThem) {
  put_all();
  list.make_index();
  for (std::size_t i = 0; i < count; i += 2)
    poll(i, {});
  list.begin_sweep(0);
  std::array<Waiter, count> swept;
  EXPECT_EQ(list.next(swept).count, count / 2) << "no holes are left";
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(find(i), i % 2 ? &groups[i] : nullptr);
}

TEST_F(WaiterLists, ForgetThePastOfAnIndexThatIsFullOfIt) {
  const std::array one = {waiter(0, 0)};
  list.make_index();
  list.put(one);
  for (std::size_t place = 0; place + 1 < count; ++place) {
    ASSERT_EQ(find(place), &groups[0]);
    poll(place, waiter(0, place + 1));
    find(place); // rebuilds it if there was no room for the new position
  }
  EXPECT_EQ(list.size(), 1U);
}

// Many groups wait for one address; the index finds the one whose value has come.
TEST_F(WaiterLists, FindWhoWaitsForAValue) {
  std::vector<Waiter> waiters;
  for (uint64_t i = 0; i < count; ++i)
    waiters.push_back({{memory.data(), i, 4, compiler::EndsBy::equal}, &groups[i]});
  list.put(waiters);
  EXPECT_FALSE(list.lists_values());
  list.make_index();
  EXPECT_TRUE(list.lists_values());
  Waiter found;
  for (uint64_t i = 0; i < count; ++i) {
    ASSERT_EQ(list.waiting_for({memory.data(), true, i}, found).count, 1U);
    EXPECT_EQ(found.group, &groups[i]);
  }
  EXPECT_EQ(list.waiting_for({memory.data(), true, count}, found).count, 0U);
  EXPECT_EQ(find(0), nullptr) << "not everything that happens there is for them";
}

// Regression: waiters of a ticket lock in few groups with many sub-groups were found by sweeps.
TEST_F(WaiterLists, WantAnIndexWhereSweepsCompareMuchAndFindLittle) {
  EXPECT_TRUE(WaiterList::is_index_faster(1000, 1, 2));
  EXPECT_FALSE(WaiterList::is_index_faster(1000, 1, 500)) << "a sweep finds half of them";
  EXPECT_FALSE(WaiterList::is_index_faster(93, 1, 2)) << "a sweep is short";
  EXPECT_TRUE(WaiterList::is_index_faster(93, 17, 2));
  EXPECT_TRUE(WaiterList::is_index_faster(10, 64, 1));
  EXPECT_FALSE(WaiterList::is_index_faster(10, 64, 5));
  EXPECT_FALSE(WaiterList::is_index_faster(2, 64, 1));
}

TEST_F(WaiterLists, GiveUpTheirLastGroups) {
  put_all();
  list.make_index();
  poll(count - 1, {}); // the group is done
  const auto last = list.take_last(10);
  ASSERT_EQ(last.size(), 10U);
  for (std::size_t i = 0; i < last.size(); ++i)
    EXPECT_EQ(last[i].group, &groups[count - 11 + i]);
  EXPECT_EQ(list.size(), count - 11);
  EXPECT_EQ(list.take_last(count).size(), count - 11);
  EXPECT_EQ(list.size(), 0U);
  EXPECT_TRUE(list.take_last(1).empty());
}

// A group that is polled stays where it is, and comes back.
TEST_F(WaiterLists, KeepGroupsThatArePolled) {
  put_all();
  list.make_index();
  Waiter found;
  const WaiterList::Block block = list.waiting_for({&memory[7]}, found);
  list.take(block, 0, {&found, 1});
  EXPECT_EQ(list.take_last(count).size(), count - 1);
  list.put_back(block, 0, {&found, 1});
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(find(7), &groups[7]);
  EXPECT_EQ(find(8), nullptr);
}

TEST_F(WaiterLists, KeepGroupsWhoseOrderIsFixed) {
  std::vector<Waiter> waiters;
  for (uint64_t i = 0; i < 4; ++i)
    waiters.push_back({{memory.data(), i / 2, 4, compiler::EndsBy::equal}, &groups[i]});
  list.put(waiters);
  EXPECT_EQ(list.take_last(1, /*only_parallel=*/true).size(), 1U) << "one alone";
  EXPECT_TRUE(list.take_last(2, /*only_parallel=*/true).empty());
  EXPECT_EQ(list.size(), 3U);
  EXPECT_EQ(list.take_last(1).size(), 1U);
  EXPECT_EQ(list.take_last(2, /*only_parallel=*/true).size(), 2U) << "both wait for one value";
}

TEST_F(WaiterLists, DropAnIndexThatDoesNotHelp) {
  put_all();
  list.make_index();
  for (int sweep = 0; sweep < 10; ++sweep)
    list.begin_sweep(0);
  EXPECT_EQ(find(3), &groups[3]);
  for (int sweep = 0; sweep < 100; ++sweep)
    list.begin_sweep(0);
  EXPECT_EQ(find(3), nullptr);
}

} // namespace
} // namespace lockstep::runtime
