#include "runtime/check/races/launch/test_launch.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::AccessKind;
using compiler::CheckOrder;
using compiler::CheckSite;
using compiler::GroupInfo;

// Groups write a word each and arrive at one counter. Each arrival is an update that another thread
// may make.
class CombinedUpdates : public testing::Test, protected TwoGroups {
protected:
  static constexpr unsigned most_groups = 4096;

  CombinedUpdates() {
    synchronizes_ = CheckSite::by_atomics;
    all_.resize(most_groups);
    for (uint64_t group = 0; group != most_groups; ++group)
      all_[group] = {{group, 0, 0}, {group_size, 1, 1}, nullptr};
  }
  CheckSite &update_site(CheckOrder order) const {
    CheckSite &site = new_site(AccessKind::atomic_update, sizeof count_);
    site.order = order;
    site.operation = compiler::AtomicOperation::add;
    site.same_value = compiler::SameValue::conflicts_only_with_atomics;
    return site;
  }
  uint64_t arrive(unsigned group, CheckSite &site) { return arrive(group, site, count_); }
  uint64_t arrive(unsigned group, CheckSite &site, uint32_t &count) {
    return compiler::check_hooks.atomic(&launch_, &all_[group], &site, &count, 1, 0, 0, 1, 0);
  }
  void access(unsigned group, CheckSite &site, unsigned word) {
    compiler::check_hooks.access(&launch_, &all_[group], &site, &words_[word], 0, 1, 0, 0);
  }
  void write(unsigned group, unsigned word) {
    access(group, new_site(AccessKind::write, sizeof(uint32_t)), word);
  }
  void read(unsigned group, unsigned word) {
    access(group, new_site(AccessKind::read, sizeof(uint32_t)), word);
  }
  // Another thread runs the group's update, and this thread makes it.
  uint64_t arrive_by_request(unsigned group, CheckSite &site) {
    return arrive_by_request(group, site, count_);
  }
  uint64_t arrive_by_request(unsigned group, CheckSite &site, uint32_t &count) {
    const SynchronizationObjects::Locked locked(check_.atomics().objects(), number(),
                                                reinterpret_cast<uintptr_t>(&count), false);
    std::atomic<bool> is_done = false;
    uint64_t was = 0;
    std::thread thread([&] {
      was = arrive(group, site, count);
      is_done = true;
    });
    while (!is_done)
      check_.atomics().make_for_others(locked, &count);
    thread.join();
    return was;
  }
  uint64_t number() { return check_.enter(all_[0], 0).launch; }

  std::vector<GroupInfo> all_;
  alignas(4096) static inline uint32_t words_[most_groups] = {};
  uint32_t count_ = 0, second_count_ = 0;
};

TEST_F(CombinedUpdates, ReturnThePreviousValue) {
  CheckSite &site = update_site(CheckOrder::acq_rel);
  EXPECT_EQ(arrive(0, site), 0u);
  EXPECT_EQ(arrive_by_request(1, site), 1u);
  EXPECT_EQ(arrive_by_request(2, site), 2u);
  EXPECT_EQ(arrive(3, site), 3u);
  EXPECT_EQ(count_, 4u);
}

TEST_F(CombinedUpdates, AcquireAndRelease) {
  CheckSite &site = update_site(CheckOrder::acq_rel);
  for (unsigned group : {0, 1, 2})
    write(group, group);
  arrive(0, site);
  arrive_by_request(1, site);
  arrive_by_request(2, site);
  arrive(3, site);
  const uint64_t before = reported();
  read(1, 0); // group 1 arrived after group 0
  read(2, 1);
  read(3, 2);
  EXPECT_EQ(reported(), before);
  read(1, 2);
  EXPECT_EQ(reported(), before + 1);
}

TEST_F(CombinedUpdates, CoverNoLaterAccesses) {
  CheckSite &site = update_site(CheckOrder::acq_rel);
  arrive(0, site);
  arrive_by_request(1, site);
  write(1, 1); // after its release
  arrive_by_request(2, site);
  const uint64_t before = reported();
  read(2, 1);
  EXPECT_EQ(reported(), before + 1);
}

TEST_F(CombinedUpdates, OfWeakerOrdersDoLess) {
  CheckSite &both = update_site(CheckOrder::acq_rel), &release = update_site(CheckOrder::release),
            &acquire = update_site(CheckOrder::acquire),
            &relaxed = update_site(CheckOrder::relaxed);
  for (unsigned group : {0, 1, 2, 3})
    write(group, group);
  arrive(0, both);
  arrive_by_request(1, release);
  arrive_by_request(2, relaxed);
  arrive_by_request(3, acquire);
  const uint64_t before = reported();
  read(3, 0);
  read(3, 1);
  EXPECT_EQ(reported(), before);
  read(3, 2); // a relaxed update releases nothing
  EXPECT_EQ(reported(), before + 1);
  read(1, 0); // one that only releases acquires nothing
  EXPECT_EQ(reported(), before + 2);
}

// A group that arrives twice acquires what others have released in between.
TEST_F(CombinedUpdates, OfOneGroupMayRepeat) {
  CheckSite &site = update_site(CheckOrder::acq_rel);
  arrive(0, site);
  arrive_by_request(1, site);
  write(0, 0);
  arrive_by_request(0, site);
  arrive_by_request(1, site);
  const uint64_t before = reported();
  read(1, 0);
  EXPECT_EQ(reported(), before);
}

