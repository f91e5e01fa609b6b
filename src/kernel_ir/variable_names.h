// Source names of global variables, for reports: passes rename some variables.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class GlobalVariable;
}

namespace lockstep::compiler {

// Call this before renaming a variable to a name that the source does not have.
void keep_name_in_source(llvm::GlobalVariable &variable);
void set_name_in_source(llvm::GlobalVariable &variable, llvm::StringRef name);
// The name without the enclosing function.
llvm::StringRef name_in_source(const llvm::GlobalVariable &variable);

} // namespace lockstep::compiler
