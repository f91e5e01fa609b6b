// Adds alias scopes for the values that a coroutine keeps in its frame: no other access aliases
// them.
//
// Input:  the functions of a split coroutine.
// Output: loads and stores of kept values (LLVM names them "<value>.reload" and
//         "<value>.spill.addr") do not alias any other access.
//
// Without scopes, LLVM assumes that a store through a kernel's pointer may change the frame. A loop
// that uses a kept pointer would then load it in each iteration. Private variables in the frame are
// excluded, because their addresses may escape.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

// Replaces loads of values that the same call of the function has stored, at the only place that
// stores them. Between two suspensions no other code writes them. LLVM cannot know that: it assumes
// that acquiring loads and atomic updates change all memory.
void forward_kept_values(llvm::Function &function);

void add_spill_scopes(llvm::Function &function);

} // namespace lockstep::compiler