// More than a clock's line has room for.
TEST_F(CombinedUpdates, AppendToLongClocks) {
  CheckSite &site = update_site(CheckOrder::acq_rel);
  constexpr unsigned many = 100;
  for (unsigned group = 0; group != many; ++group) {
    write(group, group);
    group % 3 == 0 ? arrive(group, site) : arrive_by_request(group, site);
  }
  const uint64_t before = reported();
  for (unsigned group = 0; group != many; ++group)
    read(many - 1, group);
  EXPECT_EQ(reported(), before);
}

// Groups go on from one counter to another, with all that they know from the first.
TEST_F(CombinedUpdates, GoOnToAnotherCounter) {
  CheckSite &site = update_site(CheckOrder::acq_rel);
  for (unsigned group = 0; group != 9; ++group)
    write(group, group);
  for (unsigned group : {0, 1, 2})
    arrive(group, site);
  for (unsigned group : {3, 4}) // the second counter has a clock of its own
    arrive(group, site, second_count_);
  EXPECT_EQ(arrive(2, site, second_count_), 2u);
  for (unsigned group : {5, 6})
    arrive_by_request(group, site);
  EXPECT_EQ(arrive_by_request(6, site, second_count_), 3u);
  arrive(7, site);
  EXPECT_EQ(arrive_by_request(8, site, second_count_), 4u);
  const uint64_t before = reported();
  for (unsigned group : {0, 1, 3, 4})
    read(2, group);
  for (unsigned group = 0; group != 7; ++group) {
    read(6, group);
    read(8, group);
  }
  EXPECT_EQ(reported(), before);
  read(2, 5); // group 5 arrived at the first counter later
  EXPECT_EQ(reported(), before + 1);
  read(8, 7); // group 7 did not go on
  EXPECT_EQ(reported(), before + 2);
}

// An update that only releases leaves all that the work-item knew.
TEST_F(CombinedUpdates, OfWeakerOrdersGoOnToAnotherCounter) {
  CheckSite &both = update_site(CheckOrder::acq_rel), &release = update_site(CheckOrder::release);
  for (unsigned group = 0; group != 4; ++group)
    write(group, group);
  arrive(0, both);
  arrive(1, both);
  arrive(2, both, second_count_);
  arrive_by_request(1, release, second_count_);
  arrive_by_request(3, both, second_count_);
  const uint64_t before = reported();
  for (unsigned group : {0, 1, 2})
    read(3, group);
  EXPECT_EQ(reported(), before);
  read(1, 2); // it acquired nothing
  EXPECT_EQ(reported(), before + 1);
}

// The last group to arrive reads what all have written, as in a sum by one launch.
TEST_F(CombinedUpdates, OfManyThreadsLoseNothing) {
  constexpr unsigned threads = 8;
  CheckSite &site = update_site(CheckOrder::acq_rel),
            &writes = new_site(AccessKind::write, sizeof(uint32_t)),
            &reads = new_site(AccessKind::read, sizeof(uint32_t));
  const uint64_t before = reported();
  std::atomic<unsigned> next = 0;
  std::vector<std::atomic<unsigned>> arrivals(most_groups);
  auto run = [&] {
    for (unsigned group; (group = next++) < most_groups;) {
      access(group, writes, group);
      const uint64_t was = arrive(group, site);
      ASSERT_LT(was, most_groups);
      ++arrivals[was];
      if (was + 1 == most_groups)
        for (unsigned word = 0; word != most_groups; ++word)
          access(group, reads, word);
    }
  };
  std::vector<std::thread> all;
  for (unsigned i = 0; i != threads; ++i)
    all.emplace_back(run);
  for (std::thread &each : all)
    each.join();
  EXPECT_EQ(count_, most_groups);
  for (const std::atomic<unsigned> &each : arrivals)
    EXPECT_EQ(each, 1u);
  EXPECT_EQ(reported(), before);
}

// Groups share counters, and the last of each goes on to one counter of all.
TEST_F(CombinedUpdates, OfTwoLevelsLoseNothing) {
  constexpr unsigned threads = 8, each_counter = 16;
  CheckSite &site = update_site(CheckOrder::acq_rel),
            &writes = new_site(AccessKind::write, sizeof(uint32_t)),
            &reads = new_site(AccessKind::read, sizeof(uint32_t));
  const uint64_t before = reported();
  std::vector<uint32_t> counts(most_groups / each_counter);
  std::atomic<unsigned> next = 0, last = 0;
  auto run = [&] {
    for (unsigned group; (group = next++) < most_groups;) {
      access(group, writes, group);
      if (arrive(group, site, counts[group % counts.size()]) + 1 != each_counter ||
          arrive(group, site) + 1 != counts.size())
        continue;
      ++last;
      for (unsigned word = 0; word != most_groups; ++word)
        access(group, reads, word);
    }
  };
  std::vector<std::thread> all;
  for (unsigned i = 0; i != threads; ++i)
    all.emplace_back(run);
  for (std::thread &each : all)
    each.join();
  EXPECT_EQ(last, 1u);
  EXPECT_EQ(reported(), before);
}

} // namespace
} // namespace lockstep::runtime
