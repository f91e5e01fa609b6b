// What is supposed of a launch (compiler/suppositions.h), in the metadata of a kernel's module. Each pass that supposes something
// has a name there.
#pragma once

#include "compiler/suppositions.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace lockstep::compiler {

void set_suppositions(llvm::Module &module, llvm::StringRef name, const Suppositions &supposed);
Suppositions suppositions_in(const llvm::Module &module,
                             llvm::StringRef name); // none, if there are none

} // namespace lockstep::compiler
