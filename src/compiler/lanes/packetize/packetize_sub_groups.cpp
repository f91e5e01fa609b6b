// Packetizes sub-group operations into operations on the vector over the lanes.
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/packetizer.h"
#include "compiler/lanes/packetize/sub_group_code.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

void Packetizer::visit_sub_group_operation(llvm::CallInst &call) {
  Builder builder(&call);
  unsigned width = values_.width();
  unsigned register_bits = static_cast<unsigned>(
      target_.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
  SubGroupCode code(builder, width, mask(), register_bits);
  auto argument = [&](unsigned index) { return call.getArgOperand(index); };
  auto lanes_of = [&](unsigned index) { return values_.vector(argument(index)); };
  llvm::Value *uniform = nullptr, *lanes = nullptr;
  switch (*called_primitive(call)) {
  case Primitive::sub_group_barrier: // lanes run in step, so only the fence remains
    builder.CreateFence(llvm::AtomicOrdering::AcquireRelease);
    return dead_.push_back(&call);
  case Primitive::sub_group_ballot:
    uniform = code.ballot(lanes_of(0));
    break;
  case Primitive::sub_group_broadcast: {
    llvm::Value *lane = argument(1);
    if (!shape(*lane).is_uniform()) // uniform over the active lanes, though not provably
      lane = builder.CreateExtractElement(lanes_of(1), first_lane(builder, mask()));
    uniform = shape(*argument(0)).is_uniform() ? argument(0) : code.element(lanes_of(0), lane);
    break;
  }
  case Primitive::sub_group_shuffle:
    if (shape(*argument(0)).is_uniform())
      uniform = argument(0);
    else if (shape(*argument(1)).is_uniform())
      uniform = code.element(lanes_of(0), argument(1));
    else if (shape(*argument(1)).kind == LaneShape::Kind::constants)
      lanes = code.shuffle(lanes_of(0), shape(*argument(1)).lanes);
    else
      lanes = code.shuffle(lanes_of(0), lanes_of(1));
    break;
  case Primitive::sub_group_reduce: {
    auto *cluster = llvm::dyn_cast<llvm::ConstantInt>(argument(1));
    if (cluster && cluster->isZero()) {
      uniform = code.reduce(operation_of(call), lanes_of(2));
      break;
    }
    if (!cluster || !cluster->getValue().isPowerOf2())
      function_.getContext().diagnose(llvm::DiagnosticInfoGeneric(
          "the cluster size of a clustered reduction is not a constant power of two",
          llvm::DS_Error));
    unsigned size = cluster ? static_cast<unsigned>(cluster->getLimitedValue(width)) : 1;
    lanes = code.reduce_clusters(operation_of(call), lanes_of(2), size);
    break;
  }
  case Primitive::sub_group_scan:
    lanes = code.scan(operation_of(call), lanes_of(2),
                      !llvm::cast<llvm::ConstantInt>(argument(1))->isZero());
    break;
  default:
    llvm_unreachable("no sub-group operation");
  }
  if (uniform)
    return replaced_.push_back({&call, uniform});
  values_.set_vector(&call, lanes);
  dead_.push_back(&call);
}

} // namespace lockstep::compiler
