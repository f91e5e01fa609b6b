// Recognizes grid-stride loops:
//
//    for (i = get_global_id(0); i < n; i += get_global_size(0))
//      ... in[i]
//    for (i = 0; i < rounds; ++i)
//      ... in[get_global_id(0) + i * get_global_size(0)]
//
// Consecutive iterations of a work-item access distant memory. The memory that a work-group reads
// in one iteration therefore decides how well hardware prefetchers work.
#pragma once

namespace llvm {
class Loop;
}

namespace lockstep::compiler {

class IndexExpressions;

// True for a small innermost loop that loads memory and steps by the number of work-items or
// groups, by its counter or in an address.
bool is_strided(const llvm::Loop &loop, IndexExpressions &expressions);

} // namespace lockstep::compiler
