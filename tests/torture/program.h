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
  bool has_helper = false;             // kernel `helper` is to be launched in a queue of its own
  uint32_t relays = 0;                 // so is `relay`, so many times, the last one first
  uint32_t relay_flags = 0;            // its argument: index of the first counter
  bool main_is_last = false;           // of these launches
  bool is_dead = false;                // a trap was planted:
  unsigned trap_line = 0;              // the report must name this line of the source
  std::string trap;                    // in words
  uint32_t counters = 0, data = 0;     // sizes of the two buffers, in elements
  uint32_t host_words = 0;             // of memory that the host sets to 1 while the kernel runs
  std::vector<uint32_t> expected_sums; // of each work-item
  std::vector<std::pair<uint32_t, uint32_t>> expected_data; // index and value

  uint32_t items() const { return groups * local; }
};

// `only`: the name of the one kind of phase or trap that it is made of; empty: all.
Program generate(uint64_t seed, const std::string &only);

// The names, a line.
std::string kinds();

} // namespace torture
