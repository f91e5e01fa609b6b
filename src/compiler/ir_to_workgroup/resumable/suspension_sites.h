// The list of barriers and waits where a sub-group can be suspended, as metadata of the module
// (`!lockstep.sites`): passes add to it, and the end of the pipeline reads it for the launch.
#pragma once

#include "compiler/resumable_abi.h"

namespace llvm {
class DebugLoc;
class Module;
} // namespace llvm

namespace lockstep::compiler {

// Attribute of a `__lockstep_seen` at a pure site: the wait record holds all that is seen there.
inline constexpr char record_says_all[] = "lockstep-record-says-all";

// The number of the new site. `place` may be empty; the rest as in SuspensionSite.
uint32_t add_suspension_site(llvm::Module &module, SuspensionSite::Kind kind,
                             const llvm::DebugLoc &place, bool is_pure, uint32_t others = 0,
                             bool is_never_compared = false);

// The number of a new access that ends a wait, beginning with 1.
uint32_t add_seen_access(llvm::Module &module, const llvm::DebugLoc &place);

// None is pure any more.
void make_sites_impure(llvm::Module &module);

std::vector<SuspensionSite> suspension_sites(const llvm::Module &module);
std::vector<SeenAccess> seen_accesses(const llvm::Module &module);

} // namespace lockstep::compiler
