// Names of global variables as the source has them, for reports: passes rename some.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class GlobalVariable;
}

namespace lockstep::compiler {

// To be called before a variable gets a name that is not of the source.
void keep_name_in_source(llvm::GlobalVariable &variable);
void set_name_in_source(llvm::GlobalVariable &variable, llvm::StringRef name);
// Without the function around it.
llvm::StringRef name_in_source(const llvm::GlobalVariable &variable);

} // namespace lockstep::compiler
