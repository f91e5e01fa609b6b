// Numbers for the source places of checked code, small enough for shadow records. They outlive the
// code.
#pragma once

#include "abi/check_abi.h"
#include "runtime/check/races/shadow/shadow.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace lockstep::runtime {

struct NumberedSite {
  compiler::CheckSite site{};
  std::string file, text, object, directory;
};

// Whether the kernel has fences, so that relaxed atomics affect later fences.
inline bool has_fences(const compiler::CheckSite &atomic) {
  return atomic.fences & ~compiler::CheckSite::weak_stores;
}

class NumberedSites {
public:
  static constexpr uint16_t none = 0;
  static constexpr std::size_t most = 65536;
  // Assigns a number on the first call. Beyond the last number, all sites of a kind share one
  // without a source line.
  static uint16_t number_of(compiler::CheckSite &site) {
    const uint32_t known = std::atomic_ref(site.number).load(std::memory_order_acquire);
    return known ? uint16_t(known) : new_number_of(site);
  }
  // Requires that the site has a number
  static uint16_t known_number_of(compiler::CheckSite &site) {
    return uint16_t(std::atomic_ref(site.number).load(std::memory_order_relaxed));
  }
  static const NumberedSite &of(uint16_t number);
  static RecordKind kind_of(uint16_t number) { return RecordKind(kinds_[number] & 3); }
  static AtomicReach reach(uint16_t number) { return AtomicReach(kinds_[number] >> 2 & 3); }
  static bool is_guess(uint16_t number) { return kinds_[number] >> 4 & 1; }
  // For atomics: all atomics of the kernel have device scope.
  static bool is_plain_atomic(uint16_t number) { return kinds_[number] >> 5 & 1; }

  // Whether the fast path of locks applies (hand_over.h): to an exchange, a store, or a plain
  // write.
  static bool hands_over(uint16_t number) {
    return (kinds_[number] & hands_over_bit) && is_atomic(kind_of(number));
  }
  static bool takes(uint16_t number) { return kinds_[number] & takes_bit; }
  static bool writes_as_taken(uint16_t number) {
    return (kinds_[number] & (hands_over_bit | 3)) == (hands_over_bit | uint8_t(RecordKind::write));
  }
  // For atomics: a plain load of a word of global memory, see LaunchCheck::look.
  static bool looks(uint16_t number) { return kinds_[number] & looks_bit; }
  // Whether rows of work-items at this place are stored as runs (shadow_rows.h).
  static bool may_be_run(uint16_t number) { return kinds_[number] & run_bit; }

private:
  static constexpr uint8_t hands_over_bit = 64, takes_bit = 128;
  static constexpr uint16_t run_bit = 256, looks_bit = 512;
  static uint16_t new_number_of(compiler::CheckSite &site);
  static inline uint16_t kinds_[most];
  friend struct AllSites;
};

} // namespace lockstep::runtime
