#include "runtime/check/races/clocks/synchronization_objects.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

using Locked = SynchronizationObjects::Locked;

void release(Synchronization &object) {
  object.device.clocks[0].replace({}, 3, {.before = 5, .up_to = {1, 9}});
  object.device.releases = 1;
}

TEST(SynchronizationObjects, AreOfOneAddressEach) {
  SynchronizationObjects all;
  std::set<const Synchronization *> objects;
  for (uintptr_t address = 0x1000; address != 0x3000; ++address) // bytes are atomics, too
    objects.insert(&all.object_at(address));
  EXPECT_EQ(objects.size(), 0x2000u);
  for (uintptr_t address = 0x1000; address != 0x3000; ++address)
    EXPECT_EQ(all.object_at(address).address, address);
}

TEST(SynchronizationObjects, CarryNothingInTheNextLaunch) {
  SynchronizationObjects all;
  for (uint64_t launch : {1, 2}) {
    for (uintptr_t address = 0x1000; address != 0x1100; address += 4) {
      const Locked locked(all, launch, address, launch == 2);
      EXPECT_EQ(locked.object().device.releases, 0u);
      EXPECT_TRUE(locked.object().device.clocks[0].is_empty());
      release(locked.object());
    }
    const Locked again(all, launch, uintptr_t(0x1000), launch == 2);
    EXPECT_TRUE(again.object().device.clocks[0].covers(3, 1, 9));
    EXPECT_EQ(again.lock().is_locked(), launch == 1);
    all.end();
  }
}

// Most of them would stay with the clocks of an earlier launch.
TEST(SynchronizationObjects, AreDroppedIfALaunchUsesFewOfThem) {
  SynchronizationObjects all;
  for (uintptr_t address = 0x1000; address != 0x1040; address += 4)
    release(Locked(all, 1, address, true).object());
  all.end();
  EXPECT_EQ(all.object_at(0x1020).launch, 1u);
  release(Locked(all, 2, uintptr_t(0x1000), true).object());
  all.end();
  EXPECT_EQ(all.object_at(0x1000).launch, 0u);
  EXPECT_EQ(all.object_at(0x1020).launch, 0u);
}

TEST(SynchronizationObjects, AreTheSameForAllThreads) {
  SynchronizationObjects all;
  constexpr unsigned threads = 4, objects = 3000, times = 5;
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread != threads; ++thread)
    running.emplace_back([&all] {
      for (unsigned time = 0; time != times; ++time)
        for (unsigned i = 0; i != objects; ++i)
          ++Locked(all, 1, 0x10000 + i * 4 + (i % 7 == 0), false).object().device.releases;
    });
  for (std::thread &each : running)
    each.join();
  for (unsigned i = 0; i != objects; ++i)
    EXPECT_EQ(all.object_at(0x10000 + i * 4 + (i % 7 == 0)).device.releases, threads * times);
}

} // namespace
} // namespace lockstep::runtime
