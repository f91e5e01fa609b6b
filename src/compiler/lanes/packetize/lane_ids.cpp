// Makes the lanes of a sub-group visible: a local id becomes the first lane's id plus a function of
// the lane.
//
// Input:  the kernel of one work-item; attributes "lockstep-local-size" and
//         "lockstep-sub-group-size" (1: nothing to do).
// Output: `__lockstep_local_id` is the id of the sub-group's first lane and thus uniform.
//         `__lockstep_lane` is the only source of divergence besides memory.
//
// Masks and shifts of sums, as in `get_global_id(0) / 8` and `get_local_id(0) % 32`: the first lane's id
// is a multiple of W, so it has no bit in common with the number of the lane, and each of them is
// masked or shifted alone. The first lane's part is uniform, and the lane's is known.
//
// A sub-group is W work-items with consecutive linear ids. The local size determines how their ids
// follow from the first lane's id, and thus which memory accesses become contiguous:
// - rows of a multiple of W work-items, a single row, or "lockstep-padded-rows": x = first.x + lane;
//   y and z are uniform;
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
        has_rows_(function.hasFnAttribute(rows_are_padded)),
        builder_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
        module_(*function.getParent()) {}

  void make() {
    lane_ = emit_lane(builder_);
    for (unsigned dimension = 0; dimension != 3; ++dimension)
      first_[dimension] = call(Primitive::local_id, dimension);
    if (has_rows_ ||
        (size_[0] != 0 && (size_[0] % width_ == 0 || uint64_t{size_[1]} * size_[2] == 1)))
      id_ = {plus_first(0, lane_), first_[1], first_[2]};
    else if (size_[0] != 0 && width_ % size_[0] == 0 && make_whole_rows())
      ;
    else
      make_by_division();
  }

  llvm::Value *id(unsigned dimension) const { return id_[dimension]; }

  // Before make(): finds masks and shifts of sums.
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
      llvm::Value *first = emit_sum(builder, part.sum, 1, [&](const IndexSymbol &symbol) {
        return symbol.value == part.id ? first_[0] : const_cast<llvm::Value *>(symbol.value);
      });
      llvm::Value *lane = builder.CreateTrunc(lane_, type);
      if (part.shift != 0)
        lane = builder.CreateShl(lane, part.shift);
      auto operate = [&](llvm::Value *value) {
        return builder.CreateBinOp(llvm::cast<llvm::BinaryOperator>(part.instruction)->getOpcode(),
                                   value, part.instruction->getOperand(1));
      };
      llvm::Value *result = part.of_first ? operate(first) : nullptr;
      if (part.of_lane) {
        lane = operate(lane);
        result = result ? builder.CreateAdd(result, lane) : lane;
      }
      result->takeName(part.instruction);
      part.instruction->replaceAllUsesWith(result);
      dead_.emplace_back(part.instruction);
      dead_.emplace_back(first);
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
    const llvm::Value *id = nullptr; // of dimension 0
    IndexExpression sum;             // of multiples of 2^shift * width, and 2^shift * id
    unsigned shift = 0;
    bool of_first = true, of_lane = true; // whether bits of these are left
  };

  std::optional<Part> part_of(llvm::Instruction &instruction, IndexExpressions &expressions) const {
    using namespace llvm::PatternMatch;
    llvm::Value *value = nullptr;
    const llvm::APInt *constant = nullptr;
    const bool is_mask = match(&instruction, m_And(m_Value(value), m_APInt(constant)));
    if (!instruction.getType()->isIntegerTy() || instruction.getType()->getIntegerBitWidth() > 64 ||
        (!is_mask && !match(&instruction, m_Shr(m_Value(value), m_APInt(constant)))))
      return std::nullopt;
    const unsigned bits = instruction.getType()->getIntegerBitWidth();
    while (auto *narrow = llvm::dyn_cast<llvm::TruncInst>(value))
      value = narrow->getOperand(0);
    if (value->getType()->getIntegerBitWidth() > 64)
      return std::nullopt;
    Part part{&instruction};
    part.sum = expressions.of(*value);
    part.sum.bits = bits;
    for (const IndexExpression::Term &term : part.sum.terms)
      if (const llvm::Value *symbol = term.symbol.value;
          symbol && called_primitive(*symbol) == Primitive::local_id &&
          constant_dimension(*llvm::cast<llvm::CallInst>(symbol)) == 0) {
        if (part.id || !llvm::isPowerOf2_64(uint64_t(term.coefficient)))
          return std::nullopt;
        part.id = symbol;
        part.shift = llvm::Log2_64(uint64_t(term.coefficient));
      }
    const unsigned lane_bits = part.shift + llvm::Log2_32(width_);
    if (!part.id || lane_bits >= bits)
      return std::nullopt;
    const auto below = int64_t(llvm::maskTrailingOnes<uint64_t>(lane_bits));
    bool are_multiples = (part.sum.constant & below) == 0;
    for (const IndexExpression::Term &term : part.sum.terms)
      are_multiples &= term.symbol.value == part.id || (term.coefficient & below) == 0;
    if (!are_multiples)
      return std::nullopt;
    part.of_first = !is_mask || constant->getActiveBits() > lane_bits;
    part.of_lane = is_mask ? constant->countr_zero() < lane_bits : constant->ult(lane_bits);
    return part;
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
  bool has_rows_;
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
