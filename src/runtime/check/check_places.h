// The places of the source that checked code names, by numbers small enough for records of memory. They outlive the code.
#pragma once

#include "compiler/check_abi.h"
#include "runtime/check/shadow.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace lockstep::runtime {

struct CheckPlace {
  compiler::CheckSite site{};
  std::string file, text, object;
};

class CheckPlaces {
public:
  static constexpr uint16_t none = 0;
  static constexpr std::size_t most = 65536;
  // Gives the site its number at its first call. Beyond the last number all of a kind have one, and no line.
  static uint16_t number_of(compiler::CheckSite &site) {
    const uint32_t known = std::atomic_ref(site.number).load(std::memory_order_acquire);
    return known ? uint16_t(known) : new_number_of(site);
  }
  static uint16_t known_number_of(compiler::CheckSite &site) { // if it has one
    return uint16_t(std::atomic_ref(site.number).load(std::memory_order_relaxed));
  }
  static const CheckPlace &of(uint16_t number);
  static RecordKind kind_of(uint16_t number) { return RecordKind(kinds_[number] & 3); }
  static AtomicReach reach(uint16_t number) { return AtomicReach(kinds_[number] >> 2 & 3); }
  static bool is_guess(uint16_t number) { return kinds_[number] >> 4 & 1; }
  // Of an atomic: it reaches all groups, as all of the kernel's do.
  static bool is_plain_atomic(uint16_t number) { return kinds_[number] >> 5 & 1; }

  // May it go the short way (hand_over.h)? An exchange, a store, a plain write.
  static bool hands_over(uint16_t number) {
    return (kinds_[number] & hands_over_bit) && is_atomic(kind_of(number));
  }
  static bool takes(uint16_t number) { return kinds_[number] & takes_bit; }
  static bool writes_as_taken(uint16_t number) {
    return (kinds_[number] & (hands_over_bit | 3)) == (hands_over_bit | uint8_t(RecordKind::write));
  }
  // Of an atomic: it reads a word of global memory, and that is all there is to it (LaunchCheck::look).
  static bool looks(uint16_t number) { return kinds_[number] & looks_bit; }
  // Are rows of work-items that do it remembered as runs (shadow_rows.h)?
  static bool may_be_run(uint16_t number) { return kinds_[number] & run_bit; }

private:
  static constexpr uint8_t hands_over_bit = 64, takes_bit = 128;
  static constexpr uint16_t run_bit = 256, looks_bit = 512;
  static uint16_t new_number_of(compiler::CheckSite &site);
  static inline uint16_t kinds_[most];
  friend struct AllPlaces;
};

} // namespace lockstep::runtime
