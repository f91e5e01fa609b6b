// Group operations: checks that all work-items of a group reach them, and records what async copies
// access meanwhile.
#include "runtime/check/races/launch/launch_check.h"

#include "driver/compile.h"
#include "runtime/check/races/shadow/report_sites.h"
#include "runtime/check/report/access_text.h"
#include "runtime/check/report/findings.h"
#include "runtime/device/launch_names.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <mutex>

namespace lockstep::runtime {

using compiler::AccessKind;

// ---- async copies

// Each sub-group reports the same copy.
void LaunchCheck::copy(const CheckedAccess &access, const void *address,
                       const compiler::CopyShape &shape, uint64_t intervals) {
  CheckedGroup &group = access.group;
  for (const RecordedCopy &reported : group.copies)
    if (reported.place == access.place && reported.intervals == intervals)
      return;
  group.copies.push_back({access.place, intervals, group.now, group.next_event});
  if (!state_.compares || shape.slices == 0)
    return;
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto number =
      uint32_t(intervals / compiler::Intervals::copy_step & compiler::Intervals::copy_field);
  comparer_.visit_copy(access, at, shape, first_copy + number);
}

// All work-items of the group are past the wait. A wait without known events covers all copies.
void LaunchCheck::end_wait(CheckedGroup &group) {
  const uint16_t place = group.awaited.place;
  const SeparateVector<ItemValue> &events = group.awaited.events;
  group.copies_awaited = group.now;
  uint16_t ended = NumberedSites::none;
  std::erase_if(group.copies, [&](const RecordedCopy &copy) {
    const bool is_for_it = copy.event == 0 || events.empty() ||
                           std::any_of(events.begin(), events.end(),
                                       [&](ItemValue each) { return each.value == copy.event; });
    if (is_for_it)
      ended = copy.place;
    return is_for_it;
  });
  group.awaited.clear();
  if (group.copies.empty())
    return;
  for (RecordedCopy &copy : group.copies) {
    copy.passed_over = place;
    copy.for_another = ended;
    comparer_.record_passed_over(group.copies_awaited, copy.began);
  }
}

void LaunchCheck::end_copies(CheckedGroup &group) {
  for (const RecordedCopy &copy : group.copies) {
    const NumberedSite &place = NumberedSites::of(copy.place);
    if (!Findings::instance().is_first("async copy",
                                       key_of_location(place.file, place.site, copy.place), 0))
      continue;
    Finding finding;
    finding.kind = "async copy";
    finding.set_kernel(state_.kernel);
    finding.set_launch(state_.kernel, state_.launch);
    finding.headline = "no work-item waits for its event";
    finding.places = {reporter_.place_of(copy.place, "copy", group.number)};
    if (copy.passed_over) {
      finding.places.push_back(reporter_.place_of(copy.passed_over, "wait", group.number));
      finding.explanation.push_back(RaceReporter::wait_text(copy));
    }
    finding.explanation.push_back("the group ends without wait_group_events for the event that "
                                  "this copy has given");
    Findings::instance().report(finding);
  }
}

// Reports one event of a list; each sub-group reports the list from its beginning.
void LaunchCheck::await_event(const CheckedAccess &access, uint64_t first_item,
                              ItemValue event) const {
  Awaited &awaited = access.group.awaited;
  awaited.place = access.place;
  if (awaited.events.empty() || first_item != awaited.reported_by) {
    awaited.reported_by = first_item;
    awaited.next = 0;
  }
  if (awaited.next == awaited.events.size())
    awaited.events.push_back(event);
  else if (const ItemValue known = awaited.events[awaited.next]; known.value != event.value)
    differs(access, known, event);
  ++awaited.next;
}

// ---- arguments

void LaunchCheck::differs(const CheckedAccess &access, ItemValue one, ItemValue other) const {
  const NumberedSite &place = NumberedSites::of(access.place);
  const bool of_sub_group = access.site.kind == AccessKind::sub_group_argument;
  if (!state_.checks_convergence || !Findings::instance().is_first("divergence", access.place, 0))
    return;
  Finding finding;
  finding.kind = "divergence";
  finding.set_kernel(state_.kernel);
  finding.set_launch(state_.kernel, state_.launch);
  finding.headline = fmt::format("'{}' is not the same for all work-items of a {}", place.object,
                                 of_sub_group ? "sub-group" : "group");
  for (const auto &[item, value] : {one, other})
    finding.places.push_back(
        reporter_.place_of(access.place, fmt::format("{:#x}", value), access.group.number, item));
  finding.dimensions = is_sycl(state_.kernel) ? state_.launch.work_dim : 0;
  finding.add_global_ids();
  Findings::instance().report(finding);
}

void LaunchCheck::argument(const CheckedAccess &access, const void *value, int64_t stride,
                           uint64_t lanes, uint64_t first_item) {
  CheckedGroup &group = access.group;
  const auto kind = access.site.kind;
  auto of_lane = [&](unsigned lane) {
    const auto first = reinterpret_cast<uintptr_t>(value);
    return ItemValue{first_item + lane, stride == compiler::any_addresses
                                            ? reinterpret_cast<const uintptr_t *>(first)[lane]
                                            : first + uintptr_t(stride) * lane};
  };
  const ItemValue first = of_lane(unsigned(std::countr_zero(lanes)));
  for (uint64_t left = stride == 0 ? 0 : lanes; left; left &= left - 1)
    if (const ItemValue other = of_lane(unsigned(std::countr_zero(left)));
        other.value != first.value) {
      differs(access, first, other);
      break;
    }
  if (kind == AccessKind::sub_group_argument)
    return;
  if (kind == AccessKind::copy_event)
    group.next_event = first.value;
  if (kind == AccessKind::awaited_event)
    return await_event(access, first_item, first);
  auto reported =
      std::find_if(group.arguments.begin(), group.arguments.end(),
                   [&](const RecordedArgument &each) { return each.place == access.place; });
  if (reported == group.arguments.end())
    reported = group.arguments.insert(reported, {access.place, first, {}});
  if (reported->call.add(group.intervals, lanes, first_item)) {
    if (reported->value.value != first.value && !group.is_divergence_reported)
      differs(access, reported->value, first);
    return;
  }
  reported->call.begin(group.intervals, lanes, first_item);
  reported->value = first;
}

// ---- arrivals

namespace {

std::string all_must_reach(const char *whole) {
  return fmt::format(
      "all work-items of the {} must reach it equally often: move it out of the branch or "
      "loop whose condition differs, and let no work-item return before it",
      whole);
}

} // namespace

// Converts `lanes` from first_item on to bits of two words; bit 0 is the first item of its window
// of 64.
std::array<uint64_t, 2> OneCall::bits_of(uint64_t lanes, uint64_t first_item) {
  const unsigned shift = first_item % 64;
  return {lanes << shift, shift ? lanes >> (64 - shift) : 0};
}

bool OneCall::add(uint64_t intervals, uint64_t lanes, uint64_t first_item) {
  if (items_ == 0 || intervals != intervals_)
    return false;
  const auto [low, high] = bits_of(lanes, first_item);
  const std::size_t word = first_item / 64;
  if (reported(word) & low || reported(word + 1) & high)
    return false;
  note(lanes, first_item);
  return true;
}

void OneCall::begin(uint64_t intervals, uint64_t lanes, uint64_t first_item) {
  intervals_ = intervals;
  items_ = 0;
  has_reported_ = {};
  std::fill(more_.begin(), more_.end(), 0);
  note(lanes, first_item);
}

uint64_t OneCall::first_that(bool has_reported) const {
  std::size_t word = 0;
  while (!(has_reported ? reported(word) : ~reported(word)))
    ++word;
  return word * 64 + unsigned(std::countr_zero(has_reported ? reported(word) : ~reported(word)));
}

void OneCall::set(std::size_t word, uint64_t bits) {
  if (word < most_at_hand) {
    has_reported_[word] |= bits;
    return;
  }
  if (more_.size() <= word - most_at_hand)
    more_.resize(word - most_at_hand + 1);
  more_[word - most_at_hand] |= bits;
}

void OneCall::note(uint64_t lanes, uint64_t first_item) {
  const std::size_t word = first_item / 64;
  const auto [low, high] = bits_of(lanes, first_item);
  set(word, low);
  if (high)
    set(word + 1, high);
  items_ += unsigned(std::popcount(lanes));
}

void LaunchCheck::arrive(CheckedGroup &group, uint16_t place, uint64_t lanes, uint64_t first_item,
                         uint64_t intervals) {
  if (group.arrival.place == place && group.arrival.call.add(intervals, lanes, first_item))
    return;
  end_arrival(group);
  group.arrival.place = place;
  group.arrival.call.begin(intervals, lanes, first_item);
}

void LaunchCheck::end_arrival(CheckedGroup &group) {
  const uint16_t place = std::exchange(group.arrival.place, NumberedSites::none);
  const uint64_t items = group.arrival.call.items();
  if (!state_.checks_convergence || !place || items == group.size ||
      std::exchange(group.is_divergence_reported, true) ||
      !Findings::instance().is_first("divergence", place, 0))
    return;
  Finding finding;
  finding.kind = "divergence";
  finding.set_kernel(state_.kernel);
  finding.set_launch(state_.kernel, state_.launch);
  finding.headline =
      fmt::format("{} of {} work-items of a group get here, or not as often", items, group.size);
  finding.places = {
      reporter_.place_of(place, "gets here", group.number, group.arrival.call.first_that(true)),
      reporter_.place_of(place, "does not", group.number, group.arrival.call.first_that(false))};
  finding.dimensions = is_sycl(state_.kernel) ? state_.launch.work_dim : 0;
  finding.add_global_ids();
  finding.explanation.push_back(all_must_reach("group"));
  Findings::instance().report(finding);
}

// Lanes of a sub-group run in lockstep, so that the active lanes are the only ones that arrive.
void LaunchCheck::look_for_others_of_sub_group(CheckedGroup &group, compiler::CheckSite &site,
                                               uint64_t lanes, uint64_t first_item) const {
  const uint64_t first = first_item - first_item % state_.sub_group_size,
                 size = std::min<uint64_t>(state_.sub_group_size, group.size - first);
  const auto items = uint64_t(std::popcount(lanes));
  if (items == size || !state_.checks_convergence)
    return;
  const uint16_t place = NumberedSites::number_of(site);
  if (!Findings::instance().is_first("divergence", place, 0))
    return;
  uint64_t other = first;
  while (other >= first_item && lanes >> (other - first_item) & 1)
    ++other;
  Finding finding;
  finding.kind = "divergence";
  finding.set_kernel(state_.kernel);
  finding.set_launch(state_.kernel, state_.launch);
  finding.headline = fmt::format("{} of {} work-items of a sub-group get here", items, size);
  finding.places = {reporter_.place_of(place, "gets here", group.number,
                                       first_item + uint64_t(std::countr_zero(lanes))),
                    reporter_.place_of(place, "does not", group.number, other)};
  finding.dimensions = is_sycl(state_.kernel) ? state_.launch.work_dim : 0;
  finding.add_global_ids();
  finding.explanation.push_back(all_must_reach("sub-group"));
  Findings::instance().report(finding);
}

void LaunchCheck::choose(CheckedGroup &group, uint16_t place, uint64_t chosen, uint64_t lanes,
                         uint64_t first_item) {
  if (std::exchange(group.is_divergence_reported, true) || !state_.checks_convergence ||
      !Findings::instance().is_first("divergence", place, 0))
    return;
  Finding finding;
  finding.kind = "divergence";
  finding.set_kernel(state_.kernel);
  finding.set_launch(state_.kernel, state_.launch);
  finding.headline = "work-items of one group go to different barriers, copies or collectives";
  const uint64_t other = lanes & ~chosen;
  for (const uint64_t some : {chosen, other})
    finding.places.push_back(reporter_.place_of(place, some == chosen ? "one way" : "the other",
                                                group.number,
                                                first_item + uint64_t(std::countr_zero(some))));
  finding.dimensions = is_sycl(state_.kernel) ? state_.launch.work_dim : 0;
  finding.add_global_ids();
  finding.explanation.push_back(all_must_reach("group"));
  Findings::instance().report(finding);
}

} // namespace lockstep::runtime
