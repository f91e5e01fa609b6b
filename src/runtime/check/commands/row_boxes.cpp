#include "runtime/check/commands/row_boxes.h"

#include <algorithm>

namespace lockstep::runtime {

std::size_t RowBoxes::Box::end() const {
  std::size_t last = begin;
  for (const AccessedRows::Step &each : steps)
    last += each.bytes * (each.count - 1);
  return last + size;
}

// Rows that touch the next ones of their group become one row.
void RowBoxes::Box::lengthen_rows() {
  while (!steps.empty() && steps.front().bytes <= size) {
    size += steps.front().bytes * (steps.front().count - 1);
    steps.erase(steps.begin());
  }
}

// If each row of `other` touches the row of this box with the same number, both become one row.
bool RowBoxes::Box::take_in(const Box &other) {
  const auto is_same = [](const AccessedRows::Step &one, const AccessedRows::Step &two) {
    return one.bytes == two.bytes && one.count == two.count;
  };
  if (!std::equal(steps.begin(), steps.end(), other.steps.begin(), other.steps.end(), is_same))
    return false;
  const std::size_t first = std::min(begin, other.begin);
  if (std::max(begin, other.begin) >
      (begin < other.begin ? begin + size : other.begin + other.size))
    return false;
  size = std::max(begin + size, other.begin + other.size) - first;
  begin = first;
  lengthen_rows();
  return true;
}

bool RowBoxes::Box::is_ascending() const {
  std::size_t extent = size;
  for (const AccessedRows::Step &each : steps) {
    if (each.bytes < extent)
      return false;
    extent += each.bytes * (each.count - 1);
  }
  return true;
}

bool RowBoxes::add(const AccessedRows &rows, const std::byte *memory) {
  Box box{std::size_t(rows.begin - memory), rows.size, rows.steps};
  box.lengthen_rows();
  if (!box.is_ascending())
    return false;
  for (auto each = boxes_.begin(); each != boxes_.end();) {
    Box both = box;
    if (!both.take_in(*each) || !both.is_ascending()) {
      ++each;
      continue;
    }
    box = both;
    boxes_.erase(each);
    each = boxes_.begin(); // the larger box may take in others
  }
  boxes_.push_back(std::move(box));
  return true;
}

std::size_t RowBoxes::end() const {
  std::size_t last = 0;
  for (const Box &each : boxes_)
    last = std::max(last, each.end());
  return last;
}

// Passes the rows that begin at `end` or before.
void RowBoxes::Cursor::Place::pass(std::size_t end) {
  while (!is_at_end && begin <= end) {
    std::size_t digit = 0;
    for (; digit != at.size(); ++digit) {
      const AccessedRows::Step &step = box->steps[digit];
      const std::size_t left = step.count - 1 - at[digit],
                        rows = digit == 0 ? (end - begin) / step.bytes + 1 : 1;
      if (rows <= left) {
        at[digit] += rows;
        begin += rows * step.bytes;
        break;
      }
      begin -= at[digit] * step.bytes;
      at[digit] = 0;
    }
    is_at_end = digit == at.size();
  }
}

RowBoxes::Cursor::Cursor(const RowBoxes &boxes) {
  for (const Box &each : boxes.boxes_)
    places_.push_back({&each, each.begin, std::vector<std::size_t>(each.steps.size())});
}

RowBoxes::Row RowBoxes::Cursor::next() {
  const auto comes_first = [](const Place &one, const Place &other) {
    return !one.is_at_end && (other.is_at_end || one.begin < other.begin);
  };
  const auto first = std::min_element(places_.begin(), places_.end(), comes_first);
  if (first == places_.end() || first->is_at_end)
    return {};
  Row row{first->begin, first->begin + first->box->size};
  for (bool grows = true; grows;) {
    grows = false;
    for (Place &each : places_)
      if (!each.is_at_end && each.begin <= row.end) {
        // The last row of its group that touches `row` reaches farthest.
        std::size_t last = each.begin;
        if (!each.at.empty()) {
          const AccessedRows::Step &step = each.box->steps.front();
          last += std::min(step.count - 1 - each.at[0], (row.end - each.begin) / step.bytes) *
                  step.bytes;
        }
        row.end = std::max(row.end, last + each.box->size);
        each.pass(last);
        grows = true;
      }
  }
  return row;
}

} // namespace lockstep::runtime
