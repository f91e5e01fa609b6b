// Packetizes atomic operations: lane by lane, or reduced over the lanes first if the result is
// unused or is that of an addition.
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/packetizer.h"
#include "compiler/lanes/packetize/sub_group_code.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

struct Reduction {
  llvm::Intrinsic::ID intrinsic;
  llvm::Constant *neutral; // for inactive lanes
};

// The order in which work-items add is unspecified, so lanes may be added in any order. A NaN
// changes neither a minimum nor a maximum.
std::optional<Reduction> float_reduction_of(const llvm::AtomicRMWInst &operation) {
  llvm::Type *type = operation.getType();
  switch (operation.getOperation()) {
  case llvm::AtomicRMWInst::FAdd:
  case llvm::AtomicRMWInst::FSub:
    return Reduction{llvm::Intrinsic::vector_reduce_fadd, llvm::ConstantFP::getNegativeZero(type)};
  case llvm::AtomicRMWInst::FMin:
    return Reduction{llvm::Intrinsic::vector_reduce_fmin, llvm::ConstantFP::getNaN(type)};
  case llvm::AtomicRMWInst::FMax:
    return Reduction{llvm::Intrinsic::vector_reduce_fmax, llvm::ConstantFP::getNaN(type)};
  default:
    return std::nullopt;
  }
}

// How several operations on one location combine into one; nullopt for those that depend on the
// order.
std::optional<Reduction> reduction_of(const llvm::AtomicRMWInst &operation) {
  if (operation.getType()->isFloatTy() || operation.getType()->isDoubleTy())
    return float_reduction_of(operation);
  auto *type = llvm::dyn_cast<llvm::IntegerType>(operation.getType());
  if (!type)
    return std::nullopt;
  const unsigned bits = type->getBitWidth();
  auto by = [type](llvm::Intrinsic::ID intrinsic, const llvm::APInt &neutral) {
    return Reduction{intrinsic, llvm::ConstantInt::get(type, neutral)};
  };
  switch (operation.getOperation()) {
  case llvm::AtomicRMWInst::Add:
  case llvm::AtomicRMWInst::Sub:
    return by(llvm::Intrinsic::vector_reduce_add, llvm::APInt::getZero(bits));
  case llvm::AtomicRMWInst::And:
    return by(llvm::Intrinsic::vector_reduce_and, llvm::APInt::getAllOnes(bits));
  case llvm::AtomicRMWInst::Or:
    return by(llvm::Intrinsic::vector_reduce_or, llvm::APInt::getZero(bits));
  case llvm::AtomicRMWInst::Xor:
    return by(llvm::Intrinsic::vector_reduce_xor, llvm::APInt::getZero(bits));
  case llvm::AtomicRMWInst::Max:
    return by(llvm::Intrinsic::vector_reduce_smax, llvm::APInt::getSignedMinValue(bits));
  case llvm::AtomicRMWInst::Min:
    return by(llvm::Intrinsic::vector_reduce_smin, llvm::APInt::getSignedMaxValue(bits));
  case llvm::AtomicRMWInst::UMax:
    return by(llvm::Intrinsic::vector_reduce_umax, llvm::APInt::getZero(bits));
  case llvm::AtomicRMWInst::UMin:
    return by(llvm::Intrinsic::vector_reduce_umin, llvm::APInt::getAllOnes(bits));
  default:
    return std::nullopt;
  }
}

// Is memory unchanged between the load and `use`, a later instruction in the same block?
bool is_unchanged_until(const llvm::LoadInst &load, const llvm::Instruction &use) {
  if (load.getParent() != use.getParent())
    return false;
  for (const llvm::Instruction *it = load.getNextNode(); it && it != &use; it = it->getNextNode())
    if (it->mayWriteToMemory())
      return false;
  return true;
}

