#include "runtime/launch/cpu/waiting_group.h"

#include <algorithm>
#include <bit>

namespace lockstep::runtime {
namespace {

using compiler::Step;
using compiler::SubGroupFrame;
using compiler::SuspensionSite;

// A group whose sub-groups wait for each other is asked again at once, but not for ever: it may
// change without end.
constexpr int most_rounds = 64;
constexpr std::size_t local_memory_alignment = 128;

std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

uint64_t sub_groups_of(const compiler::KernelCode &code, uint64_t items) {
  const uint64_t width = std::max<uint64_t>(1, code.sub_group_size);
  return (items + width - 1) / width;
}

uint64_t stride_of(const compiler::ResumableCode &code) {
  return round_up(std::max(code.frame_size, sizeof(SubGroupFrame)),
                  std::max<uint64_t>(code.frame_alignment, alignof(SubGroupFrame)));
}

void note(WaitingGroup &group, SubGroupFrame &frame, Step step) {
  frame.step = step;
  group.live -= step == Step::done;
  group.at_barrier += step == Step::at_barrier;
}

bool is_same_place(const SuspensionSite &a, const SuspensionSite &b) {
  return a.line == b.line && a.column == b.column && a.file == b.file;
}

// All who are left stand at a barrier. Is it one barrier, and did everybody come?
bool has_diverged(WaitingGroup &group) {
  if (group.live < group.sub_groups)
    return true;
  const auto &sites = group.code->sites;
  const uint32_t first = group.frame(0).site;
  for (uint32_t i = 1; i < group.sub_groups; ++i) {
    const uint32_t site = group.frame(i).site;
    // The compiler may have made several of one barrier of the source.
    if (site != first && site < sites.size() && first < sites.size() &&
        !is_same_place(sites[site], sites[first]))
      return true;
  }
  return false;
}

void open_barrier(WaitingGroup &group) {
  group.at_barrier = 0;
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    SubGroupFrame &frame = group.frame(i);
    note(group, frame, group.code->resume(&frame));
  }
}

// Opens barriers until one sub-group waits for memory or all are done.
void open_barriers(WaitingGroup &group, Asked &asked) {
  asked.state = GroupState::waits;
  while (group.live > 0 && group.at_barrier == group.live) {
    asked.has_changed = asked.has_advanced = true;
    if (has_diverged(group)) {
      asked.state = GroupState::diverged;
      return;
    }
    open_barrier(group);
  }
  if (group.live == 0)
    asked.state = GroupState::done;
}

bool is_pure(const WaitingGroup &group, const SubGroupFrame &frame) {
  return frame.site < group.code->sites.size() && group.code->sites[frame.site].is_pure;
}

PureWait wait_of(const SubGroupFrame &frame) {
  return {frame.wait.address, frame.wait.seen, frame.wait.size};
}

void resume_waiting(WaitingGroup &group, SubGroupFrame &frame, Asked &asked) {
  const uint32_t site = frame.site;
  const PureWait before = wait_of(frame);
  const Step step = group.code->resume(&frame);
  note(group, frame, step);
  const PureWait after = wait_of(frame);
  const bool has_advanced = step != Step::waiting || site != frame.site;
  asked.has_advanced |= has_advanced;
  asked.has_changed |= has_advanced || frame.wait.changed || before.address != after.address ||
                       before.seen != after.seen;
}

} // namespace

// ---- GroupLayout

