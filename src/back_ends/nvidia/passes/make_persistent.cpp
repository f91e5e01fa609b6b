// Makes a CUDA block run one work-group after the other, and suspend groups that wait. So any number
// of groups may wait for each other, in any order (docs/nvidia.md).
//
// A work-item that has waited for some rounds meets the others of its group, which are at barriers,
// at their ends, or wait as well. If another group could use the block meanwhile, each work-item
// writes the values that it needs later to its frame, and local memory is copied. Later, some block
// reads them again, and each work-item continues at its place. The decisions are those of
// device_lib/nvidia/persistent_groups.c.
//
// Behind a branch, the driver's assembler may let lanes wait for others of their warp, which must
// not meet the group before they come. So all work-items that meet go to one block, `places`, and
// from there to their places again. For the assembler, a lane that meets has left each part of the
// code where others could wait for it.
//
// Requires: the optimized kernel, everything inlined, with the calls of note-group-waits and
// meet-behind-waits. One argument has the attribute "lockstep-pool" (lockstep_group_pool).
// Ensures: the kernel returns when all groups of the pool have ended. Barriers are rendezvous.
//
// Position: after the optimization: fewest values live across barriers and waits.
#include "back_ends/nvidia/passes/passes.h"

#include "abi/address_spaces.h"
#include "back_ends/nvidia/passes/frame_layout.h"
#include "back_ends/nvidia/passes/gpu_kernel.h"
#include "back_ends/nvidia/passes/gpu_scopes.h"
#include "back_ends/nvidia/passes/live_values.h"
#include "compiler/work_item/link/link_device_library.h"
#include "device_lib/nvidia/nvidia_library.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <map>

namespace lockstep::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Rounds of a wait until the first rendezvous, and until later ones: those who wait for a lock must
// have a chance to get it before they meet again. What is at most, lockstep_nvidia_most_rounds knows.
constexpr uint32_t least_rounds = 16;
constexpr unsigned longest_chain = 8; // of values that are computed again

// The numbers of persistent_groups.c.
enum Kind : uint32_t { at_barrier, waiting, done, at_sub_group };
enum Result : uint32_t { passed, suspended, finished, again, undecided, stay };
enum Next : uint32_t { new_group = 1, old_group = 2 };

// Where a work-item meets others.
struct Point {
  Kind kind = at_barrier;
  BasicBlock *rendezvous = nullptr;
  BasicBlock *rest = nullptr; // behind it
  // The call's arguments: changed, address, value, bytes, site. Until the values are on the stack.
  llvm::CallInst *wait = nullptr;
  std::vector<Instruction *> kept{}; // used behind it, and in the frame
  std::vector<uint64_t> places{};    // of these, in the frame
  // Those of `kept` that are pointers to a private variable: the frame has the distance.
  std::map<Instruction *, llvm::AllocaInst *> private_pointers{};
  std::vector<std::pair<Instruction *, Value *>> repeated{}; // computed again
  BasicBlock *resumption = nullptr;
};

// A wait in the source: variables of each work-item.
struct Site {
  llvm::AllocaInst *has_met = nullptr, *value = nullptr; // since it began; at the last rendezvous
  llvm::AllocaInst *left = nullptr, *span = nullptr; // rounds until the next rendezvous; not kept
};

bool is_cheap(const Instruction &instruction, const llvm::AllocaInst *group) {
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->getPointerOperand() == group;
  if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    case llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z:
      return true;
    default:
      return false;
    }
  if (instruction.isIntDivRem())
    return false;
  return llvm::isa<llvm::CastInst, llvm::BinaryOperator, llvm::CmpInst, llvm::SelectInst,
                   llvm::GetElementPtrInst>(instruction);
}

bool always_changes_at(const llvm::CallInst &wait) {
  return llvm::cast<llvm::ConstantInt>(wait.getArgOperand(3))->equalsInt(always_changes);
}

