#include "compiler/ir_to_workgroup/resumable/mark_waits.h"

#include "compiler/ir_to_workgroup/analyze/lane_turns.h"
#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/analyze/wait_lanes.h"
#include "compiler/ir_to_workgroup/analyze/waits.h"
#include "compiler/ir_to_workgroup/form.h"
#include "compiler/ir_to_workgroup/remark.h"
#include "compiler/ir_to_workgroup/resumable/suspension_sites.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace lockstep::compiler {

namespace {

llvm::Value *pointer_of(llvm::Instruction &access) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&access))
    return load->getPointerOperand();
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    return update->getPointerOperand();
  return llvm::cast<llvm::AtomicCmpXchgInst>(access).getPointerOperand();
}

llvm::Type *type_of(llvm::Instruction &access) {
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    return swap->getNewValOperand()->getType();
  return access.getType();
}

class Marker {
public:
  Marker(llvm::Function &function, Wait &wait, llvm::DominatorTree &dominators,
         llvm::LoopInfo &loops)
      : function_(function), module_(*function.getParent()), wait_(wait), loop_(*wait.loop),
        dominators_(dominators), loops_(loops), builder_(function.getContext()) {}

  void run() {
    find_writes();
    bool pure = is_pure();
    const llvm::DebugLoc place = wait_.accesses.front()->getDebugLoc();
    remark(*wait_.accesses.front(), "waits",
           llvm::Twine("the loop ends when another work-item changes what is read here") +
               (pure ? "" : "; other things may end it as well"));
    llvm::BasicBlock *way_back = make_way_back();
    for (llvm::Instruction *access : wait_.accesses)
      if (seen_after_.insert(access).second)
        emit_seen(*access);
    builder_.SetInsertPoint(way_back->getTerminator());
    llvm::Value *changed = emit_changed(way_back);
    uint32_t site = add_suspension_site(module_, SuspensionSite::Kind::wait, place, pure);
    auto *call = emit(Primitive::wait, {builder_.getInt32(site), changed});
    call->setDebugLoc(place);
    if (written_)
      llvm::PromoteMemToReg({written_}, dominators_);
  }

private:
  // A write that may do more than an access's own.
  void find_writes() {
    for (llvm::BasicBlock *block : loop_.blocks())
      for (llvm::Instruction &instruction : *block) {
        if (!instruction.mayWriteToMemory() || llvm::isa<llvm::FenceInst>(instruction))
          continue;
        if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) {
          if (!may_be_no_change(instruction))
            writes_ = true;
          else
            updates_.push_back(&instruction);
        } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          if (auto *variable = private_variable(*store))
            variables_.insert(variable);
          else
            stores_.push_back(store);
        } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
          (void)load; // an ordered or volatile load counts as a write for LLVM
        } else if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
                   intrinsic &&
                   (intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd())) {
          continue;
        } else if (auto primitive = called_primitive(instruction);
                   primitive == Primitive::seen || primitive == Primitive::wait ||
                   primitive == Primitive::barrier) {
          continue;
        } else {
          writes_ = true;
        }
      }
    // To compare before each store pays for a flag or two, not for the work of a kernel that does
    // all it does between two waits.
    constexpr unsigned few = 4;
    if (stores_.size() > few ||
        llvm::any_of(stores_, [](auto *store) { return !is_comparable(*store); }))
      writes_ = true;
  }

  static bool is_comparable(const llvm::StoreInst &store) {
    llvm::Type *type = store.getValueOperand()->getType();
    return type->isIntOrPtrTy() || type->isFloatingPointTy();
  }

  // A variable that nobody else can see, a volatile counter of a back-off for example. What it
  // holds in between does not matter, only whether a round leaves it as the round before did.
  static llvm::AllocaInst *private_variable(llvm::StoreInst &store) {
    auto *variable = llvm::dyn_cast<llvm::AllocaInst>(store.getPointerOperand());
    if (!variable || variable->getAllocatedType() != store.getValueOperand()->getType() ||
        !is_comparable(store))
      return nullptr;
    for (const llvm::User *user : variable->users()) {
      auto *other = llvm::dyn_cast<llvm::StoreInst>(user);
      auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
      if (!llvm::isa<llvm::LoadInst>(user) && !(other && other->getValueOperand() != variable) &&
          !(intrinsic && intrinsic->isLifetimeStartOrEnd()))
        return nullptr;
    }
    return variable;
  }

  static bool may_be_no_change(const llvm::Instruction &update) {
    auto *operation = llvm::dyn_cast<llvm::AtomicRMWInst>(&update);
    return !operation || !operation->isFloatingPointOperation();
  }

  // Nothing but the one location that is read can end the loop.
  bool is_pure() const {
    if (writes_ || !stores_.empty() || !variables_.empty() || !wait_.state.empty() ||
        wait_.accesses.size() != 1)
      return false;
    llvm::Instruction *access = wait_.accesses.front();
    for (llvm::Instruction *update : updates_)
      if (update != access)
        return false;
    return loop_.isLoopInvariant(pointer_of(*access)) &&
           loops_.getLoopFor(access->getParent()) == &loop_ &&
           module_.getDataLayout().getTypeSizeInBits(type_of(*access)) <= 64;
  }

  llvm::BasicBlock *make_way_back() {
    llvm::BasicBlock *latch = loop_.getLoopLatch();
    if (latch->getSingleSuccessor())
      return latch;
    return llvm::SplitEdge(latch, loop_.getHeader(), &dominators_, &loops_);
  }

  llvm::CallInst *emit(Primitive primitive, llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Type *, 3> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    auto callee = module_.getOrInsertFunction(
        primitive_name(primitive), llvm::FunctionType::get(builder_.getVoidTy(), types, false));
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setConvergent();
    function->setDoesNotThrow();
    auto *call = builder_.CreateCall(callee, arguments);
    call->setConvergent();
    call->setDoesNotThrow();
    return call;
  }

  // As a number: zero-extended, its first eight bytes if it is longer.
  llvm::Value *as_word(llvm::Value *value) {
    unsigned bits = module_.getDataLayout().getTypeSizeInBits(value->getType());
    if (value->getType()->isPointerTy())
      value = builder_.CreatePtrToInt(value, builder_.getIntNTy(bits));
    else if (!value->getType()->isIntegerTy())
      value = builder_.CreateBitCast(value, builder_.getIntNTy(bits));
    return builder_.CreateZExtOrTrunc(value, builder_.getInt64Ty());
  }

  llvm::Value *old_value(llvm::Instruction &access) {
    return llvm::isa<llvm::AtomicCmpXchgInst>(access) ? builder_.CreateExtractValue(&access, 0)
                                                      : &access;
  }

  void emit_seen(llvm::Instruction &access) {
    builder_.SetInsertPoint(access.getNextNode());
    builder_.SetCurrentDebugLocation(access.getDebugLoc());
    uint64_t bytes = module_.getDataLayout().getTypeStoreSize(type_of(access));
    llvm::Value *address =
        builder_.CreateAddrSpaceCast(pointer_of(access), builder_.getPtrTy(generic_space));
    emit(Primitive::seen, {address, as_word(old_value(access)),
                           builder_.getInt32(static_cast<uint32_t>(std::min<uint64_t>(bytes, 8)))});
  }

  llvm::Value *differ(llvm::Value *one, llvm::Value *other) {
    if (!one->getType()->isIntOrPtrTy()) {
      llvm::Type *bits =
          builder_.getIntNTy(module_.getDataLayout().getTypeSizeInBits(one->getType()));
      one = builder_.CreateBitCast(one, bits);
      other = builder_.CreateBitCast(other, bits);
    }
    return builder_.CreateICmpNE(one, other);
  }

  void note_written(llvm::Value *differs) {
    auto *so_far = builder_.CreateLoad(builder_.getInt1Ty(), written_);
    builder_.CreateStore(builder_.CreateOr(so_far, differs), written_);
  }

  // A variable that is true once memory holds something else than before.
  void emit_written() {
    llvm::IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
    written_ = entry.CreateAlloca(entry.getInt1Ty(), nullptr, "written");
    builder_.SetInsertPoint(&*loop_.getHeader()->getFirstInsertionPt());
    builder_.CreateStore(builder_.getFalse(), written_);
    for (llvm::Instruction *update : updates_) {
      builder_.SetInsertPoint(update->getNextNode());
      llvm::Value *old = old_value(*update);
      if (auto *operation = llvm::dyn_cast<llvm::AtomicRMWInst>(update))
        note_written(differ(old, llvm::buildAtomicRMWValue(operation->getOperation(), builder_, old,
                                                           operation->getValOperand())));
      else
        note_written(builder_.CreateExtractValue(update, 1));
    }
    for (llvm::StoreInst *store : stores_) {
      builder_.SetInsertPoint(store);
      llvm::Value *value = store->getValueOperand();
      note_written(differ(builder_.CreateAlignedLoad(value->getType(), store->getPointerOperand(),
                                                     store->getAlign(), store->isVolatile()),
                          value));
    }
  }

  // True in the first round: to get here something was done.
  llvm::Value *emit_first_round(llvm::BasicBlock *way_back) {
    llvm::BasicBlock *header = loop_.getHeader();
    llvm::IRBuilder<> at_header(header, header->begin());
    llvm::PHINode *first = at_header.CreatePHI(at_header.getInt1Ty(), 2, "first.round");
    for (llvm::BasicBlock *before : llvm::predecessors(header))
      first->addIncoming(at_header.getInt1(before != way_back), before);
    return first;
  }

  llvm::Value *emit_changed(llvm::BasicBlock *way_back) {
    if (writes_)
      return builder_.getTrue();
    llvm::Value *changed = emit_first_round(way_back);
    if (!updates_.empty() || !stores_.empty()) {
      emit_written();
      builder_.SetInsertPoint(way_back->getTerminator());
      changed = builder_.CreateOr(changed, builder_.CreateLoad(builder_.getInt1Ty(), written_));
    }
    for (llvm::AllocaInst *variable : variables_)
      changed = builder_.CreateOr(changed, emit_left_differently(*variable, way_back));
    for (llvm::PHINode *phi : wait_.state) {
      llvm::Value *next = phi->getIncomingValueForBlock(way_back);
      bool comparable = phi->getType()->isIntOrPtrTy() || phi->getType()->isFloatingPointTy();
      changed = builder_.CreateOr(changed, comparable ? differ(phi, next) : builder_.getTrue());
    }
    return changed;
  }

  // Does this round leave something else in the variable than the round before? The first counts as
  // a change anyway.
  llvm::Value *emit_left_differently(llvm::AllocaInst &variable, llvm::BasicBlock *way_back) {
    llvm::BasicBlock *header = loop_.getHeader();
    llvm::Type *type = variable.getAllocatedType();
    llvm::Value *now = builder_.CreateAlignedLoad(type, &variable, variable.getAlign());
    llvm::IRBuilder<> at_header(header, header->begin());
    llvm::PHINode *last = at_header.CreatePHI(type, 2, variable.getName() + ".last.round");
    for (llvm::BasicBlock *before : llvm::predecessors(header))
      last->addIncoming(before == way_back ? now : llvm::Constant::getNullValue(type), before);
    return differ(last, now);
  }

  static constexpr unsigned generic_space = 4;

  llvm::Function &function_;
  llvm::Module &module_;
  Wait &wait_;
  llvm::Loop &loop_;
  llvm::DominatorTree &dominators_;
  llvm::LoopInfo &loops_;
  llvm::IRBuilder<> builder_;
  bool writes_ = false;
  llvm::SmallVector<llvm::Instruction *, 4> updates_;
  llvm::SmallVector<llvm::StoreInst *, 4> stores_;
  llvm::SmallSetVector<llvm::AllocaInst *, 4> variables_; // private, stored to in the loop
  llvm::SmallPtrSet<llvm::Instruction *, 4> seen_after_;
  llvm::AllocaInst *written_ = nullptr;
};

