// Which accesses lie inside of their memory as far as the launch can tell: `a[y * width + x]` of so many work-items, or of
// those that fulfil `x < width && y < height`. They are not compared with its size (guard_accesses.h): the launch computes the
// first and the last byte from its sizes and arguments, and takes code that compares them where one of them is outside.
//
// The memory is a buffer or local memory that is an argument, or a variable in local memory.
#pragma once

#include "compiler/ir_to_workgroup/check/launch_sums.h"
#include "compiler/suppositions.h"

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

class InsideAccesses {
public:
  // `refused`: InsidePlaces::places.number, by bits.
  InsideAccesses(llvm::Function &function, const llvm::DominatorTree &dominators,
                 llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution, uint64_t refused);

  // `base`: the argument or variable that the pointer comes from; `size_of_variable`: 0, if it is an argument.
  bool has(const llvm::Instruction &access, const llvm::Value &pointer, const llvm::Value &base,
           uint64_t bytes, uint64_t size_of_variable);
  const std::vector<InsidePlaces> &found() const { return found_; }

private:
  bool add_rounds(const LaunchSum &sum, UnequalPlaces &places);
  bool add_all_rounds(UnequalPlaces &places);

  const llvm::DominatorTree &dominators_;
  LaunchSums sums_;
  uint64_t refused_;
  std::vector<InsidePlaces> found_;
};

// Writes it down in the module, beside what others suppose.
void suppose_inside(llvm::Module &module, const std::vector<InsidePlaces> &inside);
std::vector<InsidePlaces> supposed_inside(const llvm::Module &module);

} // namespace lockstep::compiler
