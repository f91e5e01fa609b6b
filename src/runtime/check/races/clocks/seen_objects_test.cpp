#include "runtime/check/races/clocks/seen_objects.h"

#include "runtime/check/races/clocks/lock_wait.h"
#include "runtime/graph/command.h"

#include <gtest/gtest.h>
#include <thread>

namespace lockstep::runtime {
namespace {

TEST(SeenObjects, AreAsTheyWereSeenUntilTheyChange) {
  Synchronization object;
  const uint32_t word = 7;
  SeenObjects seen;
  EXPECT_EQ(seen.find(1, 64), nullptr);
  object.device.clocks[0].add(3, {.before = 5});
  object.device.releases = 2;
  seen.note(1, 64, object);
  EXPECT_EQ(seen.find(2, 64), nullptr);
  const SeenObject *known = seen.find(1, 64);
  ASSERT_NE(known, nullptr);
  uint64_t was = 0;
  EXPECT_TRUE(known->look(word, was));
  EXPECT_EQ(was, 7u);
  EXPECT_EQ(known->device.releases, 2u);
  EXPECT_TRUE(known->device.clocks[0].covers(3, 0, 4));
  {
    const ObjectChange change(object, false);
    EXPECT_FALSE(known->look(word, was));
  }
  EXPECT_FALSE(known->look(word, was));
  seen.note(1, 64, object);
  EXPECT_TRUE(seen.find(1, 64)->look(word, was));
  seen.note(1, 128, object);
  seen.note(1, 192, object);
  EXPECT_EQ(seen.find(1, 64), nullptr);
  EXPECT_NE(seen.find(1, 128), nullptr);
}

TEST(SeenObjects, NobodyLooksMeanwhileWhereThereIsOneThread) {
  Synchronization object;
  const uint32_t before = object.changes;
  const ObjectChange change(object, true);
  EXPECT_EQ(object.changes, before);
}

// No thread has a state that a change could make invalid.
TEST(SeenObjects, ChangesCountOnceAThreadHasSeenTheObject) {
  Synchronization object;
  const uint32_t word = 0;
  SeenObjects seen;
  {
    const ObjectChange change(object, false);
  }
  EXPECT_EQ(object.changes, 0u);
  seen.note(1, 64, object);
  {
    const ObjectChange change(object, false);
  }
  uint64_t was = 0;
  EXPECT_FALSE(seen.find(1, 64)->look(word, was));
}

// A reader of a new word finds that the object has changed, too.
TEST(SeenObjects, NoWordIsSeenWithWhatAnOtherOneCarried) {
  Synchronization object;
  uint32_t word = 0;
  constexpr uint32_t many = 20000;
  ShortLock lock;
  std::thread writer([&] {
    for (uint32_t i = 1; i <= many; ++i) {
      lock.lock();
      {
        const ObjectChange change(object, false);
        object.device.releases = i;
        __atomic_store_n(&word, i, __ATOMIC_RELEASE);
      }
      lock.unlock();
    }
  });
  SeenObjects seen;
  for (uint64_t was = 0; was != many;) {
    if (const SeenObject *known = seen.find(1, 64); known && known->look(word, was)) {
      ASSERT_EQ(was, known->device.releases);
      continue;
    }
    lock.lock();
    seen.note(1, 64, object);
    lock.unlock();
  }
  writer.join();
}

TEST(LockWait, IsForLocksThatAnotherThreadTakesAgainAndAgain) {
  Synchronization object;
  EXPECT_FALSE(are_others_at_it(object));
  std::thread([&] {
    for (int i = 0; i != 100; ++i)
      object.handovers.note();
  }).join();
  EXPECT_TRUE(are_others_at_it(object));
  object.handovers.note();
  EXPECT_FALSE(are_others_at_it(object));
}

// However long the lock stays taken.
TEST(LockWait, Ends) {
  const uint32_t word = 1;
  Synchronization object(reinterpret_cast<uintptr_t>(&word));
  const uint64_t begin = now_nanoseconds();
  for (int i = 0; i != 20; ++i)
    let_others_go_on({object, word, 1, 2});
  EXPECT_LT(now_nanoseconds() - begin, uint64_t(20'000'000'000));
}

} // namespace
} // namespace lockstep::runtime
