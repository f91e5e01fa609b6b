// Coalesces several neighboring work-groups into one call of the work-group function.
//
// Requires: the kernel of one work-item, with a known "lockstep-local-size".
// Ensures: where it pays, the kernel of a group of `count` groups ("lockstep-coalesced-groups"). The
// local size in the local dimension is `count`, the local id there the group's number, and
// `__lockstep_group_id` that of the first group. Queries return the values of the own group.
//
// Two patterns profit, as interleave-sub-groups runs the groups at once: in a matrix product, eight
// groups above each other load a column panel once; tiles of 16 x 16 floats side by side access rows
// of eight cache lines.
//
// Conditions for correctness:
// - The local size is 1 in the local dimension, and rows are whole sub-groups.
// - The only group operation is the barrier. None is behind a branch that differs between the
//   groups before they converge again, except for a guard at the entry (group_guard.h).
// - Each group has copies of local variables and local arguments. One is shared if every store has
//   the same address and value in all groups, and a barrier precedes each store after a load.
// - The kernel does not wait: it could wait for another one of the groups.
//
// Position: after choose-sub-group-size, since rows must be whole sub-groups; before lane-ids.
#include "compiler/group_shape/passes.h"

#include "abi/address_spaces.h"

#include "compiler/analysis/copy_distances.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/divergent_regions.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/group_shape/group_guard.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/form.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

namespace lockstep::compiler {

namespace {

// Groups side by side. Those that store other rows than they load use twice as many lines.
constexpr uint32_t most_in_a_row = limits::linear_lines / 2;
constexpr uint32_t most_storing_elsewhere = most_in_a_row / 2;

// Groups above each other that share loads. Columns may have more.
constexpr uint32_t most_sharing_loads = limits::chains_at_once;

// A local variable, or a local pointer argument. All accesses use one address that is computed at
// the entry.
struct LocalVariable {
  llvm::Value *memory;
  llvm::GetElementPtrInst *address; // the variable, plus the copy's offset if there are copies
  llvm::SmallVector<llvm::LoadInst *> loads;
  llvm::SmallVector<llvm::StoreInst *> stores;
  bool is_shared = false;
  uint64_t stride = 0; // from one copy of a variable to the next

  llvm::GlobalVariable *variable() const { return llvm::dyn_cast<llvm::GlobalVariable>(memory); }
};

// Collects all accesses. Returns false if the variable is used other than by loads and stores, so
// that stores through other pointers are possible.
bool find_accesses(llvm::Value &address, LocalVariable &local) {
  for (llvm::User *user : address.users()) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(user);
    auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (load && load->isSimple()) {
      local.loads.push_back(load);
      continue;
    }
    if (store && store->isSimple() && store->getValueOperand() != &address) {
      local.stores.push_back(store);
      continue;
    }
    if (!llvm::isa<llvm::GetElementPtrInst>(user) || !find_accesses(*user, local))
      return false;
  }
  return true;
}

// True if a work-item may store to the variable after it has loaded from it, with no barrier in
// between. A group that runs later would then load what an earlier group has stored.
bool is_written_after_reading(const LocalVariable &local) {
  llvm::SmallPtrSet<const llvm::Instruction *, 8> stores(local.stores.begin(), local.stores.end());
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> seen; // from the start of the block
  llvm::SmallVector<const llvm::BasicBlock *> open;
  auto meets_store = [&](const llvm::Instruction *from) {
    for (; from; from = from->getNextNode()) {
      if (called_primitive(*from) == Primitive::barrier)
        return false;
      if (stores.contains(from))
        return true;
      if (from->isTerminator())
        for (const llvm::BasicBlock *next : llvm::successors(from->getParent()))
          if (seen.insert(next).second)
            open.push_back(next);
    }
    return false;
  };
  for (const llvm::LoadInst *load : local.loads)
    if (meets_store(load))
      return true;
  while (!open.empty())
    if (meets_store(&open.pop_back_val()->front()))
      return true;
  return false;
}

class Joiner {
public:
  // Coalesces consecutive groups in `dimension`. The group's number becomes the local id of
  // `local_dimension`.
  Joiner(llvm::Function &function, const llvm::DominatorTree &dominators,
         const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
         unsigned dimension, unsigned local_dimension, uint32_t most)
      : function_(function), dominators_(dominators), post_dominators_(post_dominators),
        loops_(loops), dimension_(dimension), local_dimension_(local_dimension), count_(most) {}

