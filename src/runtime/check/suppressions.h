// Findings that somebody has looked at and does not want to see again: a file of lines such as
//   race        kernel=sum_*   at=sum.cl:117   argument=results
//   async-copy  kernel=blur
// A kind (or `any`), and what must match besides. Empty lines, and what follows a `#`, are nothing.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::runtime {

struct Suppression {
  unsigned line = 0;    // in its file
  std::string kind;     // "any", or as SuppressedThing has it, with hyphens
  std::string kernel;   // a pattern; empty: any, as all others
  std::string file;     // the end of a path, by whole names; empty: any
  uint32_t at_line = 0; // 0: any
  std::string argument; // name or number
};

// What a finding is about.
struct SuppressedThing {
  std::string kind, kernel;
  struct Place {
    std::string file;
    uint32_t line = 0;
  };
  std::vector<Place> places{};
  std::string argument_name{};
  int argument = -1;
  std::string title{}; // of a kernel of SYCL: what the program calls it, beside its symbol
};

// By its symbol or, of SYCL, its title: suppressions and --kernel may give either.
bool matches_name(const std::string &pattern, const std::string &name, const std::string &title);
bool matches(const Suppression &suppression, const SuppressedThing &thing);

// ErrorKind::invalid_argument says which line is wrong, and why.
Result<std::vector<Suppression>> parse_suppressions(std::string_view text, const std::string &file);
Result<std::vector<Suppression>> read_suppressions(const std::string &file);

} // namespace lockstep::runtime
