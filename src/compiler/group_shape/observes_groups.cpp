#include "compiler/group_shape/observes_groups.h"

#include "abi/address_spaces.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

bool has_no_group(Primitive primitive) {
  switch (primitive) {
  case Primitive::local_id:
  case Primitive::group_id:
  case Primitive::global_size:
  case Primitive::global_offset:
  case Primitive::num_groups:
  case Primitive::work_dim:
  case Primitive::all_lanes:
  case Primitive::reciprocal_sqrt:
  case Primitive::serial_begin:
  case Primitive::serial_end:
    return true;
  default:
    return false;
  }
}

bool has_local_memory(const llvm::Function &function) {
  return llvm::any_of(function.args(),
                      [](const llvm::Argument &argument) {
                        return argument.getType()->isPointerTy() &&
                               argument.getType()->getPointerAddressSpace() == local_space;
                      }) ||
         llvm::any_of(function.getParent()->globals(), [](const llvm::GlobalVariable &variable) {
           return variable.getAddressSpace() == local_space;
         });
}

bool queries_only_ids(const llvm::Function &function) {
  return llvm::all_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    const auto primitive = called_primitive(instruction);
    const bool is_id = primitive == Primitive::local_id || primitive == Primitive::group_id;
    return !primitive || (has_no_group(*primitive) &&
                          (!is_id || constant_dimension(llvm::cast<llvm::CallInst>(instruction))));
  });
}

} // namespace

bool observes_groups(const llvm::Function &function) {
  return has_local_memory(function) || !queries_only_ids(function);
}

bool is_seen_by_others(const llvm::Instruction &instruction) {
  return instruction.isAtomic() || instruction.isVolatile() ||
         called_primitive(instruction) == Primitive::atomic_multiply;
}

uint64_t groups_of_whole_lanes(uint64_t items, uint64_t lanes) {
  uint64_t groups = 1;
  while (items * groups % lanes != 0)
    groups *= 2;
  return groups;
}

} // namespace lockstep::compiler
