// Reads what record-scopes has recorded of atomics, fences and barriers: scope, flags, and whether
// the call is an OpenCL C 1.x function. Kernels that are not checked have no such notes.
#pragma once

#include "abi/check_abi.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace llvm {
class DebugLoc;
class Module;
} // namespace llvm

namespace lockstep::compiler {

// CLK_*_MEM_FENCE; an image is global memory, and both flags order all global memory.
inline constexpr uint32_t local_fence = 1, global_fence = 2, image_fence = 4;

struct SynchronizationNote {
  CheckScope scope = CheckScope::work_item;
  uint32_t fences = 0; // CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE
  // orders_lanes: a fence that is a barrier for the lanes that reach it.
  enum Kind : uint32_t { other, waits_for_copies, separates_copies, orders_lanes } kind = other;
  bool operator==(const SynchronizationNote &) const = default;
};

// The names of the metadata.
inline constexpr char synchronization_notes_name[] = "lockstep.check.scopes",
                      strict_synchronization_name[] = "lockstep.check.strict";

class SynchronizationNotes {
public:
  explicit SynchronizationNotes(const llvm::Module &module);
  const SynchronizationNote *at(const llvm::DebugLoc &place) const; // null: no entry
  bool are_strict() const { return are_strict_; }

private:
  std::map<std::tuple<std::string, uint32_t, uint32_t, uint32_t>, SynchronizationNote> notes_;
  bool are_strict_;
};

} // namespace lockstep::compiler