  // Returns true if the groups were coalesced. Otherwise the function is semantically unchanged.
  bool run();

private:
  void distinguish_groups();
  void find_local_variables();
  void separate(LocalVariable &local);
  void find_shared_variables();
  void find_regions();
  bool is_right() const;
  bool is_worth_it() const;
  bool shares_loads() const;
  bool has_narrow_rows() const;
  bool has_columns() const;
  bool stores_narrow_rows() const;
  llvm::SmallPtrSet<const llvm::Value *, 32> values_that_differ() const;
  template <typename Access> llvm::SmallPtrSet<const llvm::Instruction *, 8> narrow_rows() const;
  bool is_side_by_side() const { return dimension_ != local_dimension_; }
  bool limit_count();
  void commit();
  void undo();

  llvm::Function &function_;
  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &post_dominators_;
  const llvm::LoopInfo &loops_;
  unsigned dimension_, local_dimension_;
  uint32_t count_;
  llvm::CallInst *number_ = nullptr; // index of the group among the coalesced ones
  std::vector<LocalVariable> locals_;
  llvm::SmallVector<std::pair<llvm::CallInst *, llvm::Instruction *>> ids_; // first id, own id
  std::unique_ptr<Uniformity> uniformity_;
  bool converges_ = false; // wherever groups diverge
  // Blocks that only some of the groups may execute.
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent_;
};

// The local id of the local dimension distinguishes the groups.
void Joiner::distinguish_groups() {
  llvm::SmallVector<llvm::CallInst *> group_ids, local_ids;
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    auto primitive = called_primitive(instruction);
    if (primitive != Primitive::group_id && primitive != Primitive::local_id)
      continue;
    auto &call = llvm::cast<llvm::CallInst>(instruction);
    const bool is_group_id = primitive == Primitive::group_id;
    if (constant_dimension(call) == (is_group_id ? dimension_ : local_dimension_))
      (is_group_id ? group_ids : local_ids).push_back(&call);
  }
  llvm::IRBuilder<> entry(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  auto callee = declare_primitive(*function_.getParent(), Primitive::local_id, entry.getInt64Ty(),
                                  {entry.getInt32Ty()});
  number_ = entry.CreateCall(callee, entry.getInt32(local_dimension_), "group.number");
  number_->setDoesNotThrow();
  number_->setDoesNotAccessMemory();
  for (llvm::CallInst *call : local_ids) { // the kernel's own local size is 1
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), 0));
    call->eraseFromParent();
  }
  for (llvm::CallInst *call : group_ids) {
    auto *own = llvm::BinaryOperator::CreateNUWAdd(call, number_);
    own->setName("group.id");
    own->insertAfter(call->getIterator());
    call->replaceUsesWithIf(own, [&](llvm::Use &use) { return use.getUser() != own; });
    ids_.emplace_back(call, own);
  }
}

void Joiner::find_local_variables() {
  llvm::SmallVector<llvm::Constant *> constants;
  for (llvm::GlobalVariable &variable : function_.getParent()->globals())
    if (variable.getAddressSpace() == local_space)
      constants.push_back(&variable);
  llvm::convertUsersOfConstantsToInstructions(constants, &function_);
  const llvm::DataLayout &layout = function_.getDataLayout();
  llvm::SmallVector<llvm::Value *> memories(constants.begin(), constants.end());
  for (llvm::Argument &argument : function_.args())
    if (argument.getType()->isPointerTy() &&
        argument.getType()->getPointerAddressSpace() == local_space)
      memories.push_back(&argument);
  for (llvm::Value *memory : memories) {
    auto *byte = llvm::Type::getInt8Ty(function_.getContext());
    auto *none = llvm::ConstantInt::get(llvm::Type::getInt64Ty(function_.getContext()), 0);
    auto *address = llvm::GetElementPtrInst::CreateInBounds(byte, memory, {none},
                                                            memory->getName() + ".of.group");
    address->insertAfter(number_->getIterator());
    memory->replaceUsesWithIf(address, [&](llvm::Use &use) {
      return use.getUser() != address && llvm::isa<llvm::Instruction>(use.getUser());
    });
    locals_.push_back({memory, address, {}, {}});
    LocalVariable &local = locals_.back();
    if (const llvm::GlobalVariable *variable = local.variable())
      local.stride = llvm::alignTo(layout.getTypeAllocSize(variable->getValueType()),
                                   variable->getAlign().valueOrOne());
    local.is_shared = find_accesses(*address, local) && !is_written_after_reading(local);
    if (!local.is_shared)
      separate(local);
  }
}

