#include "compiler/regions/region_path.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

bool is_group_query(const llvm::CallInst &call) {
  auto primitive = called_primitive(call);
  return primitive && is_of_work_item(*primitive) && primitive != Primitive::local_id &&
         llvm::all_of(call.args(),
                      [](const llvm::Use &use) { return llvm::isa<llvm::Constant>(use); });
}

bool is_minimum_or_maximum(const llvm::IntrinsicInst &intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
  case llvm::Intrinsic::umin:
  case llvm::Intrinsic::umax:
  case llvm::Intrinsic::smin:
  case llvm::Intrinsic::smax:
    return true;
  default:
    return false;
  }
}

// Whether this is integer arithmetic that has no side effects and cannot trap for any operands.
bool can_be_computed_early(const llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
    return intrinsic ? is_minimum_or_maximum(*intrinsic) : is_group_query(*call);
  }
  // The bits of a vector are not those of one element.
  if (llvm::isa<llvm::BitCastInst>(instruction))
    return false;
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::ICmpInst, llvm::SelectInst,
                   llvm::FreezeInst>(instruction) &&
         llvm::isSafeToSpeculativelyExecute(&instruction);
}

} // namespace

RegionPath::RegionPath(const BarrierRegions &regions, unsigned region,
                       const std::vector<BarrierValue> &live_values,
                       std::function<llvm::Value *(const BarrierValue &)> load_uniform)
    : regions_(regions), region_(region), load_uniform_(std::move(load_uniform)) {
  for (const BarrierValue &each : live_values) {
    barrier_value_of_[each.variable] = &each;
    for (auto [step, original] : llvm::zip_equal(each.recipe, each.recipe_of))
      originals_[step] = original;
  }
  const BarrierRegion &of = regions.regions()[region];
  members_.insert(of.blocks.begin(), of.blocks.end());
}

bool RegionPath::contains(const llvm::BasicBlock &block) const {
  return llvm::is_contained(blocks_, &block);
}

std::optional<unsigned> RegionPath::operation_in(const llvm::BasicBlock &block) const {
  for (unsigned index = 1; index != regions_.regions().size(); ++index)
    if (regions_.regions()[index].operation->getParent() == &block)
      return index;
  return std::nullopt;
}

const BarrierValue *RegionPath::barrier_value_of(const llvm::Value &variable) const {
  return barrier_value_of_.lookup(&variable);
}

const llvm::Value *RegionPath::original(const llvm::Value &value) const {
  const llvm::Value *found = originals_.lookup(&value);
  return found ? found : &value;
}

llvm::StoreInst *RegionPath::store_to(const llvm::AllocaInst &variable) const {
  for (llvm::BasicBlock *block : llvm::reverse(blocks_))
    for (llvm::Instruction &instruction : llvm::reverse(*block))
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
          store && store->getPointerOperand() == &variable)
        return store;
  return nullptr;
}

llvm::Value *RegionPath::incoming(const llvm::PHINode &phi) {
  auto here = llvm::find(blocks_, phi.getParent());
  if (here == blocks_.end())
    return nullptr;
  const llvm::Instruction *operation = regions_.regions()[region_].operation;
  const llvm::BasicBlock *before = here != blocks_.begin() ? *(here - 1)
                                   : operation             ? operation->getParent()
                                                           : nullptr;
  unsigned paths = 0;
  for (const llvm::BasicBlock *block : phi.blocks())
    paths += members_.contains(block) || (operation && operation->getParent() == block);
  same_on_all_paths_ &= paths == 1;
  int index = before ? phi.getBasicBlockIndex(before) : -1;
  return index < 0 ? nullptr : phi.getIncomingValue(index);
}

// Whether a path of at least one edge leads from `from` to `to` inside the region, without passing
// `avoided`.
bool RegionPath::leads(const llvm::BasicBlock &from, const llvm::BasicBlock &to,
                       const llvm::BasicBlock *avoided) const {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> seen;
  llvm::SmallVector<const llvm::BasicBlock *> open = {&from};
  while (!open.empty())
    for (const llvm::BasicBlock *next : llvm::successors(open.pop_back_val())) {
      if (next == avoided || !members_.contains(next))
        continue;
      if (next == &to)
        return true;
      if (seen.insert(next).second)
        open.push_back(next);
    }
  return false;
}

