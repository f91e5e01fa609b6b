#include "runtime/check/races/clocks/synchronization.h"
#include "runtime/check/races/launch/test_launch.h"

#include <functional>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::AccessKind;
using compiler::CheckSite;
using compiler::GroupInfo;
using compiler::Intervals;
using compiler::LaunchInfo;

// Two groups access one word of global memory. Only barriers order the accesses unless the test
// says otherwise.
class OneWord : public testing::Test, protected TwoGroups {
protected:
  void access(unsigned group, uint64_t item, AccessKind kind, uint64_t lanes = 1) {
    compiler::check_hooks.access(&launch_, &groups_[group], &new_site(kind), &word_, 0, lanes, item,
                                 intervals_[group]);
  }
  // Atomics on words of the page at any positions: `words` per lane.
  void count(unsigned group, uint64_t first_item, std::vector<unsigned> words, bool is_narrow) {
    if (!counts_)
      (counts_ = &new_site(AccessKind::atomic_update))->scope =
          is_narrow ? compiler::CheckScope::work_group : compiler::CheckScope::device;
    std::vector<const void *> addresses;
    for (unsigned word : words)
      addresses.push_back(&page_[word]);
    compiler::check_hooks.access(&launch_, &groups_[group], counts_, addresses.data(),
                                 compiler::any_addresses, (uint64_t(1) << words.size()) - 1,
                                 first_item, intervals_[group]);
  }
  void access_word(unsigned group, uint64_t item, AccessKind kind, unsigned word) {
    compiler::check_hooks.access(&launch_, &groups_[group], &new_site(kind), &page_[word], 0, 1,
                                 item, intervals_[group]);
  }
  // All work-items of the group access consecutive words from `word` on.
  void access_row(unsigned group, AccessKind kind, unsigned word) {
    compiler::check_hooks.access(&launch_, &groups_[group], &new_site(kind), &page_[word],
                                 sizeof word_, ~uint64_t(0), 0, intervals_[group]);
  }
  void copy(unsigned group, AccessKind kind) {
    compiler::check_hooks.copy(&launch_, &groups_[group], &new_site(kind), &word_,
                               {sizeof word_, 1, 0, 1, 0}, 1, 0, intervals_[group]);
    pass(group, Intervals::copy_step);
  }
  void wait(unsigned group) {
    pass(group, Intervals::wait_step);
    compiler::check_hooks.fence(&launch_, &groups_[group], &new_site(AccessKind::wait_for_copies),
                                1, 0, intervals_[group]);
  }
  void barrier_for_device(unsigned group) {
    pass(group, Intervals::global_step + Intervals::device_step);
  }
  void synchronize(unsigned group, AccessKind kind, compiler::CheckOrder order) {
    CheckSite &site = new_site(kind);
    site.order = order;
    site.operation = compiler::AtomicOperation::add;
    compiler::check_hooks.atomic(&launch_, &groups_[group], &site, &flag_, 1, 0, intervals_[group],
                                 1, 0);
  }
  CheckSite &new_site(AccessKind kind) const { return TwoGroups::new_site(kind, sizeof word_); }

  static inline uint32_t word_ = 0, flag_ = 0;
  alignas(4096) static inline uint32_t page_[1024] = {};
  CheckSite *counts_ = nullptr;
};

constexpr uint64_t four_lanes = 15;

// One group's work-items access a row and hand it over to another group by an atomic.
class Rows : public OneWord {
protected:
  Rows() { synchronizes_ = CheckSite::by_atomics; }
  void hand_over(unsigned from, unsigned to) {
    barrier(from);
    synchronize(from, AccessKind::atomic_update, compiler::CheckOrder::release);
    synchronize(to, AccessKind::atomic_update, compiler::CheckOrder::acquire);
  }
  void expect_no_more(const std::function<void()> &accesses) const {
    const uint64_t before = reported();
    accesses();
    EXPECT_EQ(reported(), before);
  }
  void expect_more(const std::function<void()> &accesses) const {
    const uint64_t before = reported();
    accesses();
    EXPECT_GT(reported(), before);
  }
};

// Without atomics, only writes are runs. A read makes the page one of words.
class RowsWithoutAtomics : public OneWord {
protected:
  uint64_t more(const std::function<void()> &accesses) const {
    const uint64_t before = reported();
    accesses();
    return reported() - before;
  }
};

