#include "runtime/launch/cpu/diagnostics/wait_summary.h"

#include <algorithm>

namespace lockstep::runtime {
namespace {

using compiler::Step;

constexpr unsigned most_rows = 8; // limit for one site and different memory

bool is_inside(const void *address, const void *begin, std::size_t size) {
  const auto a = reinterpret_cast<uintptr_t>(address), b = reinterpret_cast<uintptr_t>(begin);
  return a >= b && a - b < size;
}

void add_range(WaitSummary::Ranges &ranges, uint64_t first, uint64_t last) {
  if (!ranges.empty() && ranges.back().second + 1 == first)
    ranges.back().second = last;
  else if (!ranges.empty() && ranges.back().first == last + 1)
    ranges.back().first = first;
  else
    ranges.push_back({first, last});
}

uint64_t hash_of(const WaitSummary::What &what) {
  uint64_t sum = 0;
  auto mix = [&sum](uint64_t value) {
    sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  };
  mix(uint64_t(what.doing) << 32 | what.site);
  mix(reinterpret_cast<uintptr_t>(what.code));
  for (const auto &read : what.reads.all()) {
    mix(read.address);
    mix(read.value);
  }
  return sum;
}

} // namespace

WaitSummary::WaitSummary(const ResumableLaunch &launch) : launch_(launch), view_(launch.view()) {}

void WaitSummary::clear() {
  rows_.clear();
  rows_by_hash_.clear();
  rows_at_.clear();
  last_row_ = 0;
  seen_.clear();
  is_host_visible_ = false;
  is_memory_known_ = true;
  memories_.clear();
  last_memory_ = {};
}

WaitSummary::Reads &WaitSummary::reads_of(const WaitingGroup &group, uint32_t sub_group) {
  if (seen_group_ != &group) {
    // does not clear the lists, because this runs for each of a million groups
    for (Reads &reads : seen_) {
      reads.count = 0;
      reads.are_more = false;
    }
    seen_group_ = &group;
  }
  if (seen_.size() <= sub_group)
    seen_.resize(std::max(sub_group + 1, group.sub_groups));
  return seen_[sub_group];
}

// Only the group itself writes its local memory.
void WaitSummary::see(const WaitingGroup &group, uint32_t sub_group, const SeenValue &seen) {
  Read read{.value = seen.value, .size = seen.size, .access = seen.access};
  read.is_local = is_inside(seen.address, group.info.local_memory, view_.local_memory_bytes);
  if (read.is_local) {
    read.address = uint64_t(static_cast<const std::byte *>(seen.address) -
                            static_cast<const std::byte *>(group.info.local_memory));
  } else {
    read.address = reinterpret_cast<uintptr_t>(seen.address);
    note_memory(seen.address);
  }
  Reads &reads = reads_of(group, sub_group);
  // The same read in a later iteration, perhaps with another value.
  auto is_same = [&](const Read &other) {
    return other.is_local == read.is_local && other.address == read.address &&
           (other.access == read.access || !other.access || !read.access);
  };
  Read *const end = reads.list.data() + reads.count;
  if (Read *before = std::find_if(reads.list.data(), end, is_same); before != end)
    before->value = read.value;
  else if (reads.count < Reads::most)
    reads.list[reads.count++] = read;
  else
    reads.are_more = true;
}

void WaitSummary::note_memory(const void *address) {
  if (is_inside(address, last_memory_.begin, last_memory_.size))
    return;
  const auto memory = launch_.memory_at(address);
  if (!memory) {
    is_memory_known_ = false;
    return;
  }
  last_memory_ = *memory;
  is_host_visible_ |= memory->is_host_visible;
  memories_.insert(memory->begin);
}

void WaitSummary::add(WaitingGroup &group, bool is_observed) {
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    // A sub-group that returned is only relevant if others wait for it.
    if (group.frame(i).step != Step::done || group.at_barrier > 0)
      add_sub_group(group, i, is_observed);
  }
  seen_group_ = nullptr;
}

