#include "compiler/ir_to_workgroup/barriers/widen_work_groups.h"

#include "compiler/ir_to_workgroup/analyze/strided_loops.h"
#include "compiler/ir_to_workgroup/form.h"
#include "compiler/ir_to_workgroup/remark.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

constexpr uint64_t linear_row = 1024;       // bytes that are read like a linear walk
constexpr unsigned most_instructions = 512; // of a kernel whose lanes are filled
constexpr uint64_t sub_groups_of_lanes = 4; // in a group whose lanes were filled

bool has_no_group(Primitive primitive) {
  switch (primitive) {
  case Primitive::local_id:
  case Primitive::group_id:
  case Primitive::global_size:
  case Primitive::global_offset:
  case Primitive::num_groups:
  case Primitive::work_dim:
  case Primitive::reciprocal_sqrt:
  case Primitive::turn_begin:
  case Primitive::turn_end:
    return true;
  default:
    return false;
  }
}

bool has_local_memory(const llvm::Function &function) {
  return llvm::any_of(function.args(),
                      [](const llvm::Argument &argument) {
                        return argument.getType()->isPointerTy() &&
                               argument.getType()->getPointerAddressSpace() == 3;
                      }) ||
         llvm::any_of(function.getParent()->globals(), [](const llvm::GlobalVariable &variable) {
           return variable.getAddressSpace() == 3;
         });
}

// The ids of dimension 0, and the sums that make the global id of them.
struct Ids {
  llvm::SmallVector<llvm::CallInst *> local_ids, group_ids;
  llvm::SmallVector<llvm::BinaryOperator *> sums;
};

bool is_sum_of_ids(llvm::Value &value, uint64_t local_size) {
  using namespace llvm::PatternMatch;
  llvm::Value *first = nullptr, *local = nullptr;
  if (!match(&value, m_c_Add(m_Value(first), m_Value(local))) &&
      !match(&value, m_DisjointOr(m_Value(first), m_Value(local))))
    return false;
  auto is_id = [](const llvm::Value &id, Primitive primitive) {
    return called_primitive(id) == primitive &&
           constant_dimension(llvm::cast<llvm::CallInst>(id)) == 0u;
  };
  if (is_id(*first, Primitive::local_id))
    std::swap(first, local);
  llvm::Value *group = nullptr;
  const llvm::APInt *factor = nullptr;
  if (match(first, m_Shl(m_Value(group), m_APInt(factor))))
    return is_id(*group, Primitive::group_id) && is_id(*local, Primitive::local_id) &&
           factor->ult(32) && uint64_t{1} << factor->getZExtValue() == local_size;
  return match(first, m_c_Mul(m_Value(group), m_APInt(factor))) &&
         is_id(*group, Primitive::group_id) && is_id(*local, Primitive::local_id) &&
         *factor == local_size;
}

// Nullopt where a work-item sees more of its group than its own global id.
std::optional<Ids> find_ids(llvm::Function &function, uint64_t local_size) {
  Ids ids;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    const auto primitive = called_primitive(instruction);
    if (!primitive)
      continue;
    if (!has_no_group(*primitive))
      return std::nullopt;
    if (*primitive != Primitive::local_id && *primitive != Primitive::group_id)
      continue;
    auto &call = llvm::cast<llvm::CallInst>(instruction);
    const auto dimension = constant_dimension(call);
    if (!dimension)
      return std::nullopt;
    if (*dimension == 0)
      (*primitive == Primitive::local_id ? ids.local_ids : ids.group_ids).push_back(&call);
  }
  if (local_size == 1)
    return ids;
  for (llvm::CallInst *id : ids.local_ids)
    for (llvm::User *user : id->users()) {
      if (!is_sum_of_ids(*user, local_size))
        return std::nullopt;
      ids.sums.push_back(llvm::cast<llvm::BinaryOperator>(user));
    }
  for (llvm::CallInst *id : ids.group_ids)
    for (llvm::User *first : id->users())
      if (!llvm::all_of(first->users(),
                        [&](llvm::User *sum) { return is_sum_of_ids(*sum, local_size); }))
        return std::nullopt;
  return ids;
}