TEST_F(RowsWithoutAtomics, AreOfOneGroup) {
  EXPECT_EQ(more([&] {
              access_row(0, AccessKind::write, 0);
              access_row(1, AccessKind::write, 128);
              access_row(0, AccessKind::write, 0);
              barrier(0);
              access_row(0, AccessKind::write, 3); // by other work-items than before
              access_row(0, AccessKind::write, 3);
            }),
            0u);
  EXPECT_GT(more([&] { access_row(1, AccessKind::write, 60); }), 0u);
}

TEST_F(RowsWithoutAtomics, AreWrittenByOtherWorkItemsAfterABarrierOnly) {
  access_row(0, AccessKind::write, 128);
  EXPECT_GT(more([&] { access_row(0, AccessKind::write, 129); }), 0u);
}

TEST_F(RowsWithoutAtomics, AreReadAsWords) {
  access_row(0, AccessKind::write, 256);
  access_row(1, AccessKind::write, 320);
  barrier(0);
  EXPECT_EQ(more([&] { access_row(0, AccessKind::read, 256); }), 0u);
  EXPECT_GT(more([&] { access_word(0, 1, AccessKind::read, 330); }), 0u);
  EXPECT_EQ(more([&] { access_row(1, AccessKind::read, 320); }), 0u); // its own ones
  EXPECT_GT(more([&] { access_word(1, 0, AccessKind::write, 300); }), 0u);
}

TEST_F(Rows, AreOrderedByWhatEachWorkItemKnows) {
  access_row(0, AccessKind::write, 3);
  hand_over(0, 1);
  barrier(1);
  expect_no_more([&] {
    access_row(1, AccessKind::read, 2);
    access_row(1, AccessKind::read, 4);
  });
  hand_over(1, 0);
  barrier(0);
  expect_no_more([&] {
    access_row(0, AccessKind::write, 3);
    access_word(1, 5, AccessKind::read, 70);
  });
}

TEST_F(Rows, OneThatHasAcquiredAloneKnowsMoreThanTheOthers) {
  access_row(0, AccessKind::write, 0);
  hand_over(0, 1);
  expect_no_more([&] { access_word(1, 0, AccessKind::read, 63); });
  expect_more([&] { access_row(1, AccessKind::read, 0); });
}

TEST_F(Rows, ReadersOnBothSidesAreThereWhenItIsWrittenAgain) {
  access_row(0, AccessKind::write, 64);
  hand_over(0, 1);
  barrier(1);
  access_row(1, AccessKind::read, 1); // one word of the row
  expect_more([&] { access_row(0, AccessKind::write, 64); });
}

TEST_F(Rows, AreWordsWhereOthersComeToThePage) {
  access_row(0, AccessKind::write, 0);
  access_row(0, AccessKind::read, 0);
  expect_no_more([&] { count(0, 0, {700, 701, 703}, false); });
  expect_no_more([&] { access_row(0, AccessKind::read, 0); });
  expect_more([&] { access_word(1, 9, AccessKind::write, 63); });
}

TEST_F(Rows, OfOtherWorkItemsOfTheGroupNeedABarrier) {
  access_row(0, AccessKind::write, 0);
  expect_more([&] { access_row(0, AccessKind::read, 1); });
}

// Groups hand over a lock that guards a write of the word. Except for the first iterations this is
// the fast path (hand_over.h).
class Lock : public OneWord,
             public testing::WithParamInterface<bool> { // one thread runs all groups
protected:
  Lock() {
    synchronizes_ = CheckSite::by_atomics;
    check_.set_alone(GetParam());
    take_ = &new_site(AccessKind::atomic_update);
    take_->operation = compiler::AtomicOperation::exchange;
    take_->order = compiler::CheckOrder::acquire;
    give_ = &new_site(AccessKind::atomic_write);
    give_->order = compiler::CheckOrder::release;
    take_->same_value = give_->same_value = compiler::SameValue::conflicts_only_with_atomics;
    write_ = &new_site(AccessKind::write);
    for (unsigned turn = 0; turn != 10; ++turn)
      this->turn(turn % 2);
  }
  void take(unsigned group, uint64_t item = 0) {
    compiler::check_hooks.atomic(&launch_, &groups_[group], take_, &lock_, 1, item,
                                 intervals_[group], 1, 0);
  }
  void give(unsigned group, uint64_t item = 0) {
    compiler::check_hooks.atomic(&launch_, &groups_[group], give_, &lock_, 1, item,
                                 intervals_[group], 0, 0);
  }
  void write(unsigned group, uint64_t item = 0) {
    compiler::check_hooks.access(&launch_, &groups_[group], write_, &word_, 0, 1, item,
                                 intervals_[group]);
  }
  void turn(unsigned group) {
    take(group);
    write(group);
    give(group);
  }
  CheckSite *take_ = nullptr, *give_ = nullptr, *write_ = nullptr;
  const uint64_t before_ = reported(); // excludes the constructor's iterations

private:
  static inline uint32_t lock_ = 0;
};

