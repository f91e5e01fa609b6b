// Makes the lanes of a sub-group visible: a local id becomes the first lane's id plus a function of
// the lane.
//
// Input:  the kernel of one work-item; attributes "lockstep-local-size" and
//         "lockstep-sub-group-size" (1: nothing to do).
// Output: `__lockstep_local_id` is the id of the sub-group's first lane and thus uniform.
//         `__lockstep_lane` is the only source of divergence besides memory.
//
// Parts of sums: in `get_global_id(0) / 8` and `get_local_id(0) % 8`, the first lane's id is a multiple
// of W. So the quotient by a power of two up to W is that of the first lane plus a function of the
// lane, and the remainder is a function of the lane.
//
// A sub-group is W work-items with consecutive linear ids. The local size determines how their ids
// follow from the first lane's id, and thus which memory accesses become contiguous:
// - rows of a multiple of W work-items, or a single row: x = first.x + lane; y and z are uniform;
// - rows that divide W: x = lane mod row and y = first.y + lane / row, constants for each lane;
// - otherwise: division of the linear id. If the size is unknown, the division is done in floating
//   point, since CPUs have no integer vector division. It is exact, as linear ids are below 2^13.
#include "compiler/lanes/packetize/passes.h"

#include "compiler/analysis/index_expressions.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>
#include <vector>

namespace lockstep::compiler {

namespace {

class LaneIds {
public:
  LaneIds(llvm::Function &function)
      : size_(specialized_local_size(function)), width_(sub_group_size(function)),
        builder_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
        module_(*function.getParent()) {}

  void make() {
    lane_ = emit_lane(builder_);
    for (unsigned dimension = 0; dimension != 3; ++dimension)
      first_[dimension] = call(Primitive::local_id, dimension);
    if (size_[0] != 0 && (size_[0] % width_ == 0 || uint64_t{size_[1]} * size_[2] == 1))
      id_ = {plus_first(0, lane_), first_[1], first_[2]};
    else if (size_[0] != 0 && width_ % size_[0] == 0 && make_whole_rows())
      ;
    else
      make_by_division();
  }

  llvm::Value *id(unsigned dimension) const { return id_[dimension]; }

  // Before make(): finds the quotients and remainders.
  void find_parts(llvm::Function &function, IndexExpressions &expressions) {
    if (width_ == 1 || size_[0] == 0 ||
        (size_[0] % width_ != 0 && uint64_t{size_[1]} * size_[2] != 1))
      return;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto part = part_of(instruction, expressions))
        parts_.push_back(*part);
  }
  // After make().
  void replace_parts() {
    for (const Part &part : parts_) {
      llvm::IRBuilder<> builder(part.instruction);
      llvm::Type *type = part.instruction->getType();
      llvm::Value *lane = builder.CreateTrunc(lane_, type);
      llvm::Value *whole = nullptr;
      if (part.is_remainder) {
        whole = builder.CreateAnd(lane, (uint64_t{1} << part.bits) - 1);
      } else {
        whole = builder.CreateLShr(emit_sum(builder, part.sum, 1,
                                            [&](const IndexSymbol &symbol) {
                                              return symbol.value == part.id
                                                         ? first_[0]
                                                         : const_cast<llvm::Value *>(symbol.value);
                                            }),
                                   part.bits);
        if (width_ >> part.bits != 1)
          whole = builder.CreateAdd(whole, builder.CreateLShr(lane, part.bits));
      }
      whole->takeName(part.instruction);
      part.instruction->replaceAllUsesWith(whole);
      dead_.emplace_back(part.instruction);
    }
  }
  void erase_dead() { llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead_); }

  // `id - lane` is the first lane's id if lanes are work-items of one row.
  void simplify_first() {
    auto *id = llvm::dyn_cast<llvm::BinaryOperator>(id_[0]);
    if (!id || id->getOpcode() != llvm::Instruction::Add || id->getOperand(0) != first_[0] ||
        id->getOperand(1) != lane_)
      return;
    for (llvm::User *user : llvm::make_early_inc_range(id->users()))
      if (auto *first = llvm::dyn_cast<llvm::BinaryOperator>(user);
          first && first->getOpcode() == llvm::Instruction::Sub && first->getOperand(0) == id &&
          called_primitive(*first->getOperand(1)) == Primitive::lane) {
        first->replaceAllUsesWith(first_[0]);
        first->eraseFromParent();
      }
  }

private:
  struct Part {
    llvm::Instruction *instruction;
    const llvm::Value *id; // of dimension 0
    IndexExpression sum;   // of multiples of the width, and the id
    unsigned bits;         // the divisor is 2^bits
    bool is_remainder;
  };

  std::optional<Part> part_of(llvm::Instruction &instruction, IndexExpressions &expressions) const {
    using namespace llvm::PatternMatch;
    llvm::Value *value = nullptr;
    const llvm::APInt *constant = nullptr;
    Part part{&instruction, nullptr, {}, 0, false};
    if (match(&instruction, m_And(m_Value(value), m_LowBitMask(constant)))) {
      part.is_remainder = true;
      part.bits = constant->countr_one();
    } else if (match(&instruction, m_LShr(m_Value(value), m_APInt(constant)))) {
      part.bits = unsigned(constant->getLimitedValue(64));
    }
    if (part.bits == 0 || part.bits > llvm::Log2_32(width_) ||
        !instruction.getType()->isIntegerTy() || instruction.getType()->getIntegerBitWidth() > 64)
      return std::nullopt;
    while (auto *narrow = llvm::dyn_cast<llvm::TruncInst>(value))
      value = narrow->getOperand(0);
    if (value->getType()->getIntegerBitWidth() > 64)
      return std::nullopt;
    part.sum = expressions.of(*value);
    part.sum.bits = instruction.getType()->getIntegerBitWidth();
    bool are_multiples = part.sum.constant % int64_t(width_) == 0;
    for (const IndexExpression::Term &term : part.sum.terms)
      if (const llvm::Value *symbol = term.symbol.value;
          symbol && !part.id && term.coefficient == 1 &&
          called_primitive(*symbol) == Primitive::local_id &&
          constant_dimension(*llvm::cast<llvm::CallInst>(symbol)) == 0)
        part.id = symbol;
      else
        are_multiples &= term.coefficient % int64_t(width_) == 0;
    return part.id && are_multiples ? std::optional(part) : std::nullopt;
  }