// Bytes that a work-item reads in a round of a strided loop; 0: there is none that only reads.
uint64_t read_in_strides(llvm::Function &function, const llvm::LoopInfo &loops) {
  const llvm::DataLayout &layout = function.getDataLayout();
  uint64_t bytes = 0;
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!is_strided(*loop))
      continue;
    for (const llvm::BasicBlock *block : loop->blocks())
      for (const llvm::Instruction &instruction : *block) {
        if (instruction.mayWriteToMemory())
          return 0;
        if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
          bytes = std::max(bytes, layout.getTypeStoreSize(load->getType()).getFixedValue());
      }
  }
  return bytes;
}

bool is_seen_by_others(const llvm::Instruction &instruction) {
  return instruction.isAtomic() || instruction.isVolatile();
}

// How many work-items the group should have.
uint64_t wanted_items(llvm::Function &function, const llvm::LoopInfo &loops, uint64_t items,
                      uint64_t lanes) {
  if (const uint64_t bytes = read_in_strides(function, loops); bytes != 0 && items >= lanes)
    return linear_row / bytes;
  if (items < lanes && function.getInstructionCount() <= most_instructions &&
      llvm::none_of(llvm::instructions(function), is_seen_by_others))
    return lanes * sub_groups_of_lanes;
  return items;
}

void widen(llvm::Function &function, const Ids &ids, uint64_t local_size, uint32_t count) {
  const llvm::ConstantRange range(llvm::APInt(64, 0), llvm::APInt(64, local_size * count));
  for (llvm::CallInst *id : ids.local_ids)
    id->addRangeRetAttr(range);
  for (llvm::BinaryOperator *sum : ids.sums) { // what were low bits is no longer
    llvm::IRBuilder<> builder(sum);
    llvm::Value *added = builder.CreateAdd(sum->getOperand(0), sum->getOperand(1));
    added->takeName(sum);
    sum->replaceAllUsesWith(added);
    sum->eraseFromParent();
  }
  if (local_size != 1)
    return;
  for (llvm::CallInst *id : ids.local_ids) // the kernel's own
    id->replaceAllUsesWith(llvm::ConstantInt::get(id->getType(), 0));
  for (llvm::CallInst *id : ids.group_ids) {
    llvm::IRBuilder<> builder(id->getNextNode());
    auto callee = function.getParent()->getOrInsertFunction(
        primitive_name(Primitive::local_id), builder.getInt64Ty(), builder.getInt32Ty());
    llvm::CallInst *number = builder.CreateCall(callee, builder.getInt32(0), "group.number");
    number->setDoesNotThrow();
    number->setDoesNotAccessMemory();
    number->addRangeRetAttr(range);
    auto *own = llvm::cast<llvm::Instruction>(builder.CreateNUWAdd(id, number, "group.id"));
    id->replaceUsesWithIf(own, [&](llvm::Use &use) { return use.getUser() != own; });
  }
}

} // namespace

llvm::PreservedAnalyses WidenWorkGroupsPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &analyses) {
  auto local_size = specialised_local_size(function);
  const uint32_t offered = neighbour_groups(function)[0];
  const uint64_t lanes = options_.preferred_sub_group_size(0);
  if (lanes == 1 || offered == 1 || local_size[0] == 0 || local_size[1] * local_size[2] != 1 ||
      is_resumable(function) || has_local_memory(function))
    return llvm::PreservedAnalyses::all();
  const auto ids = find_ids(function, local_size[0]);
  if (!ids)
    return llvm::PreservedAnalyses::all();
  const uint64_t wanted = wanted_items(function, analyses.getResult<llvm::LoopAnalysis>(function),
                                       local_size[0], lanes);
  uint32_t count = 1;
  while (count * 2 <= offered && local_size[0] * count * 2 <= wanted)
    count *= 2;
  if (count == 1)
    return llvm::PreservedAnalyses::all();
  widen(function, *ids, local_size[0], count);
  local_size[0] *= count;
  set_specialised_local_size(function, local_size);
  set_joined_groups(function, {0, count, 0});
  remark(function.getEntryBlock().front(), "groups",
         llvm::Twine(count) + " work-groups that follow each other in dimension 0 are one, since "
                              "work-items know their global ids alone");
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
