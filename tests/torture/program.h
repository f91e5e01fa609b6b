// A random kernel whose work-items wait for each other, and its expected results.
//
// A kernel is a sequence of phases, which every work-item executes in the same order. In a phase a
// work-item waits only for actions that others perform in an earlier phase, or in the same phase
// before they wait themselves. So every kernel terminates under any schedule, unless one phase is a
// planted trap. No result depends on the schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace torture {

struct Program {
  uint64_t seed = 0;
  uint32_t groups = 0, local = 0;
  std::string source;
  bool has_helper = false;   // launch kernel `helper` in a queue of its own
  uint32_t relays = 0;       // launch `relay` this often, each in its own queue, the last one first
  uint32_t relay_flags = 0;  // its argument: index of the first counter
  bool main_is_last = false; // enqueued after the other launches
  bool is_dead = false;      // contains a planted trap:
  unsigned trap_line = 0;    // the report must name this source line
  std::string trap;          // its name
  uint32_t counters = 0, data = 0;     // elements of the two buffers
  uint32_t host_words = 0;             // words that the host sets to 1 while the kernel runs
  std::vector<uint32_t> expected_sums; // one per work-item
  std::vector<std::pair<uint32_t, uint32_t>> expected_data; // index and value

  uint32_t items() const { return groups * local; }
};

// `only` selects one kind of phase or trap; empty: all kinds.
Program generate(uint64_t seed, const std::string &only);

// Returns the names of all kinds, one per line.
std::string kinds();

} // namespace torture
