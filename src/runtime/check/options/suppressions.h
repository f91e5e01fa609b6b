// Suppressions: findings that the user has examined and accepted. A file of lines such as
//   race        kernel=sum_*   at=sum.cl:117   argument=results
//   async-copy  kernel=blur
// Each line has a kind (or `any`) and further conditions. Empty lines, and text after `#`, are
// ignored.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::runtime {

struct Suppression {
  unsigned line = 0;    // in its file
  std::string kind;     // "any", or as in SuppressedThing, with hyphens
  std::string kernel;   // a pattern; empty: any, as for all fields
  std::string file;     // the end of a path, by whole names; empty: any
  uint32_t at_line = 0; // 0: any
  std::string argument; // name or number
};

// The properties of a finding that suppressions match.
struct SuppressedThing {
  std::string kind, kernel;
  struct Place {
    std::string file;
    uint32_t line = 0;
  };
  std::vector<Place> places{};
  std::string argument_name{};
  int argument = -1;
  std::string title{}; // of a SYCL kernel: its name in the program, in addition to its symbol
};

// Matches the symbol or, for SYCL, the title: suppressions and --kernel accept either.
bool matches_name(const std::string &pattern, const std::string &name, const std::string &title);
bool matches(const Suppression &suppression, const SuppressedThing &thing);

// ErrorKind::invalid_argument names the wrong line and the reason.
Result<std::vector<Suppression>> parse_suppressions(std::string_view text, const std::string &file);
Result<std::vector<Suppression>> read_suppressions(const std::string &file);

} // namespace lockstep::runtime
