// Chooses the traversal order of work-groups: the dimension in which consecutive groups run one
// after the other.
//
// Input:  the kernel of one work-item, after specialize-local-size, which computes the group id
//         from a global id.
// Output: if the best dimension is not 0, attribute "lockstep-first-dimension".
//
// A launch numbers its groups with dimension 0 fastest, because adjacent groups in dimension 0
// usually access adjacent memory. There are two exceptions:
// - Strided async copies of interleaved data. One group copies one channel of a piece of a row. The
//   group of the next channel, which has the elements in between, has the next id in dimension 1.
//   In the default order, each cache line is fetched once per channel.
// - Transposes. The stores of a group are adjacent to those of the next group in dimension 1. A line
//   that is written in parts travels between cache and memory once for each part.
//
// The choice affects only speed, so wrapping of address arithmetic is ignored. Kernels that wait
// are skipped: their groups rely on the default order.
#include "compiler/group_shape/passes.h"

#include "abi/address_spaces.h"

#include "compiler/analysis/copy_distances.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/ValueTracking.h"
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

// Whether the code is a transpose: no loop, and its stores to global memory are those of columns. The
// group of the next row writes the elements beside, and that of the next column writes far away.
bool writes_columns(llvm::Function &function, IndexExpressions &expressions) {
  const uint64_t rows = specialized_local_size(function)[1];
  if (!expressions.loops().empty() || rows <= 1)
    return false;
  const auto values = values_of_group(function, 0), values_of_rows = values_of_group(function, 1);
  CopyDistances across(expressions, values, 1, CopyDistances::Wraps::are_ignored);
  CopyDistances down(expressions, values_of_rows, 1, CopyDistances::Wraps::are_ignored);
  const llvm::DataLayout &layout = function.getDataLayout();
  bool writes = false;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!instruction.mayWriteToMemory() || called_primitive(instruction))
      continue;
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store)
      return false;
    const llvm::Value &address = *store->getPointerOperand();
    if (store->getPointerAddressSpace() == local_space ||
        llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(&address)))
      continue;
    const uint64_t size =
        layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
    const auto next = across.of(address);
    if (down.of(address) != int64_t(size * rows) || (next && std::abs(*next) < int64_t(page_bytes)))
      return false;
    writes = true;
  }
  return writes;
}

} // namespace

llvm::PreservedAnalyses ChooseTraversalOrderPass::run(llvm::Function &function,
                                                      llvm::FunctionAnalysisManager &analyses) {
  llvm::SmallVector<const llvm::Value *> addresses;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == Primitive::group_copy)
      if (auto *address = strided_side(llvm::cast<llvm::CallInst>(instruction)))
        addresses.push_back(address);
  if (is_resumable(function))
    return llvm::PreservedAnalyses::all();
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  if (addresses.empty()) {
    if (writes_columns(function, expressions)) {
      set_first_dimension(function, 1);
      remark(function.getEntryBlock().front(), "groups",
             "those that follow each other in dimension " +
                 llvm::Twine(launch_dimension(function, 1)) +
                 " run one after the other, since they write to the same lines of the cache");
    }
    return llvm::PreservedAnalyses::all();
  }
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
