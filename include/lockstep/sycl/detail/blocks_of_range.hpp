// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Divides the range of a kernel with reductions among its work-items.
#pragma once

#include "sycl/detail/library.hpp"
#include "sycl/detail/points.hpp"
#include "sycl/detail/standard.hpp"
#include "sycl/item.hpp"
#include "sycl/nd_item.hpp"
#include "sycl/nd_range.hpp"

#include <algorithm>
#include <cstddef>

namespace sycl::detail {

// Divides a range among groups into blocks of rows and columns. The last dimension is the columns.
template <int Dimensions, bool WithOffset> struct blocks_of_range {
  blocks_of_range(const range<Dimensions> &of, const reduction_groups &by)
      : all(of), columns(of[Dimensions - 1]) {
    rows = columns ? of.size() / columns : 0;
    lanes = std::clamp<std::size_t>(columns, 1, by.items);
    // Four groups for each thread, because the work of groups may differ.
    const std::size_t wanted = by.groups
                                   ? by.groups
                                   : std::max<std::size_t>(1, detail::count_of_processors()) * 4,
                      block = std::max<std::size_t>(1, (of.size() + wanted * lanes - 1) /
                                                           (wanted * lanes)) *
                              lanes;
    block_columns = std::min(std::max(lanes, columns), block);
    block_rows = std::max<std::size_t>(1, block / block_columns);
    column_blocks = std::max<std::size_t>(1, (columns + block_columns - 1) / block_columns);
    row_blocks = std::max<std::size_t>(1, (rows + block_rows - 1) / block_rows);
  }

  nd_range<1> size() const { return {row_blocks * column_blocks * lanes, lanes}; }

  template <class Work> void for_own(const nd_item<1> &me, Work work) const {
    const std::size_t block = me.get_group_linear_id(), lane = me.get_local_id(0),
                      step = me.get_local_range(0);
    const std::size_t row = block / column_blocks * block_rows,
                      column = block % column_blocks * block_columns;
    const std::size_t end_row = row + block_rows < rows ? row + block_rows : rows,
                      end = column + block_columns < columns ? column + block_columns : columns;
    for (std::size_t i = row; i < end_row; ++i) {
      std::size_t first = column;
      for (; first + step <= end; first += step)
        work(item_at(i, first + lane));
      if (first + lane < end)
        work(item_at(i, first + lane));
    }
  }

private:
  item<Dimensions, WithOffset> item_at(std::size_t row, std::size_t column) const {
    if constexpr (Dimensions == 1)
      return item_at(id<1>(column));
    else if constexpr (Dimensions == 2)
      return item_at(id<2>(row, column));
    else
      return item_at(id<3>(row / all[1], row % all[1], column));
  }
  item<Dimensions, WithOffset> item_at(const id<Dimensions> &at) const {
    return make::object<item<Dimensions, WithOffset>>(at, all, id<Dimensions>());
  }

  range<Dimensions> all;
  std::size_t columns, rows, lanes, block_columns, block_rows, column_blocks, row_blocks;
};

// For an nd_range, the program's own division into groups applies.
template <int Dimensions> struct items_of_nd_range {
  template <class Work> void for_own(const nd_item<Dimensions> &me, Work work) const { work(me); }
};

} // namespace sycl::detail
