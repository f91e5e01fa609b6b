// Families of functions of kernel IR (docs/kernel_ir.md). The names of a family begin alike: it has
// one function for each type, address space or access, so it is no row of primitives.def.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace lockstep::compiler {

enum class FunctionFamily {
  check,     // reports to the checker
  image,     // accesses to images, from lower-image-types to specialize-images
  undefined, // accesses to shadow memory, from track-undefined to lower-undefined
};

// The beginning of the names, e.g. "__lockstep_image_".
llvm::StringRef prefix_of(FunctionFamily family);

bool is_of(FunctionFamily family, const llvm::Function &function);

} // namespace lockstep::compiler
