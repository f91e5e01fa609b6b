// The list of barriers and waits where a sub-group can be suspended, as metadata of the module
// (`!lockstep.sites`): passes add to it, and the end of the pipeline reads it for the launch.
#pragma once

#include "compiler/resumable_abi.h"

namespace llvm {
class DebugLoc;
class Module;
} // namespace llvm

namespace lockstep::compiler {

// The number of the new site. `place` may be empty.
uint32_t add_suspension_site(llvm::Module &module, SuspensionSite::Kind kind,
                             const llvm::DebugLoc &place, bool is_pure);

// None is pure any more.
void make_sites_impure(llvm::Module &module);

std::vector<SuspensionSite> suspension_sites(const llvm::Module &module);

} // namespace lockstep::compiler
