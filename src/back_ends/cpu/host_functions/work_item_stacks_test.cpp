#include "back_ends/cpu/host_functions/work_item_stacks.h"

#include "abi/launch_abi.h"
#include "abi/resumable_abi.h"
#include "back_ends/cpu/host_functions/address_space_query.h"

#include <gmock/gmock.h>
#include <vector>

namespace lockstep::compiler {
namespace {

using ::testing::ElementsAre;

std::vector<uint64_t> seen;

// Notes its number before and after a barrier.
void body(const LaunchInfo *, const GroupInfo *, SubGroupFrame *frame, uint64_t work_item) {
  const uint64_t variable = work_item * 10;
  seen.push_back(variable);
  EXPECT_EQ(lockstep_address_space_of(&variable), 0); // private
  frame->step = Step::at_barrier;
  lockstep_leave_stack(frame);
  seen.push_back(variable + 1);
  frame->step = Step::done;
}

struct Launch {
  LaunchInfo launch{};
  GroupInfo group{};
  SubGroupFrame frames[2] = {};

  Launch() {
    seen.clear();
    for (int i = 0; i != 3; ++i)
      launch.local_size[i] = group.local_size[i] = i == 0 ? 4 : 2;
    launch.global_offset[0] = 100;
    group.group_id[0] = 3;
    group.group_id[1] = 1;
  }
  void start(int number, uint64_t work_item) {
    lockstep_start_on_stack(&launch, &group, &frames[number], work_item, body, 1024);
  }
};

TEST(WorkItemStacks, VariablesOutliveABarrier) {
  Launch run;
  run.start(0, 1);
  run.start(1, 2);
  EXPECT_EQ(run.frames[0].step, Step::at_barrier);
  lockstep_resume_on_stack(&run.frames[1]);
  lockstep_resume_on_stack(&run.frames[0]);
  EXPECT_THAT(seen, ElementsAre(10, 20, 21, 11));
  EXPECT_EQ(run.frames[0].step, Step::done);
  EXPECT_EQ(lockstep_running_work_item.is_running, 0u);
}

TEST(WorkItemStacks, TheRunningWorkItemIsKnown) {
  Launch run;
  static RunningWorkItem running;
  auto note = [](const LaunchInfo *, const GroupInfo *, SubGroupFrame *frame, uint64_t) {
    running = lockstep_running_work_item;
    frame->step = Step::done;
  };
  lockstep_start_on_stack(&run.launch, &run.group, &run.frames[0], 4 * 2 + 4 + 3, note, 1024);
  EXPECT_EQ(running.is_running, 1u);
  EXPECT_THAT(running.local_id, ElementsAre(3, 1, 1));
  EXPECT_THAT(running.group_id, ElementsAre(3, 1, 0));
  EXPECT_THAT(running.global_id, ElementsAre(100 + 12 + 3, 2 + 1, 1));
}

TEST(WorkItemStacks, LargePrivateMemoryFits) {
  Launch run;
  constexpr uint64_t bytes = 4 << 20;
  auto fill = [](const LaunchInfo *, const GroupInfo *, SubGroupFrame *frame, uint64_t) {
    volatile char array[bytes];
    array[0] = array[bytes - 1] = 1;
    frame->step = array[0] + array[bytes - 1] == 2 ? Step::done : Step::waiting;
  };
  lockstep_start_on_stack(&run.launch, &run.group, &run.frames[0], 0, fill, bytes);
  EXPECT_EQ(run.frames[0].step, Step::done);
}

} // namespace
} // namespace lockstep::compiler
