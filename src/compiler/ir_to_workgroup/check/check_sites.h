// A place of the source that accesses memory, as data of the machine code (check_abi.h).
#pragma once

#include "compiler/check_abi.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace llvm {
class Constant;
class DebugLoc;
class GlobalVariable;
class Module;
} // namespace llvm

namespace lockstep::compiler {

class CheckSites {
public:
  explicit CheckSites(llvm::Module &module) : module_(module) {}

  // `site` without its texts, which are filled in by the place.
  llvm::GlobalVariable *add(CheckSite site, const llvm::DebugLoc &place, llvm::StringRef object);

private:
  llvm::Constant *text(llvm::StringRef text);

  llvm::Module &module_;
  std::map<std::string, llvm::Constant *> texts_;
};

} // namespace lockstep::compiler
