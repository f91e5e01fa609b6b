// Tests the wait that is known of a group without taking it.
#include "runtime/launch/cpu/resumable/waiting_group.h"

#include "runtime/launch/cpu/resumable/test_coroutine.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>

namespace lockstep::runtime {
namespace {

using compiler::Step;

constexpr uint32_t sub_groups = 4;

struct Shared {
  std::array<std::atomic<uint32_t>, sub_groups> flags{};
  // The first action of each sub-group.
  enum Does { waits, waits_for_more, meets, ends };
  std::array<Does, sub_groups> does{};
};

Step wait_for_own_flag(TestFrame &frame) {
  Shared &shared = *frame.argument<Shared *>();
  std::atomic<uint32_t> &flag = shared.flags[frame.sub_group];
  switch (shared.does[frame.sub_group]) {
  case Shared::waits:
    return flag == 7 ? frame.done() : wait_until(frame, flag, flag, 7);
  case Shared::waits_for_more:
    return frame.wait_for(flag, flag, 1, true);
  case Shared::meets:
    return frame.at_barrier();
  case Shared::ends:
    break;
  }
  return frame.done();
}

class WaitingGroups : public testing::Test {
protected:
  Shared shared;

  // The group's wait after it was started.
  PureWait start() {
    launch_.args = &argument_;
    compiler::GroupInfo info{};
    info.local_size[0] = info.local_size[1] = info.local_size[2] = 1;
    info.local_size[0] = 4ULL * sub_groups;
    group = &layout.make(slot_.get(), *code_, info);
    EXPECT_EQ(start_group(launch_, *group).state, GroupState::waits);
    PureWait wait;
    layout.get_pure_wait(*group, wait);
    return wait;
  }

private:
  Shared *argument_ = &shared;
  compiler::LaunchInfo launch_{};
  std::shared_ptr<const compiler::KernelCode> code_ =
      *CoroutineProgram::make<wait_for_own_flag>()->kernel("waits", {});

protected:
  const GroupLayout layout{*code_, nullptr, 4ULL * sub_groups, 0};
  WaitingGroup *group = nullptr;

private:
  std::unique_ptr<void, decltype(&std::free)> slot_{
      std::aligned_alloc(layout.alignment(), (layout.bytes() + layout.alignment() - 1) /
                                                 layout.alignment() * layout.alignment()),
      std::free};
};

TEST_F(WaitingGroups, NoteWhatEachSubGroupWaitsFor) {
  const PureWait wait = start();
  EXPECT_EQ(wait.size, 0U);
  ASSERT_EQ(wait.value, sub_groups);
  EXPECT_TRUE(layout.all_go_on(*group, wait.value));
  for (auto &flag : shared.flags) {
    flag = 6;
    EXPECT_TRUE(layout.all_go_on(*group, wait.value));
    flag = 7;
    EXPECT_FALSE(layout.all_go_on(*group, wait.value));
    flag = 0;
  }
}

TEST_F(WaitingGroups, NoteNoneThatAreDoneOrAtABarrier) {
  shared.does = {Shared::meets, Shared::waits, Shared::ends, Shared::waits};
  const PureWait wait = start();
  ASSERT_EQ(wait.value, 2U);
  shared.flags[0] = shared.flags[2] = 7;
  EXPECT_TRUE(layout.all_go_on(*group, wait.value));
  shared.flags[3] = 7;
  EXPECT_FALSE(layout.all_go_on(*group, wait.value));
}

TEST_F(WaitingGroups, TellTheWaitOfOneAsItIs) {
  shared.does = {Shared::meets, Shared::meets, Shared::waits, Shared::meets};
  const PureWait wait = start();
  EXPECT_EQ(wait.address, &shared.flags[2]);
  EXPECT_EQ(wait.value, 7U);
  EXPECT_EQ(wait.size, 4U);
}

TEST_F(WaitingGroups, KnowNothingIfOneWaitsForMoreThanMemory) {
  shared.does[3] = Shared::waits_for_more;
  const PureWait wait = start();
  EXPECT_EQ(wait.size, 0U);
  EXPECT_EQ(wait.value, 0U);
}

} // namespace
} // namespace lockstep::runtime