class Persistent {
public:
  Persistent(llvm::Function &kernel, llvm::Argument &pool)
      : kernel_(kernel), module_(*kernel.getParent()), pool_(pool), builder_(kernel.getContext()) {}
  GroupFrames run();

private:
  void make_begin();
  void collect_points();
  void add_rendezvous(llvm::CallInst &call, Kind kind);
  Site &site_of(const llvm::CallInst &call);
  void set_span(const Site &site, Value *rounds);
  void begin_wait(llvm::CallInst &call);
  void end_wait(llvm::CallInst &call);
  void add_wait(llvm::CallInst &call);
  void add_end();
  void find_values();
  void keep(Point &point, Instruction &value);
  bool can_repeat(Instruction &value, unsigned depth);
  Value *repeat(Instruction &value, std::map<Instruction *, Value *> &known);
  void keep_on_stack();
  void make_places();
  void connect(Point &point, uint32_t number);
  llvm::Type *type_in_frame(const Point &point, Instruction *value);
  void lay_out_frames();
  void copy_private_variables(const Point &point, bool saves);
  void save(const Point &point, uint32_t number);
  void restore(const Point &point);
  void make_scheduler();
  void copy_local_memory(bool saves);
  void remove_lifetimes();

  void for_local_memory(llvm::function_ref<void(llvm::GlobalVariable &, Value *, uint64_t)> visit);
  void note_contents();
  Value *place_in_frame(uint64_t offset);
  llvm::CallInst *call(const char *name, llvm::Type *result, llvm::ArrayRef<Value *> arguments);
  uint64_t size_of(llvm::Type *type) const {
    return module_.getDataLayout().getTypeAllocSize(type);
  }
  BasicBlock *block(const char *name) {
    return BasicBlock::Create(kernel_.getContext(), name, &kernel_);
  }

  llvm::Function &kernel_;
  llvm::Module &module_;
  llvm::Argument &pool_;
  llvm::IRBuilder<> builder_;
  GroupFrames frames_;
  std::vector<Point> points_;
  bool is_fair_ = false; // a wait also writes, and may take a lock in each round
  BasicBlock *begin_ = nullptr, *old_entry_ = nullptr;
  BasicBlock *next_ = nullptr, *places_ = nullptr, *suspend_ = nullptr, *resume_ = nullptr;
  BasicBlock *stay_ = nullptr; // meet again, at the same point
  llvm::AllocaInst *group_ = nullptr, *vote_number_ = nullptr;
  // A sum over the work-item's part of local memory at the last rendezvous of a wait. Null: no wait
  // writes there.
  llvm::AllocaInst *contents_ = nullptr;
  llvm::SmallVector<llvm::AllocaInst *> private_;
  std::map<const llvm::AllocaInst *, uint64_t> private_places_;
  std::map<uint64_t, Site> sites_;
  std::map<Instruction *, llvm::AllocaInst *> stack_; // of values that are kept
  llvm::SwitchInst *states_ = nullptr;                // of groups that are resumed
  llvm::SwitchInst *ways_ = nullptr; // from places_, by result and number of the point
  // What places_ gets: number of the point, kind, votes, address, value, bytes, site.
  std::array<llvm::PHINode *, 7> met_{};
};

llvm::CallInst *Persistent::call(const char *name, llvm::Type *result,
                                 llvm::ArrayRef<Value *> arguments) {
  llvm::SmallVector<llvm::Type *> types;
  for (const Value *argument : arguments)
    types.push_back(argument->getType());
  auto *made = builder_.CreateCall(
      module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
  made->setConvergent();
  return made;
}

// ---- points

void Persistent::make_begin() {
  old_entry_ = &kernel_.getEntryBlock();
  begin_ = BasicBlock::Create(kernel_.getContext(), "begin", &kernel_, old_entry_);
  for (Instruction &instruction : llvm::make_early_inc_range(*old_entry_))
    if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      variable->moveBefore(*begin_, begin_->end());
      private_.push_back(variable);
    }
  builder_.SetInsertPoint(begin_);
  group_ = builder_.CreateAlloca(builder_.getInt32Ty(), nullptr, "group");
  vote_number_ = builder_.CreateAlloca(builder_.getInt32Ty(), nullptr, "turn");
  builder_.CreateStore(builder_.getInt32(0), vote_number_);
  if (module_.getNamedMetadata(waits_write_local_metadata))
    contents_ = builder_.CreateAlloca(builder_.getInt32Ty(), nullptr, "contents");
  if (llvm::Function *number = module_.getFunction("lockstep_nvidia_current_group"))
    for (llvm::User *user : llvm::make_early_inc_range(number->users())) {
      auto *query = llvm::cast<llvm::CallInst>(user);
      query->replaceAllUsesWith(
          new llvm::LoadInst(query->getType(), group_, "group", query->getIterator()));
      query->eraseFromParent();
    }
}

