// Packetizes calls: primitives, intrinsics, and functions that have no vector form.
#include "abi/resumable_abi.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/lanes/packetize/lane_intrinsics.h"
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/packetizer.h"
#include "compiler/lanes/serialize/serialize_loops.h"
#include "compiler/prepare_code/lower_reciprocal_sqrt.h"
#include "kernel_ir/form.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

void Packetizer::visit_call(llvm::CallInst &call) {
  if (auto primitive = called_primitive(call)) {
    if (*primitive == Primitive::mask)
      return dead_.push_back(&call);
    if (*primitive == Primitive::lane || *primitive == Primitive::watched)
      return;
    if (*primitive == Primitive::any_lane)
      return visit_any_lane(call);
    if (*primitive == Primitive::all_lanes)
      return visit_all_lanes(call);
    if (*primitive == Primitive::seen || *primitive == Primitive::before_lock)
      return visit_seen(call);
    if (*primitive == Primitive::ends_with)
      return visit_ends_with(call);
    if (*primitive == Primitive::wait)
      return visit_wait(call);
    if (is_check(*primitive))
      return visit_check(call, *primitive);
    if (*primitive == Primitive::check_written)
      return lane_by_lane(call);
    if (is_group_operation(*primitive))
      return visit_group_operation(call);
    if (is_sub_group_operation(*primitive))
      return visit_sub_group_operation(call);
    if (*primitive == Primitive::atomic_multiply)
      return visit_atomic_multiply(call);
    if (*primitive == Primitive::reciprocal_sqrt && !shape(call).is_uniform()) {
      Builder builder(&call);
      values_.set_vector(
          &call, emit_reciprocal_sqrt(builder, model_, values_.vector(call.getArgOperand(0))));
      return dead_.push_back(&call);
    }
  } else if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    return visit_intrinsic(*intrinsic);
  }
  llvm::Function *callee = call.getCalledFunction();
  // A call with a uniform result and without memory access is made once. Any other call must not
  // run for inactive lanes.
  if (callee && is_out_of_line(*callee) &&
      (call.getType()->isVoidTy() || !shape(call).is_uniform())) {
    llvm::StringRef name = callee->getFnAttribute(lane_function_name).getValueAsString();
    if (llvm::Function *for_lanes = function_.getParent()->getFunction(name))
      return call_for_lanes(call, *for_lanes);
    remark(call, "one lane after the other: '" + callee->getName() + "' is not inlined");
    return call_lane_by_lane(call);
  }
  if (call.doesNotAccessMemory()) {
    if (!shape(call).is_uniform())
      unroll_call(call);
    return;
  }
  if (callee && callee->hasFnAttribute(serial_loop)) {
    remark(call,
           "one lane after the other: " + callee->getFnAttribute(serial_loop).getValueAsString());
    return call_lane_by_lane(call);
  }
  remark(call, "one lane after the other: call of " + call.getCalledOperand()->getName());
  lane_by_lane(call);
}

// Calls the vector variant. At least one lane is active here, since linearize tests before every
// call.
void Packetizer::call_for_lanes(llvm::CallInst &call, llvm::Function &callee) {
  Builder builder(&call);
  llvm::Value *active = mask();
  llvm::Type *bits = callee.getArg(0)->getType();
  llvm::SmallVector<llvm::Value *> arguments = {active ? mask_bits(builder, active)
                                                       : llvm::Constant::getAllOnesValue(bits)};
  for (llvm::Use &argument : call.args()) {
    bool wants_vector = callee.getArg(call.getArgOperandNo(&argument) + 1)->getType()->isVectorTy();
    if (wants_vector)
      arguments.push_back(values_.vector(argument));
    else if (shape(*argument).is_uniform())
      arguments.push_back(argument);
    else // uniform over the active lanes
      arguments.push_back(
          builder.CreateExtractElement(values_.vector(argument), first_lane(builder, active)));
  }
  llvm::CallInst *vector = builder.CreateCall(&callee, arguments);
  vector->setCallingConv(callee.getCallingConv());
  if (!call.getType()->isVoidTy()) {
    vector->setName(call.getName());
    values_.set_vector(&call, vector);
  }
  dead_.push_back(&call);
}

void Packetizer::visit_any_lane(llvm::CallInst &call) {
  Builder builder(&call);
  llvm::Value *condition = call.getArgOperand(0);
  if (!shape(*condition).is_uniform()) {
    llvm::Value *bits = mask_bits(builder, values_.vector(condition));
    condition = builder.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0), "any");
  }
  // Replaced later: the branch on it has yet to be visited.
  replaced_.emplace_back(&call, condition);
}

// The call remains, so that later passes can combine it over several sub-groups.
void Packetizer::visit_all_lanes(llvm::CallInst &call) {
  llvm::Value *condition = call.getArgOperand(0);
  if (shape(*condition).is_uniform() || read_last_lane(call))
    return;
  Builder builder(&call);
  llvm::Value *bits = mask_bits(builder, values_.vector(condition));
  call.setArgOperand(
      0, builder.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()), "all"));
}

