// A place of the source that accesses memory, as data of the machine code (check_abi.h).
#pragma once

#include "compiler/check_abi.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <utility>

namespace llvm {
class Constant;
class DILocation;
class DebugLoc;
class GlobalVariable;
class Instruction;
class Module;
} // namespace llvm

namespace lockstep::compiler {

// Null without one. Of what SYCL's headers do, where the program calls them.
const llvm::DILocation *place_in_program(const llvm::DebugLoc &place);

// The place of an access, at its address: where that is moved out of a loop, it has no line any more.
void annotate_place(llvm::Instruction &address, const llvm::DebugLoc &place);

class CheckSites {
public:
  explicit CheckSites(llvm::Module &module) : module_(module) {}

  // `site` without its place and texts, which are those of the instruction.
  llvm::GlobalVariable *add(CheckSite site, const llvm::Instruction &at, llvm::StringRef object);

  void set_barriers(std::string barriers) { barriers_ = std::move(barriers); }

private:
  llvm::Constant *text(llvm::StringRef text);

  llvm::Module &module_;
  std::string barriers_;
  std::map<std::string, llvm::Constant *> texts_;
};

} // namespace lockstep::compiler
