// Evaluates must-access sets: the bytes that a launch is sure to access, computed from its sizes
// and arguments (abi/assumptions.h: MustAccess).
//
// Addresses c + f1 * a1 + f2 * a2 ... over all ids and iterations a are rows of bytes. A number
// whose factor is at most the row's length makes the row longer. A number with a larger factor
// repeats the row. Conditions limit the range of a number.
#pragma once

#include "abi/assumptions.h"
#include "runtime/check/report/launch_numbers.h"
#include "runtime/memory/access.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::runtime {

struct AccessedRows {
  struct Step {
    std::size_t bytes, count;
  };
  const std::byte *begin = nullptr; // of the first row
  std::size_t size = 0;             // of each row; 0: no access
  std::vector<Step> steps{};        // between rows, then between groups of rows
};

// Returns nothing if the set cannot be computed, has too many rows, or is not in one memory of the
// launch.
std::optional<AccessedRows> must_access_rows(const compiler::MustAccess &entry,
                                             const compiler::KernelInfo &kernel,
                                             const LaunchNumbers &numbers,
                                             std::span<const Access> accesses);

} // namespace lockstep::runtime
