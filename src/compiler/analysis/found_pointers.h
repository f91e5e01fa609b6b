// Finds whether a kernel uses pointers other than those that its launch passes: pointers that it
// loads from memory, makes of numbers, or gives to a function that is not inlined. Such a pointer
// may point to any memory that the kernel can access by its address.
//
// Pointers that the launch passes are arguments and members of struct arguments
// (argument_members.h). Variables of the kernel and of the program are known, too.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

// True if an access of the kernel may go through such a pointer.
bool uses_found_pointers(const llvm::Function &kernel);

} // namespace lockstep::compiler