TEST_P(Lock, WhoHasItWrites) {
  EXPECT_EQ(reported(), before_);
  turn(1);
  turn(1);
  turn(0);
  EXPECT_EQ(reported(), before_);
}

TEST_P(Lock, WhoHasGivenItBackDoesNot) {
  write(1);
  take(0);
  EXPECT_EQ(reported(), before_);
  write(0);
  EXPECT_GT(reported(), before_);
}

TEST_P(Lock, WhoHasNotTakenItDoesNot) {
  write(0);
  EXPECT_GT(reported(), before_);
}

TEST_P(Lock, NorDoesAnotherWorkItemOfTheGroupThatHasIt) {
  take(0);
  EXPECT_EQ(reported(), before_);
  write(0, 1);
  EXPECT_GT(reported(), before_);
}

TEST_P(Lock, AStoreByWhoDoesNotHaveItEndsWhatWasReleased) {
  take(0);
  write(0);
  take(1); // fails to take the lock
  give(1);
  EXPECT_EQ(reported(), before_);
  take(1);
  write(1);
  EXPECT_GT(reported(), before_);
}

INSTANTIATE_TEST_SUITE_P(Threads, Lock, testing::Bool(),
                         [](const auto &test) { return test.param ? "one" : "several"; });

// More readers than the shadow memory records one by one.
TEST_F(OneWord, ReadsByOneWorkItemDoNotStandForAnothers) {
  access(0, 8, AccessKind::read, four_lanes);
  access(0, 3, AccessKind::read);
  for (uint64_t item = 16; item != 29; ++item)
    access(0, item, AccessKind::read);
  access(0, 3, AccessKind::read);
  access(0, 3, AccessKind::read);
  const uint64_t before = reported();
  access(0, 3, AccessKind::write);
  EXPECT_GT(reported(), before);
}

TEST_F(OneWord, AnotherGroupDoesNotForgetWhoHasReadBesideOneThatWritesThen) {
  access(0, 8, AccessKind::read, four_lanes);
  access(0, 3, AccessKind::read);
  for (uint64_t item = 16; item != 29; ++item)
    access(0, item, AccessKind::read);
  access(0, 3, AccessKind::read);
  const uint64_t before = reported();
  access(1, 0, AccessKind::atomic_read);
  EXPECT_EQ(reported(), before);
  access(0, 3, AccessKind::atomic_update);
  EXPECT_GT(reported(), before);
}

TEST_F(OneWord, ACopyThatWasAwaitedIsRememberedForOtherGroups) {
  copy(0, AccessKind::copy_read);
  wait(0);
  const uint64_t before = reported();
  for (uint64_t item = 0; item != 20; ++item)
    access(0, item, AccessKind::atomic_read);
  EXPECT_EQ(reported(), before);
  access(1, 0, AccessKind::atomic_update);
  EXPECT_GT(reported(), before);
}

TEST_F(OneWord, ABarrierForTheDeviceCoversCopiesThatWereAwaitedBeforeIt) {
  synchronizes_ = CheckSite::by_atomics;
  copy(0, AccessKind::copy_write);
  wait(0);
  barrier_for_device(0);
  synchronize(0, AccessKind::atomic_write, compiler::CheckOrder::relaxed);
  const uint64_t before = reported();
  synchronize(1, AccessKind::atomic_read, compiler::CheckOrder::acquire);
  access(1, 0, AccessKind::read);
  EXPECT_EQ(reported(), before);
}