llvm::Value *reduce(llvm::IRBuilder<> &builder, const llvm::AtomicRMWInst &operation,
                    const Reduction &reduction, llvm::Value *lanes) {
  if (reduction.intrinsic != llvm::Intrinsic::vector_reduce_fadd)
    return builder.CreateIntrinsic(operation.getType(), reduction.intrinsic, {lanes});
  remark(operation, "atomic sum: the lanes' values are added to each other first");
  llvm::CallInst *sum = builder.CreateFAddReduce(reduction.neutral, lanes);
  sum->setHasAllowReassoc(true);
  return sum;
}

} // namespace

// Returns one lane's value as a scalar; all lanes must be active. Extracting an element costs two
// instructions and waits for the vector. If the value was just loaded, the lane repeats the load
// instead, which is one instruction.
llvm::Value *Packetizer::scalar_of_lane(Builder &builder, llvm::Value *value, unsigned lane,
                                        const llvm::Instruction &use) {
  if (shape(*value).is_uniform())
    return value;
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst>(value)) {
    auto *cast = llvm::cast<llvm::CastInst>(value);
    return builder.CreateCast(cast->getOpcode(),
                              scalar_of_lane(builder, cast->getOperand(0), lane, use),
                              cast->getType());
  }
  auto *load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (load && load->isSimple() && is_packable(load->getType()) &&
      shape(*load->getPointerOperand()).has_distances() &&
      !shape(*load->getPointerOperand()).is_uniform() && is_unchanged_until(*load, use)) {
    llvm::Value *address =
        builder.CreatePtrAdd(values_.base(load->getPointerOperand()),
                             builder.getInt64(shape(*load->getPointerOperand()).distance(lane)));
    return builder.CreateAlignedLoad(
        load->getType(), address,
        llvm::commonAlignment(load->getAlign(), shape(*load->getPointerOperand()).distance(lane)));
  }
  return builder.CreateExtractElement(values_.vector(value), lane);
}

// Emits one atomic per lane without a loop or a vector of addresses: base[index] is a memory
// operand. Each lane loads its operands just before, since the values of all lanes would not fit
// into registers. No other lane can have changed them in between: that would be a data race.
// Returns true on success.
bool Packetizer::update_elements(llvm::AtomicRMWInst &operation) {
  auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(operation.getPointerOperand());
  if (mask() || values_.width() > limits::lanes_in_line || !gep || gep->getNumIndices() != 1 ||
      !shape(*gep->getPointerOperand()).is_uniform() || shape(*gep).is_uniform())
    return false;
  Builder builder(&operation);
  const llvm::Instruction *first = &operation;
  llvm::Value *result = llvm::PoisonValue::get(values_.vector_type(operation.getType()));
  for (unsigned lane = 0; lane != values_.width(); ++lane) {
    llvm::Value *address = builder.CreateGEP(
        gep->getSourceElementType(), gep->getPointerOperand(),
        scalar_of_lane(builder, gep->getOperand(1), lane, *first), "", gep->getNoWrapFlags());
    llvm::Value *operand = scalar_of_lane(builder, operation.getValOperand(), lane, *first);
    auto *copy = llvm::cast<llvm::AtomicRMWInst>(operation.clone());
    copy->setOperand(llvm::AtomicRMWInst::getPointerOperandIndex(), address);
    copy->setOperand(1, operand);
    builder.Insert(copy);
    if (lane == 0)
      first = copy;
    if (!operation.use_empty())
      result = builder.CreateInsertElement(result, copy, lane);
  }
  values_.set_vector(&operation, result);
  dead_.push_back(&operation);
  return true;
}

// True if at most one lane fulfills the condition: an id equals something uniform.
bool Packetizer::is_of_one_lane(const llvm::Value &condition) const {
  using namespace llvm::PatternMatch;
  const llvm::Value *one = nullptr, *other = nullptr;
  if (match(&condition, m_LogicalAnd(m_Value(one), m_Value(other))))
    return is_of_one_lane(*one) || is_of_one_lane(*other);
  if (!match(&condition, m_SpecificICmp(llvm::CmpInst::ICMP_EQ, m_Value(one), m_Value(other))))
    return false;
  if (shape(*one).is_uniform())
    std::swap(one, other);
  if (!shape(*other).is_uniform() || shape(*one).is_uniform() || !shape(*one).has_distances())
    return false;
  llvm::SmallSet<int64_t, 32> distances;
  for (unsigned lane = 0; lane != values_.width(); ++lane)
    if (!distances.insert(shape(*one).distance(lane)).second)
      return false;
  return true;
}

