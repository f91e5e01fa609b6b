// The checker's findings. Each is printed to stderr and written to LOCKSTEP_CHECK_FILE immediately,
// once per kind and pair of places. Repetitions are counted.
#pragma once

#include "kernel_ir/kernel_info.h"
#include "runtime/check/report/work_item_ids.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::compiler {
struct LaunchInfo;
}

namespace lockstep::runtime {

struct FindingLocation {
  std::string what; // "write", "atomic update"
  std::string file; // empty: unknown
  uint32_t line = 0, column = 0;
  std::string text;                 // of the source line
  std::string who;                  // "group 3, item 0"
  std::optional<WorkItemIds> ids{}; // of that work-item
  std::string directory{};          // that `file` is relative to; empty: the working directory
};

struct Finding {
  bool is_note = false; // not counted
  std::string kind;     // "race"
  std::string kernel;
  std::string title{};  // of a SYCL kernel or command: its name in the program
  std::string headline; // "read of what another group writes, unordered"
  std::vector<FindingLocation> places;
  std::vector<std::string> explanation; // the object, the missing edge
  std::string launch{};                 // "launch 2: 64 work-items in groups of 8, enqueued at ..."
  int argument = -1;                    // of the kernel; -1: none
  std::string argument_name;            // or the name of a variable that a SYCL kernel has captured
  unsigned dimensions = 0;              // of the launch; 0: as many as the ids need

  void set_kernel(const compiler::KernelInfo &info);
  void set_launch(const compiler::KernelInfo &info, const compiler::LaunchInfo &launch);
  const std::string &shown_kernel() const { return title.empty() ? kernel : title; }
  void add_global_ids(); // adds the global id of each place to its `who`
};

class Findings {
public:
  static Findings &instance();

  struct Pair {
    std::atomic<uint64_t> occurrences = 0;
    std::string title, id; // of the reported finding; empty: none
    int process = 0;       // that reported it
    bool is_note = false;
  };
  struct Occurrence {
    Pair *pair;
    bool is_first; // this thread must report it
  };
  // Counts an occurrence for two places, given by keys.
  Occurrence count_occurrence(const char *kind, uint64_t one, uint64_t other);
  bool is_first(const char *kind, uint64_t one, uint64_t other) {
    return count_occurrence(kind, one, other).is_first;
  }
  void count_again(Pair &pair) const;
  void report(Finding finding);
  // `report` is called at the end of the process, before the summary.
  static void before_summary(void (*report)());
  void was_checked(); // for a launch or, if these are checked, a command

  // For the summary.
  struct Count {
    uint64_t findings = 0, repeated = 0, notes = 0, launches = 0, suppressed = 0;
  };
  Count count() const;
  void print_summary() const;
  // At the end of the process: writes how often each pair occurred, and the summary unless
  // `lockstep check` does.
  void end() const;

private:
  Findings();
};

std::string text_of(const Finding &finding);
std::string json_of(const Finding &finding, const std::string &id);

} // namespace lockstep::runtime
