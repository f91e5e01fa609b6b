// Emits source locations of memory accesses as CheckSite data in the machine code (check_abi.h).
#pragma once

#include "abi/check_abi.h"

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
class Value;
} // namespace llvm

namespace lockstep::compiler {

// The location in the program: code of SYCL's headers maps to the call in the program. Null without
// one.
const llvm::DILocation *location_in_program(const llvm::DebugLoc &place);

// Attaches the location of an access to its address computation, which keeps it when it is hoisted.
void annotate_location(llvm::Instruction &address, const llvm::DebugLoc &place);

// Records in `site` the argument through which the access reaches memory.
void set_argument(CheckSite &site, const llvm::Value &object);

class CheckSites {
public:
  explicit CheckSites(llvm::Module &module) : module_(module) {}

  // Fills in source location and texts of `site` from the instruction.
  llvm::GlobalVariable *add(CheckSite site, const llvm::Instruction &at, llvm::StringRef object);

  void set_barriers(std::string barriers) { barriers_ = std::move(barriers); }

private:
  llvm::Constant *text(llvm::StringRef text);

  llvm::Module &module_;
  std::string barriers_;
  std::map<std::string, llvm::Constant *> texts_;
};

} // namespace lockstep::compiler
