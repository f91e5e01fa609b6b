#include "compiler/pipelines/by_need.h"

#include "abi/address_spaces.h"

#include "compiler/lanes/serialize/serialize_loops.h"
#include "compiler/prepare_code/expand_permutations.h"
#include "compiler/work_item/hierarchical/item_scopes.h"
#include "compiler/work_item/unroll_hints.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/form.h"
#include "kernel_ir/kernel_info.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

namespace {

template <class Condition> bool any(const llvm::Function &function, Condition condition) {
  return llvm::any_of(llvm::instructions(function), condition);
}

// The type of an instruction or of an operand.
template <class Condition> bool any_type(const llvm::Function &function, Condition condition) {
  return any(function, [&](const llvm::Instruction &instruction) {
    return condition(*instruction.getType()) ||
           llvm::any_of(instruction.operands(),
                        [&](const llvm::Use &use) { return condition(*use->getType()); });
  });
}

bool is_called(const llvm::Module &module, llvm::StringRef name) {
  const llvm::Function *function = module.getFunction(name);
  return function && !function->use_empty();
}

} // namespace

bool has_atomics(const llvm::Function &function) {
  return any(function, [](const llvm::Instruction &instruction) {
    return instruction.isAtomic() || atomic_multiply(instruction);
  });
}

bool has_swaps(const llvm::Function &function) {
  return any(function, llvm::IsaPred<llvm::AtomicCmpXchgInst>);
}

bool has_divisions(const llvm::Function &function) {
  return any(function, [](const llvm::Instruction &instruction) {
    if (!instruction.isIntDivRem())
      return false;
    auto *divisor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    return !divisor || divisor->isZero() || divisor->isMinusOne();
  });
}

bool has_integer_divisions(const llvm::Function &function) {
  return any(function,
             [](const llvm::Instruction &instruction) { return instruction.isIntDivRem(); });
}

bool has_minima(const llvm::Function &function) {
  return any(function, [](const llvm::Instruction &instruction) {
    auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return intrinsic && (intrinsic->getIntrinsicID() == llvm::Intrinsic::minimumnum ||
                         intrinsic->getIntrinsicID() == llvm::Intrinsic::maximumnum);
  });
}

bool has_vectors_of_bytes(const llvm::Function &function) {
  return any_type(function, [](const llvm::Type &type) {
    return type.isVectorTy() && type.getScalarType()->isIntegerTy(8);
  });
}

bool has_vectors_of_pointers(const llvm::Function &function) {
  return any_type(function, [](const llvm::Type &type) {
    return type.isVectorTy() && type.getScalarType()->isPointerTy();
  });
}

bool has_masks_of_64_lanes(const llvm::Function &function) {
  return any_type(function, [](const llvm::Type &type) {
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
    return vector && vector->getElementType()->isIntegerTy(1) && vector->getNumElements() >= 64;
  });
}

bool has_halves(const llvm::Function &function) {
  return any_type(function,
                  [](const llvm::Type &type) { return type.getScalarType()->isHalfTy(); });
}

bool has_variables(const llvm::Function &function) {
  return is_out_of_line(function) || any(function, llvm::IsaPred<llvm::AllocaInst>);
}

bool has_volatile_accesses(const llvm::Function &function) {
  return any(function,
             [](const llvm::Instruction &instruction) { return instruction.isVolatile(); });
}

bool has_aggregates(const llvm::Function &function) {
  return any_type(function, [](const llvm::Type &type) { return type.isAggregateType(); });
}

bool has_vectors(const llvm::Function &function) {
  return any_type(function, [](const llvm::Type &type) { return type.isVectorTy(); }) ||
         llvm::any_of(llvm::drop_begin(function),
                      [](const llvm::BasicBlock &block) { return llvm::pred_empty(&block); });
}

bool has_block_copies(const llvm::Function &function) {
  return any(function, llvm::IsaPred<llvm::MemIntrinsic, llvm::MemSetPatternInst>);
}

bool has_masked_accesses(const llvm::Function &function) {
  return any(function, [](const llvm::Instruction &instruction) {
    auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    switch (intrinsic ? intrinsic->getIntrinsicID() : llvm::Intrinsic::not_intrinsic) {
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_scatter:
      return true;
    default:
      return false;
    }
  });
}

bool has_loops(const llvm::Function &function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>> edges;
  llvm::FindFunctionBackedges(function, edges);
  return !edges.empty();
}

bool has_counted_loops(const llvm::Function &function) {
  return specialized_local_size(function)[0] != 0 && has_loops(function);
}

bool has_unroll_hints(const llvm::Function &function) {
  return llvm::any_of(function, [](const llvm::BasicBlock &block) {
    const llvm::MDNode *loop = block.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop);
    return loop && llvm::any_of(loop->operands(), is_unroll_hint);
  });
}

bool has_rows(const llvm::Function &function) {
  const auto size = specialized_local_size(function);
  if (size[0] == 0)
    return false;
  return uint64_t{size[1]} * size[2] > 1 || any(function, [](const llvm::Instruction &instruction) {
           return called_primitive(instruction) == Primitive::group_id &&
                  constant_dimension(llvm::cast<llvm::CallInst>(instruction)) != 0;
         });
}

bool has_noalias(const llvm::Function &function) {
  return llvm::any_of(function.args(),
                      [](const llvm::Argument &argument) { return argument.hasNoAliasAttr(); });
}

bool has_struct_arguments(const llvm::Function &function) {
  return llvm::any_of(function.args(), [](const llvm::Argument &argument) {
    return argument.getType()->isPointerTy() &&
           argument.getType()->getPointerAddressSpace() == private_space;
  });
}

bool has_serial_loops(const llvm::Function &function) {
  return llvm::any_of(*function.getParent(), [](const llvm::Function &other) {
    return other.hasFnAttribute(serial_loop);
  });
}

bool has_permutations(const llvm::Function &function) {
  return llvm::any_of(*function.getParent(), is_permutation_function);
}

bool is_resumed_by_group(const llvm::Function &function) {
  return is_resumable_by_group(function);
}

bool has_out_of_line_functions(const llvm::Module &module) {
  return llvm::any_of(module, is_out_of_line);
}

bool has_item_scopes(const llvm::Module &module) {
  return is_called(module, group_scope_mark) || is_called(module, item_scope_begin);
}

bool has_blocks(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.hasFnAttribute(block_attribute);
  });
}

bool has_printf(const llvm::Module &module) {
  return module.getFunction("printf") != nullptr;
}

bool has_approximate_calls(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    if (function.isDeclaration())
      return function.getName().contains("native_") || function.getName().contains("half_");
    return any(function, [](const llvm::Instruction &instruction) {
      return llvm::isa<llvm::CallInst>(instruction) &&
             llvm::isa<llvm::FPMathOperator>(instruction) && instruction.hasApproxFunc();
    });
  });
}

bool has_required_lanes(const llvm::Module &module) {
  return llvm::none_of(
      module, [](const llvm::Function &function) { return function.hasFnAttribute(size_is_free); });
}

} // namespace lockstep::compiler
