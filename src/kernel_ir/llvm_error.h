// Converts llvm::Error to Error.
#pragma once

#include "support/result.h"

#include "llvm/Support/Error.h"

namespace lockstep::compiler {

inline Error from_llvm(llvm::Error error, const char *while_doing) {
  return Error{ErrorKind::internal,
               std::string(while_doing) + ": " + llvm::toString(std::move(error))};
}

} // namespace lockstep::compiler
