#include "kernel_ir/function_families.h"

#include "llvm/IR/Function.h"

#include <cstddef>

namespace lockstep::compiler {

llvm::StringRef prefix_of(FunctionFamily family) {
  static constexpr llvm::StringLiteral prefixes[] = {
      "__lockstep_check_",
      "__lockstep_image_",
      "__lockstep_undefined_",
  };
  return prefixes[static_cast<std::size_t>(family)];
}

bool is_of(FunctionFamily family, const llvm::Function &function) {
  return function.getName().starts_with(prefix_of(family));
}

} // namespace lockstep::compiler
