// The places of the source that checked code names, by numbers small enough for records of memory. They outlive the code.
#pragma once

#include "compiler/check_abi.h"

#include <cstdint>
#include <string>

namespace lockstep::runtime {

struct CheckPlace {
  compiler::CheckSite site{};
  std::string file, text, object;
};

class CheckPlaces {
public:
  static constexpr uint16_t unknown = 0; // also of all beyond the last number
  // Gives the site its number at its first call.
  static uint16_t number_of(compiler::CheckSite &site);
  static const CheckPlace &of(uint16_t number);
};

} // namespace lockstep::runtime
