// Records what the device library drops from atomics, fences and barriers: scope, flags, and
// whether the call is an OpenCL C 1.x function.
//
// Requires: a module before its builtins are linked; scopes and flags are constant (expose-scopes).
// Ensures: the named metadata `lockstep.check.scopes` (kernel_ir/synchronization_notes.h) has an
//   entry for each call of such a builtin whose instruction will carry less information. An entry
//   has line, column, scope, fences (check_abi.h), kind and a discriminator, which distinguishes
//   calls that a macro put at one location. In strict mode, to the letter of OpenCL C 6.15.12 and
//   API 3.3.6, atomics of OpenCL C 1.x are relaxed with work-group scope, `mem_fence` orders only
//   the calling work-item, and volatile accesses are plain.
// Why here: the library distinguishes only two scopes (device_lib/scopes.h). Scopes in SYCL's
//   headers are on the instruction itself (atomic_scope.h). Source locations survive inlining: an
//   instruction of the library has none, so it gets that of the call.
#pragma once

#include "kernel_ir/synchronization_notes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
} // namespace llvm

namespace lockstep::compiler {

// "_Z20atomic_load_explicit..." -> "atomic_load_explicit"
llvm::StringRef builtin_name(const llvm::Function &function);
bool takes_scope(const llvm::Function &function);
bool is_legacy_fence(llvm::StringRef name); // of OpenCL C 1.x

class RecordScopesPass : public llvm::PassInfoMixin<RecordScopesPass> {
public:
  explicit RecordScopesPass(bool strictly = false) : strictly_(strictly) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  bool strictly_;
};

} // namespace lockstep::compiler
