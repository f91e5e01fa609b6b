#include "runtime/launch/cpu/resumable/waiting_group.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

namespace lockstep::runtime {
namespace {

using compiler::Step;
using compiler::SubGroupFrame;
using compiler::SuspensionSite;

// A group whose sub-groups wait for each other is polled again at once, but not forever, since it
// may change endlessly. A group that only goes from barrier to barrier must not occupy its worker,
// either.
constexpr int most_rounds = 64;
constexpr int most_barriers = 256;
constexpr std::size_t local_memory_alignment = 128;

std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
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

// All live sub-groups are at a barrier. Diverged if some have returned, or if it is not the same
// barrier.
bool has_diverged(WaitingGroup &group) {
  if (group.live < group.sub_groups)
    return true;
  const auto &sites = group.code->sites;
  const uint32_t first = group.frame(0).site;
  for (uint32_t i = 1; i < group.sub_groups; ++i) {
    const uint32_t site = group.frame(i).site;
    // The compiler may have made several sites of one barrier in the source.
    if (site != first && site < sites.size() && first < sites.size() &&
        !is_same_place(sites[site], sites[first]))
      return true;
  }
  return false;
}

// The events of one iteration of polling.
struct Round {
  GroupState state = GroupState::waits;
  bool has_arrived = false;  // a sub-group went from a wait to a barrier
  bool has_met = false;      // a barrier opened
  bool has_changed = false;  // a loop counted or wrote something, or saw another value
  bool has_advanced = false; // a sub-group is done, or waits at another site
};

void record_written(SubGroupFrame &frame, Written *written) {
  if (!written)
    return;
  if (const void *wrote = std::exchange(frame.wrote, nullptr)) {
    if (!(*written)[0])
      (*written)[0] = wrote;
    (*written)[1] = wrote;
  }
}

void open_barrier(WaitingGroup &group, Round &round, Written *written) {
  group.at_barrier = 0;
  round.has_met = true;
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    SubGroupFrame &frame = group.frame(i);
    note(group, frame, group.code->resume(&frame));
    round.has_advanced |= frame.step == Step::done;
    round.has_changed |= frame.step == Step::waiting && frame.wait.changed;
    record_written(frame, written);
  }
}

// Opens barriers until a sub-group waits for memory or all are done.
void open_barriers(WaitingGroup &group, Round &round, Written *written) {
  round.state = GroupState::waits;
  for (int opened = 0; group.live > 0 && group.at_barrier == group.live; ++opened) {
    if (has_diverged(group)) {
      round.has_advanced = true;
      round.state = GroupState::diverged;
      return;
    }
    if (opened == most_barriers) {
      round.has_advanced = true;
      return;
    }
    open_barrier(group, round, written);
  }
  if (group.live == 0)
    round.state = GroupState::done;
}

bool is_pure(const WaitingGroup &group, const SubGroupFrame &frame) {
  const auto &sites = group.code->sites;
  // compares addresses, because size() is a division
  const SuspensionSite *site = sites.data() + frame.site;
  return site < sites.data() + sites.size() && site->is_pure;
}

// The wait ends when the value differs from the one that was seen.
void get_wait(const SubGroupFrame &frame, PureWait &to) {
  to.address = frame.wait.address;
  to.value = frame.wait.seen;
  to.size = frame.wait.size();
  to.ends_by = compiler::EndsBy::difference;
}

// The wait ends when the value fulfills its condition.
void get_wait_at_pure_site(const SubGroupFrame &frame, PureWait &to) {
  get_wait(frame, to);
  to.ends_by = frame.wait.ends_by();
  if (to.ends_by != compiler::EndsBy::difference)
    to.value = frame.wait.wanted;
}

bool goes_on_at_pure_site(const SubGroupFrame &frame) {
  PureWait wait;
  get_wait_at_pure_site(frame, wait);
  return goes_on(wait);
}

void resume_waiting(WaitingGroup &group, SubGroupFrame &frame, Round &round, Written *written) {
  const uint32_t site = frame.site;
  const void *const address = frame.wait.address;
  const uint64_t seen = frame.wait.seen;
  const Step step = group.code->resume(&frame);
  note(group, frame, step);
  if (step == Step::at_barrier) {
    round.has_arrived = true;
    record_written(frame, written);
    return; // whether it has advanced is known when it waits again or stays there
  }
  const bool has_advanced = step != Step::waiting || site != frame.site;
  if (has_advanced)
    record_written(frame, written);
  round.has_advanced |= has_advanced;
  round.has_changed |= has_advanced || frame.wait.changed || address != frame.wait.address ||
                       seen != frame.wait.seen;
}

// A hash of all sub-groups' positions and of the values that they saw.
uint64_t position_of(WaitingGroup &group) {
  uint64_t sum = group.live;
  auto mix = [&sum](uint64_t value) {
    sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  };
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    const SubGroupFrame &frame = group.frame(i);
    mix(uint64_t(frame.step) << 32 | frame.site);
    if (frame.step != Step::waiting)
      continue;
    mix(reinterpret_cast<uintptr_t>(frame.wait.address));
    mix(frame.wait.seen);
  }
  return sum;
}

