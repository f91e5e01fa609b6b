// What the requested checks require of passes that are not part of them.
#pragma once

#include "compiler/options/code_options.h"

#include <cstdint>

namespace lockstep::compiler {

struct InstrumentationNeeds {
  // Each kernel is a single function, however large: all objects that an access may reach are
  // known, including private memory.
  bool single_function = false;
  // Functions that access shared memory are inlined: each access knows its work-item.
  bool accesses_in_kernel = false;
  bool packet_reports = false;     // pipes report their packets
  bool updates_as_written = false; // a loop that swaps stays one: its bits are tracked
  // What replaces a loop that swaps races with the same accesses and orders the same ones.
  bool exact_updates = false;
  bool image_code_inlined = false; // code that accesses images is inlined
  // Reductions into the memory of so many first arguments may be privatized, and, if
  // `privatizes_members`, into that of members of struct arguments.
  uint32_t most_privatized_arguments = 0;
  bool privatizes_members = false;
};

InstrumentationNeeds needs_of(const CodeOptions &options);

} // namespace lockstep::compiler
