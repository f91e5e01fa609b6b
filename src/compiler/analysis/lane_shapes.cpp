#include "compiler/analysis/lane_shapes.h"

#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace lockstep::compiler {

namespace {

using Kind = LaneShape::Kind;
using Lanes = llvm::SmallVector<int64_t, 0>;

unsigned bits_of(const llvm::Value &value) {
  llvm::Type *type = value.getType();
  return type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
}

// Narrower indices wrap in practice: ring buffers use `a[(ushort)i]`.
constexpr unsigned narrowest_index = 32;

bool is_index(const llvm::Value &value) {
  llvm::Type *type = value.getType();
  return type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

} // namespace

LaneShapes::LaneShapes(llvm::Function &function, unsigned width) : width_(width) {
  // A value only moves from "unknown" toward "varying", so the iteration terminates.
  llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock *block : order)
      for (llvm::Instruction &instruction : *block) {
        LaneShape &known = shapes_[&instruction];
        if (known.kind == Kind::varying)
          continue;
        LaneShape now = join(known, compute(instruction));
        if (now == shapes_[&instruction])
          continue;
        shapes_[&instruction] = std::move(now);
        changed = true;
      }
  }
}

const LaneShape &LaneShapes::of(const llvm::Value &value) const {
  if (!llvm::isa<llvm::Instruction>(value))
    return uniform_;
  auto found = shapes_.find(&value);
  return found == shapes_.end() ? unknown_ : found->second;
}

bool LaneShapes::all_uniform(const llvm::Instruction &instruction) const {
  return llvm::all_of(instruction.operands(),
                      [&](const llvm::Use &use) { return of(*use).is_uniform(); });
}

LaneShape LaneShapes::join(const LaneShape &one, const LaneShape &other) const {
  if (one.kind == Kind::unknown || one == other)
    return other;
  if (other.kind == Kind::unknown)
    return one;
  if (!one.has_distances() || !other.has_distances())
    return LaneShape::varying();
  Lanes lanes;
  for (unsigned lane = 0; lane != width_; ++lane) {
    if (one.distance(lane) != other.distance(lane))
      return LaneShape::varying();
    lanes.push_back(one.distance(lane));
  }
  return offsets(std::move(lanes), one.assumed || other.assumed, 64);
}

LaneShape LaneShapes::offsets(Lanes lanes, bool assumed, unsigned bits) const {
  bool zero = true;
  for (int64_t &lane : lanes) {
    lane = llvm::SignExtend64(static_cast<uint64_t>(lane), bits);
    zero &= lane == 0;
  }
  return zero && !assumed ? LaneShape::uniform()
                          : LaneShape{Kind::offsets, assumed, std::move(lanes)};
}

// Evaluates the instruction for each lane if all operands are constants in each lane.
LaneShape LaneShapes::fold_constants(const llvm::Instruction &instruction) const {
  bool varies = false;
  for (const llvm::Use &use : instruction.operands()) {
    const LaneShape &shape = of(*use);
    if (!llvm::isa<llvm::ConstantInt>(use) && shape.kind != Kind::constants)
      return {};
    varies |= shape.kind == Kind::constants;
  }
  if (!varies)
    return {};
  Lanes lanes;
  auto copy = std::unique_ptr<llvm::Instruction, void (*)(llvm::Instruction *)>(
      instruction.clone(), [](llvm::Instruction *it) { it->deleteValue(); });
  for (unsigned lane = 0; lane != width_; ++lane) {
    llvm::SmallVector<llvm::Constant *, 3> operands;
    for (const llvm::Use &use : instruction.operands())
      operands.push_back(llvm::isa<llvm::ConstantInt>(use)
                             ? llvm::cast<llvm::Constant>(use)
                             : llvm::ConstantInt::getSigned(use->getType(), of(*use).lanes[lane]));
    for (unsigned index = 0; index != operands.size(); ++index)
      copy->setOperand(index, operands[index]);
    auto *folded = llvm::dyn_cast_or_null<llvm::ConstantInt>(
        llvm::isa<llvm::CmpInst>(*copy)
            ? llvm::ConstantFoldCompareInstOperands(llvm::cast<llvm::CmpInst>(*copy).getPredicate(),
                                                    operands[0], operands[1],
                                                    instruction.getDataLayout())
            : llvm::ConstantFoldInstOperands(copy.get(), operands, instruction.getDataLayout()));
    if (!folded)
      return LaneShape::varying();
    lanes.push_back(folded->getSExtValue());
  }
  if (llvm::all_equal(lanes))
    return LaneShape::uniform();
  return {Kind::constants, false, std::move(lanes)};
}

