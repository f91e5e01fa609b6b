// Who waits where on what: the report of a launch that cannot end, or does not, as text and as JSON.
//
// Groups that wait at the same place, for the same memory, with the same value seen are one row.
// Sub-groups are told as the work-items that they are, in the order of the local id (dimension 0
// fastest), for one group of each row.
#pragma once

#include "runtime/launch/cpu/memory_names.h"
#include "runtime/launch/cpu/resumable_run.h"
#include "runtime/launch/cpu/wait_summary.h"
#include "support/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::runtime {

class DeadlockReport {
public:
  // Of what was found while nobody served the run. `others`: launches that stand still as well.
  DeadlockReport(ResumableRun &run, const WaitSummary &summary, std::size_t others);
  // Of one group whose work-items cannot meet at a barrier.
  DeadlockReport(const ResumableRun &run, WaitingGroup &diverged);

  enum class Tone {
    verdict,  // this is the end
    warning,  // something may yet change
    progress, // groups run and wait, and the reads are the last ones that each has made
  };
  std::string text(Tone tone = Tone::verdict) const;
  std::string rows_text(Tone tone) const; // each begins with a new line
  std::string json() const;
  std::string rows_json() const;
  // Appends the JSON as one line to the file that LOCKSTEP_DEADLOCK_FILE names, if it does.
  void write_file() const;
  // As a finding, if the launch is checked.
  void tell_checker() const;

private:
  // Rows of the summary that read the same: the compiler may have made several sites of one place.
  struct Row {
    WaitSummary::Row row;
    uint64_t group_count = 0;
  };

  void add_rows(const WaitSummary &summary);
  std::string place_of(const WaitSummary::What &what) const;
  std::string place_of(const WaitSummary::What &what, const WaitSummary::Read &read) const;
  std::string what_text(const WaitSummary::What &what, Tone tone) const;
  std::string reads_text(const WaitSummary::What &what, Tone tone) const;
  std::string group_text(uint64_t number) const;
  std::string groups_text(const Row &row) const;
  std::string items_text(const Row &row) const;
  std::string row_json(const Row &row) const;

  const ResumableLaunch::View view_;
  const MemoryNames names_;
  std::map<std::string, Row> rows_; // by what they do, in words
  bool is_divergence_ = false;
  std::size_t others_ = 0;
  uint64_t waiting_ = 0, done_ = 0, unstarted_ = 0;
};

Error divergence_error(const ResumableRun &run, WaitingGroup &group); // writes the file, too
Error no_memory_error(ResumableRun &run);

} // namespace lockstep::runtime
