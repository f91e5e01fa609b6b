// Tells LLVM that nobody else reads or writes the values that a coroutine keeps in its frame.
//
// Input:  the functions of a split coroutine.
// Output: loads and stores of kept values (LLVM names them "<value>.reload" and
//         "<value>.spill.addr") and all other accesses are marked as apart, by alias scopes.
//
// A frame is memory like any other, so a store through a kernel's pointer might change what is kept
// there, for all LLVM knows, and a loop that uses a kept pointer would load it in each iteration.
// Private variables in the frame are not meant: pointers to them may be anywhere.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

void add_spill_scopes(llvm::Function &function);

} // namespace lockstep::compiler
