// Reports a race: both accesses, the memory, and what would have ordered them.
//
// Requires: a pair of accesses that conflict and are not ordered (AccessComparer).
//
// Ensures: each pair of source places is described once. Repetitions are only counted, without
// locks: one race may occur millions of times.
//
// Separate from the comparison, because only reports need the texts and the names of the launch's
// memory.
#pragma once

#include "runtime/check/races/launch/launch_state.h"
#include "runtime/check/report/findings.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::runtime {

class RaceReporter {
public:
  explicit RaceReporter(const LaunchState &state) : state_(state) {}

  void report(const AccessPair &pair, uintptr_t address) const;

  // Also for reports of group operations.
  FindingLocation place_of(uint16_t place, std::string what, uint32_t group) const;
  FindingLocation place_of(uint16_t place, std::string what, uint32_t group, uint64_t item) const;
  static std::string wait_text(const RecordedCopy &copy); // why a wait did not cover the copy

private:
  // race_report.cpp
  int32_t argument_of(const CheckedAccess &access, uintptr_t address) const; // -1: none
  std::string memory_text(const CheckedAccess &access, uintptr_t address) const;
  std::string memory_of_sycl(const compiler::CheckSite &site, uintptr_t address) const;
  std::string captured_name(const CheckedAccess &access, uintptr_t address) const;
  std::string group_text(uint32_t number) const;
  std::string item_text(uint32_t group, uint32_t item) const;

  // missing_edge.cpp: what would have ordered the accesses
  std::vector<std::string> missing_edge(const AccessPair &pair) const;
  std::vector<std::string> edge_of_copy(const AccessPair &pair) const;
  std::vector<std::string> edge_of_updates(const AccessPair &pair) const;
  // Both are the same plain write.
  bool is_one_statement(const AccessPair &pair) const;
  static std::string one_writer_text();
  std::vector<std::string> edge_in_group(const AccessPair &pair) const;
  std::vector<std::string> weak_edge(const AccessPair &pair) const;
  std::string acquired_edge(const AccessPair &pair) const;
  std::string relaxed_read(const CheckedGroup &group) const;
  std::string why_it_is_weak(const AccessPair &pair, const AtomicRead &read,
                             std::size_t written) const;
  std::string object_text(const CheckedGroup &group, uint16_t place, uintptr_t address) const;

  const LaunchState &state_;
};

} // namespace lockstep::runtime