void Persistent::add_rendezvous(llvm::CallInst &call, Kind kind) {
  BasicBlock *rendezvous = call.getParent()->splitBasicBlock(&call, "rendezvous");
  BasicBlock *rest = rendezvous->splitBasicBlock(call.getNextNode(), "met");
  call.eraseFromParent();
  points_.push_back({.kind = kind, .rendezvous = rendezvous, .rest = rest});
}

Site &Persistent::site_of(const llvm::CallInst &call) {
  Site &site = sites_[llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue()];
  if (site.has_met)
    return site;
  builder_.SetInsertPoint(begin_);
  llvm::Type *const number = builder_.getInt32Ty();
  site.has_met = builder_.CreateAlloca(builder_.getInt1Ty(), nullptr, "has_met");
  site.value = builder_.CreateAlloca(builder_.getInt64Ty(), nullptr, "value");
  site.left = builder_.CreateAlloca(number, nullptr, "left");
  site.span = builder_.CreateAlloca(number, nullptr, "span");
  builder_.CreateStore(builder_.getFalse(), site.has_met);
  builder_.CreateStore(builder_.getInt64(0), site.value);
  set_span(site, builder_.getInt32(least_rounds));
  return site;
}

void Persistent::set_span(const Site &site, Value *rounds) {
  builder_.CreateStore(rounds, site.left);
  builder_.CreateStore(rounds, site.span);
}

void Persistent::begin_wait(llvm::CallInst &call) {
  const Site &site = site_of(call);
  builder_.SetInsertPoint(&call);
  builder_.CreateStore(builder_.getFalse(), site.has_met);
  set_span(site, builder_.getInt32(least_rounds));
  call.eraseFromParent();
}

void Persistent::end_wait(llvm::CallInst &call) {
  const Site &site = site_of(call);
  builder_.SetInsertPoint(&call);
  this->call("lockstep_nvidia_wait_ended", builder_.getVoidTy(),
             {&pool_, builder_.CreateLoad(builder_.getInt1Ty(), site.has_met)});
  call.eraseFromParent();
}

void Persistent::add_wait(llvm::CallInst &call) {
  const Site &site = site_of(call);
  llvm::Type *const number = builder_.getInt32Ty();
  BasicBlock *round = call.getParent(), *rest = round->splitBasicBlock(&call, "wait_on");
  BasicBlock *rendezvous = block("wait"), *waited = block("waited"); // rest may have phis
  round->getTerminator()->eraseFromParent();
  builder_.SetInsertPoint(round);
  Value *left = builder_.CreateSub(builder_.CreateLoad(number, site.left), builder_.getInt32(1));
  builder_.CreateStore(left, site.left);
  builder_.CreateCondBr(builder_.CreateIsNull(left), rendezvous, rest);
  builder_.SetInsertPoint(rendezvous);
  Value *seen = call.getArgOperand(2);
  Value *bytes = call.getArgOperand(3),
        *changed = builder_.CreateOr(
            builder_.CreateNot(builder_.CreateLoad(builder_.getInt1Ty(), site.has_met)),
            builder_.CreateICmpNE(seen, builder_.CreateLoad(builder_.getInt64Ty(), site.value)));
  if (always_changes_at(call)) {
    changed = builder_.getTrue();
    bytes = builder_.getInt32(0);
  }
  builder_.CreateStore(builder_.getTrue(), site.has_met);
  builder_.CreateStore(seen, site.value);
  set_span(
      site,
      builder_.CreateBinaryIntrinsic(
          llvm::Intrinsic::umin, builder_.CreateShl(builder_.CreateLoad(number, site.span), 1),
          this->call("lockstep_nvidia_most_rounds", number, {&pool_, builder_.getInt1(is_fair_)})));
  llvm::CallInst *use =
      this->call("lockstep_nvidia_waits_for", builder_.getVoidTy(),
                 {changed, call.getArgOperand(1), seen, bytes, call.getArgOperand(0)});
  builder_.CreateBr(waited);
  builder_.SetInsertPoint(waited);
  builder_.CreateBr(rest);
  points_.push_back({.kind = waiting, .rendezvous = rendezvous, .rest = waited, .wait = use});
  call.eraseFromParent();
}