LaneShape LaneShapes::compute_binary(const llvm::Instruction &instruction) const {
  const LaneShape &left = of(*instruction.getOperand(0)), &right = of(*instruction.getOperand(1));
  unsigned bits = bits_of(instruction);
  auto *factor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
  int64_t scale = 0;
  Lanes lanes(width_);
  bool assumed = left.assumed || right.assumed;
  auto combine = [&](auto operation) {
    for (unsigned lane = 0; lane != width_; ++lane)
      lanes[lane] = static_cast<int64_t>(operation(static_cast<uint64_t>(left.distance(lane)),
                                                   static_cast<uint64_t>(right.distance(lane))));
    return offsets(std::move(lanes), assumed, bits);
  };
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Or:
    if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint())
      return LaneShape::varying();
    [[fallthrough]];
  case llvm::Instruction::Add:
    return combine([](uint64_t a, uint64_t b) { return a + b; });
  case llvm::Instruction::Sub:
    return combine([](uint64_t a, uint64_t b) { return a - b; });
  case llvm::Instruction::Xor:
    if (!factor || !factor->isMinusOne()) // only "not", which is -1 - x
      return LaneShape::varying();
    return combine([](uint64_t a, uint64_t) { return 0 - a; });
  case llvm::Instruction::Mul:
    if (!factor)
      return LaneShape::varying();
    scale = factor->getSExtValue();
    return combine([&](uint64_t a, uint64_t) { return a * static_cast<uint64_t>(scale); });
  case llvm::Instruction::Shl:
    if (!factor || factor->getValue().uge(bits))
      return LaneShape::varying();
    return combine([&](uint64_t a, uint64_t) { return a << factor->getZExtValue(); });
  default:
    return LaneShape::varying();
  }
}

LaneShape LaneShapes::compute_address(const llvm::Instruction &instruction) const {
  auto &gep = llvm::cast<llvm::GetElementPtrInst>(instruction);
  const llvm::DataLayout &layout = instruction.getDataLayout();
  Lanes lanes(width_);
  bool assumed = false;
  auto add = [&](const LaneShape &shape, uint64_t scale) {
    assumed |= shape.assumed;
    for (unsigned lane = 0; lane != width_; ++lane)
      lanes[lane] = static_cast<int64_t>(static_cast<uint64_t>(lanes[lane]) +
                                         static_cast<uint64_t>(shape.distance(lane)) * scale);
  };
  add(of(*gep.getPointerOperand()), 1);
  for (auto step = llvm::gep_type_begin(gep); step != llvm::gep_type_end(gep); ++step) {
    const LaneShape &index = of(*step.getOperand());
    if (step.isStruct() || index.is_uniform())
      continue;
    if (bits_of(*step.getOperand()) < narrowest_index)
      return LaneShape::varying();
    if (bits_of(*step.getOperand()) != 64) // widened as part of the address
      assumed = true;
    add(index, step.getSequentialElementStride(layout));
  }
  return offsets(std::move(lanes), assumed, 64);
}

LaneShape LaneShapes::compute_cast(const llvm::Instruction &instruction) const {
  const LaneShape &from = of(*instruction.getOperand(0));
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Trunc:
  case llvm::Instruction::PtrToInt:
  case llvm::Instruction::IntToPtr:
  case llvm::Instruction::AddrSpaceCast:
  case llvm::Instruction::BitCast: {
    if (bits_of(instruction) > bits_of(*instruction.getOperand(0)))
      return LaneShape::varying();
    Lanes lanes(width_);
    for (unsigned lane = 0; lane != width_; ++lane)
      lanes[lane] = from.distance(lane);
    return offsets(std::move(lanes), from.assumed, bits_of(instruction));
  }
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt: {
    if (bits_of(*instruction.getOperand(0)) < narrowest_index)
      return LaneShape::varying();
    Lanes lanes(width_);
    for (unsigned lane = 0; lane != width_; ++lane)
      lanes[lane] = from.distance(lane);
    return {Kind::offsets, true, std::move(lanes)};
  }
  default:
    return LaneShape::varying();
  }
}

