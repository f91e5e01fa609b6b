// Makes std::sort usable in kernels, which cannot recurse. The sort of libstdc++ is a quicksort
// that recurses to a limited depth and continues with heap sort. With a depth of 0 it is a heap
// sort from the start: no recursion, and the same complexity, with a larger constant factor.
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::compiler {

void sort_without_recursion(llvm::Module &module);

} // namespace lockstep::compiler
