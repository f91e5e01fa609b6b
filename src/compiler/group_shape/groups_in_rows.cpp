// Numbers the work-groups of one dimension in rows, as those of a launch of two dimensions.
//
//     row = get_global_id(0) / n, column = get_global_id(0) % n      n = 4 * local size
//
//     groups   0  1  2  3   4  5  6  7   8 ...   become   (0,0) (1,0) (2,0) (3,0)
//                                                         (0,1) (1,1) ...
//
// Groups above each other then load the same columns of a matrix, or write neighboring elements of
// a transpose, and coalesce-work-groups runs them at once. The length of a row is known only to the
// launch. So the code is compiled twice: first this pass finds the division, and the launch learns
// how it computes the length of a row (KernelFacts::row_of_groups). If the length divides its
// number of groups, the launch numbers them in rows, and requests code for that.
//
// Requires: the kernel of one work-item with a local size of one dimension. With
// "lockstep-groups-in-rows", GroupInfo::group_id and LaunchInfo::num_groups are those of rows, and
// the divisor is the length of a row.
// Ensures: without that attribute, "lockstep-row-of-groups" if rows would gain. With it, all
// queries return what they return for one dimension; quotients are group ids of dimension 1.
//
// Position: before the passes that look for neighbors of a group.
#include "compiler/group_shape/passes.h"

#include "abi/address_spaces.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "kernel_ir/form.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;
using llvm::BinaryOperator;
using llvm::Value;

bool is_id(const Value &value, Primitive primitive) {
  return called_primitive(value) == primitive &&
         constant_dimension(llvm::cast<llvm::CallInst>(value)) == 0u;
}

bool is_remainder(const BinaryOperator &division) {
  return division.getOpcode() == llvm::Instruction::URem ||
         division.getOpcode() == llvm::Instruction::SRem;
}

// The operand of conversions that keep small numbers.
Value &before_conversions(Value &value) {
  Value *from = nullptr;
  if (match(&value, m_ZExtOrSExt(m_Value(from))) || match(&value, m_Trunc(m_Value(from))) ||
      match(&value, m_And(m_Value(from), m_SpecificInt(UINT32_MAX))) ||
      match(&value, m_AShr(m_Shl(m_Value(from), m_SpecificInt(32)), m_SpecificInt(32))))
    return before_conversions(*from);
  return value;
}

// Without what guard-integer-division has added.
Value &divisor_of(const BinaryOperator &division) {
  Value *divisor = &before_conversions(*division.getOperand(1)), *own = nullptr;
  if (match(divisor, m_Select(m_Value(), m_One(), m_Value(own))) ||
      match(divisor, m_UMax(m_Value(own), m_One())))
    return before_conversions(*own);
  return *divisor;
}

bool is_only_loaded(const Value &address) {
  return llvm::all_of(address.users(), [](const llvm::User *user) {
    return llvm::isa<llvm::LoadInst>(user) ||
           (llvm::isa<llvm::GetElementPtrInst>(user) && is_only_loaded(*user));
  });
}

class Finder {
public:
  Finder(llvm::Function &function, const llvm::LoopInfo &loops, IndexExpressions &expressions)
      : loops_(loops), expressions_(expressions), function_(function),
        items_(specialized_local_size(function)[0]) {}

  // Finds the first division of an id that the launch can evaluate, and those like it.
  bool find();
  bool gains() const;
  const RowOfGroups &row() const { return row_; }
  llvm::ArrayRef<BinaryOperator *> divisions() const { return divisions_; }
  bool is_of_groups() const { return is_of_groups_; } // the group id is divided

private:
  bool is_global_id(const Value &value);
  bool evaluate(const Value &value, RowOfGroups &row, unsigned depth) const;
  llvm::SmallPtrSet<const Value *, 32> that_differ_in_rows() const;

  const llvm::LoopInfo &loops_;
  IndexExpressions &expressions_;
  llvm::Function &function_;
  const uint32_t items_;
  RowOfGroups row_;
  bool is_of_groups_ = false;
  llvm::SmallVector<BinaryOperator *> divisions_;
};

