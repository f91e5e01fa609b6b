// What the checker has found: said on stderr and written to LOCKSTEP_CHECK_FILE as soon as it is, once for each pair of
// places and kind; the others of a pair are counted.
#pragma once

#include "compiler/kernel_ir/kernel_info.h"
#include "runtime/check/work_item_ids.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::runtime {

struct FindingPlace {
  std::string what; // "write", "atomic update"
  std::string file; // empty: not known
  uint32_t line = 0, column = 0;
  std::string text;                 // of the line
  std::string who;                  // "group 3, item 0"
  std::optional<WorkItemIds> ids{}; // of that one
};

struct Finding {
  bool is_note = false; // not counted
  std::string kind;     // "race"
  std::string kernel;
  std::string title{};  // of a kernel or command of SYCL: what the program calls it
  std::string headline; // "read of what another group writes, unordered"
  std::vector<FindingPlace> places;
  std::vector<std::string> explanation; // what of, which edge is missing
  int argument = -1;                    // of the kernel, -1: none
  std::string argument_name;            // or that of a variable which a kernel of SYCL has captured
  unsigned dimensions = 0;              // of the launch; 0: as many as ids need

  void set_kernel(const compiler::KernelInfo &info);
  const std::string &shown_kernel() const { return title.empty() ? kernel : title; }
  void add_global_ids(); // of the places, to the explanation
};

class Findings {
public:
  static Findings &instance();

  struct Pair {
    std::atomic<uint64_t> met = 0;
    std::string title, id; // of what was told; empty: nothing was
    int process = 0;       // which told it
    bool is_note = false;
  };
  struct Meeting {
    Pair *pair;
    bool is_first; // which is to be told, by this thread
  };
  // Two places by numbers of their own have been met.
  Meeting meet(const char *kind, uint64_t one, uint64_t other);
  bool is_first(const char *kind, uint64_t one, uint64_t other) {
    return meet(kind, one, other).is_first;
  }
  void meet_again(Pair &pair) const;
  void tell(Finding finding);
  void was_checked(); // a launch or, where those are looked at, a command

  // For the summary.
  struct Count {
    uint64_t findings = 0, repeated = 0, notes = 0, launches = 0, suppressed = 0;
  };
  Count count() const;
  void say_summary() const;
  void end()
      const; // of the process: how often each pair was met, and the summary if nobody else says it

private:
  Findings();
};

std::string text_of(const Finding &finding);
std::string json_of(const Finding &finding, const std::string &id);

} // namespace lockstep::runtime
