// Chooses how the work-items of a warp should be arranged where the program does not give a local
// size.
//
// A warp accesses memory in sectors of 32 bytes. If neighbors in dimension 0 access adjacent
// elements, a row of 32 work-items needs the fewest sectors. In a matrix product with rows of 16
// columns for each work-item, neighbors in dimension 0 are 64 bytes apart, and those in dimension 1
// share all elements of one matrix. On an H200 it took 1,100 us with groups of 32 x 8 and 285 us
// with 8 x 8.
//
// Requires: the kernel in kernel IR, after the shared stages.
// Ensures: the kernel has the attribute "lockstep-warp-shape"="X,Y" if a row is not the best shape.
// X times Y is 32.
//
// The choice affects only speed, so wrapping of address arithmetic is ignored.
//
// Position: before retarget, while ids are primitives.
#include "back_ends/nvidia/passes/passes.h"

#include "abi/address_spaces.h"
#include "back_ends/nvidia/target/nvidia_target.h"
#include "compiler/analysis/index_expressions.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <array>

namespace lockstep::compiler {

namespace {

constexpr uint64_t sector = 32; // bytes
constexpr unsigned dimensions = 2;

using Values = llvm::SmallPtrSet<const llvm::Value *, 32>;

// All values that depend on the local id in this dimension.
Values dependents(const llvm::Function &function, unsigned dimension) {
  Values values;
  llvm::SmallVector<const llvm::Value *> open;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == Primitive::local_id &&
        constant_dimension(llvm::cast<llvm::CallInst>(instruction)) == dimension)
      open.push_back(&instruction);
  while (!open.empty()) {
    const llvm::Value *next = open.pop_back_val();
    if (values.insert(next).second)
      open.append(next->user_begin(), next->user_end());
  }
  return values;
}

// How far the accesses of neighbors in one dimension are apart.
struct Distance {
  uint64_t bytes = 0;
  bool is_far = false; // not constant

  // How many sectors `count` neighbors access.
  uint64_t sectors(uint64_t count) const {
    if (is_far)
      return count;
    return std::clamp<uint64_t>((count * bytes + sector - 1) / sector, 1, count);
  }
};

struct Access {
  std::array<Distance, dimensions> distances;
  uint64_t weight = 1; // an estimate of how often it is executed
};

class Accesses {
public:
  Accesses(llvm::Function &function, IndexExpressions &expressions, const llvm::LoopInfo &loops)
      : expressions_(expressions), loops_(loops),
        dependents_{dependents(function, 0), dependents(function, 1)} {
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      add(instruction);
  }

  // Otherwise the launch has one dimension, or neighbors in dimension 1 do the same.
  bool differ_in_dimension_1() const {
    return std::any_of(accesses_.begin(), accesses_.end(), [](const Access &access) {
      return access.distances[1].is_far || access.distances[1].bytes != 0;
    });
  }

  uint64_t cost(uint64_t width) const {
    uint64_t sum = 0;
    for (const Access &access : accesses_)
      sum += access.weight * access.distances[0].sectors(width) *
             access.distances[1].sectors(warp_size / width);
    return sum;
  }

private:
  void add(const llvm::Instruction &instruction) {
    const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      address = update->getPointerOperand();
    if (!address)
      return;
    const unsigned space = address->getType()->getPointerAddressSpace();
    if (space != global_space && space != constant_space)
      return;
    constexpr unsigned most_depth = 3, iterations = 16;
    Access access;
    for (unsigned i = std::min(most_depth, loops_.getLoopDepth(instruction.getParent())); i != 0;
         --i)
      access.weight *= iterations;
    for (unsigned dimension : {0u, 1u})
      access.distances[dimension] = distance(*address, dimension);
    accesses_.push_back(access);
  }

  Distance distance(const llvm::Value &address, unsigned dimension) {
    Distance result;
    int64_t bytes = 0;
    for (const IndexExpression::Term &term : expressions_.of(address, Depth::estimate).terms) {
      if (!term.symbol.value || !dependents_[dimension].contains(term.symbol.value))
        continue;
      if (called_primitive(*term.symbol.value) == Primitive::local_id)
        bytes += term.coefficient;
      else
        result.is_far = true; // a product with a variable, or a value from memory
    }
    result.bytes = static_cast<uint64_t>(bytes < 0 ? -bytes : bytes);
    return result;
  }

  IndexExpressions &expressions_;
  const llvm::LoopInfo &loops_;
  const std::array<Values, dimensions> dependents_;
  std::vector<Access> accesses_;
};

} // namespace

llvm::PreservedAnalyses ChooseWarpShapePass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &analyses) {
  const Accesses accesses(function, analyses.getResult<IndexExpressionsAnalysis>(function),
                          analyses.getResult<llvm::LoopAnalysis>(function));
  if (!accesses.differ_in_dimension_1())
    return llvm::PreservedAnalyses::all();
  uint64_t best = warp_size;
  for (uint64_t width = warp_size / 2; width != 0; width /= 2)
    if (accesses.cost(width) < accesses.cost(best))
      best = width;
  if (best != warp_size)
    function.addFnAttr(warp_shape_attribute,
                       llvm::utostr(best) + "," + llvm::utostr(warp_size / best));
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