// ---- reporting reads

struct Observing {
  SeenObserver *observer = nullptr;
  WaitingGroup *group = nullptr;
};
thread_local Observing observing;

void on_seen(SubGroupFrame *frame, const void *address, uint64_t value, uint32_t which) {
  WaitingGroup &group = *observing.group;
  const auto distance =
      reinterpret_cast<std::byte *>(frame) - reinterpret_cast<std::byte *>(&group.frame(0));
  const compiler::WaitRecord record{address, value, which, 0};
  observing.observer->see(group, uint32_t(std::size_t(distance) / group.frame_stride),
                          {address, value, record.size(), record.access()});
}

void observe(WaitingGroup &group, SeenObserver *observer) {
  if (!observer && !observing.observer)
    return;
  observing = {observer, &group};
  for (uint32_t i = 0; i < group.sub_groups; ++i)
    group.frame(i).on_seen = observer ? on_seen : nullptr;
}

// Pure sites report their read only in the wait record; so does code without access numbers.
void report_records(WaitingGroup &group, SeenObserver &observer) {
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    const SubGroupFrame &frame = group.frame(i);
    if (frame.step == Step::waiting && frame.wait.size() &&
        (is_pure(group, frame) || group.code->accesses.empty()))
      observer.see(group, i,
                   {frame.wait.address, frame.wait.seen, frame.wait.size(), frame.wait.access()});
  }
}

} // namespace

// ---- GroupLayout

GroupLayout::GroupLayout(const compiler::KernelCode &inner, const compiler::KernelCode *edge,
                         uint64_t items, uint64_t local_memory_bytes, uint64_t local_shadow_bytes)
    : local_memory_bytes_(local_memory_bytes), local_shadow_bytes_(local_shadow_bytes) {
  std::size_t frames = 0, alignment = alignof(SubGroupFrame);
  for (const compiler::KernelCode *code : {&inner, edge}) {
    if (!code || !code->is_resumable())
      continue;
    alignment = std::max<std::size_t>(alignment, code->resumable.frame_alignment);
    frames = std::max<std::size_t>(frames, code->coroutines(items) * stride_of(code->resumable));
    coroutines_ = std::max(coroutines_, code->coroutines(items));
  }
  first_frame_ = round_up(sizeof(WaitingGroup), alignment);
  noted_ = round_up(first_frame_ + frames, alignof(PublishedWait));
  local_memory_ = noted_ + (coroutines_ > 1 ? coroutines_ * sizeof(PublishedWait) : 0);
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
  if (local_shadow_bytes_)
    std::memset(static_cast<std::byte *>(group.info.local_memory) + local_shadow_bytes_, 0,
                local_memory_bytes_ - local_shadow_bytes_);
  group.code = &code.resumable;
  group.sub_groups =
      uint32_t(code.coroutines(info.local_size[0] * info.local_size[1] * info.local_size[2]));
  group.live = group.sub_groups;
  group.at_barrier = 0;
  group.first_frame = uint32_t(first_frame_);
  group.frame_stride = uint32_t(stride_of(code.resumable));
  group.meets_between_waits = false;
  group.polled_by = 0;
  for (uint32_t i = 0; i < group.sub_groups; ++i)
    begin(group.frame(i));
  return group;
}

// ---- running

