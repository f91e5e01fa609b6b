// A random kernel whose work-items wait for each other, and what must come of it.
//
// A kernel is a sequence of phases that every work-item goes through in the same order. In a phase
// work-items wait only for what others do in the same phase before they wait themselves, or in an
// earlier one; so every kernel ends, in any schedule, unless one phase was made a trap on purpose.
// All values are known beforehand: they do not depend on the schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace torture {

struct Program {
  uint64_t seed = 0;
  uint32_t groups = 0, local = 0;
  std::string source;
  bool has_helper = false;             // kernel `helper` is to be launched in a second queue
  bool is_dead = false;                // a trap was planted:
  unsigned trap_line = 0;              // the report must name this line of the source
  std::string trap;                    // in words
  uint32_t counters = 0, data = 0;     // sizes of the two buffers, in elements
  std::vector<uint32_t> expected_sums; // of each work-item
  std::vector<std::pair<uint32_t, uint32_t>> expected_data; // index and value

  uint32_t items() const { return groups * local; }
};

Program generate(uint64_t seed);

} // namespace torture