TEST_F(OneWord, ABarrierForTheDeviceCoversNoCopyThatIsAwaitedAfterIt) {
  synchronizes_ = CheckSite::by_atomics;
  copy(0, AccessKind::copy_write);
  barrier_for_device(0);
  wait(0);
  synchronize(0, AccessKind::atomic_write, compiler::CheckOrder::relaxed);
  const uint64_t before = reported();
  synchronize(1, AccessKind::atomic_read, compiler::CheckOrder::acquire);
  access(1, 0, AccessKind::read);
  EXPECT_GT(reported(), before);
}

TEST_F(OneWord, WorkItemsThatReadTogetherAreOrderedByABarrierBehindTheAcquire) {
  synchronizes_ = CheckSite::by_atomics;
  access(0, 0, AccessKind::write);
  synchronize(0, AccessKind::atomic_write, compiler::CheckOrder::release);
  synchronize(1, AccessKind::atomic_read, compiler::CheckOrder::acquire);
  barrier(1);
  const uint64_t before = reported();
  access(1, 0, AccessKind::read, four_lanes);
  EXPECT_EQ(reported(), before);
  access(0, 0, AccessKind::write);
  EXPECT_GT(reported(), before);
}

TEST_F(OneWord, OfWorkItemsThatReadTogetherOnlyTheOneThatAcquiredIsOrdered) {
  synchronizes_ = CheckSite::by_atomics;
  access(0, 0, AccessKind::write);
  synchronize(0, AccessKind::atomic_write, compiler::CheckOrder::release);
  synchronize(1, AccessKind::atomic_read, compiler::CheckOrder::acquire);
  const uint64_t before = reported();
  access(1, 0, AccessKind::read);
  EXPECT_EQ(reported(), before);
  access(1, 0, AccessKind::read, four_lanes);
  EXPECT_GT(reported(), before);
}

TEST_F(OneWord, OrderedAccessesAreNotTold) {
  const uint64_t before = reported();
  for (uint64_t item = 0; item != 40; ++item)
    access(unsigned(item % 2), item, AccessKind::read);
  for (uint64_t item = 0; item != 40; ++item)
    access(unsigned(item % 2), item, AccessKind::atomic_read);
  EXPECT_EQ(reported(), before);
}

TEST_F(OneWord, AtomicsOfOneGroupOnAPageAreRememberedByItem) {
  const uint64_t before = reported();
  count(0, 0, {7, 9, 7, 500}, true);
  count(0, 8, {9, 33}, true);
  barrier(1);
  access_word(0, 3, AccessKind::write, 500); // its own word
  access_word(0, 3, AccessKind::write, 501);
  EXPECT_EQ(reported(), before);
  access_word(0, 0, AccessKind::write, 7); // of items 0 and 2
  EXPECT_GT(reported(), before);
  const uint64_t then = reported();
  access_word(0, 1, AccessKind::write, 9); // of items 1 and 8
  EXPECT_GT(reported(), then);
}

TEST_F(OneWord, NarrowAtomicsOfTwoGroupsMeet) {
  const uint64_t before = reported();
  count(0, 0, {7, 9, 12, 500}, true);
  count(0, 4, {7, 9, 12, 500}, true);
  count(1, 0, {8, 10}, true);
  EXPECT_EQ(reported(), before);
  count(1, 4, {11, 500}, true);
  EXPECT_GT(reported(), before);
}

TEST_F(OneWord, AtomicsOfOneGroupOnAPageAreBeforeItsNextBarrier) {
  const uint64_t before = reported();
  count(0, 0, {7, 9, 7, 500}, true);
  barrier(0);
  count(0, 0, {9, 10, 7, 501}, true);
  barrier(0);
  access_word(0, 5, AccessKind::write, 7);
  EXPECT_EQ(reported(), before);
  access_word(1, 5, AccessKind::read, 500);
  EXPECT_GT(reported(), before);
}

// Groups that wait for an address are found by it. Reads end no wait.
TEST_F(Rows, WritesOfAtomicsAreTold) {
  take_atomic_write();
  synchronize(0, AccessKind::atomic_read, compiler::CheckOrder::acquire);
  EXPECT_EQ(take_atomic_write(), nullptr);
  for (const AccessKind kind : {AccessKind::atomic_write, AccessKind::atomic_update}) {
    synchronize(1, kind, compiler::CheckOrder::release);
    EXPECT_EQ(take_atomic_write(), &flag_);
    EXPECT_EQ(take_atomic_write(), nullptr) << "only once";
  }
}