void Persistent::add_end() {
  BasicBlock *end = block("end");
  for (BasicBlock &each : kernel_)
    if (auto *leave = llvm::dyn_cast<llvm::ReturnInst>(each.getTerminator())) {
      llvm::BranchInst::Create(end, leave->getIterator());
      leave->eraseFromParent();
    }
  builder_.SetInsertPoint(end);
  builder_.CreateUnreachable();
  points_.push_back({.kind = done, .rendezvous = end});
}

void Persistent::collect_points() {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (Instruction &instruction : llvm::instructions(kernel_))
    if (auto *each = llvm::dyn_cast<llvm::CallInst>(&instruction))
      calls.push_back(each);
  is_fair_ = llvm::any_of(calls, [](const llvm::CallInst *each) {
    return each->getCalledFunction() && each->getCalledFunction()->getName() == wait_function &&
           always_changes_at(*each);
  });
  for (llvm::CallInst *each : calls) {
    const llvm::Function *callee = each->getCalledFunction();
    if (!callee)
      continue;
    const llvm::StringRef name = callee->getName();
    if (callee->getIntrinsicID() == llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all ||
        callee->getIntrinsicID() == llvm::Intrinsic::nvvm_barrier_cta_sync_all)
      add_rendezvous(*each, at_barrier);
    else if (name == sub_group_rendezvous_function)
      add_rendezvous(*each, at_sub_group);
    else if (name == wait_function)
      add_wait(*each);
    else if (name == wait_begins_function)
      begin_wait(*each);
    else if (name == wait_ends_function)
      end_wait(*each);
  }
  add_end();
  builder_.SetInsertPoint(begin_);
  builder_.CreateBr(old_entry_); // for now
  llvm::SmallVector<llvm::AllocaInst *> kept;
  for (const auto &[number, site] : sites_)
    kept.append({site.has_met, site.value});
  llvm::DominatorTree tree(kernel_);
  llvm::PromoteMemToReg(kept, tree);
}

// ---- values

bool Persistent::can_repeat(Instruction &value, unsigned depth) {
  return depth != 0 && is_cheap(value, group_) &&
         llvm::all_of(value.operands(), [&](const llvm::Use &operand) {
           auto *of_kernel = llvm::dyn_cast<Instruction>(operand.get());
           return !of_kernel || llvm::isa<llvm::AllocaInst>(of_kernel) ||
                  can_repeat(*of_kernel, depth - 1);
         });
}

Value *Persistent::repeat(Instruction &value, std::map<Instruction *, Value *> &known) {
  if (llvm::isa<llvm::AllocaInst>(value))
    return &value;
  Value *&repeated = known[&value];
  if (repeated)
    return repeated;
  Instruction *copy = value.clone();
  for (llvm::Use &operand : copy->operands())
    if (auto *before = llvm::dyn_cast<Instruction>(operand.get()))
      operand.set(repeat(*before, known));
  return known[&value] = builder_.Insert(copy, value.getName());
}

