// What the work-items of a group do together: do all get there, and what does an async copy touch meanwhile?
#include "runtime/check/launch_check.h"

#include "compiler/compile.h"
#include "runtime/check/check_places.h"
#include "runtime/check/findings.h"

#include <bit>
#include <fmt/format.h>

namespace lockstep::runtime {

namespace {

FindingPlace place_of(uint16_t number, const char *what, std::string who) {
  const CheckPlace &place = CheckPlaces::of(number);
  return {what, place.file, place.site.line, place.site.column, place.text, std::move(who)};
}

} // namespace

// ---- async copies

// Each sub-group tells of the same copy.
void LaunchCheck::copy(const Access &access, const void *address, const compiler::CopyShape &shape,
                       uint64_t intervals) {
  CheckedGroup &group = access.group;
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (const ToldCopy &told : group.copies) {
    if (told.place != access.place || told.intervals != intervals)
      continue;
    if ((told.address != at || told.shape.row != shape.row || told.shape.rows != shape.rows) &&
        Findings::instance().is_first("divergence", access.place, access.place)) {
      Finding finding;
      finding.kind = "divergence";
      finding.kernel = kernel_.name;
      finding.headline = "an async copy has other arguments in some work-items of a group";
      finding.places = {place_of(access.place, "copy", group_text(group.number))};
      Findings::instance().tell(finding);
    }
    return;
  }
  group.copies.push_back({access.place, intervals, at, shape});
  const auto number =
      uint32_t(intervals / compiler::Intervals::copy_step & compiler::Intervals::copy_field);
  Visit visited = visit_of(access, first_copy + number);
  LockedPage locked;
  for (uint64_t slice = 0; slice != shape.slices; ++slice)
    visit_strided(visited, at + slice * shape.slice_pitch, shape, locked.page);
}

void LaunchCheck::end_copies(CheckedGroup &group) {
  if (group.copies.empty())
    return;
  const uint16_t place = group.copies.front().place;
  if (!Findings::instance().is_first("async copy", place, 0))
    return;
  Finding finding;
  finding.kind = "async copy";
  finding.kernel = kernel_.name;
  finding.headline = "nobody waits for it";
  finding.places = {place_of(place, "copy", group_text(group.number))};
  finding.explanation = {"the group ends without wait_group_events after it"};
  Findings::instance().tell(finding);
}

// ---- who gets there

void LaunchCheck::arrive(CheckedGroup &group, uint16_t place, uint64_t lanes, uint64_t intervals) {
  if (group.arrival.place != place || group.arrival.intervals != intervals) {
    end_arrival(group);
    group.arrival = {place, intervals, 0};
  }
  group.arrival.items += uint64_t(std::popcount(lanes));
}

void LaunchCheck::end_arrival(CheckedGroup &group) {
  const Arrival arrival = std::exchange(group.arrival, {});
  if (!arrival.place || arrival.items == group.size || std::exchange(group.has_parted, true) ||
      !Findings::instance().is_first("divergence", arrival.place, 0))
    return;
  Finding finding;
  finding.kind = "divergence";
  finding.kernel = kernel_.name;
  finding.headline = fmt::format("{} of {} work-items of a group get here, or not as often",
                                 arrival.items, group.size);
  finding.places = {place_of(arrival.place, "all must", group_text(group.number))};
  Findings::instance().tell(finding);
}

void LaunchCheck::choose(CheckedGroup &group, uint16_t place, uint64_t chosen, uint64_t lanes,
                         uint64_t first_item) {
  if (std::exchange(group.has_parted, true) ||
      !Findings::instance().is_first("divergence", place, 0))
    return;
  Finding finding;
  finding.kind = "divergence";
  finding.kernel = kernel_.name;
  finding.headline = "work-items of one group go to different barriers, copies or collectives";
  const uint64_t other = lanes & ~chosen;
  for (const uint64_t some : {chosen, other})
    finding.places.push_back(place_of(place, some == chosen ? "one way" : "the other",
                                      fmt::format("{}, item {}", group_text(group.number),
                                                  first_item + uint64_t(std::countr_zero(some)))));
  Findings::instance().tell(finding);
}

} // namespace lockstep::runtime