// Gives each group its own copy.
void Joiner::separate(LocalVariable &local) {
  local.is_shared = false;
  llvm::IRBuilder<> builder(local.address);
  llvm::Value *stride = builder.getInt64(local.stride);
  if (!local.variable()) { // known at launch
    auto callee = declare_primitive(*function_.getParent(), Primitive::local_argument_bytes,
                                    builder.getInt64Ty(), {});
    llvm::CallInst *bytes = builder.CreateCall(callee);
    bytes->setDoesNotThrow();
    bytes->setDoesNotAccessMemory();
    stride = bytes;
  }
  local.address->setOperand(1, builder.CreateNUWMul(number_, stride));
}

// Assumes that all variables are shared, then separates those with divergent stores, until none is
// left.
void Joiner::find_shared_variables() {
  for (bool changed = true; changed;) {
    changed = false;
    uniformity_ =
        std::make_unique<Uniformity>(function_, dominators_, along_dimension(local_dimension_));
    find_regions();
    for (LocalVariable &local : locals_) {
      bool same = llvm::all_of(local.stores, [&](const llvm::StoreInst *store) {
        return !divergent_.contains(store->getParent()) &&
               llvm::all_of(store->operands(), [&](const llvm::Use &use) {
                 return uniformity_->is_uniform(*use) && uniformity_->is_uniform_use(use);
               });
      });
      if (!local.is_shared || same)
        continue;
      separate(local);
      changed = true;
    }
  }
}

void Joiner::find_regions() {
  const auto regions = find_divergent_regions(
      function_, dominators_, post_dominators_, loops_,
      [&](const llvm::BasicBlock &block) { return !uniformity_->has_uniform_branch(block); });
  converges_ = regions.has_value();
  divergent_.clear();
  if (regions)
    for (const DivergentRegion &region : *regions)
      divergent_.insert(region.blocks.begin(), region.blocks.end());
}

bool Joiner::is_right() const {
  return converges_ && llvm::none_of(divergent_, [](const llvm::BasicBlock *block) {
           return llvm::any_of(*block, [](const llvm::Instruction &instruction) {
             auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
             return call && (call->isConvergent() || is_group_operation(instruction));
           });
         });
}

// True if a loop loads a value that is uniform across the groups and changes per iteration.
bool Joiner::shares_loads() const {
  for (const llvm::BasicBlock &block : function_)
    if (const llvm::Loop *loop = loops_.getLoopFor(&block);
        loop && !divergent_.contains(loop->getHeader()))
      for (const llvm::Instruction &instruction : block)
        if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            load && uniformity_->is_uniform(*load) &&
            !loop->isLoopInvariant(load->getPointerOperand()))
          return true;
  return false;
}

// True if straight-line code loads rows of at most one cache line, adjacent to those of the next
// group.
bool Joiner::has_narrow_rows() const {
  return loops_.empty() && !narrow_rows<llvm::LoadInst>().empty();
}

// True if all stores to global memory also write such rows.
bool Joiner::stores_narrow_rows() const {
  const auto rows = narrow_rows<llvm::StoreInst>();
  return llvm::all_of(llvm::instructions(function_), [&](const llvm::Instruction &instruction) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return !store || store->getPointerAddressSpace() == local_space || rows.contains(store);
  });
}

