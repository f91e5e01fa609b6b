// Who waits where on what: the report of a launch that cannot end, as text and as JSON.
//
// Groups that wait at the same place, for the same memory, with the same value seen are one row.
// Sub-groups are told as the work-items that they are, in the order of the local id (dimension 0
// fastest), for one group of each row.
#pragma once

#include "runtime/launch/cpu/resumable_run.h"
#include "support/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class DeadlockReport {
public:
  // While nobody serves the run. `others`: other launches that stand still as well.
  DeadlockReport(const ResumableRun &run, std::size_t others);
  // Of one group whose work-items cannot meet at a barrier.
  DeadlockReport(const ResumableRun &run, WaitingGroup &diverged);

  // As the end of the launch, or (`is_final` false) as something that may yet change.
  std::string text(bool is_final = true) const;
  std::string json() const;
  // Appends the JSON as one line to the file that LOCKSTEP_DEADLOCK_FILE names, if it does.
  void write_file() const;

private:
  enum class Doing { waits, at_barrier, returned };
  struct Key {
    Doing doing;
    std::string place; // file:line:column
    std::string memory;
    uint64_t seen;
    auto operator<=>(const Key &) const = default;
  };
  using Ranges = std::vector<std::pair<uint64_t, uint64_t>>; // first, last
  struct Row {
    std::vector<uint64_t> groups; // ascending after sort_groups()
    uint64_t example = 0;
    Ranges items; // of the example
  };

  void add(WaitingGroup &group);
  void add_sub_group(WaitingGroup &group, uint32_t sub_group);
  Key key_of(WaitingGroup &group, uint32_t sub_group);
  std::string memory_name(const WaitingGroup &group, const void *address);
  void sort_groups();
  std::string group_text(uint64_t number) const;
  std::string groups_text(const std::vector<uint64_t> &groups) const;
  std::string row_text(const Key &key, const Row &row) const;

  const ResumableLaunch &launch_;
  const ResumableLaunch::View view_;
  std::map<Key, Row> rows_;
  std::map<std::string, unsigned> addresses_at_; // place: how many rows of different memory
  bool is_divergence_ = false;
  std::size_t others_ = 0;
  uint64_t waiting_ = 0, done_ = 0, unstarted_ = 0;
};

Error divergence_error(const ResumableRun &run, WaitingGroup &group); // writes the file, too
Error no_memory_error(const ResumableRun &run);
bool waits_for_host_visible_memory(const ResumableRun &run);

} // namespace lockstep::runtime
