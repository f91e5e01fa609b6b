// Chooses the traversal order of work-groups: the dimension in which consecutive groups run one
// after the other.
//
// Input:  the kernel of one work-item, after specialize-local-size, which computes the group id
//         from a global id.
// Output: if the best dimension is not 0, attribute "lockstep-first-dimension".
//
// A launch numbers its groups with dimension 0 fastest, because adjacent groups in dimension 0
// usually access adjacent memory. Strided async copies of interleaved data are the exception. One
// group copies one channel of a piece of a row. The group that copies the elements in between, the
// next channel, has the next id in dimension 1. In the default order the whole row of one channel
// comes first, and each cache line is fetched once per channel.
//
// The choice affects only speed, so wrapping of address arithmetic is ignored. Kernels that wait
// are skipped: their groups rely on the default order.
#include "compiler/group_shape/passes.h"

#include "compiler/analysis/copy_distances.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <cstdlib>

namespace lockstep::compiler {

namespace {

bool is_one(const llvm::Value &value) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
  return constant && constant->isOne();
}

// The address of the strided side of the copy; null if both sides are contiguous.
const llvm::Value *strided_side(const llvm::CallInst &copy) {
  for (unsigned side : {0, 1})
    if (!is_one(*copy.getArgOperand(3 + side)))
      return copy.getArgOperand(side);
  return nullptr;
}

} // namespace

llvm::PreservedAnalyses ChooseTraversalOrderPass::run(llvm::Function &function,
                                                      llvm::FunctionAnalysisManager &analyses) {
  llvm::SmallVector<const llvm::Value *> addresses;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == Primitive::group_copy)
      if (auto *address = strided_side(llvm::cast<llvm::CallInst>(instruction)))
        addresses.push_back(address);
  if (addresses.empty() || is_resumable(function))
    return llvm::PreservedAnalyses::all();
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  // True if the copies of the next group in this dimension begin in the same cache lines.
  auto shares_lines = [&](unsigned dimension) {
    const auto values = values_of_group(function, dimension);
    CopyDistances distances(expressions, values, 1, CopyDistances::Wraps::are_ignored);
    return llvm::all_of(addresses, [&](const llvm::Value *address) {
      const auto bytes = distances.of(*address);
      return bytes && *bytes != 0 && std::abs(*bytes) < cache_line_bytes;
    });
  };
  if (shares_lines(0))
    return llvm::PreservedAnalyses::all();
  for (unsigned dimension : {1, 2})
    if (shares_lines(dimension)) {
      set_first_dimension(function, dimension);
      remark(function.getEntryBlock().front(), "groups",
             "those that follow each other in dimension " + llvm::Twine(dimension) +
                 " run one after the other, since their copies share lines of the cache");
      break;
    }
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
