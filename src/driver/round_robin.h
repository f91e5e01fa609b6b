// Runs a resumable kernel on one thread, for tests: resumes every sub-group of every group in turn,
// and waiting ones repeatedly. The launch (runtime/launch/cpu) is the complete implementation.
#pragma once

#include "driver/compile.h"

#include <cstring>
#include <memory>
#include <vector>

namespace lockstep::compiler {

class RoundRobin {
public:
  // `args` is the argument block; it is shared, not copied per group.
  RoundRobin(const KernelCode &code, uint32_t groups, uint32_t local_size, const void *args,
             uint64_t local_memory_size)
      : RoundRobin(code, groups, {local_size, 1, 1}, args, local_memory_size) {}
  // Groups are in a row along the first dimension.
  RoundRobin(const KernelCode &code, uint32_t groups, std::array<uint32_t, 3> local_size,
             const void *args, uint64_t local_memory_size)
      : code_(code) {
    launch_.args = args;
    for (int dimension = 0; dimension != 3; ++dimension) {
      launch_.global_size[dimension] = launch_.local_size[dimension] = local_size[dimension];
      launch_.num_groups[dimension] = 1;
    }
    launch_.global_size[0] *= groups;
    launch_.num_groups[0] = groups;
    launch_.work_dim = 3;
    uint64_t items = uint64_t{local_size[0]} * local_size[1] * local_size[2];
    uint64_t sub_groups = code.coroutines(items);
    for (uint32_t index = 0; index != groups; ++index) {
      groups_.push_back(std::make_unique<Group>());
      Group &group = *groups_.back();
      group.local_memory = make_memory(local_memory_size + 1, 128);
      group.info = {
          {index, 0, 0}, {local_size[0], local_size[1], local_size[2]}, group.local_memory.get()};
      for (uint64_t number = 0; number != sub_groups; ++number) {
        group.frames.push_back(
            make_memory(code.resumable.frame_size, code.resumable.frame_alignment));
        group.steps.push_back(Step::waiting);
      }
    }
  }

  // Returns true if all groups ended, false if `rounds` were not enough.
  bool run(uint64_t rounds) {
    for (uint64_t round = 0; round != rounds; ++round) {
      changed = false;
      bool all_done = true;
      for (auto &group : groups_)
        all_done &= run_once(*group);
      if (all_done)
        return true;
    }
    return false;
  }

  const SubGroupFrame &frame(uint32_t group, uint32_t sub_group) const {
    return *reinterpret_cast<const SubGroupFrame *>(groups_[group]->frames[sub_group].get());
  }

  bool changed = false; // in the last round, a sub-group made progress
  uint64_t calls = 0;   // of start and resume

private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;
  struct Group {
    GroupInfo info;
    Memory local_memory;
    std::vector<Memory> frames;
    std::vector<Step> steps;
    bool started = false;
  };

  static Memory make_memory(uint64_t size, uint64_t alignment) {
    size = (size + alignment - 1) / alignment * alignment;
    Memory memory(std::aligned_alloc(alignment, size));
    std::memset(memory.get(), 0xa5, size); // code must not rely on zeros
    return memory;
  }

  bool run_once(Group &group) {
    bool at_barrier = group.started; // true for all sub-groups that are not done
    for (Step step : group.steps)
      at_barrier &= step != Step::waiting;
    bool done = true;
    for (size_t number = 0; number != group.frames.size(); ++number) {
      Step &step = group.steps[number];
      auto *frame = static_cast<SubGroupFrame *>(group.frames[number].get());
      if (step == Step::done || (step == Step::at_barrier && !at_barrier))
        continue;
      if (!group.started)
        frame->on_seen = nullptr;
      step = group.started ? code_.resumable.resume(frame)
                           : code_.resumable.start(&launch_, &group.info, frame, number);
      ++calls;
      changed |= step != Step::waiting || frame->wait.changed != 0;
    }
    group.started = true;
    for (Step step : group.steps)
      done &= step == Step::done;
    return done;
  }

  const KernelCode &code_;
  LaunchInfo launch_{};
  std::vector<std::unique_ptr<Group>> groups_;
};

} // namespace lockstep::compiler