void WaitSummary::add_sub_group(WaitingGroup &group, uint32_t sub_group, bool is_observed) {
  const compiler::SubGroupFrame &frame = group.frame(sub_group);
  What what;
  what.site = frame.site;
  what.code = group.code;
  switch (frame.step) {
  case Step::done:
  case Step::updates: // no group that a summary sees
    what = {};
    what.doing = Doing::returned;
    break;
  case Step::at_barrier:
    what.doing = Doing::at_barrier;
    break;
  case Step::waiting:
    if (!is_observed && frame.wait.size())
      see(group, sub_group,
          {frame.wait.address, frame.wait.seen, frame.wait.size(), frame.wait.access()});
    if (is_as_before(what, reads_of(group, sub_group)))
      return add_group(rows_[last_row_], group, sub_group);
    what.reads = reads_of(group, sub_group);
    break;
  }
  add_group(row_for(what), group, sub_group);
}

// Groups that are adjacent in the list mostly do the same.
bool WaitSummary::is_as_before(const What &what, const Reads &reads) const {
  if (last_row_ >= rows_.size())
    return false;
  const What &before = rows_[last_row_].what;
  return before.doing == what.doing && before.site == what.site && before.code == what.code &&
         before.reads == reads;
}

void WaitSummary::add_group(Row &row, const WaitingGroup &group, uint32_t sub_group) {
  note_group(row, group);
  if (row.example == group.number)
    add_items(row, group, sub_group);
  const compiler::SubGroupFrame &frame = group.frame(sub_group);
  if (group.code->is_of_group && frame.step == Step::waiting)
    add_others(group);
}

void WaitSummary::note_group(Row &row, const WaitingGroup &group) {
  if (row.groups.empty())
    row.example = group.number;
  if (row.groups.empty() || row.groups.back().first > group.number ||
      row.groups.back().second < group.number)
    add_range(row.groups, group.number, group.number);
}

// If a group is one coroutine, one of its sub-groups waits. The frame does not describe the others:
// they count as having reached the barrier that the site names.
void WaitSummary::add_others(const WaitingGroup &group) {
  const compiler::SubGroupFrame &frame = group.frame(0);
  const auto &sites = group.code->sites;
  if (frame.site >= sites.size() || sites[frame.site].others < 2)
    return;
  What what;
  what.doing = Doing::at_barrier;
  what.site = sites[frame.site].others - 2;
  what.code = group.code;
  const uint64_t width = width_of(group), items = group.items();
  const uint64_t first = uint64_t(std::max(frame.wait.sub_group(), 1u) - 1) * width,
                 end = first + width;
  if (first == 0 && end >= items)
    return;
  Row &row = row_for(what);
  note_group(row, group);
  if (row.example != group.number)
    return;
  if (first > 0)
    add_range(row.items, 0, first - 1);
  if (end < items)
    add_range(row.items, end, items - 1);
}

// Many groups may wait at one location for one lock each. Rows beyond the limit are merged into
// one.
WaitSummary::Row &WaitSummary::row_for(What &what) {
  auto find = [this](const What &wanted, uint64_t hash) -> Row * {
    const auto [begin, end] = rows_by_hash_.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry)
      if (rows_[entry->second].what == wanted)
        return &rows_[entry->second];
    return nullptr;
  };
  uint64_t hash = hash_of(what);
  auto found = [this](Row &row) -> Row & {
    last_row_ = std::size_t(&row - rows_.data());
    return row;
  };
  if (Row *row = find(what, hash))
    return found(*row);
  if (what.doing == Doing::waits && ++rows_at_[{what.code, what.site}] > most_rows) {
    what.reads = {};
    what.reads.are_more = true;
    hash = hash_of(what);
    if (Row *row = find(what, hash))
      return found(*row);
  }
  rows_by_hash_.emplace(hash, rows_.size());
  return found(rows_.emplace_back(Row{what, {}, 0, {}}));
}

uint64_t WaitSummary::width_of(const WaitingGroup &group) const {
  const compiler::KernelCode &code =
      view_.edge && group.code == &view_.edge->resumable ? *view_.edge : *view_.inner;
  return std::max<uint64_t>(1, code.sub_group_size);
}

void WaitSummary::add_items(Row &row, const WaitingGroup &group, uint32_t sub_group) const {
  const uint64_t width = width_of(group), items = group.items();
  if (group.code->is_of_group) {
    const compiler::SubGroupFrame &frame = group.frame(0);
    const auto &sites = group.code->sites;
    const uint32_t looked = frame.wait.sub_group();
    if (!looked || frame.site >= sites.size() || sites[frame.site].others == 0)
      return add_range(row.items, 0, items - 1);
    sub_group = looked - 1;
  }
  const uint64_t first = sub_group * width;
  add_range(row.items, first, std::min(first + width, items) - 1);
}

} // namespace lockstep::runtime
