// Summarizes what the groups of a launch do: which group waits where for which memory, and which
// barrier others have reached. A million groups are collected in some milliseconds. So the result
// is kept in rows, and deadlock_report.h formats it later.
//
// An iteration of a polling loop may read several addresses. If groups are resumed with the summary
// as observer, it records all reads; otherwise it has the last read of each sub-group.
#pragma once

#include "runtime/launch/cpu/resumable/resumable_launch.h"
#include "runtime/launch/cpu/resumable/waiting_group.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class WaitSummary : public SeenObserver {
public:
  enum class Doing : uint8_t { waits, at_barrier, returned };
  struct Read {
    bool is_local = false;
    uint64_t address = 0; // or the offset in local memory
    uint64_t value = 0;
    uint32_t size = 0, access = 0;
    bool operator==(const Read &) const = default;
  };
  // Without repetitions, in the order of the reads.
  struct Reads {
    static constexpr uint32_t most = 4;
    std::array<Read, most> list;
    uint32_t count = 0;
    bool are_more = false; // there are more reads than these, or too many different ones
    std::span<const Read> all() const { return {list.data(), count}; }
    bool operator==(const Reads &other) const {
      return count == other.count && are_more == other.are_more &&
             std::equal(list.begin(), list.begin() + count, other.list.begin());
    }
  };
  struct What {
    Doing doing = Doing::waits;
    uint32_t site = 0;
    const compiler::ResumableCode *code = nullptr;
    Reads reads;
    bool operator==(const What &) const = default;
  };
  using Ranges = std::vector<std::pair<uint64_t, uint64_t>>; // first, last
  struct Row {
    What what;
    Ranges groups;
    uint64_t example = 0; // number of one of the groups
    Ranges items;         // work-items of the example
  };

  explicit WaitSummary(const ResumableLaunch &launch);

  void clear();
  void see(const WaitingGroup &group, uint32_t sub_group, const SeenValue &seen) override;
  // Called after the group was resumed with this as observer (`is_observed`), or without.
  void add(WaitingGroup &group, bool is_observed);

  const std::vector<Row> &rows() const { return rows_; }
  // the host can write memory that is waited for
  bool is_host_visible() const { return is_host_visible_; }
  // The memory objects that are waited for, by their first byte.
  bool is_memory_known() const { return is_memory_known_; }
  const std::set<const std::byte *> &memories() const { return memories_; }

private:
  void add_sub_group(WaitingGroup &group, uint32_t sub_group, bool is_observed);
  void add_others(const WaitingGroup &group);
  bool is_as_before(const What &what, const Reads &reads) const;
  void add_group(Row &row, const WaitingGroup &group, uint32_t sub_group);
  static void note_group(Row &row, const WaitingGroup &group);
  void note_memory(const void *address);
  Row &row_for(What &what);
  Reads &reads_of(const WaitingGroup &group, uint32_t sub_group);
  uint64_t width_of(const WaitingGroup &group) const;
  void add_items(Row &row, const WaitingGroup &group, uint32_t sub_group) const;

  const ResumableLaunch &launch_;
  const ResumableLaunch::View view_;
  std::vector<Row> rows_;
  std::size_t last_row_ = 0;
  std::unordered_multimap<uint64_t, std::size_t> rows_by_hash_;
  // by code and site: number of rows
  std::map<std::pair<const void *, uint32_t>, unsigned> rows_at_;
  std::vector<Reads> seen_; // reads of the observed group, by sub-group
  const WaitingGroup *seen_group_ = nullptr;
  bool is_host_visible_ = false, is_memory_known_ = true;
  std::set<const std::byte *> memories_;
  KernelMemory last_memory_; // cached; the next read is likely in the same memory
};

} // namespace lockstep::runtime
