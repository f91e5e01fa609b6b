// Lists the barriers and waits where a sub-group can be suspended, as metadata of the module
// (`!lockstep.sites`). Passes add to it, and the end of the pipeline reads it for the launch.
#pragma once

#include "abi/resumable_abi.h"

namespace llvm {
class DebugLoc;
class Module;
} // namespace llvm

namespace lockstep::compiler {

// Attribute of a `__lockstep_seen` at a pure site: the wait record contains everything read there.
inline constexpr char wait_record_is_complete[] = "lockstep-wait-record-is-complete";

// Returns the number of the new site. `place` may be empty. See SuspensionSite for the other
// parameters.
uint32_t add_suspension_site(llvm::Module &module, SuspensionSite::Kind kind,
                             const llvm::DebugLoc &place, bool is_pure, uint32_t others = 0,
                             bool is_never_compared = false);

// Returns the number of a new access that may end a wait, starting with 1.
uint32_t add_seen_access(llvm::Module &module, const llvm::DebugLoc &place);

// Marks all sites as not pure.
void make_sites_impure(llvm::Module &module);

std::vector<SuspensionSite> suspension_sites(const llvm::Module &module);
std::vector<SeenAccess> seen_accesses(const llvm::Module &module);

} // namespace lockstep::compiler
