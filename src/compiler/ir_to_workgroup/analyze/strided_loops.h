// Loops in which work-items take turns at an array: `for (i = get_global_id(0); i < n; i += get_global_size(0))`.
//
// Each round goes on by the number of work-items, often far away, so what a group reads in a row is what counts.
#pragma once

namespace llvm {
class Loop;
}

namespace lockstep::compiler {

// A small innermost loop that reads and goes on by the number of work-items.
bool is_strided(const llvm::Loop &loop);

} // namespace lockstep::compiler
