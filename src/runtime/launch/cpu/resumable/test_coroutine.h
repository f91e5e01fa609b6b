// Kernels in coroutine form written in C++, for tests and benchmarks of the launch: by hand what
// the compiler makes of a kernel that waits.
//
// A body is called at each resumption, and keeps its variables in its frame; `state` is its
// position. Sites: 0 is a pure wait, 1 and 4 are waits with other conditions, 2 and 3 are barriers.
#pragma once

#include "driver/compile.h"
#include "runtime/launch/cpu/kernel/kernel.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <string>

namespace lockstep::runtime {

struct TestFrame : compiler::SubGroupFrame {
  const compiler::LaunchInfo *launch;
  const compiler::GroupInfo *group;
  uint64_t sub_group;
  uint32_t state;
  uint32_t ticks;

  template <class T> T argument(std::size_t offset = 0) const {
    T value;
    std::memcpy(&value, static_cast<const std::byte *>(launch->args) + offset, sizeof value);
    return value;
  }
  uint64_t number() const { return group->group_id[0]; }
  compiler::Step done() { return step = compiler::Step::done; }
  compiler::Step at_barrier(uint32_t which = 2) {
    site = which;
    return step = compiler::Step::at_barrier;
  }
  // A read of a loop with several reads per iteration: access 1 or 2.
  uint32_t read(const std::atomic<uint32_t> &memory, uint32_t access) {
    const uint32_t seen = memory;
    wait = {&memory, seen, 4 | access << 8, 0};
    if (on_seen)
      on_seen(this, &memory, seen, 4 | access << 8);
    return seen;
  }
  compiler::Step wait_after_reads(bool changed) {
    site = 1;
    wait.changed = changed;
    return step = compiler::Step::waiting;
  }
  compiler::Step wait_for(const std::atomic<uint32_t> &memory, uint32_t seen, uint32_t which = 0,
                          bool changed = false) {
    site = which;
    wait = {&memory, seen, 4, changed};
    if (which != 0 && on_seen)
      on_seen(this, &memory, seen, 4);
    return step = compiler::Step::waiting;
  }
};

// Waits until memory has the value `wanted`.
inline compiler::Step wait_until(TestFrame &frame, const std::atomic<uint32_t> &memory,
                                 uint32_t seen, uint32_t wanted) {
  constexpr uint32_t equal = uint32_t(compiler::EndsBy::equal)
                             << compiler::WaitRecord::ends_by_shift;
  frame.site = 0;
  frame.wait = {&memory, seen, 4 | equal, 0, wanted};
  return frame.step = compiler::Step::waiting;
}

using TestBody = compiler::Step (*)(TestFrame &frame);

class CoroutineProgram : public compiler::ProgramCode {
public:
  template <TestBody body> static std::shared_ptr<CoroutineProgram> make() {
    auto program = std::make_shared<CoroutineProgram>();
    program->code_.start = [](const compiler::LaunchInfo *launch, const compiler::GroupInfo *group,
                              compiler::SubGroupFrame *frame, uint64_t sub_group) {
      auto &own = *static_cast<TestFrame *>(frame);
      own.launch = launch;
      own.group = group;
      own.sub_group = sub_group;
      own.state = own.ticks = 0;
      return body(own);
    };
    program->code_.resume = [](compiler::SubGroupFrame *frame) {
      return body(*static_cast<TestFrame *>(frame));
    };
    return program;
  }

  CoroutineProgram() {
    using Site = compiler::SuspensionSite;
    code_.frame_size = sizeof(TestFrame);
    code_.frame_alignment = 16;
    code_.sites = {{Site::Kind::wait, "test.cl", 10, 5, true},
                   {Site::Kind::wait, "test.cl", 11, 5, false},
                   {Site::Kind::barrier, "test.cl", 20, 3, false},
                   {Site::Kind::barrier, "test.cl", 30, 3, false},
                   {Site::Kind::wait, "test.cl", 12, 5, false}};
  }

  Result<std::shared_ptr<const compiler::KernelCode>>
  kernel(std::string_view name, const compiler::Specialization &) override {
    auto code = std::make_shared<compiler::KernelCode>();
    code->resumable = code_;
    code->kernel_name = std::string(name);
    code->sub_group_size = 4;
    return std::shared_ptr<const compiler::KernelCode>(std::move(code));
  }

  void number_accesses() { code_.accesses = {{"test.cl", 12, 7}, {"test.cl", 13, 7}}; }
  // Each group is one coroutine, which may return Step::updates.
  void set_batches_updates() { code_.is_of_group = code_.may_batch_updates = true; }
  // Each group is one coroutine, which may return Step::before_lock.
  void set_stops_before_locks() { code_.is_of_group = code_.stops_before_locks = true; }
  void set_frame_size(uint64_t bytes) { code_.frame_size = bytes; }

private:
  compiler::ResumableCode code_;
};

} // namespace lockstep::runtime