// Groups of one work-item on several threads take locks and increment words under them.
class GroupsOnThreads : public testing::Test {
protected:
  static constexpr uint64_t threads = 4, groups_of_thread = 300, locks = 8;

  GroupsOnThreads() : check_(kernel_, launch_) {
    LaunchCheck::set_hooks();
    launch_.check = &check_;
  }

  // `counting`: the order of the counter of completed groups. If it acquires and releases, it
  // orders later groups.
  uint64_t findings(compiler::CheckOrder giving_back, compiler::CheckOrder counting) {
    const auto reported = [] {
      const auto count = Findings::instance().count();
      return count.findings + count.repeated;
    };
    const uint64_t before = reported();
    const CheckSite take = site(AccessKind::atomic_update, compiler::CheckOrder::acquire),
                    give_back = site(AccessKind::atomic_write, giving_back),
                    read = site(AccessKind::read), write = site(AccessKind::write),
                    count = site(AccessKind::atomic_update, counting);
    std::vector<std::thread> all;
    for (uint64_t thread = 0; thread != threads; ++thread)
      all.emplace_back([&, thread] {
        std::array<CheckSite, 5> sites = {take, give_back, read, write, count};
        GroupInfo info{{}, {1, 1, 1}, nullptr};
        for (uint64_t group = 0; group != groups_of_thread; ++group) {
          info.group_id[0] = thread * groups_of_thread + group;
          run_group(info, sites);
          check_.leave(info);
        }
        check_.give_back(info);
      });
    for (std::thread &each : all)
      each.join();
    EXPECT_EQ(arrived_, threads * groups_of_thread);
    return reported() - before;
  }

private:
  void run_group(GroupInfo &info, std::array<CheckSite, 5> &sites) {
    auto &[take, give_back, read, write, count] = sites;
    auto atomic = [&](CheckSite &site, uint32_t &word, uint64_t operand) {
      return compiler::check_hooks.atomic(&launch_, &info, &site, &word, 1, 0, 0, operand, 0);
    };
    for (uint64_t n = 0; n != 4; ++n) {
      const uint64_t which = (info.group_id[0] + n * n) % locks;
      while (atomic(take, locked_[which], 1))
        std::this_thread::yield();
      compiler::check_hooks.access(&launch_, &info, &read, &words_[which], 0, 1, 0, 0);
      compiler::check_hooks.access(&launch_, &info, &write, &words_[which], 0, 1, 0, 0);
      atomic(give_back, locked_[which], 0);
    }
    atomic(count, arrived_, 1);
  }
  static CheckSite site(AccessKind kind,
                        compiler::CheckOrder order = compiler::CheckOrder::relaxed) {
    CheckSite site{};
    site.size = sizeof(uint32_t);
    site.kind = kind;
    site.order = order;
    site.operation = kind == AccessKind::atomic_update && order == compiler::CheckOrder::acquire
                         ? compiler::AtomicOperation::exchange
                         : compiler::AtomicOperation::add;
    site.scope = compiler::CheckScope::device;
    site.address_space = 1;
    site.argument = CheckSite::no_argument;
    site.synchronizes = CheckSite::by_atomics;
    site.file = site.text = site.object = "";
    return site;
  }

  std::array<uint32_t, locks> locked_{}, words_{};
  uint32_t arrived_ = 0;
  compiler::KernelInfo kernel_;
  LaunchInfo launch_{.args = nullptr,
                     .global_offset = {},
                     .global_size = {threads * groups_of_thread, 1, 1},
                     .local_size = {1, 1, 1},
                     .num_groups = {threads * groups_of_thread, 1, 1},
                     .work_dim = 1,
                     .local_argument_bytes = 0,
                     .check = nullptr,
                     .memory_check = nullptr,
                     .enqueues = nullptr};
  LaunchCheck check_;
};

TEST_F(GroupsOnThreads, AreOrderedByLocks) {
  EXPECT_EQ(findings(compiler::CheckOrder::release, compiler::CheckOrder::acq_rel), 0u);
}

TEST_F(GroupsOnThreads, AreNotOrderedByLocksThatReleaseNothing) {
  EXPECT_GT(findings(compiler::CheckOrder::relaxed, compiler::CheckOrder::relaxed), 0u);
}

} // namespace
} // namespace lockstep::runtime