// Compare-and-swap loops that are faster one lane at a time.
std::vector<LaneTurn> find_retries(llvm::Function &function, const llvm::DominatorTree &dominators,
                                   const llvm::LoopInfo &loops) {
  std::vector<LaneTurn> turns;
  std::optional<Uniformity> uniformity;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!retried_swap(*loop, dominators))
      continue;
    if (!uniformity)
      uniformity.emplace(function, dominators, UniformityLevel::lanes);
    if (auto turn = find_retry(*loop, dominators, *uniformity))
      turns.push_back(*turn);
  }
  return turns;
}

bool is_candidate(llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function),
                      [](llvm::Instruction &it) { return may_be_changed_by_others(it); });
}

} // namespace

llvm::PreservedAnalyses MarkWaitsPass::run(llvm::Function &function,
                                           llvm::FunctionAnalysisManager &analyses) {
  if (form_ == WantedForm::resumable)
    set_resumable(function);
  if (!is_candidate(function))
    return llvm::PreservedAnalyses::all();
  auto run = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
  run(llvm::LowerSwitchPass());
  run(llvm::FixIrreduciblePass());
  run(llvm::LoopSimplifyPass());
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  std::vector<Wait> waits = find_waits(function, loops, dominators);
  std::vector<LaneTurn> turns;
  bool apart = !may_wait_in_lanes(function, waits, dominators,
                                  analyses.getResult<llvm::PostDominatorTreeAnalysis>(function),
                                  loops, turns);
  if (apart) {
    function.addFnAttr(waits_apart);
    turns.clear();
  } else {
    for (LaneTurn &turn : find_retries(function, dominators, loops))
      if (llvm::none_of(turns, [&](LaneTurn &other) { // inside what a lock protects
            return other.blocks.contains(turn.loop->getHeader());
          }))
        turns.push_back(turn);
  }
  if (!waits.empty() && form_ != WantedForm::looped) {
    set_resumable(function);
    for (Wait &wait : waits)
      Marker(function, wait, dominators, loops).run();
  }
  for (LaneTurn &turn : turns)
    mark_turn(turn);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