namespace {

// Finds out whether all reads of an iteration have one address, and which sub-group read it.
class FindsOnePlace final : public SeenObserver {
public:
  void see(const WaitingGroup &, uint32_t sub_group, const SeenValue &seen) override {
    are_many_ |= !seen.size; // size 0: a copy
    are_many_ |= is_found_ && (seen.address != seen_.address || seen.value != seen_.value ||
                               seen.size != seen_.size);
    is_found_ = true;
    seen_ = seen;
    sub_group_ = sub_group;
  }
  uint16_t polled_by(WaitingGroup &group) const {
    if (!is_found_ || are_many_ || sub_group_ >= UINT16_MAX)
      return 0;
    const SubGroupFrame &frame = group.frame(sub_group_);
    const bool is_in_record = frame.step == Step::waiting && frame.wait.size() &&
                              frame.wait.address == seen_.address && frame.wait.seen == seen_.value;
    return is_in_record ? uint16_t(sub_group_ + 1) : 0;
  }

private:
  SeenValue seen_;
  uint32_t sub_group_ = 0;
  bool is_found_ = false, are_many_ = false;
};

// Inlined, because the call is a tenth of the time of a suspension.
[[gnu::always_inline]] inline PollResult poll_until_still(WaitingGroup &group, bool truly,
                                                          bool &has_met, Written *written) {
  PollResult polled;
  for (int rounds = 0; rounds < most_rounds; ++rounds) {
    Round round;
    if (group.live > group.at_barrier)
      for (uint32_t i = 0; i < group.sub_groups; ++i) {
        SubGroupFrame &frame = group.frame(i);
        if (frame.step != Step::waiting)
          continue;
        if (!truly && is_pure(group, frame) && goes_on_at_pure_site(frame))
          continue;
        resume_waiting(group, frame, round, written);
      }
    open_barriers(group, round, written);
    // A sub-group that stays at a barrier has left its wait, and may have written memory on its
    // way.
    round.has_advanced |= round.has_arrived && !round.has_met;
    has_met |= round.has_met;
    polled.has_changed |= round.has_changed || round.has_advanced;
    polled.has_advanced |= round.has_advanced;
    polled.state = round.state;
    // A sub-group that advanced may have written what others of the group wait for.
    if (round.state != GroupState::waits || !round.has_advanced || group.sub_groups == 1)
      break;
  }
  return polled;
}

// Polls a group whose barriers opened between waits. An iteration that brings all sub-groups back
// to their waits is not an advance.
PollResult poll_by_barriers(WaitingGroup &group, bool truly, bool is_observed, Written *written) {
  const uint64_t before = position_of(group);
  group.polled_by = 0;
  FindsOnePlace finder;
  if (!is_observed)
    observe(group, &finder);
  bool has_met = false;
  PollResult polled = poll_until_still(group, truly, has_met, written);
  if (has_met && polled.state == GroupState::waits) {
    polled.has_changed |= before != position_of(group);
    polled.has_advanced |= polled.has_changed; // assumes that one left a wait and got to another
    if (!polled.has_changed && !is_observed)
      group.polled_by = finder.polled_by(group);
  }
  if (!is_observed)
    observe(group, nullptr);
  return polled;
}

PollResult poll(WaitingGroup &group, bool truly, bool is_observed = false,
                Written *written = nullptr) {
  if (group.meets_between_waits)
    return poll_by_barriers(group, truly, is_observed, written);
  bool has_met = false;
  PollResult polled = poll_until_still(group, truly, has_met, written);
  if (has_met && polled.state == GroupState::waits)
    group.meets_between_waits = polled.has_changed = polled.has_advanced = true;
  return polled;
}

} // namespace

PollResult start_group(const compiler::LaunchInfo &launch, WaitingGroup &group) {
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    SubGroupFrame &frame = group.frame(i);
    note(group, frame, group.code->start(&launch, &group.info, &frame, i));
  }
  Round round;
  open_barriers(group, round, nullptr);
  PollResult polled{.state = round.state, .has_changed = true, .has_advanced = true};
  // A sub-group that was started later may have written what an earlier one waits for.
  if (polled.state == GroupState::waits && group.sub_groups > 1)
    polled.state = poll(group, false).state;
  return polled;
}

static uint64_t add(void *address, uint32_t size, uint64_t value) {
  return size == sizeof(uint32_t)
             ? __atomic_fetch_add(static_cast<uint32_t *>(address), uint32_t(value),
                                  __ATOMIC_SEQ_CST)
             : __atomic_fetch_add(static_cast<uint64_t *>(address), value, __ATOMIC_SEQ_CST);
}

void PendingAddition::make() {
  if (void *address = std::exchange(address_, nullptr))
    add(address, size_, value_);
}

void PendingAddition::take(compiler::UpdateRequest &request) {
  request.state = compiler::UpdateRequest::direct;
  if (request.address == address_ && request.size == size_) {
    value_ += request.value;
    return;
  }
  make();
  address_ = request.address;
  size_ = request.size;
  value_ = request.value;
}

