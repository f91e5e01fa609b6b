// Whether root_devices() lists cards, and where: LOCKSTEP_NVIDIA (docs/environment.md).
//
// The checker and gdb see kernels of the CPU only. So a process with LOCKSTEP_CHECK or
// LOCKSTEP_DEBUGGER lists no cards, unless LOCKSTEP_NVIDIA is set.
#pragma once

namespace lockstep::runtime {

enum class CardListing {
  behind_the_cpu, // the default
  first,          // before the CPU
  none,
  none_for_check, // or for the debugger
};

constexpr bool lists_cards(CardListing listing) {
  return listing == CardListing::behind_the_cpu || listing == CardListing::first;
}

// Reads the environment at the first call.
CardListing card_listing();

// Under a check, prints that cards are not listed, or that their kernels are not checked. Prints
// nothing if this machine has no card that Lockstep can use.
void report_unchecked_cards(CardListing listing);

} // namespace lockstep::runtime
