// The order in which the blocks of a function are read.
#pragma once

#include "front_ends/spirv/function_reader.h"

namespace lockstep::compiler::spirv {

// The reachable blocks in reverse post-order, so that definitions come before their uses, except
// those in phis: some producers do not write dominators first. Checks the labels of all branches
// in these blocks. Unreachable blocks are not read.
Result<std::vector<const Block *>> reverse_post_order(const Reader &reader,
                                                      const FunctionBody &body);

// Adds the hints of OpLoopMerge to the loops of a function that was read.
void add_loop_hints(FunctionReader &reader, const FunctionBody &body);

// The branches of OpSwitch: words of a literal, then a label. `width` is that of the selector.
inline size_t literal_words(uint32_t width) {
  return width > 32 ? 2 : 1;
}

} // namespace lockstep::compiler::spirv