GroupLayout::GroupLayout(const compiler::KernelCode &inner, const compiler::KernelCode *edge,
                         uint64_t items, uint64_t local_memory_bytes)
    : local_memory_bytes_(local_memory_bytes) {
  std::size_t frames = 0, alignment = alignof(SubGroupFrame);
  for (const compiler::KernelCode *code : {&inner, edge}) {
    if (!code || !code->is_resumable())
      continue;
    alignment = std::max<std::size_t>(alignment, code->resumable.frame_alignment);
    frames =
        std::max<std::size_t>(frames, sub_groups_of(*code, items) * stride_of(code->resumable));
  }
  first_frame_ = round_up(sizeof(WaitingGroup), alignment);
  local_memory_ = first_frame_ + frames;
  alignment_ = std::max(alignment_, alignment);
  if (local_memory_bytes > 0) {
    alignment_ = std::max(alignment_, local_memory_alignment);
    local_memory_ = round_up(local_memory_, local_memory_alignment);
  }
  bytes_ = local_memory_ + local_memory_bytes;
}

WaitingGroup &GroupLayout::make(void *slot, const compiler::KernelCode &code,
                                const compiler::GroupInfo &info) const {
  auto &group = *static_cast<WaitingGroup *>(slot);
  group.info = info;
  group.info.local_memory =
      local_memory_bytes_ ? static_cast<std::byte *>(slot) + local_memory_ : nullptr;
  group.code = &code.resumable;
  group.sub_groups =
      uint32_t(sub_groups_of(code, info.local_size[0] * info.local_size[1] * info.local_size[2]));
  group.live = group.sub_groups;
  group.at_barrier = 0;
  group.first_frame = uint32_t(first_frame_);
  group.frame_stride = uint32_t(stride_of(code.resumable));
  return group;
}

// ---- running

Asked start_group(const compiler::LaunchInfo &launch, WaitingGroup &group) {
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    SubGroupFrame &frame = group.frame(i);
    note(group, frame, group.code->start(&launch, &group.info, &frame, i));
  }
  Asked asked{.has_changed = true, .has_advanced = true};
  open_barriers(group, asked);
  // What one sub-group waits for may have been written by one that was started after it.
  if (asked.state == GroupState::waits && group.sub_groups > 1)
    asked.state = ask_group(group, false).state;
  return asked;
}

Asked ask_group(WaitingGroup &group, bool truly) {
  Asked asked;
  for (int round = 0; round < most_rounds; ++round) {
    Asked now;
    if (group.live > group.at_barrier)
      for (uint32_t i = 0; i < group.sub_groups; ++i) {
        SubGroupFrame &frame = group.frame(i);
        if (frame.step != Step::waiting)
          continue;
        if (!truly && is_pure(group, frame) && holds_same(wait_of(frame)))
          continue;
        resume_waiting(group, frame, now);
      }
    open_barriers(group, now);
    asked.has_changed |= now.has_changed;
    asked.has_advanced |= now.has_advanced;
    asked.state = now.state;
    // Who advanced may have written what others of the group wait for.
    if (now.state != GroupState::waits || !now.has_advanced || group.sub_groups == 1)
      break;
  }
  return asked;
}

PureWait pure_wait_of(WaitingGroup &group) {
  if (group.live - group.at_barrier != 1)
    return {};
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    SubGroupFrame &frame = group.frame(i);
    if (frame.step == Step::waiting)
      return is_pure(group, frame) ? wait_of(frame) : PureWait{};
  }
  return {};
}

bool holds_same(const PureWait &wait) {
  if (!std::has_single_bit(wait.size) || reinterpret_cast<uintptr_t>(wait.address) % wait.size != 0)
    return false;
  switch (wait.size) {
  case 1:
    return __atomic_load_n(static_cast<const uint8_t *>(wait.address), __ATOMIC_RELAXED) ==
           wait.seen;
  case 2:
    return __atomic_load_n(static_cast<const uint16_t *>(wait.address), __ATOMIC_RELAXED) ==
           wait.seen;
  case 4:
    return __atomic_load_n(static_cast<const uint32_t *>(wait.address), __ATOMIC_RELAXED) ==
           wait.seen;
  case 8:
    return __atomic_load_n(static_cast<const uint64_t *>(wait.address), __ATOMIC_RELAXED) ==
           wait.seen;
  default:
    return false;
  }
}

} // namespace lockstep::runtime