void Persistent::find_values() {
  LiveValues live(kernel_, [](const Instruction &instruction) {
    return !llvm::isa<llvm::AllocaInst>(instruction) && !instruction.getType()->isVoidTy() &&
           !instruction.getType()->isTokenTy();
  });
  for (Point &point : points_) {
    point.resumption = block("resumed");
    if (point.kind == done)
      continue;
    builder_.SetInsertPoint(point.resumption);
    std::map<Instruction *, Value *> known;
    for (Instruction *value : live.at(point.rest))
      if (can_repeat(*value, longest_chain))
        point.repeated.emplace_back(value, repeat(*value, known));
      else
        keep(point, *value);
  }
}

void Persistent::keep(Point &point, Instruction &value) {
  point.kept.push_back(&value);
  if (!value.getType()->isPointerTy())
    return;
  llvm::SmallVector<const Value *> objects;
  llvm::getUnderlyingObjects(&value, objects, nullptr, /*MaxLookup=*/0);
  if (objects.size() != 1)
    return;
  if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(const_cast<Value *>(objects.front())))
    point.private_pointers[&value] = variable;
}

// The same values may come from a resumption.
void Persistent::keep_on_stack() {
  llvm::SmallSetVector<Instruction *, 16> values;
  for (const Point &point : points_) {
    values.insert(point.kept.begin(), point.kept.end());
    for (const auto &each : point.repeated)
      values.insert(each.first);
  }
  for (Instruction *value : values)
    stack_[value] = llvm::DemoteRegToStack(*value, /*VolatileLoads=*/false,
                                           begin_->getTerminator()->getIterator());
}

// ---- code

Value *Persistent::place_in_frame(uint64_t offset) {
  Value *slot = call("lockstep_nvidia_slot", builder_.getPtrTy(global_space), {&pool_});
  Value *begin = builder_.CreateMul(call("lockstep_nvidia_item", builder_.getInt64Ty(), {}),
                                    builder_.getInt64(frames_.item_bytes));
  Value *frame = builder_.CreateGEP(builder_.getInt8Ty(), slot, begin);
  return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), frame, offset);
}

llvm::Type *Persistent::type_in_frame(const Point &point, Instruction *value) {
  return point.private_pointers.contains(value) ? builder_.getInt64Ty() : value->getType();
}

// A frame has the number of the work-item's point, private variables, and the values that the point
// keeps.
void Persistent::lay_out_frames() {
  const llvm::DataLayout &layout = module_.getDataLayout();
  FrameLayout common(layout, sizeof(uint32_t));
  for (llvm::AllocaInst *variable : private_)
    private_places_[variable] =
        common.place(*variable->getAllocationSize(layout), variable->getAlign());
  for (Point &point : points_) {
    FrameLayout places = common;
    for (Instruction *value : point.kept)
      point.places.push_back(places.place(type_in_frame(point, value)));
    frames_.item_bytes = std::max(frames_.item_bytes, llvm::alignTo(places.end(), 16));
  }
}

void Persistent::copy_private_variables(const Point &point, bool saves) {
  if (point.kind == done)
    return;
  for (llvm::AllocaInst *variable : private_) {
    Value *place = place_in_frame(private_places_.at(variable));
    const llvm::Align alignment = std::min(variable->getAlign(), llvm::Align(16));
    builder_.CreateMemCpy(saves ? place : variable, alignment, saves ? variable : place, alignment,
                          *variable->getAllocationSize(module_.getDataLayout()));
  }
}

void Persistent::save(const Point &point, uint32_t number) {
  builder_.CreateStore(builder_.getInt32(number), place_in_frame(0));
  copy_private_variables(point, /*saves=*/true);
  for (const auto [value, place] : llvm::zip_equal(point.kept, point.places)) {
    llvm::Type *type = type_in_frame(point, value);
    Value *saved = builder_.CreateLoad(value->getType(), stack_.at(value));
    if (const auto variable = point.private_pointers.find(value);
        variable != point.private_pointers.end())
      saved = builder_.CreateSub(
          builder_.CreatePtrToInt(saved, type),
          builder_.CreatePtrToInt(builder_.CreateAddrSpaceCast(variable->second, saved->getType()),
                                  type));
    builder_.CreateStore(saved, place_in_frame(place));
  }
}