llvm::SmallPtrSet<const llvm::Value *, 32> Joiner::values_that_differ() const {
  llvm::SmallPtrSet<const llvm::Value *, 32> different;
  for (const llvm::Instruction &instruction : llvm::instructions(function_))
    if (!uniformity_->is_uniform(instruction))
      different.insert(&instruction);
  return different;
}

template <typename Access>
llvm::SmallPtrSet<const llvm::Instruction *, 8> Joiner::narrow_rows() const {
  const auto different = values_that_differ();
  IndexExpressions expressions(function_, loops_);
  CopyDistances distances(expressions, different, 1, CopyDistances::Wraps::are_ignored);
  const llvm::DataLayout &layout = function_.getDataLayout();
  const uint64_t items = specialized_local_size(function_)[0];
  llvm::SmallPtrSet<const llvm::Instruction *, 8> rows;
  for (const llvm::Instruction &instruction : llvm::instructions(function_)) {
    auto *access = llvm::dyn_cast<Access>(&instruction);
    if (!access || access->getPointerAddressSpace() == local_space ||
        divergent_.contains(access->getParent()))
      continue;
    const uint64_t row =
        items * layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue();
    if (row <= cache_line_bytes && distances.of(*access->getPointerOperand()) == int64_t(row))
      rows.insert(&instruction);
  }
  return rows;
}

// True if straight code loads or stores a column of global memory: the next group has the next
// element, and work-items have elements elsewhere.
bool Joiner::has_columns() const {
  const auto different = values_that_differ();
  IndexExpressions expressions(function_, loops_);
  CopyDistances distances(expressions, different, 1, CopyDistances::Wraps::are_ignored);
  const Uniformity of_row(function_, dominators_, along_dimension(0));
  const llvm::DataLayout &layout = function_.getDataLayout();
  return llvm::any_of(llvm::instructions(function_), [&](const llvm::Instruction &instruction) {
    const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer || pointer->getType()->getPointerAddressSpace() == local_space ||
        loops_.getLoopFor(instruction.getParent()) || divergent_.contains(instruction.getParent()))
      return false;
    const uint64_t size =
        layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue();
    return distances.of(*pointer) == int64_t(size) && !of_row.is_uniform(*pointer);
  });
}

bool Joiner::is_worth_it() const {
  if (is_side_by_side())
    return function_.getInstructionCount() <= limits::small_code && has_narrow_rows();
  return function_.getInstructionCount() <= limits::repeated_code / 2 &&
         (shares_loads() || has_columns());
}

bool Joiner::limit_count() {
  uint64_t items = 1, bytes = 0;
  for (uint32_t size : specialized_local_size(function_))
    items *= size;
  for (const LocalVariable &local : locals_)
    bytes += local.is_shared ? 0 : local.stride;
  if (is_side_by_side() && count_ > most_storing_elsewhere && !stores_narrow_rows())
    count_ = most_storing_elsewhere;
  if (!is_side_by_side() && (shares_loads() || !has_columns()))
    count_ = std::min(count_, most_sharing_loads);
  while (count_ > 1 && (items * count_ > max_work_group_size || bytes * count_ > l1_bytes))
    count_ /= 2;
  return count_ > 1;
}

void Joiner::commit() {
  for (LocalVariable &local : locals_) {
    if (local.is_shared) {
      local.address->replaceAllUsesWith(local.memory);
      local.address->eraseFromParent();
      continue;
    }
    llvm::GlobalVariable *variable = local.variable();
    if (!variable)
      continue;
    auto *byte = llvm::Type::getInt8Ty(function_.getContext());
    auto *copies = new llvm::GlobalVariable(
        *function_.getParent(), llvm::ArrayType::get(byte, local.stride * count_),
        /*isConstant=*/false, variable->getLinkage(),
        llvm::UndefValue::get(llvm::ArrayType::get(byte, local.stride * count_)),
        variable->getName() + ".of.groups", variable, llvm::GlobalVariable::NotThreadLocal, 3);
    copies->copyAttributesFrom(variable);
    local.address->setOperand(0, copies);
    if (variable->use_empty())
      variable->eraseFromParent();
  }
  number_->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, count_)));
  auto size = specialized_local_size(function_);
  size[local_dimension_] = count_;
  set_specialized_local_size(function_, size);
  add_coalesced_groups(function_, {dimension_, count_, local_dimension_});
  remark(function_.getEntryBlock().front(), "groups",
         llvm::Twine(count_) + " work-groups that follow each other in dimension " +
             llvm::Twine(launch_dimension(function_, dimension_)) + " run at once, since " +
             (is_side_by_side() ? "their rows are narrow"
              : shares_loads()  ? "their loops load the same"
                                : "they access columns"));
}

