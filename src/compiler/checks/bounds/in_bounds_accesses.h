// Finds accesses that the launch can prove in bounds: `a[y * width + x]` of all work-items, or of
// those that satisfy `x < width && y < height`.
//
// guard-accesses does not compare these with the size of their memory (guard_accesses.cpp). Instead,
// the launch computes the first and last byte from its sizes and arguments. If one of them is out
// of bounds, it selects code that compares.
//
// The memory is a buffer or local memory passed as an argument, or a variable in local memory.
#pragma once

#include "abi/assumptions.h"
#include "compiler/checks/expressions/launch_expressions.h"

#include <cstdint>
#include <vector>

namespace llvm {
class DominatorTree;
class Function;
class Instruction;
class LoopInfo;
class Module;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class InBoundsAccesses {
public:
  // `failed`: bit InBoundsAccess::places.number is set if that assumption failed.
  InBoundsAccesses(llvm::Function &function, const llvm::DominatorTree &dominators,
                   llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution, uint64_t failed);

  // `base`: the argument or variable that the pointer is based on. `size_of_variable`: 0 for an
  // argument.
  bool has(const llvm::Instruction &access, const llvm::Value &pointer, const llvm::Value &base,
           uint64_t bytes, uint64_t size_of_variable);
  const std::vector<InBoundsAccess> &found() const { return found_; }

private:
  bool add_iterations(const LaunchSum &sum, DistinctAddresses &places);
  bool add_all_iterations(DistinctAddresses &places);

  const llvm::DominatorTree &dominators_;
  LaunchExpressions sums_;
  uint64_t failed_;
  std::vector<InBoundsAccess> found_;
};

// Stores the assumptions in the module's metadata, beside those of other passes.
void assume_in_bounds(llvm::Module &module, const std::vector<InBoundsAccess> &in_bounds);
std::vector<InBoundsAccess> assumed_in_bounds(const llvm::Module &module);

} // namespace lockstep::compiler
