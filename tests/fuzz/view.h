// The memory locations that statements and expressions of generate_view.cpp access: vectors at any
// element (vloadn, vstoren and their half forms), and single elements for atomics and second
// results.
#pragma once

#include "value.h"

namespace lockstep::fuzz {

// Vectors in an array of scalars, or of vectors seen as scalars. Vector k begins at element offset
// + k * step of the array, or of the work-item's own part of it.
struct View {
  bool is_private = false; // `array` is a private array of the function
  int array = -1;
  bool own = false;
  bool half = false;    // elements of 16 bits are halves
  bool aligned = false; // vloada_half, vstorea_half
  bool generic = false; // through a pointer to the generic address space
  uint32_t offset = 0;
  uint32_t step(uint8_t lanes) const { return aligned && lanes == 3 ? 4 : lanes; }
};

// Atomic operations on an element whose results are used.
enum class Exchange : uint8_t {
  add,
  subtract,
  bit_and,
  bit_or,
  bit_xor,
  min,
  max,
  increment,
  decrement,
  swap,
  compare_and_swap,
  load, // these with C11 functions only
  store,
  weak, // compare_exchange_weak, in a loop
  init,
  set_flag, // of the item's own flag, which is stored elsewhere
  clear_flag,
};
inline constexpr int exchange_count = int(Exchange::clear_flag) + 1;

// Memory order and scope of an atomic operation, as indices of the printer's tables.
enum class Order : uint8_t { relaxed, acquire, release, acq_rel, seq_cst };
enum class Scope : uint8_t { unsaid, sub_group, work_group, device, all_devices };
struct Ordering {
  Order order = Order::relaxed, failure = Order::relaxed;
  Scope scope = Scope::device; // implicit: the function without `_explicit`, or without a scope
};

// Functions that return a second result through a pointer.
enum class TwoResults : uint8_t { fract, frexp, modf, remquo };

} // namespace lockstep::fuzz
