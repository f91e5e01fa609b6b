// Reports where the groups of a launch wait, and for which memory, as text and as JSON. Used for
// launches that cannot end or make no progress.
//
// Groups that wait at the same location, for the same memory, with the same value seen, are one
// row. For one group of each row, the report lists the waiting work-items in the order of the local
// ID (dimension 0 fastest).
#pragma once

#include "runtime/launch/cpu/diagnostics/memory_names.h"
#include "runtime/launch/cpu/diagnostics/wait_summary.h"
#include "runtime/launch/cpu/resumable/resumable_run.h"
#include "support/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::runtime {

class DeadlockReport {
public:
  // Reports a summary that was collected while no worker served the run. `others`: number of other
  // launches without progress.
  DeadlockReport(ResumableRun &run, const WaitSummary &summary, std::size_t others);
  // Reports one group whose work-items cannot converge at a barrier.
  DeadlockReport(const ResumableRun &run, WaitingGroup &diverged);

  enum class Tone {
    verdict,  // the launch ends
    warning,  // the launch may still continue
    progress, // groups run and wait; the reads are each group's last ones
  };
  std::string text(Tone tone = Tone::verdict) const;
  std::string rows_text(Tone tone) const; // each row begins with a new line
  std::string json() const;
  std::string rows_json() const;
  // Appends the JSON as one line to the file named by LOCKSTEP_DEADLOCK_FILE, if that is set.
  void write_file() const;
  // Reports the deadlock to the launch's observer.
  void report_to_observer() const;

private:
  // Merges rows of the summary with equal text: the compiler may have made several sites of one
  // location.
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
  std::map<std::string, Row> rows_; // by their text
  bool is_divergence_ = false;
  std::size_t others_ = 0;
  uint64_t waiting_ = 0, done_ = 0, unstarted_ = 0;
};

Error divergence_error(const ResumableRun &run, WaitingGroup &group); // also writes the file
Error no_memory_error(ResumableRun &run);

} // namespace lockstep::runtime
