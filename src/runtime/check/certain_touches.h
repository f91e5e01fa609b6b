// What a launch certainly touches, computed from its sizes and arguments (compiler/suppositions.h: CertainTouch).
//
// Places c + f1 * a1 + f2 * a2 ... of all ids and rounds a are rows of bytes. A number whose factor is no more than what a row
// has already, makes the row longer; by another one, there are as many rows. Conditions leave some of a number.
#pragma once

#include "compiler/suppositions.h"
#include "runtime/check/launch_numbers.h"
#include "runtime/memory/access.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::runtime {

struct TouchedRows {
  struct Step {
    std::size_t bytes, count;
  };
  const std::byte *begin = nullptr; // of the first one
  std::size_t size = 0;             // of each; 0: nothing is touched
  std::vector<Step> steps{};        // from row to row, from rows of rows to the next ones
};

// Nothing: it is not known from this, or the rows are too many, or not all in one memory of the launch.
std::optional<TouchedRows> certain_rows(const compiler::CertainTouch &touch,
                                        const compiler::KernelInfo &kernel,
                                        const LaunchNumbers &numbers,
                                        std::span<const Access> accesses);

} // namespace lockstep::runtime
