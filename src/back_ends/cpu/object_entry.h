// The disk cache's entry for a compiled kernel.
#pragma once

#include "abi/pointer_members.h"
#include "abi/privatized_reductions.h"
#include "abi/resumable_abi.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler {

struct ObjectEntry {
  // An object file that defines workgroup_symbol, or the symbols of the coroutine form.
  std::string object;
  bool is_resumable = false;
  ResumableCode resumable; // without the functions
  uint64_t stack_size = 0;
  uint32_t sub_group_size = 1;
  std::array<uint32_t, 3> groups_at_once{1, 1, 1}, calls_per_group{1, 1, 1};
  uint32_t first_dimension = 0;
  uint64_t local_memory_size = 0;
  std::vector<std::string> remarks;
  std::vector<int64_t> suppositions; // of checked code (abi/assumptions.h)
  std::vector<WorkerCopy> worker_copies;
  PointerMembers pointer_members; // of code that tracks undefined values
};

std::string write_object_entry(const ObjectEntry &entry);
std::optional<ObjectEntry> read_object_entry(std::string_view content); // nothing: damaged

} // namespace lockstep::compiler