// A request holds what to add, and then the old value; `state` tells which.
void make_updates(std::span<WaitingGroup *const> groups) {
  using compiler::UpdateRequest;
  auto request_of = [&](std::size_t i) -> UpdateRequest & { return groups[i]->frame(0).update; };
  for (std::size_t first = 0; first < groups.size(); ++first) {
    const UpdateRequest &request = request_of(first);
    if (request.state == UpdateRequest::direct)
      continue;
    auto is_same = [&](const UpdateRequest &other) {
      return other.state != UpdateRequest::direct && other.address == request.address &&
             other.size == request.size;
    };
    uint64_t sum = 0;
    for (std::size_t i = first; i < groups.size(); ++i)
      if (is_same(request_of(i)))
        sum += request_of(i).value;
    const uint64_t old = add(request.address, request.size, sum);
    for (std::size_t i = groups.size(); i-- > first;)
      if (UpdateRequest &each = request_of(i); is_same(each)) {
        sum -= each.value;
        each.value = old + sum;
        each.state = UpdateRequest::direct;
      }
  }
}

GroupState resume_whole_group(WaitingGroup &group) {
  compiler::SubGroupFrame &frame = group.frame(0);
  frame.step = group.code->resume(&frame);
  return state_of_whole_group(group);
}

PollResult poll_group(WaitingGroup &group, Written *written) {
  return poll(group, false, false, written);
}

PollResult poll_group_truly(WaitingGroup &group, SeenObserver *observer) {
  observe(group, observer);
  const PollResult polled = poll(group, true, observer != nullptr);
  observe(group, nullptr);
  if (observer && polled.state == GroupState::waits)
    report_records(group, *observer);
  return polled;
}

void GroupLayout::get_pure_wait(WaitingGroup &group, PureWait &to) const {
  to.size = 0;
  to.value = 0;
  if (group.polled_by) {
    get_wait(group.frame(group.polled_by - 1U), to);
    return;
  }
  const uint32_t waiting = group.live - group.at_barrier;
  uint32_t noted = 0;
  for (uint32_t i = 0; noted < waiting; ++i) {
    const SubGroupFrame &frame = group.frame(i);
    if (frame.step != Step::waiting)
      continue;
    if (!is_pure(group, frame))
      return;
    if (waiting == 1) {
      get_wait_at_pure_site(frame, to);
      return;
    }
    PureWait wait;
    get_wait_at_pure_site(frame, wait);
    noted_in(group)[noted++].note(wait);
  }
  to.value = noted;
}

bool GroupLayout::all_go_on(const WaitingGroup &group, uint64_t noted) const {
  const std::span<const PublishedWait> waits{noted_in(group), noted};
  return std::ranges::all_of(waits,
                             [](const PublishedWait &noted) { return goes_on(noted.wait()); });
}

std::size_t get_pure_waits(WaitingGroup &group, std::span<PureWait> to) {
  std::size_t count = 0;
  for (uint32_t i = 0; i < group.sub_groups && count < to.size(); ++i) {
    const SubGroupFrame &frame = group.frame(i);
    if (frame.step == Step::waiting && is_pure(group, frame))
      get_wait_at_pure_site(frame, to[count++]);
  }
  return count;
}

namespace {

template <class Word> bool goes_on_in(const PureWait &wait) {
  using compiler::EndsBy;
  using Signed = std::make_signed_t<Word>;
  const Word now = __atomic_load_n(static_cast<const Word *>(wait.address), __ATOMIC_RELAXED);
  const Word wanted = Word(wait.value);
  switch (wait.ends_by) {
  case EndsBy::equal:
    return now != wanted;
  case EndsBy::less:
    return now >= wanted;
  case EndsBy::at_most:
    return now > wanted;
  case EndsBy::greater:
    return now <= wanted;
  case EndsBy::at_least:
    return now < wanted;
  case EndsBy::signed_less:
    return Signed(now) >= Signed(wanted);
  case EndsBy::signed_at_most:
    return Signed(now) > Signed(wanted);
  case EndsBy::signed_greater:
    return Signed(now) <= Signed(wanted);
  case EndsBy::signed_at_least:
    return Signed(now) < Signed(wanted);
  case EndsBy::difference:
  case EndsBy::not_equal:
    break;
  }
  return now == wanted;
}

} // namespace

bool goes_on(const PureWait &wait) {
  if (!std::has_single_bit(wait.size) || reinterpret_cast<uintptr_t>(wait.address) % wait.size != 0)
    return false;
  switch (wait.size) {
  case 1:
    return goes_on_in<uint8_t>(wait);
  case 2:
    return goes_on_in<uint16_t>(wait);
  case 4:
    return goes_on_in<uint32_t>(wait);
  case 8:
    return goes_on_in<uint64_t>(wait);
  default:
    return false;
  }
}

} // namespace lockstep::runtime
