// Whether a kernel can observe how its work-items form sub-groups, or in which order they run: by
// sub-group functions and collectives, but not by ids, barriers and async copies.
#pragma once

#include "llvm/IR/Function.h"

namespace lockstep::compiler {

bool observes_sub_group_order(const llvm::Function &function);

} // namespace lockstep::compiler