void Persistent::restore(const Point &point) {
  copy_private_variables(point, /*saves=*/false);
  for (const auto [value, place] : llvm::zip_equal(point.kept, point.places)) {
    Value *saved = builder_.CreateLoad(type_in_frame(point, value), place_in_frame(place));
    if (const auto variable = point.private_pointers.find(value);
        variable != point.private_pointers.end())
      saved = builder_.CreateGEP(builder_.getInt8Ty(),
                                 builder_.CreateAddrSpaceCast(variable->second, value->getType()),
                                 saved);
    builder_.CreateStore(saved, stack_.at(value));
  }
  for (const auto &[value, again] : point.repeated)
    builder_.CreateStore(again, stack_.at(value));
  for (const auto &[site, variables] : sites_)
    set_span(variables, builder_.getInt32(least_rounds));
  builder_.CreateBr(point.kind == waiting ? point.rest : point.rendezvous);
}

void Persistent::make_places() {
  builder_.SetInsertPoint(places_);
  llvm::Type *const number = builder_.getInt32Ty(), *const word = builder_.getInt64Ty();
  const std::array<llvm::Type *, 7> types = {number, number, number, word, word, number, number};
  for (unsigned i = 0; i != types.size(); ++i)
    met_[i] = builder_.CreatePHI(types[i], unsigned(points_.size()));
  const bool has_sub_groups =
      llvm::any_of(points_, [](const Point &each) { return each.kind == at_sub_group; });
  BasicBlock *const waiting_on = block("waiting"), *const decided = block("decided");
  Value *early = call("lockstep_nvidia_meet", number,
                      {vote_number_, met_[2], met_[1], builder_.getInt1(has_sub_groups)});
  builder_.CreateCondBr(builder_.CreateICmpEQ(early, builder_.getInt32(undecided)), waiting_on,
                        decided);
  builder_.SetInsertPoint(waiting_on);
  Value *has_written = builder_.getFalse();
  if (contents_) {
    Value *before = builder_.CreateLoad(number, contents_);
    note_contents();
    has_written = builder_.CreateICmpNE(before, builder_.CreateLoad(number, contents_));
  }
  Value *late = call("lockstep_nvidia_meet_in_wait", number,
                     {&pool_, vote_number_, met_[2], has_written, builder_.getInt1(is_fair_)});
  builder_.CreateBr(decided);
  builder_.SetInsertPoint(decided);
  llvm::PHINode *result = builder_.CreatePHI(number, 2);
  result->addIncoming(early, places_);
  result->addIncoming(late, waiting_on);
  BasicBlock *never = block("no_place");
  ways_ = builder_.CreateSwitch(
      builder_.CreateAdd(builder_.CreateMul(result, builder_.getInt32(uint32_t(points_.size()))),
                         met_[0]),
      never);
  builder_.SetInsertPoint(never);
  builder_.CreateUnreachable();
  builder_.SetInsertPoint(stay_);
  Value *votes =
      call("lockstep_nvidia_meet_first", number, {vote_number_, met_[1], builder_.getTrue()});
  builder_.CreateBr(places_);
  for (llvm::PHINode *each : met_)
    each->addIncoming(each == met_[2] ? votes : each, stay_);
}

