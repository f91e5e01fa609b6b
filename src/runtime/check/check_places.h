// The places of the source that checked code names, by numbers small enough for records of memory. They outlive the code.
#pragma once

#include "compiler/check_abi.h"
#include "runtime/check/shadow.h"

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
  static uint16_t number_of(compiler::CheckSite &site);
  static const CheckPlace &of(uint16_t number);
  static RecordKind kind_of(uint16_t number) { return RecordKind(kinds_[number] & 3); }
  static bool is_narrow(uint16_t number) { return kinds_[number] >> 2 & 1; }

private:
  static inline uint8_t kinds_[most];
  friend struct AllPlaces;
};

} // namespace lockstep::runtime
