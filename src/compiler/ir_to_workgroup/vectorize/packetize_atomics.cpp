// Atomic operations: one lane after the other, or reduced over the lanes first where nobody looks
// at the result.
#include "compiler/ir_to_workgroup/lane_loop.h"
#include "compiler/ir_to_workgroup/remark.h"
#include "compiler/ir_to_workgroup/vectorize/packetizer.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

struct Reduction {
  llvm::Intrinsic::ID intrinsic;
  llvm::APInt neutral; // for lanes that are not active
};

// How several operations on one location become one; none for those that depend on the order.
std::optional<Reduction> reduction_of(const llvm::AtomicRMWInst &operation) {
  auto *type = llvm::dyn_cast<llvm::IntegerType>(operation.getType());
  if (!type)
    return std::nullopt;
  unsigned bits = type->getBitWidth();
  switch (operation.getOperation()) {
  case llvm::AtomicRMWInst::Add:
  case llvm::AtomicRMWInst::Sub:
    return Reduction{llvm::Intrinsic::vector_reduce_add, llvm::APInt::getZero(bits)};
  case llvm::AtomicRMWInst::And:
    return Reduction{llvm::Intrinsic::vector_reduce_and, llvm::APInt::getAllOnes(bits)};
  case llvm::AtomicRMWInst::Or:
    return Reduction{llvm::Intrinsic::vector_reduce_or, llvm::APInt::getZero(bits)};
  case llvm::AtomicRMWInst::Xor:
    return Reduction{llvm::Intrinsic::vector_reduce_xor, llvm::APInt::getZero(bits)};
  case llvm::AtomicRMWInst::Max:
    return Reduction{llvm::Intrinsic::vector_reduce_smax, llvm::APInt::getSignedMinValue(bits)};
  case llvm::AtomicRMWInst::Min:
    return Reduction{llvm::Intrinsic::vector_reduce_smin, llvm::APInt::getSignedMaxValue(bits)};
  case llvm::AtomicRMWInst::UMax:
    return Reduction{llvm::Intrinsic::vector_reduce_umax, llvm::APInt::getZero(bits)};
  case llvm::AtomicRMWInst::UMin:
    return Reduction{llvm::Intrinsic::vector_reduce_umin, llvm::APInt::getAllOnes(bits)};
  default:
    return std::nullopt;
  }
}

// Whether memory stays as it is from the load to `use`, further down in the same block.
bool is_unchanged_until(const llvm::LoadInst &load, const llvm::Instruction &use) {
  if (load.getParent() != use.getParent())
    return false;
  for (const llvm::Instruction *it = load.getNextNode(); it && it != &use; it = it->getNextNode())
    if (it->mayWriteToMemory())
      return false;
  return true;
}

} // namespace

// One lane's value as a scalar, for all lanes active. To take an element out of a vector costs two
// instructions and the wait for the vector; if the value was just loaded, the lane loads it by
// itself, which is one.
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

// Without a loop and without a vector of addresses: base[index] is an operand of the instruction.
// True if it was done.
bool Packetizer::update_elements(llvm::AtomicRMWInst &operation) {
  constexpr unsigned most_lanes = 16; // of code that is there for each
  auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(operation.getPointerOperand());
  if (mask() || values_.width() > most_lanes || !gep || gep->getNumIndices() != 1 ||
      !shape(*gep->getPointerOperand()).is_uniform() || shape(*gep).is_uniform())
    return false;
  Builder builder(&operation);
  llvm::SmallVector<llvm::Value *> addresses, operands;
  for (unsigned lane = 0; lane != values_.width(); ++lane) {
    addresses.push_back(builder.CreateGEP(
        gep->getSourceElementType(), gep->getPointerOperand(),
        scalar_of_lane(builder, gep->getOperand(1), lane, operation), "", gep->getNoWrapFlags()));
    operands.push_back(scalar_of_lane(builder, operation.getValOperand(), lane, operation));
  }
  llvm::Value *result = llvm::PoisonValue::get(values_.vector_type(operation.getType()));
  for (unsigned lane = 0; lane != values_.width(); ++lane) {
    auto *copy = llvm::cast<llvm::AtomicRMWInst>(operation.clone());
    copy->setOperand(llvm::AtomicRMWInst::getPointerOperandIndex(), addresses[lane]);
    copy->setOperand(1, operands[lane]);
    builder.Insert(copy);
    if (!operation.use_empty())
      result = builder.CreateInsertElement(result, copy, lane);
  }
  values_.set_vector(&operation, result);
  dead_.push_back(&operation);
  return true;
}

void Packetizer::visit_atomic(llvm::Instruction &instruction) {
  auto *operation = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  if (operation && operation->use_empty() && !operation->isVolatile() &&
      shape(*operation->getPointerOperand()).is_uniform())
    if (auto reduction = reduction_of(*operation)) {
      Builder builder(&instruction);
      llvm::Value *lanes = values_.vector(operation->getValOperand());
      if (mask())
        lanes = builder.CreateSelect(mask(), lanes,
                                     llvm::ConstantInt::get(lanes->getType(), reduction->neutral));
      operation->setOperand(
          1, builder.CreateIntrinsic(operation->getType(), reduction->intrinsic, {lanes}));
      return;
    }
  remark(instruction, llvm::Twine("one lane after the other: ") + instruction.getOpcodeName());
  if (!operation || !update_elements(*operation))
    lane_by_lane(instruction);
}

} // namespace lockstep::compiler
