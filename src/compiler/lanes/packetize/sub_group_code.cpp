#include "compiler/lanes/packetize/sub_group_code.h"

#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/prepare_code/expand_permutations.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"

#include <numeric>

namespace lockstep::compiler {

namespace {

using llvm::Value;
using Operation = CombineOperation;

llvm::SmallVector<int, 64> numbers_from(int first, unsigned length) {
  llvm::SmallVector<int, 64> numbers(length);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// OpenCL does not specify the minimum with a NaN, so the form that is one instruction is valid.
Value *select_by(llvm::IRBuilderBase &builder, llvm::CmpInst::Predicate predicate, Value *one,
                 Value *other) {
  return builder.CreateSelect(builder.CreateFCmp(predicate, one, other), one, other);
}

Value *combine_reals(llvm::IRBuilderBase &builder, Operation operation, Value *one, Value *other) {
  switch (operation) {
  case Operation::add:
    return builder.CreateFAdd(one, other);
  case Operation::mul:
    return builder.CreateFMul(one, other);
  case Operation::min:
    return select_by(builder, llvm::CmpInst::FCMP_OLT, one, other);
  default:
    return select_by(builder, llvm::CmpInst::FCMP_OGT, one, other);
  }
}

llvm::Constant *identity_of_reals(Operation operation, llvm::Type *type) {
  switch (operation) {
  case Operation::add:
    return llvm::ConstantFP::getZero(type, /*Negative=*/true);
  case Operation::mul:
    return llvm::ConstantFP::get(type, 1.0);
  default:
    return llvm::ConstantFP::getInfinity(type, /*Negative=*/operation == Operation::max);
  }
}

} // namespace

llvm::Constant *identity_of(Operation operation, llvm::Type *scalar) {
  if (scalar->isFloatingPointTy())
    return identity_of_reals(operation, scalar);
  unsigned bits = scalar->getIntegerBitWidth();
  switch (operation) {
  case Operation::mul:
    return llvm::ConstantInt::get(scalar, 1);
  case Operation::min:
    return llvm::ConstantInt::get(scalar, llvm::APInt::getSignedMaxValue(bits));
  case Operation::max:
    return llvm::ConstantInt::get(scalar, llvm::APInt::getSignedMinValue(bits));
  case Operation::unsigned_min:
  case Operation::bitwise_and:
    return llvm::Constant::getAllOnesValue(scalar);
  case Operation::add:
  case Operation::unsigned_max:
  case Operation::bitwise_or:
  case Operation::bitwise_xor:
    break;
  }
  return llvm::ConstantInt::get(scalar, 0);
}

Value *combine(llvm::IRBuilderBase &builder, Operation operation, Value *one, Value *other) {
  if (one->getType()->isFPOrFPVectorTy())
    return combine_reals(builder, operation, one, other);
  switch (operation) {
  case Operation::add:
    return builder.CreateAdd(one, other);
  case Operation::mul:
    return builder.CreateMul(one, other);
  case Operation::min:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, one, other);
  case Operation::max:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, one, other);
  case Operation::unsigned_min:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, one, other);
  case Operation::unsigned_max:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, one, other);
  case Operation::bitwise_and:
    return builder.CreateAnd(one, other);
  case Operation::bitwise_or:
    return builder.CreateOr(one, other);
  case Operation::bitwise_xor:
    return builder.CreateXor(one, other);
  }
  llvm_unreachable("the device library knows no other operation");
}

CombineOperation operation_of(const llvm::CallInst &call) {
  return static_cast<Operation>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue());
}

Value *SubGroupCode::fill_inactive(Operation operation, Value *lanes) {
  if (!mask_)
    return lanes;
  llvm::Constant *identity = identity_of(operation, lanes->getType()->getScalarType());
  return builder_.CreateSelect(mask_, lanes, builder_.CreateVectorSplat(width_, identity));
}

// Reading an inactive lane gives an undefined value. Freeze keeps it from being poison.
Value *SubGroupCode::settled(Value *lanes) {
  return mask_ ? builder_.CreateFreeze(lanes) : lanes;
}

Value *SubGroupCode::slice(Value *lanes, unsigned first, unsigned length) {
  if (length == llvm::cast<llvm::FixedVectorType>(lanes->getType())->getNumElements())
    return lanes;
  return builder_.CreateShuffleVector(lanes, numbers_from(static_cast<int>(first), length));
}

Value *SubGroupCode::ballot(Value *condition) {
  if (mask_)
    condition =
        builder_.CreateSelect(mask_, condition, llvm::Constant::getNullValue(condition->getType()));
  return builder_.CreateZExt(mask_bits(builder_, condition), builder_.getInt64Ty(), "ballot");
}

Value *SubGroupCode::element(Value *lanes, Value *lane) {
  lane = builder_.CreateAnd(lane, width_ - 1);
  return builder_.CreateExtractElement(settled(lanes), lane, "of.lane");
}

Value *SubGroupCode::shuffle(Value *lanes, llvm::ArrayRef<int64_t> from) {
  llvm::SmallVector<int, 64> inside;
  for (int64_t lane : from)
    inside.push_back(static_cast<int>(lane & (width_ - 1)));
  return builder_.CreateShuffleVector(settled(lanes), inside, "shuffled");
}