// group id * local size + local id.
bool Finder::is_global_id(const Value &value) {
  bool has_group = false, has_local = false;
  const IndexExpression &expression = expressions_.of(value);
  for (const IndexExpression::Term &term : expression.terms) {
    if (!term.symbol.value)
      return false;
    const Value &symbol = before_conversions(*const_cast<Value *>(term.symbol.value));
    if (is_id(symbol, Primitive::group_id) && term.coefficient == items_ && !has_group)
      has_group = true;
    else if (is_id(symbol, Primitive::local_id) && term.coefficient == 1 && !has_local)
      has_local = true;
    else
      return false;
  }
  return has_group && has_local && expression.constant == 0;
}

// Whether the launch can compute the value: a product of arguments by a constant.
bool Finder::evaluate(const Value &value, RowOfGroups &row, unsigned depth) const {
  const Value &plain = before_conversions(const_cast<Value &>(value));
  if (plain.getType()->isPointerTy() || !plain.getType()->isIntegerTy() ||
      depth == limits::search_depth)
    return false;
  auto add = [&](const llvm::Argument &argument, uint64_t offset) {
    row.factors.push_back({argument.getArgNo(), uint32_t(offset),
                           uint32_t(plain.getType()->getIntegerBitWidth() / 8)});
    return true;
  };
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&plain))
    return add(*argument, 0);
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&plain)) { // of a struct
    llvm::APInt offset(64, 0);
    auto *argument =
        llvm::dyn_cast<llvm::Argument>(load->getPointerOperand()->stripAndAccumulateConstantOffsets(
            load->getDataLayout(), offset, /*AllowNonInbounds=*/true));
    return argument && argument->getType()->getPointerAddressSpace() == private_space &&
           load->isSimple() && is_only_loaded(*argument) && add(*argument, offset.getZExtValue());
  }
  const Value *one = nullptr, *other = nullptr;
  if (match(&plain, m_Mul(m_Value(one), m_Value(other))) && row.divisor == 1)
    return evaluate(*one, row, depth + 1) && evaluate(*other, row, depth + 1);
  const llvm::APInt *number = nullptr;
  if (match(&plain, m_IDiv(m_Value(one), m_APInt(number))) && number->isStrictlyPositive())
    row.divisor *= number->getZExtValue();
  else if (match(&plain, m_LShr(m_Value(one), m_APInt(number))) && number->ult(31))
    row.divisor <<= number->getZExtValue();
  else
    return false;
  return evaluate(*one, row, depth + 1);
}

bool Finder::find() {
  const Value *divisor = nullptr;
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    auto *division = llvm::dyn_cast<BinaryOperator>(&instruction);
    if (!division || !division->isIntDivRem() || !division->getType()->isIntegerTy())
      continue;
    Value &own = divisor_of(*division);
    if (divisor && divisor != &own)
      continue;
    Value &id = before_conversions(*division->getOperand(0));
    const bool is_of_groups = is_id(id, Primitive::group_id);
    if ((divisor && is_of_groups != is_of_groups_) || (!is_of_groups && !is_global_id(id)))
      continue;
    if (!divisor) {
      RowOfGroups row{.factors = {}, .divisor = 1, .is_exact = !is_of_groups};
      if (llvm::isa<llvm::Constant>(own) || !evaluate(own, row, 0))
        continue;
      if (!is_of_groups)
        row.divisor *= items_;
      row_ = row;
      is_of_groups_ = is_of_groups;
      divisor = &own;
    }
    divisions_.push_back(division);
  }
  return divisor;
}

llvm::SmallPtrSet<const Value *, 32> Finder::that_differ_in_rows() const {
  llvm::SmallPtrSet<const Value *, 32> different;
  llvm::SmallVector<const Value *> open;
  for (const llvm::Instruction &instruction : llvm::instructions(function_))
    if (is_id(instruction, Primitive::group_id))
      open.push_back(&instruction);
  while (!open.empty()) {
    const Value *value = open.pop_back_val();
    auto *division = llvm::dyn_cast<BinaryOperator>(value);
    if (division && llvm::is_contained(divisions_, division) && is_remainder(*division))
      continue;
    if (different.insert(value).second)
      open.append(value->user_begin(), value->user_end());
  }
  return different;
}

