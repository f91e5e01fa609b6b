// Keeps the accesses of a kernel that is checked within bounds: one that is not is told to the checker instead of being
// made; a load that is not made gives 0.
//
// An offset is compared with the size of the object that its pointer comes from. The size of a variable is known here,
// that of an argument's memory asks the launch for, and of a pointer from elsewhere (a function object of SYCL, memory)
// what lies where it points (memory_check_abi.h). Each work-item has a comparison of its own, so that lanes that keep
// within bounds go on.
//
// There are two passes, since each kind of memory has its time.
//
// guard-own-accesses
// Takes:      one work-item's kernel, inlined.
// Guarantees: what is read and written of private variables and constant tables is inside of them.
// Why here:   scalar optimisation takes a loop apart that is too long by one, and then the access that is wrong away. It
//             takes away what is in order just as well.
//
// guard-accesses
// Takes:      the kernel before the stage `checks`.
// Guarantees: the same of global, local and generic memory, and of pointers that may come from these or from private memory.
//             What the launch can tell to be inside is not compared (inside_accesses.h), but where it refuses that.
//             What is known of undefined bits beside them is not looked at then: all is defined.
//             Group copies that would leave their memory copy nothing. `sanitize_thread` stays for instrument-accesses.
// Why here:   earlier there are too many accesses, and the waits of a kernel are looked for in loops as they were
//             written; later, packetize makes wide accesses of several, of which nobody can say what they touch.
#pragma once

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace lockstep::compiler {

class GuardAccessesPass : public llvm::PassInfoMixin<GuardAccessesPass> {
public:
  explicit GuardAccessesPass(uint64_t refused_suppositions = 0) : refused_(refused_suppositions) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  uint64_t refused_;
};

class GuardOwnAccessesPass : public llvm::PassInfoMixin<GuardOwnAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
