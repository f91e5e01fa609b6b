// Writes down what the device library forgets of atomics, fences and barriers: scope, flags, and that a call is of
// OpenCL C 1.x.
//
// Takes:      a module before its builtins are linked; scopes and flags are constants (expose-scopes).
// Guarantees: the named metadata `lockstep.check.scopes` has an entry for each call of such a builtin that says more
//             than its instruction will: line, column, scope, fences (check_abi.h), what else it does, and a discriminator: of several
//             that a macro has put at one place.
//             Strictly, by the letter (OpenCL C 6.15.12, API 3.3.6), atomics of OpenCL C 1.x are relaxed with the scope of
//             a work-group, `mem_fence` orders only what one work-item does, and volatile accesses are plain ones.
// Why here:   the library tells two scopes apart only (device_lib/scopes.h); those that SYCL's headers write are the instruction's
//             own (atomic_scope.h). Places are what survives inlining: an instruction of the library,
//             which has none itself, gets that of the call.
#pragma once

#include "compiler/check_abi.h"

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

// CLK_*_MEM_FENCE; an image is global memory, and both flags order all of that.
inline constexpr uint32_t local_fence = 1, global_fence = 2, image_fence = 4;

struct SynchronisationNote {
  CheckScope scope = CheckScope::work_item;
  uint32_t fences = 0; // CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE
  // A fence that orders lanes is a barrier of those that are there.
  enum Kind : uint32_t { as_it_is, waits_for_copies, parts_copies, orders_lanes } kind = as_it_is;
  bool operator==(const SynchronisationNote &) const = default;
};

// "_Z20atomic_load_explicit..." -> "atomic_load_explicit"
llvm::StringRef builtin_name(const llvm::Function &function);
bool takes_scope(const llvm::Function &function);
bool is_legacy_fence(llvm::StringRef name); // of OpenCL C 1.x

class SynchronisationNotes {
public:
  explicit SynchronisationNotes(const llvm::Module &module);
  const SynchronisationNote *at(const llvm::DebugLoc &place) const; // null: nothing was noted
  bool are_strict() const { return are_strict_; }

private:
  std::map<std::tuple<std::string, uint32_t, uint32_t, uint32_t>, SynchronisationNote> notes_;
  bool are_strict_;
};

class NoteScopesPass : public llvm::PassInfoMixin<NoteScopesPass> {
public:
  explicit NoteScopesPass(bool strictly = false) : strictly_(strictly) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  bool strictly_;
};

} // namespace lockstep::compiler