LaneShape LaneShapes::compute_call(const llvm::Instruction &instruction) const {
  if (auto primitive = called_primitive(instruction)) {
    if (*primitive == Primitive::lane) {
      Lanes lanes(width_);
      for (unsigned lane = 0; lane != width_; ++lane)
        lanes[lane] = lane;
      return {Kind::constants, false, std::move(lanes)};
    }
    auto &call = llvm::cast<llvm::CallInst>(instruction);
    if (*primitive == Primitive::any_lane || is_group_operation(*primitive) ||
        is_sub_group_uniform(call))
      return LaneShape::uniform();
    if (*primitive == Primitive::sub_group_shuffle)
      return of(*call.getArgOperand(0)).is_uniform() || of(*call.getArgOperand(1)).is_uniform()
                 ? LaneShape::uniform()
                 : LaneShape::varying();
    if (*primitive == Primitive::sub_group_reduce || *primitive == Primitive::sub_group_scan)
      return LaneShape::varying();
  }
  auto &call = llvm::cast<llvm::CallBase>(instruction);
  if (call.getType()->isVoidTy())
    return LaneShape::uniform();
  return call.doesNotAccessMemory() && all_uniform(instruction) ? LaneShape::uniform()
                                                                : LaneShape::varying();
}

LaneShape LaneShapes::compute(const llvm::Instruction &instruction) const {
  if (instruction.isTerminator() || llvm::isa<llvm::AllocaInst>(instruction) ||
      is_lanes(instruction))
    return LaneShape::uniform();
  if (is_of_lane(instruction))
    return LaneShape::varying();
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    LaneShape shape;
    for (const llvm::Use &value : phi->incoming_values())
      if (!llvm::isa<llvm::PoisonValue>(value))
        shape = join(shape, of(*value));
    return shape;
  }
  if (llvm::isa<llvm::CallBase>(instruction))
    return compute_call(instruction);
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return of(*load->getPointerOperand()).is_uniform() ? LaneShape::uniform()
                                                       : LaneShape::varying();
  if (llvm::isa<llvm::StoreInst>(instruction) || llvm::isa<llvm::FenceInst>(instruction))
    return LaneShape::uniform(); // no value
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
    return LaneShape::varying();
  // A select may be the only operand of a phi that is in turn an operand of the select. Do not wait
  // for all operands.
  auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
  if (select && of(*select->getCondition()).is_uniform())
    return join(of(*select->getTrueValue()), of(*select->getFalseValue()));
  for (const llvm::Use &use : instruction.operands())
    if (of(*use).kind == Kind::varying)
      return LaneShape::varying();
  for (const llvm::Use &use : instruction.operands())
    if (of(*use).kind == Kind::unknown)
      return {};
  if (all_uniform(instruction))
    return LaneShape::uniform();
  if (instruction.getType()->isIntegerTy() && is_index(instruction) &&
      !llvm::isa<llvm::SelectInst>(instruction))
    if (LaneShape folded = fold_constants(instruction); folded.kind != Kind::unknown)
      return folded;
  if (select)
    return LaneShape::varying();
  for (const llvm::Use &use : instruction.operands())
    if (!of(*use).has_distances())
      return LaneShape::varying();
  if (!is_index(instruction) || !is_index(*instruction.getOperand(0)))
    return LaneShape::varying();
  if (llvm::isa<llvm::GetElementPtrInst>(instruction))
    return compute_address(instruction);
  if (llvm::isa<llvm::BinaryOperator>(instruction))
    return compute_binary(instruction);
  if (llvm::isa<llvm::CastInst>(instruction))
    return compute_cast(instruction);
  if (llvm::isa<llvm::FreezeInst>(instruction))
    return of(*instruction.getOperand(0));
  return LaneShape::varying();
}

unsigned base_lane(const LaneShape &shape, unsigned width) {
  unsigned best = 0;
  for (unsigned lane = 1; lane != width; ++lane)
    if (shape.distance(lane) > shape.distance(best))
      best = lane;
  return best;
}

llvm::PreservedAnalyses LaneShapesPrinterPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  LaneShapes shapes(function, sub_group_size(function));
  static constexpr const char *names[] = {"unknown", "uniform", "constants", "offsets", "varying"};
  llvm::outs() << "lane shapes of " << function.getName() << '\n';
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    if (instruction.getType()->isVoidTy())
      continue;
    const LaneShape &shape = shapes.of(instruction);
    llvm::outs() << (shape.assumed ? "assumed " : "") << names[static_cast<unsigned>(shape.kind)];
    for (int64_t lane : shape.lanes)
      llvm::outs() << ' ' << lane;
    llvm::outs() << " :" << instruction << '\n';
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
