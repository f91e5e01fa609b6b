#include "compiler/regions/straight_columns.h"

#include "abi/address_spaces.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/regions/transposed_accesses.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <bit>

namespace lockstep::compiler {

namespace {

// Fewer elements save little over a gather.
constexpr unsigned least_at_once = limits::chains_at_once / 2;

struct Column {
  llvm::IntrinsicInst *access;
  int64_t offset; // in elements, to the first one of its rows
};

// Accesses of the same rows, in the order of the code.
struct Rows {
  const IndexExpression *address;
  llvm::SmallVector<Column> columns;
};

bool has_column(const Rows &rows, int64_t offset) {
  return llvm::any_of(rows.columns, [&](const Column &each) { return each.offset == offset; });
}

unsigned space_of(const llvm::IntrinsicInst &access) {
  return address_of_rows(access)->getType()->getScalarType()->getPointerAddressSpace();
}

// Whether another instruction could access the memory of such an access.
bool may_access(const llvm::Instruction &instruction, unsigned space) {
  const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
  return !address || may_overlap(address->getType()->getPointerAddressSpace(), space);
}

class Block {
public:
  Block(llvm::BasicBlock &block, IndexExpressions &expressions)
      : block_(block), expressions_(expressions) {}

  unsigned transpose() {
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block_)) {
      if (auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          access && is_column(*access)) {
        add(*access);
        continue;
      }
      if (instruction.mayWriteToMemory())
        finish(loaded_, &instruction);
      if (instruction.mayReadOrWriteMemory())
        finish(stored_, &instruction);
    }
    finish(loaded_, nullptr);
    finish(stored_, nullptr);
    return tiles_;
  }

private:
  void add(llvm::IntrinsicInst &access) {
    const bool is_store = access.getType()->isVoidTy();
    const IndexExpression &address = expressions_.of(*address_of_rows(access));
    // A store to rows may change what is loaded later, and a load may see what was stored.
    if (is_store)
      finish(loaded_, &access);
    else
      finish(stored_, &access);
    auto &known = is_store ? stored_ : loaded_;
    const auto size = int64_t(size_of_element(access));
    for (Rows &rows : known) {
      const IndexExpression distance = difference(address, *rows.address);
      const llvm::IntrinsicInst &first = *rows.columns[0].access;
      if (!distance.terms.empty() || distance.constant % size != 0 ||
          type_of_columns(first) != type_of_columns(access))
        continue;
      const int64_t offset = distance.constant / size;
      if (!has_column(rows, offset)) {
        rows.columns.push_back({&access, offset});
        return;
      }
    }
    // Stores to other rows, or twice to one element, keep their order.
    if (is_store)
      finish(known, &access);
    if (known.size() < limits::search_depth)
      known.push_back({&address, {{&access, 0}}});
  }

  // Transposes all rows that `next` may access.
  void finish(llvm::SmallVector<Rows> &known, const llvm::Instruction *next) {
    llvm::erase_if(known, [&](Rows &rows) {
      if (next && !may_access(*next, space_of(*rows.columns[0].access)))
        return false;
      transpose(rows);
      return true;
    });
  }

  void transpose(Rows &rows) {
    auto &columns = rows.columns;
    const llvm::IntrinsicInst &any = *columns[0].access;
    const unsigned lanes = type_of_columns(any)->getNumElements();
    const auto most = std::min<size_t>(lanes, cache_line_bytes / size_of_element(any));
    llvm::sort(columns, [](auto &one, auto &other) { return one.offset < other.offset; });
    for (size_t first = 0; first != columns.size();) {
      size_t end = first + 1;
      while (end != columns.size() && columns[end].offset == columns[end - 1].offset + 1)
        ++end;
      while (end - first >= least_at_once) {
        const size_t count = std::bit_floor(std::min(end - first, most));
        if (count < least_at_once)
          break;
        transpose(llvm::ArrayRef(columns).slice(first, count), lanes);
        first += count;
      }
      first = end;
    }
  }

  void transpose(llvm::ArrayRef<Column> columns, unsigned lanes) {
    llvm::SmallVector<llvm::IntrinsicInst *> accesses;
    for (const Column &column : columns)
      accesses.push_back(column.access);
    remark(block_.getContext(), accesses[0]->getDebugLoc(), "lanes",
           "rows of " + llvm::Twine(columns.size()) + " elements by " + llvm::Twine(lanes) +
               " are accessed as such and transposed in registers");
    transpose_columns(accesses);
    ++tiles_;
  }

  llvm::BasicBlock &block_;
  IndexExpressions &expressions_;
  llvm::SmallVector<Rows> loaded_, stored_;
  unsigned tiles_ = 0;
};

} // namespace

bool transpose_straight_columns(llvm::Function &function, IndexExpressions &expressions) {
  unsigned tiles = 0;
  for (llvm::BasicBlock &block : function)
    tiles += Block(block, expressions).transpose();
  return tiles != 0;
}

} // namespace lockstep::compiler