// Fills the block of the rendezvous, and connects it with places_.
void Persistent::connect(Point &point, uint32_t number) {
  Value *const nothing = builder_.getInt64(0), *const zero = builder_.getInt32(0);
  std::array<Value *, 5> wait = {builder_.getFalse(), nothing, nothing, zero, zero};
  if (point.wait) {
    std::copy(point.wait->arg_begin(), point.wait->arg_end(), wait.begin());
    point.wait->eraseFromParent();
  }
  point.rendezvous->getTerminator()->eraseFromParent();
  builder_.SetInsertPoint(point.rendezvous);
  Value *votes = call("lockstep_nvidia_meet_first", builder_.getInt32Ty(),
                      {vote_number_, builder_.getInt32(point.kind), wait[0]});
  wait[0] = votes;
  if (point.kind == at_barrier)
    builder_.CreateCondBr(builder_.CreateIsNull(votes), point.rest, places_);
  else
    builder_.CreateBr(places_);
  met_[0]->addIncoming(builder_.getInt32(number), point.rendezvous);
  met_[1]->addIncoming(builder_.getInt32(point.kind), point.rendezvous);
  for (unsigned i = 0; i != wait.size(); ++i)
    met_[2 + i]->addIncoming(wait[i], point.rendezvous);

  BasicBlock *saving = block("suspended");
  const auto add_way = [&](Result result, BasicBlock *to) {
    ways_->addCase(builder_.getInt32(result * uint32_t(points_.size()) + number), to);
  };
  add_way(stay, stay_);
  add_way(again, point.kind == waiting ? point.rest : point.rendezvous);
  add_way(suspended, saving);
  add_way(passed, point.kind == done ? point.rendezvous : point.rest);
  if (point.kind == done)
    add_way(finished, next_);
  states_->addCase(builder_.getInt32(number), point.resumption);
  builder_.SetInsertPoint(saving);
  save(point, number);
  builder_.CreateBr(suspend_);
  builder_.SetInsertPoint(point.resumption);
  restore(point);
}

// Each local variable, its bytes, and its place in the frames' last part.
void Persistent::for_local_memory(
    llvm::function_ref<void(llvm::GlobalVariable &, Value *, uint64_t)> visit) {
  uint64_t end = 0;
  llvm::GlobalVariable *dynamic = nullptr;
  for (llvm::GlobalVariable &variable : module_.globals()) {
    if (variable.getAddressSpace() != local_space || variable.use_empty())
      continue;
    if (!variable.hasInitializer()) {
      dynamic = &variable;
      continue;
    }
    const uint64_t bytes = size_of(variable.getValueType());
    visit(variable, builder_.getInt32(uint32_t(bytes)), end);
    end = llvm::alignTo(end + bytes, 16);
  }
  frames_.local_bytes = end;
  if (dynamic)
    visit(*dynamic, call("lockstep_nvidia_dynamic_bytes", builder_.getInt32Ty(), {}), end);
}

void Persistent::copy_local_memory(bool saves) {
  Value *slot = call("lockstep_nvidia_slot", builder_.getPtrTy(global_space), {&pool_});
  slot = builder_.CreateGEP(
      builder_.getInt8Ty(), slot,
      builder_.CreateMul(call("lockstep_nvidia_items", builder_.getInt64Ty(), {}),
                         builder_.getInt64(frames_.item_bytes)));
  for_local_memory([&](llvm::GlobalVariable &variable, Value *bytes, uint64_t offset) {
    Value *place = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), slot, offset);
    if (saves)
      call("lockstep_nvidia_save_local", builder_.getVoidTy(), {place, &variable, bytes});
    else
      call("lockstep_nvidia_restore_local", builder_.getVoidTy(), {&variable, place, bytes});
  });
}

void Persistent::note_contents() {
  Value *sum = builder_.getInt32(0);
  for_local_memory([&](llvm::GlobalVariable &variable, Value *bytes, uint64_t offset) {
    if (!variable.getName().starts_with("lockstep.")) // the scratch memory of collectives
      sum = call("lockstep_nvidia_sum_local", builder_.getInt32Ty(),
                 {sum, &variable, bytes, builder_.getInt32(uint32_t(offset))});
  });
  builder_.CreateStore(sum, contents_);
}

