// std::sort in kernels. libstdc++'s is quicksort that calls itself to a certain depth and then goes on with heap sort; at
// a depth of 0 it is heap sort from the start, as fast to within a logarithm's constant and without recursion, which
// kernels do not have.
#pragma once

namespace llvm {
class Module;
}

namespace lockstep::compiler {

void sort_without_recursion(llvm::Module &module);

} // namespace lockstep::compiler