// Simplifies the test whether `first`, `first` + 1, ... are all below a bound: the last index
// decides, if no index wraps before it. Returns false for other conditions.
bool Packetizer::read_last_lane(llvm::CallInst &call) {
  llvm::Value *condition = call.getArgOperand(0), *inner;
  bool inverted = llvm::PatternMatch::match(
      condition, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(inner)));
  auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(inverted ? inner : condition);
  if (!comparison || !comparison->isRelational() ||
      !comparison->getOperand(0)->getType()->isIntegerTy())
    return false;
  llvm::Value *index = comparison->getOperand(0), *bound = comparison->getOperand(1);
  llvm::CmpInst::Predicate predicate =
      inverted ? comparison->getInversePredicate() : comparison->getPredicate();
  if (shape(*index).is_uniform()) {
    std::swap(index, bound);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  const LaneShape &lanes = shape(*index);
  if (!shape(*bound).is_uniform() || !lanes.has_distances() || lanes.assumed ||
      index->getType()->getIntegerBitWidth() > 64 ||
      !(llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate)))
    return false;
  int64_t last = 0;
  for (unsigned lane = 0; lane != values_.width(); ++lane) {
    if (lanes.distance(lane) < last)
      return false;
    last = lanes.distance(lane);
  }
  if (last > INT16_MAX)
    return false;
  Builder builder(&call);
  bool is_signed = llvm::CmpInst::isSigned(predicate);
  auto widened = [&](llvm::Value *value) {
    return is_signed ? builder.CreateSExt(value, builder.getInt64Ty())
                     : builder.CreateZExt(value, builder.getInt64Ty());
  };
  set_index_of_all_lanes(
      call, {widened(values_.base(index)), widened(bound), predicate, static_cast<uint64_t>(last)});
  return true;
}

// All lanes pass the same arguments, even if the compiler cannot prove it.
void Packetizer::visit_group_operation(llvm::CallInst &call) {
  Builder builder(&call);
  for (llvm::Use &argument : call.args())
    if (!shape(*argument).is_uniform())
      argument.set(
          builder.CreateExtractElement(values_.vector(argument), first_lane(builder, mask())));
}

// Lanes that wait together wait for the same location, and the first lane represents all. If the
// kernel should have had one lane but its size was required, each lane reports its own.
void Packetizer::visit_seen(llvm::CallInst &call) {
  auto is_uniform = [this](const llvm::Use &it) { return shape(*it).is_uniform(); };
  if (call.getFunction()->hasFnAttribute(lanes_wait_for_each_other) &&
      !llvm::all_of(call.args(), is_uniform))
    lane_by_lane(call);
  else
    visit_group_operation(call);
}

// If the lanes that wait want one value, such as the ticket of the only one, the wait ends with it.
// Lanes that wait for different values are checked whenever the location changes.
void Packetizer::visit_ends_with(llvm::CallInst &call) {
  llvm::Value *wanted = call.getArgOperand(0);
  if (shape(*wanted).is_uniform())
    return;
  Builder builder(&call);
  llvm::Value *lanes = values_.vector(wanted);
  llvm::Value *first = builder.CreateExtractElement(lanes, first_lane(builder, mask()));
  llvm::Value *differs =
      builder.CreateICmpNE(lanes, builder.CreateVectorSplat(values_.width(), first));
  if (llvm::Value *active = mask())
    differs = builder.CreateLogicalAnd(active, differs);
  llvm::Value *bits = mask_bits(builder, differs);
  const auto which = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue();
  constexpr uint64_t ends_by = uint64_t{0xf} << WaitRecord::ends_by_shift;
  call.setArgOperand(0, first);
  call.setArgOperand(
      1, builder.CreateSelect(
             builder.CreateICmpEQ(bits, llvm::ConstantInt::get(bits->getType(), 0), "one.value"),
             builder.getInt32(uint32_t(which)), builder.getInt32(uint32_t(which & ~ends_by))));
}

// An iteration changed memory if it did so for any of the waiting lanes.
void Packetizer::visit_wait(llvm::CallInst &call) {
  llvm::Value *changed = call.getArgOperand(1);
  if (shape(*changed).is_uniform())
    return;
  Builder builder(&call);
  llvm::Value *lanes = values_.vector(changed);
  if (llvm::Value *active = mask())
    lanes = builder.CreateLogicalAnd(active, lanes);
  llvm::Value *bits = mask_bits(builder, lanes);
  call.setArgOperand(
      1, builder.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0), "any.changed"));
}

