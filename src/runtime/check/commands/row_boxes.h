// The must-access sets of a launch in one memory, for one kind of access, as boxes of rows: rows of
// the same length at equal distances, in several dimensions.
//
// Requires: rows inside the memory (must_access_rows()).
// Ensures: the rows of all boxes in ascending order, where rows that overlap or touch are one row.
// Only the rows that are asked for are computed: a launch has up to 65,536 rows for each access, and
// a report names the first 64.
#pragma once

#include "runtime/check/assumptions/must_accesses.h"

#include <cstddef>
#include <vector>

namespace lockstep::runtime {

class RowBoxes {
public:
  struct Row { // byte offsets in the memory; begin == end: none
    std::size_t begin, end;
  };

  // False: the rows of the box are not in ascending order, because its dimensions overlap.
  bool add(const AccessedRows &rows, const std::byte *memory);
  bool is_empty() const { return boxes_.empty(); }
  std::size_t end() const; // of the last row

  // Goes through the rows of all boxes.
  class Cursor {
  public:
    explicit Cursor(const RowBoxes &boxes);
    Row next();

  private:
    struct Place;
    std::vector<Place> places_;
  };

private:
  struct Box {
    std::size_t begin = 0, size = 0;
    std::vector<AccessedRows::Step> steps{};
    std::size_t end() const;
    void lengthen_rows();
    bool take_in(const Box &other);
    bool is_ascending() const;
  };
  std::vector<Box> boxes_;
};

struct RowBoxes::Cursor::Place { // the next row of a box
  const Box *box;
  std::size_t begin;
  std::vector<std::size_t> at; // by step
  bool is_at_end = false;
  void pass(std::size_t end);
};

} // namespace lockstep::runtime