bool RegionPath::is_executed_once(const llvm::Instruction &instruction) const {
  const llvm::BasicBlock *block = instruction.getParent();
  return !block || !members_.contains(block) || !leads(*block, *block, nullptr);
}

// Whether no path through the region can store a new value before `load` is reached.
bool RegionPath::survives_on_all_paths(const llvm::LoadInst &load,
                                       const BarrierValue &live_value) const {
  const llvm::BasicBlock *defined = live_value.value->getParent();
  return !members_.contains(defined) || !leads(*defined, *load.getParent(), nullptr);
}

// The value that a load of a BarrierValue's variable yields; null: the value at the region's start.
llvm::Value *RegionPath::load_of(llvm::LoadInst &load) {
  const llvm::Value *variable = load.getPointerOperand();
  auto here = llvm::find(blocks_, load.getParent());
  if (here == blocks_.end())
    return nullptr;
  for (auto block = here;; --block) {
    for (llvm::Instruction *instruction = block == here ? load.getPrevNode() : &(*block)->back();
         instruction; instruction = instruction->getPrevNode())
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(instruction);
          store && store->getPointerOperand() == variable) {
        const llvm::BasicBlock &entry = *blocks_.front();
        same_on_all_paths_ &=
            *block == &entry || load.getParent() == *block ||
            (load.getParent() != &entry && !leads(entry, *load.getParent(), *block));
        return store->getValueOperand();
      }
    if (block == blocks_.begin())
      return nullptr;
  }
}

llvm::Value *RegionPath::resolve(llvm::Value *value) {
  while (true) {
    llvm::Value *next = nullptr;
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      next = incoming(*phi);
    } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(value)) {
      const BarrierValue *live_value = barrier_value_of(*load->getPointerOperand());
      if (!live_value)
        return value;
      next = load_of(*load);
      if (!next && live_value->kind == BarrierValueKind::recomputed)
        next = live_value->recipe.back();
    }
    if (!next)
      return value;
    value = next;
  }
}

llvm::Value *RegionPath::evaluate(llvm::Value *value, llvm::IRBuilderBase &builder) {
  llvm::Value *result = evaluate(value, builder, 0);
  if (!result || llvm::isGuaranteedNotToBeUndefOrPoison(result))
    return result;
  return builder.CreateFreeze(result);
}

llvm::Value *RegionPath::evaluate(llvm::Value *value, llvm::IRBuilderBase &builder,
                                  unsigned depth) {
  value = resolve(value);
  if (value->getType()->isVectorTy()) {
    value = const_cast<llvm::Value *>(llvm::getSplatValue(value));
    if (!value)
      return nullptr;
    value = resolve(value);
  }
  if (!value->getType()->isIntegerTy() || depth == limits::search_depth)
    return nullptr;
  if (llvm::isa<llvm::Argument, llvm::ConstantInt>(value))
    return value;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction ? evaluate_instruction(*instruction, builder, depth) : nullptr;
}

llvm::Value *RegionPath::evaluate_instruction(llvm::Instruction &instruction,
                                              llvm::IRBuilderBase &builder, unsigned depth) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (member_of(*load)) // never written, like an argument
      return copy_of(*load, builder);
    const BarrierValue *live_value = barrier_value_of(*load->getPointerOperand());
    if (!live_value || live_value->kind != BarrierValueKind::uniform ||
        !live_value->live_at_entry.test(region_))
      return nullptr;
    same_on_all_paths_ &= survives_on_all_paths(*load, *live_value);
    return load_uniform_(*live_value);
  }
  if (!can_be_computed_early(instruction))
    return nullptr;
  same_on_all_paths_ &= is_executed_once(instruction);
  llvm::SmallVector<llvm::Value *> operands;
  for (llvm::Value *operand : instruction.operand_values()) {
    bool is_callee = llvm::isa<llvm::Function>(operand);
    operands.push_back(is_callee ? operand : evaluate(operand, builder, depth + 1));
    if (!operands.back())
      return nullptr;
  }
  llvm::Instruction *copy = instruction.clone();
  for (unsigned index = 0; index != operands.size(); ++index)
    copy->setOperand(index, operands[index]);
  // The copy executes where the kernel's instruction may not, so it must not imply poison or
  // undefined behavior.
  copy->dropPoisonGeneratingAnnotations();
  copy->dropUBImplyingAttrsAndMetadata();
  return builder.Insert(copy, instruction.getName());
}

} // namespace lockstep::compiler