// Emits one call per lane without a loop: an interleaved loop would only cost registers.
void Packetizer::unroll_call(llvm::CallInst &call) {
  Builder builder(&call);
  auto *structure = llvm::dyn_cast<llvm::StructType>(call.getType());
  llvm::Value *result = llvm::PoisonValue::get(values_.vector_type(call.getType()));
  for (unsigned lane = 0; lane != values_.width(); ++lane) {
    llvm::Instruction *copy = copy_for_lane(builder, call, builder.getInt64(lane));
    if (!structure) {
      result = builder.CreateInsertElement(result, copy, lane);
      continue;
    }
    for (unsigned field = 0; field != structure->getNumElements(); ++field) {
      llvm::Value *lanes = builder.CreateInsertElement(
          builder.CreateExtractValue(result, field), builder.CreateExtractValue(copy, field), lane);
      result = builder.CreateInsertValue(result, lanes, field);
    }
  }
  values_.set_vector(&call, result);
  dead_.push_back(&call);
}

namespace {

// For intrinsics with a vector form.
bool has_overflow_flag(llvm::Intrinsic::ID id) {
  return !llvm::isTriviallyVectorizable(id);
}

} // namespace

// Copies and fills run once if they are uniform or if the lanes' pieces are contiguous, else once
// per lane.
void Packetizer::visit_copy(llvm::MemIntrinsic &copy) {
  if (llvm::all_of(copy.args(), [&](llvm::Use &use) { return shape(*use).is_uniform(); }))
    return;
  auto *size = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy);
  auto are_neighbors = [&](llvm::Value *pointer) {
    const LaneShape &lanes = shape(*pointer);
    if (!lanes.has_distances() || lanes.is_uniform())
      return false;
    for (unsigned lane = 0; lane != values_.width(); ++lane)
      if (lanes.distance(lane) != static_cast<int64_t>(lane * size->getZExtValue()))
        return false;
    return true;
  };
  auto *filled = llvm::dyn_cast<llvm::MemSetInst>(&copy);
  if (size && !mask() && !copy.isVolatile() && are_neighbors(copy.getRawDest()) &&
      (transfer ? are_neighbors(transfer->getRawSource())
                : shape(*filled->getValue()).is_uniform())) {
    copy.setDest(values_.base(copy.getRawDest()));
    if (transfer)
      transfer->setSource(values_.base(transfer->getRawSource()));
    copy.setLength(llvm::ConstantInt::get(size->getType(), size->getZExtValue() * values_.width()));
    for (unsigned argument : {0U, 1U}) // described one lane's piece
      copy.removeParamAttr(argument, llvm::Attribute::Dereferenceable);
    return;
  }
  remark(copy, "one lane after the other: memory is copied or filled as a whole");
  if (!mask() && values_.width() <= limits::lanes_in_line)
    return lane_by_lane(copy);
  call_lane_by_lane(copy);
}

void Packetizer::visit_intrinsic(llvm::IntrinsicInst &call) {
  llvm::Intrinsic::ID id = call.getIntrinsicID();
  LaneTreatment treatment = lane_treatment(call);
  if (treatment == LaneTreatment::dropped)
    return dead_.push_back(&call);
  if (shape(call).is_uniform() && call.doesNotAccessMemory())
    return;
  if (treatment == LaneTreatment::first_operand) {
    values_.set_vector(&call, values_.vector(call.getArgOperand(0)));
    return dead_.push_back(&call);
  }
  if (auto *intrinsic = llvm::dyn_cast<llvm::MemIntrinsic>(&call))
    return visit_copy(*intrinsic);
  if (treatment != LaneTreatment::vector) {
    if (call.doesNotAccessMemory())
      return unroll_call(call);
    remark(call, "one lane after the other: " + llvm::Intrinsic::getBaseName(id));
    return lane_by_lane(call);
  }
  Builder builder(&call);
  llvm::SmallVector<llvm::Type *, 3> types;
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(call.getType());
      structure && !has_overflow_flag(id)) {
    for (unsigned field = 0; field != structure->getNumElements(); ++field)
      if (llvm::isVectorIntrinsicWithStructReturnOverloadAtField(id, field, &target_))
        types.push_back(values_.vector_type(structure->getElementType(field)));
  } else if (has_overflow_flag(id)) {
    types.push_back(values_.vector_type(call.getArgOperand(0)->getType()));
  } else if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1, &target_)) {
    types.push_back(values_.vector_type(call.getType()));
  }
  llvm::SmallVector<llvm::Value *, 4> arguments;
  for (unsigned index = 0; index != call.arg_size(); ++index) {
    llvm::Value *argument = call.getArgOperand(index);
    bool stays = llvm::isVectorIntrinsicWithScalarOpAtArg(id, index, &target_);
    if (stays && !shape(*argument).is_uniform())
      return unroll_call(call);
    arguments.push_back(stays ? argument : values_.vector(argument));
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, index, &target_))
      types.push_back(arguments.back()->getType());
  }
  llvm::CallInst *vector = builder.CreateIntrinsic(id, types, arguments);
  vector->copyIRFlags(&call);
  vector->setName(call.getName());
  values_.set_vector(&call, vector);
  dead_.push_back(&call);
}

} // namespace lockstep::compiler