  llvm::Value *call(Primitive primitive, unsigned dimension) {
    auto callee =
        declare_primitive(module_, primitive, builder_.getInt64Ty(), {builder_.getInt32Ty()});
    auto *call = builder_.CreateCall(callee, builder_.getInt32(dimension));
    // A declaration that is created here has no attributes.
    call->setDoesNotThrow();
    call->setDoesNotAccessMemory();
    return call;
  }

  llvm::Value *plus_first(unsigned dimension, llvm::Value *distance) {
    return builder_.CreateAdd(first_[dimension], distance, "local.id", /*HasNUW=*/true,
                              /*HasNSW=*/true);
  }

  // A sub-group holds several whole rows. Returns false if it would hold parts of planes.
  bool make_whole_rows() {
    uint64_t rows = width_ / size_[0];
    llvm::Value *row = builder_.CreateUDiv(lane_, builder_.getInt64(size_[0]), "lane.row");
    id_[0] = builder_.CreateURem(lane_, builder_.getInt64(size_[0]),
                                 "local.id"); // the first lane's id is 0
    if (size_[1] % rows == 0 || size_[2] == 1) {
      id_[1] = plus_first(1, row);
      id_[2] = first_[2];
      return true;
    }
    if (rows % size_[1] != 0)
      return false;
    id_[1] = builder_.CreateURem(row, builder_.getInt64(size_[1]), "local.id");
    id_[2] = plus_first(2, builder_.CreateUDiv(row, builder_.getInt64(size_[1]), "lane.plane"));
    return true;
  }

  void make_by_division() {
    std::array<llvm::Value *, 2> size;
    for (unsigned dimension : {0u, 1u})
      size[dimension] =
          size_[0] ? builder_.getInt64(size_[dimension]) : call(Primitive::local_size, dimension);
    llvm::Value *linear =
        builder_.CreateNUWAdd(builder_.CreateNUWMul(first_[2], size[1]), first_[1]);
    linear = builder_.CreateNUWAdd(builder_.CreateNUWMul(linear, size[0]), first_[0]);
    linear = builder_.CreateNUWAdd(linear, lane_, "linear.id");
    llvm::Type *narrow = builder_.getInt32Ty();
    linear = builder_.CreateTrunc(linear, narrow);
    for (llvm::Value *&one : size)
      one = builder_.CreateTrunc(one, narrow);
    auto [row, x] = divide(linear, size[0]);
    auto [plane, y] = divide(row, size[1]);
    id_ = {x, y, plane};
    for (llvm::Value *&id : id_)
      id = builder_.CreateZExt(id, builder_.getInt64Ty(), "local.id");
  }

  std::pair<llvm::Value *, llvm::Value *> divide(llvm::Value *number, llvm::Value *divisor) {
    if (llvm::isa<llvm::ConstantInt>(divisor))
      return {builder_.CreateUDiv(number, divisor), builder_.CreateURem(number, divisor)};
    // (number + 0.5) / divisor is at least 0.5 / divisor away from any integer, while the rounding
    // error is at most 2^-11 / divisor.
    llvm::Type *real = builder_.getFloatTy();
    llvm::Value *middle =
        builder_.CreateFAdd(builder_.CreateUIToFP(number, real), llvm::ConstantFP::get(real, 0.5));
    llvm::Value *quotient = builder_.CreateFPToUI(
        builder_.CreateFDiv(middle, builder_.CreateUIToFP(divisor, real)), builder_.getInt32Ty());
    return {quotient, builder_.CreateSub(number, builder_.CreateMul(quotient, divisor))};
  }

  std::array<uint32_t, 3> size_;
  uint32_t width_;
  llvm::IRBuilder<> builder_;
  llvm::Module &module_;
  llvm::Value *lane_ = nullptr;
  std::array<llvm::Value *, 3> first_{}, id_{};
  std::vector<Part> parts_;
  llvm::SmallVector<llvm::WeakTrackingVH> dead_;
};

} // namespace

llvm::PreservedAnalyses LaneIdsPass::run_in_lanes(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &analyses) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == Primitive::local_id)
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  if (calls.empty())
    return llvm::PreservedAnalyses::all();
  LaneIds ids(function);
  ids.find_parts(function, analyses.getResult<IndexExpressionsAnalysis>(function));
  ids.make();
  ids.replace_parts();
  for (llvm::CallInst *call : calls) {
    llvm::IRBuilder<> builder(call);
    llvm::Value *result;
    if (auto dimension = constant_dimension(*call)) {
      result = *dimension < 3 ? ids.id(*dimension) : builder.getInt64(0);
    } else {
      result = ids.id(2);
      for (unsigned dimension : {1u, 0u})
        result = builder.CreateSelect(
            builder.CreateICmpEQ(call->getArgOperand(0), builder.getInt32(dimension)),
            ids.id(dimension), result);
    }
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
  ids.simplify_first();
  ids.erase_dead();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
