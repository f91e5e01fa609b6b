// Records what the device library drops from atomics, fences and barriers: scope, flags, and
// whether the call is an OpenCL C 1.x function.
//
// Requires: a module before its builtins are linked; scopes and flags are constant (expose-scopes).
// Ensures: the named metadata `lockstep.check.scopes` has an entry for each call of such a builtin
//   whose instruction will carry less information. An entry has line, column, scope, fences
//   (check_abi.h), kind and a discriminator, which distinguishes calls that a macro put at one
//   location. In strict mode, to the letter of OpenCL C 6.15.12 and API 3.3.6, atomics of OpenCL C
//   1.x are relaxed with work-group scope, `mem_fence` orders only the calling work-item, and
//   volatile accesses are plain.
// Why here: the library distinguishes only two scopes (device_lib/scopes.h). Scopes in SYCL's
//   headers are on the instruction itself (atomic_scope.h). Source locations survive inlining: an
//   instruction of the library has none, so it gets that of the call.
#pragma once

#include "abi/check_abi.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

#include <map>
#include <optional>
#include <tuple>

namespace llvm {
class DebugLoc;
class Function;
} // namespace llvm

namespace lockstep::compiler {

// CLK_*_MEM_FENCE; an image is global memory, and both flags order all global memory.
inline constexpr uint32_t local_fence = 1, global_fence = 2, image_fence = 4;

struct SynchronizationNote {
  CheckScope scope = CheckScope::work_item;
  uint32_t fences = 0; // CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE
  // orders_lanes: a fence that is a barrier for the lanes that reach it.
  enum Kind : uint32_t { as_it_is, waits_for_copies, parts_copies, orders_lanes } kind = as_it_is;
  bool operator==(const SynchronizationNote &) const = default;
};

// "_Z20atomic_load_explicit..." -> "atomic_load_explicit"
llvm::StringRef builtin_name(const llvm::Function &function);
bool takes_scope(const llvm::Function &function);
bool is_legacy_fence(llvm::StringRef name); // of OpenCL C 1.x

class SynchronizationNotes {
public:
  explicit SynchronizationNotes(const llvm::Module &module);
  const SynchronizationNote *at(const llvm::DebugLoc &place) const; // null: no entry
  bool are_strict() const { return are_strict_; }

private:
  std::map<std::tuple<std::string, uint32_t, uint32_t, uint32_t>, SynchronizationNote> notes_;
  bool are_strict_;
};

class RecordScopesPass : public llvm::PassInfoMixin<RecordScopesPass> {
public:
  explicit RecordScopesPass(bool strictly = false) : strictly_(strictly) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  bool strictly_;
};

} // namespace lockstep::compiler
