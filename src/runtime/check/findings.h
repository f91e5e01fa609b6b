// What the checker has found: said on stderr and written to LOCKSTEP_CHECK_FILE as soon as it is, once for each pair of
// places and kind; the others of a pair are counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::runtime {

struct FindingPlace {
  std::string what; // "write", "atomic update"
  std::string file; // empty: not known
  uint32_t line = 0, column = 0;
  std::string text; // of the line
  std::string who;  // "group 3, item 0"
};

struct Finding {
  bool is_note = false; // not counted
  std::string kind;     // "race"
  std::string kernel;
  std::string headline; // "read of what another group writes, unordered"
  std::vector<FindingPlace> places;
  std::vector<std::string> explanation; // what of, which edge is missing
  int argument = -1;                    // of the kernel, -1: none
  std::string argument_name;
};

class Findings {
public:
  static Findings &instance();

  // Two places by numbers of their own: true if this is the first of the pair, which is to be told.
  bool is_first(const char *kind, uint64_t one, uint64_t other);
  void met_again() const; // a pair that is known not to be the first, by whoever has asked before
  void tell(const Finding &finding);
  void was_checked(); // a launch or, where those are looked at, a command

  // For the summary.
  struct Count {
    uint64_t findings = 0, repeated = 0, notes = 0, launches = 0, suppressed = 0;
  };
  Count count() const;
  void say_summary() const;

private:
  Findings();
};

std::string text_of(const Finding &finding);
std::string json_of(const Finding &finding);

} // namespace lockstep::runtime