void Joiner::undo() {
  for (LocalVariable &local : locals_) {
    local.address->replaceAllUsesWith(local.memory);
    local.address->eraseFromParent();
  }
  for (auto [first, own] : ids_) {
    own->replaceAllUsesWith(first);
    own->eraseFromParent();
  }
  // An unused id remains, and possibly its unused multiples.
}

bool Joiner::run() {
  distinguish_groups();
  find_local_variables();
  const auto guard = find_group_guard(function_, ids_, *number_);
  llvm::Value *condition = guard ? guard->branch->getCondition() : nullptr;
  if (guard) // judges the version for groups that all stay
    guard->branch->setCondition(
        llvm::ConstantInt::getBool(function_.getContext(), guard->side == 0));
  find_shared_variables();
  const bool is_good = is_right() && is_worth_it() && limit_count();
  if (guard)
    guard->branch->setCondition(condition);
  if (!is_good) {
    undo();
    return false;
  }
  if (guard)
    add_version_for_guard(function_, *guard, ids_, *number_, count_);
  commit();
  return true;
}

// Rows are whole sub-groups, so all lanes are active.
void answer_active_lanes(llvm::Function &function, uint32_t lanes) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (called_primitive(instruction) != Primitive::active_lanes)
      continue;
    instruction.replaceAllUsesWith(llvm::ConstantInt::get(instruction.getType(), lanes));
    instruction.eraseFromParent();
  }
}

// Checks the conditions that do not depend on the dimension.
bool may_be_coalesced(const llvm::Function &function) {
  const bool has_local_arguments =
      llvm::any_of(function.args(), [](const llvm::Argument &argument) {
        return argument.getType()->isPointerTy() &&
               argument.getType()->getPointerAddressSpace() == local_space;
      });
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    auto primitive = called_primitive(instruction);
    if (!primitive)
      continue;
    if (is_group_operation(*primitive) && *primitive != Primitive::barrier)
      return false;
    if (has_local_arguments && is_check(*primitive))
      return false; // the checker knows one place of each argument
    if ((*primitive == Primitive::local_id || *primitive == Primitive::group_id) &&
        !constant_dimension(llvm::cast<llvm::CallInst>(instruction)))
      return false;
  }
  return true;
}

} // namespace

llvm::PreservedAnalyses CoalesceWorkGroupsPass::run(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &analyses) {
  auto neighbors = neighbor_groups(function);
  auto local_size = specialized_local_size(function);
  uint32_t lanes = sub_group_size(function);
  if (lanes == 1 || local_size[0] == 0 || local_size[0] % lanes != 0 || is_resumable(function) ||
      neighbors[0] * neighbors[1] * neighbors[2] == 1 || !coalesced_groups(function).empty() ||
      !may_be_coalesced(function))
    return llvm::PreservedAnalyses::all();
  answer_active_lanes(function, lanes);
  auto join = [&](unsigned dimension, unsigned local_dimension) {
    return neighbors[dimension] > 1 && local_size[local_dimension] == 1 &&
           Joiner(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                  analyses.getResult<llvm::PostDominatorTreeAnalysis>(function),
                  analyses.getResult<llvm::LoopAnalysis>(function), dimension, local_dimension,
                  dimension == 0 ? std::min(neighbors[0], most_in_a_row) : neighbors[dimension])
               .run();
  };
  const unsigned unused =
      // At most one of the two dimensions is free, because a group has several rows.
      local_size[2] == 1 ? 2 : 1;
  if (!join(1, 1) && !join(2, 2) && local_size[1] * local_size[2] != 1)
    join(0, unused);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