void Persistent::make_scheduler() {
  begin_->getTerminator()->eraseFromParent();
  builder_.SetInsertPoint(begin_);
  call("lockstep_nvidia_begin_block", builder_.getVoidTy(), {});
  builder_.CreateBr(next_);

  builder_.SetInsertPoint(next_);
  llvm::PHINode *last = builder_.CreatePHI(builder_.getInt32Ty(), 3, "last");
  last->addIncoming(builder_.getInt32(passed), begin_);
  last->addIncoming(builder_.getInt32(suspended), suspend_);
  last->addIncoming(builder_.getInt32(finished), ways_->getParent());
  Value *next = call("lockstep_nvidia_next_group", builder_.getInt32Ty(), {&pool_, last});
  builder_.CreateStore(call("lockstep_nvidia_current_group", builder_.getInt32Ty(), {}), group_);
  BasicBlock *end = block("no_more");
  llvm::SwitchInst *ways = builder_.CreateSwitch(next, end);
  ways->addCase(builder_.getInt32(new_group), old_entry_);
  ways->addCase(builder_.getInt32(old_group), resume_);
  builder_.SetInsertPoint(end);
  builder_.CreateRetVoid();

  builder_.SetInsertPoint(suspend_);
  copy_local_memory(/*saves=*/true);
  call("lockstep_nvidia_suspend", builder_.getVoidTy(),
       {&pool_, builder_.CreateICmpEQ(met_[1], builder_.getInt32(waiting)), met_[3], met_[4],
        met_[5], met_[6]});
  builder_.CreateBr(next_);

  builder_.SetInsertPoint(states_);
  copy_local_memory(/*saves=*/false);
  call("llvm.nvvm.barrier.cta.sync.all", builder_.getVoidTy(), {builder_.getInt32(0)});
  if (contents_)
    note_contents();
  states_->setCondition(builder_.CreateLoad(builder_.getInt32Ty(), place_in_frame(0)));
}

// A suspended group keeps all private variables.
void Persistent::remove_lifetimes() {
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(kernel_)))
    if (instruction.isLifetimeStartOrEnd())
      instruction.eraseFromParent();
}

GroupFrames Persistent::run() {
  remove_lifetimes();
  make_begin();
  collect_points();
  find_values();
  lay_out_frames();
  keep_on_stack();
  next_ = block("next");
  places_ = block("places");
  stay_ = block("stay");
  suspend_ = block("suspend");
  resume_ = block("resume");
  make_places();
  builder_.SetInsertPoint(resume_);
  states_ =
      builder_.CreateSwitch(llvm::PoisonValue::get(builder_.getInt32Ty()), ways_->getDefaultDest());
  for (uint32_t i = 0; i != points_.size(); ++i)
    connect(points_[i], i);
  make_scheduler();
  return frames_;
}

// Links the functions that the code calls, for the kernel's processor and mode.
void link_scheduler(llvm::Module &module, llvm::Function &kernel) {
  link_functions(module, nvidia_persistent_groups_bitcode(), "persistent groups");
  llvm::GlobalVariable &control = *module.getGlobalVariable("lockstep_control");
  control.setInitializer(llvm::UndefValue::get(control.getValueType()));
  llvm::internalizeModule(module,
                          [&](const llvm::GlobalValue &value) { return &value == &kernel; });
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || &function == &kernel)
      continue;
    for (const char *name : {"target-cpu", "target-features", "denormal-fp-math-f32"}) {
      function.removeFnAttr(name);
      if (const llvm::Attribute wanted = kernel.getFnAttribute(name); wanted.isValid())
        function.addFnAttr(wanted);
    }
    use_gpu_scopes(function);
  }
}

} // namespace

llvm::PreservedAnalyses MakePersistentPass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &analyses) {
  llvm::Function &kernel = *gpu_kernel(module);
  llvm::Argument *const pool = llvm::find_if(kernel.args(), [](const llvm::Argument &argument) {
    return argument.getParent()->getAttributes().hasParamAttr(argument.getArgNo(), pool_attribute);
  });
  frames_ = Persistent(kernel, *pool).run();
  link_scheduler(module, kernel);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  llvm::FunctionPassManager of_kernel;
  of_kernel.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  of_kernel.addPass(llvm::EarlyCSEPass());
  of_kernel.addPass(llvm::SimplifyCFGPass());
  of_kernel.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(of_kernel)));
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, analyses);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