// In a sub-group of several registers, each result register takes elements from each source
// register and keeps those that belong there.
Value *SubGroupCode::shuffle(Value *lanes, Value *from) {
  lanes = settled(lanes);
  unsigned bits = lanes->getType()->getScalarSizeInBits();
  unsigned length = std::min(width_, std::max(1u, register_bits_ / bits));
  // As wide as the elements, as machine instructions require.
  llvm::Type *index = builder_.getIntNTy(bits);
  from = builder_.CreateAnd(from, llvm::ConstantInt::get(from->getType(), width_ - 1));
  from = builder_.CreateZExtOrTrunc(from, llvm::FixedVectorType::get(index, width_));
  llvm::SmallVector<Value *, 8> parts;
  for (unsigned first = 0; first != width_; first += length) {
    Value *wanted = slice(from, first, length);
    Value *inside =
        builder_.CreateAnd(wanted, llvm::ConstantInt::get(wanted->getType(), length - 1));
    Value *part = nullptr;
    for (unsigned source = 0; source != width_; source += length) {
      Value *taken = emit_permutation(builder_, slice(lanes, source, length), inside);
      if (!part) {
        part = taken;
        continue;
      }
      Value *beyond =
          builder_.CreateICmpUGE(wanted, llvm::ConstantInt::get(wanted->getType(), source));
      part = builder_.CreateSelect(beyond, taken, part);
    }
    parts.push_back(part);
  }
  return parts.size() == 1 ? parts[0] : llvm::concatenateVectors(builder_, parts);
}

llvm::Intrinsic::ID reduction_of(Operation operation) {
  switch (operation) {
  case Operation::add:
    return llvm::Intrinsic::vector_reduce_add;
  case Operation::mul:
    return llvm::Intrinsic::vector_reduce_mul;
  case Operation::min:
    return llvm::Intrinsic::vector_reduce_smin;
  case Operation::max:
    return llvm::Intrinsic::vector_reduce_smax;
  case Operation::unsigned_min:
    return llvm::Intrinsic::vector_reduce_umin;
  case Operation::unsigned_max:
    return llvm::Intrinsic::vector_reduce_umax;
  case Operation::bitwise_and:
    return llvm::Intrinsic::vector_reduce_and;
  case Operation::bitwise_or:
    return llvm::Intrinsic::vector_reduce_or;
  case Operation::bitwise_xor:
    return llvm::Intrinsic::vector_reduce_xor;
  }
  llvm_unreachable("the device library knows no other operation");
}

// Uses LLVM's reduction for integers: on an equivalent tree of shuffles, the code generator of LLVM
// 22 does not terminate if all lanes but a constant one are equal. Floating-point values are
// reduced in a fixed order.
Value *SubGroupCode::reduce(Operation operation, Value *lanes) {
  lanes = fill_inactive(operation, lanes);
  if (lanes->getType()->isIntOrIntVectorTy())
    return builder_.CreateUnaryIntrinsic(reduction_of(operation), lanes, nullptr, "reduced");
  for (unsigned half = width_ / 2; half > 1; half /= 2)
    lanes = combine(builder_, operation, slice(lanes, 0, half), slice(lanes, half, half));
  // The last two elements are combined in the vector register: only the first element is cheap to
  // extract.
  lanes = combine(builder_, operation, lanes, builder_.CreateShuffleVector(lanes, {1, -1}));
  return builder_.CreateExtractElement(lanes, uint64_t{0}, "reduced");
}

Value *SubGroupCode::reduce_clusters(Operation operation, Value *lanes, unsigned size) {
  lanes = fill_inactive(operation, lanes);
  for (unsigned distance = size / 2; distance != 0; distance /= 2) {
    llvm::SmallVector<int, 64> partner;
    for (unsigned lane = 0; lane != width_; ++lane)
      partner.push_back(static_cast<int>(lane ^ distance));
    lanes = combine(builder_, operation, lanes, builder_.CreateShuffleVector(lanes, partner));
  }
  return lanes;
}

Value *SubGroupCode::scan(Operation operation, Value *lanes, bool is_exclusive) {
  llvm::Type *scalar = lanes->getType()->getScalarType();
  Value *identity = builder_.CreateVectorSplat(width_, identity_of(operation, scalar));
  auto moved_up = [&](Value *value, unsigned distance, Value *first) {
    llvm::SmallVector<int, 64> from;
    for (unsigned lane = 0; lane != width_; ++lane)
      from.push_back(static_cast<int>(lane < distance ? width_ + lane : lane - distance));
    return builder_.CreateShuffleVector(value, first, from);
  };
  lanes = fill_inactive(operation, lanes);
  if (is_exclusive) {
    // OpenCL's identity of a sum is +0, while identity_of gives -0.
    Value *first =
        operation == Operation::add ? llvm::Constant::getNullValue(lanes->getType()) : identity;
    lanes = moved_up(lanes, 1, first);
  }
  for (unsigned distance = 1; distance < width_; distance *= 2)
    lanes = combine(builder_, operation, moved_up(lanes, distance, identity), lanes);
  return lanes;
}

Value *emit_for_one_lane(llvm::IRBuilderBase &builder, llvm::CallInst &call) {
  switch (*called_primitive(call)) {
  case Primitive::sub_group_barrier:
    builder.CreateFence(llvm::AtomicOrdering::AcquireRelease);
    return nullptr;
  case Primitive::sub_group_ballot:
    return builder.CreateZExt(call.getArgOperand(0), call.getType());
  case Primitive::sub_group_broadcast:
  case Primitive::sub_group_shuffle:
    return call.getArgOperand(0);
  case Primitive::sub_group_reduce:
    return call.getArgOperand(2);
  case Primitive::sub_group_scan: {
    bool is_exclusive = !llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isZero();
    if (!is_exclusive)
      return call.getArgOperand(2);
    return operation_of(call) == Operation::add ? llvm::Constant::getNullValue(call.getType())
                                                : identity_of(operation_of(call), call.getType());
  }
  default:
    llvm_unreachable("no sub-group operation");
  }
}

} // namespace lockstep::compiler