// Whether rows load the same in a loop, or the next row has the next element of a column. The same
// questions decide in coalesce-work-groups, which knows more.
bool Finder::gains() const {
  const auto different = that_differ_in_rows();
  const llvm::DataLayout &layout = function_.getDataLayout();
  return llvm::any_of(llvm::instructions(function_), [&](const llvm::Instruction &instruction) {
    const Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer || pointer->getType()->getPointerAddressSpace() == local_space)
      return false;
    if (const llvm::Loop *loop = loops_.getLoopFor(instruction.getParent()))
      return llvm::isa<llvm::LoadInst>(instruction) && !different.contains(&instruction) &&
             !loop->isLoopInvariant(pointer);
    const uint64_t size = layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction));
    return llvm::any_of(
        expressions_.of(*pointer, Depth::address).terms, [&](const IndexExpression::Term &term) {
          auto *division = llvm::dyn_cast_or_null<BinaryOperator>(term.symbol.value);
          return division && llvm::is_contained(divisions_, division) && !is_remainder(*division) &&
                 uint64_t(term.coefficient) == size;
        });
  });
}

class Renumbering {
public:
  explicit Renumbering(llvm::Function &function)
      : function_(function), builder_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {}

  void run(const Finder &found) {
    llvm::SmallVector<llvm::CallInst *> queries;
    for (llvm::Instruction &instruction : llvm::instructions(function_))
      if (const auto primitive = called_primitive(instruction);
          primitive == Primitive::group_id || primitive == Primitive::num_groups)
        queries.push_back(llvm::cast<llvm::CallInst>(&instruction));
    const auto items = specialized_local_size(function_)[0];
    Value *column = query(Primitive::group_id, 0), *row = query(Primitive::group_id, 1),
          *columns = query(Primitive::num_groups, 0);
    Value *place = column;
    if (!found.is_of_groups()) {
      llvm::CallInst *local = query(Primitive::local_id, 0);
      local->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, items)));
      place =
          builder_.CreateAdd(builder_.CreateMul(column, builder_.getInt64(items), "", true, true),
                             local, "place.in.row", true, true);
    }
    Value *first = builder_.CreateMul(row, columns, "", true, true);
    Value *group = builder_.CreateAdd(first, column, "group.id", true, true);
    Value *groups = builder_.CreateMul(columns, query(Primitive::num_groups, 1), "", true, true);
    llvm::SmallVector<llvm::WeakTrackingVH> dead;
    for (BinaryOperator *division : found.divisions()) {
      Value *result = is_remainder(*division) ? place : row;
      division->replaceAllUsesWith(builder_.CreateZExtOrTrunc(result, division->getType()));
      dead.emplace_back(division);
    }
    for (llvm::CallInst *call : queries) {
      const bool is_id = called_primitive(*call) == Primitive::group_id;
      Value *of_others = llvm::ConstantInt::get(call->getType(), is_id ? 0 : 1);
      call->replaceAllUsesWith(constant_dimension(*call) == 0u ? is_id ? group : groups
                                                               : of_others);
      dead.emplace_back(call);
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  }

private:
  llvm::CallInst *query(Primitive primitive, unsigned dimension) {
    auto callee = declare_primitive(*function_.getParent(), primitive, builder_.getInt64Ty(),
                                    {builder_.getInt32Ty()});
    llvm::CallInst *call = builder_.CreateCall(callee, builder_.getInt32(dimension));
    call->setDoesNotThrow();
    call->setDoesNotAccessMemory();
    return call;
  }

  llvm::Function &function_;
  llvm::IRBuilder<> builder_;
};

bool can_be_renumbered(const llvm::Function &function) {
  for (const llvm::Function &other : *function.getParent())
    if (&other != &function && is_out_of_line(other))
      return false;
  return llvm::all_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    const auto primitive = called_primitive(instruction);
    return (primitive != Primitive::group_id && primitive != Primitive::num_groups) ||
           constant_dimension(llvm::cast<llvm::CallInst>(instruction));
  });
}

} // namespace

llvm::PreservedAnalyses GroupsInRowsPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &analyses) {
  const auto size = specialized_local_size(function);
  if (!options_.lanes || options_.is_checked() || size[0] < 2 || size[1] * size[2] != 1 ||
      is_resumable(function) || !can_be_renumbered(function))
    return llvm::PreservedAnalyses::all();
  Finder finder(function, analyses.getResult<llvm::LoopAnalysis>(function),
                analyses.getResult<IndexExpressionsAnalysis>(function));
  if (!finder.find() || !finder.gains())
    return llvm::PreservedAnalyses::all();
  if (!function.hasFnAttribute(groups_in_rows)) {
    set_row_of_groups(function, finder.row());
    return llvm::PreservedAnalyses::all();
  }
  remark(*finder.divisions().front(), "groups",
         "are numbered in rows by this division, as those of two dimensions");
  Renumbering(function).run(finder);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