// Emits one addition of all lanes' values at one address, as if the lanes had added one after the
// other without interruption: a lane's result is the old value plus the values of the lanes before
// it. Returns true on success.
bool Packetizer::add_at_once(llvm::AtomicRMWInst &operation) {
  const bool is_subtraction = operation.getOperation() == llvm::AtomicRMWInst::Sub;
  if ((operation.getOperation() != llvm::AtomicRMWInst::Add && !is_subtraction) ||
      !shape(*operation.getPointerOperand()).is_uniform() || (mask_ && is_of_one_lane(*mask_)))
    return false;
  remark(operation, "atomic addition: the lanes' values are added to each other first");
  Builder builder(&operation);
  const unsigned width = values_.width();
  SubGroupCode code(
      builder, width, mask(),
      unsigned(target_.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector)
                   .getFixedValue()));
  llvm::Value *lanes = values_.vector(operation.getValOperand());
  llvm::Value *sum = code.reduce(CombineOperation::add, lanes);
  llvm::Value *before = code.scan(CombineOperation::add, lanes, /*is_exclusive=*/true);
  auto *update = llvm::cast<llvm::AtomicRMWInst>(operation.clone());
  update->setOperand(1, sum);
  builder.Insert(update);
  llvm::Value *old = builder.CreateVectorSplat(width, update);
  values_.set_vector(&operation, is_subtraction ? builder.CreateSub(old, before)
                                                : builder.CreateAdd(old, before));
  dead_.push_back(&operation);
  return true;
}

void Packetizer::visit_atomic(llvm::Instruction &instruction) {
  auto *operation = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  // A reduction is equivalent to the lanes updating one after the other without interruption.
  // Volatile does not prevent it: OpenCL C 1.x declares all atomics with volatile pointers.
  if (operation && operation->use_empty() && shape(*operation->getPointerOperand()).is_uniform())
    if (auto reduction = reduction_of(*operation)) {
      Builder builder(&instruction);
      llvm::Value *lanes = values_.vector(operation->getValOperand());
      if (mask())
        lanes = builder.CreateSelect(
            mask(), lanes, builder.CreateVectorSplat(values_.width(), reduction->neutral));
      operation->setOperand(1, reduce(builder, *operation, *reduction, lanes));
      return;
    }
  if (operation && add_at_once(*operation))
    return;
  remark(instruction, llvm::Twine("one lane after the other: ") + instruction.getOpcodeName());
  if (!operation || !update_elements(*operation))
    lane_by_lane(instruction);
}

// The lanes are multiplied with each other first if they multiply one element.
void Packetizer::visit_atomic_multiply(llvm::CallInst &call) {
  const AtomicMultiply multiply = *atomic_multiply(call);
  if (!shape(*multiply.pointer).is_uniform()) {
    remark(call, "one lane after the other: atomic product");
    return lane_by_lane(call);
  }
  Builder builder(&call);
  llvm::Type *type = multiply.value->getType();
  const bool is_float = type->isFloatingPointTy();
  llvm::Constant *one = is_float ? llvm::ConstantFP::get(type, 1) : llvm::ConstantInt::get(type, 1);
  llvm::Value *lanes = values_.vector(multiply.value);
  if (mask())
    lanes = builder.CreateSelect(mask(), lanes, builder.CreateVectorSplat(values_.width(), one));
  llvm::CallInst *product =
      is_float ? builder.CreateFMulReduce(one, lanes) : builder.CreateMulReduce(lanes);
  if (is_float)
    product->setHasAllowReassoc(true);
  call.setArgOperand(AtomicMultiply::value_operand, product);
}

} // namespace lockstep::compiler
