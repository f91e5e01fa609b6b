// Converts the function of one sub-group to an LLVM coroutine.
//
// Input:  `@lockstep.sub_group(launch, group, frame, sub_group)` as lower-launch leaves it; local
//         memory is allocated.
// Output: the same function with coroutine intrinsics (llvm.coro.*), ready for CoroSplit.
//         `__lockstep_suspend` becomes llvm.coro.suspend, `__lockstep_before_lock` becomes one if the
//         launch wants that, `__lockstep_seen` writes the wait record, and the return reports
//         Step::done. An addition with `lockstep.batched` becomes a request to the launch, if the
//         launch wants that. An addition that is the last effect of a whole
//         group is left to the launch (last_additions.h).
//
// The caller provides the frame, whose head is SubGroupFrame (resumable_abi.h). LLVM places its two
// function pointers first and the coroutine's promise right behind them, so the promise is the rest
// of the head. A coroutine is never destroyed: frames own nothing that needs cleanup.
//
// Private variables that are live across a suspension are in the frame, which is heap memory. So
// this pass lowers the query for the address space of a generic pointer
// (lockstep_address_space_of): it checks the frame first, then calls the host for stack and local
// memory.
#include "compiler/waits/suspension/passes.h"

#include "abi/resumable_abi.h"
#include "compiler/analysis/stack_size.h"
#include "compiler/waits/analysis/loop_slice.h"
#include "compiler/waits/suspension/finish_coroutine.h"
#include "compiler/waits/suspension/last_additions.h"
#include "compiler/waits/suspension/suspension_sites.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/NoFolder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

using llvm::Intrinsic::ID;

constexpr uint64_t promise_offset = offsetof(SubGroupFrame, site); // behind two pointers
static_assert(promise_offset == 2 * sizeof(void *));
constexpr uint64_t promise_size = sizeof(SubGroupFrame) - promise_offset;

class Maker {
public:
  Maker(llvm::Function &function, bool on_stack, llvm::ArrayRef<llvm::AtomicRMWInst *> last)
      : function_(function), context_(function.getContext()), builder_(context_),
        last_additions_(last), on_stack_(on_stack) {}

  void run() {
    for (llvm::Instruction &instruction : llvm::instructions(function_))
      collect(instruction);
    if (on_stack_)
      make_on_stack();
    else
      make_coroutine();
    for (auto attribute : {llvm::Attribute::Memory, llvm::Attribute::NoSync,
                           llvm::Attribute::WillReturn, llvm::Attribute::Convergent})
      function_.removeFnAttr(attribute);
  }

private:
  void make_on_stack() {
    handle_ = function_.getArg(2);
    builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    record_frame_facts(builder_, builder_.getInt64(sizeof(SubGroupFrame)),
                       builder_.getInt64(alignof(SubGroupFrame)));
    function_.addFnAttr(own_stack_bytes, llvm::utostr(stack_size(function_)));
    for (llvm::ReturnInst *end : returns_) {
      builder_.SetInsertPoint(end);
      put_step_done();
    }
    for (llvm::CallInst *call : calls_)
      lower(*call);
    for (llvm::Instruction *write : writes_)
      record_address_of(*write);
  }

  void make_coroutine() {
    begin();
    end_ = llvm::BasicBlock::Create(context_, "suspended", &function_);
    never_ = llvm::BasicBlock::Create(context_, "destroyed", &function_);
    new llvm::UnreachableInst(context_, never_);
    for (llvm::ReturnInst *end : returns_)
      finish(*end);
    for (llvm::CallInst *call : calls_)
      lower(*call);
    for (llvm::Instruction *write : writes_)
      record_address_of(*write);
    for (llvm::AtomicRMWInst *update : updates_)
      request(*update);
    for (llvm::AtomicRMWInst *addition : last_additions_)
      leave_to_launch(*addition);
    if (!updates_.empty())
      function_.addFnAttr(may_batch_updates);
    builder_.SetInsertPoint(end_);
    intrinsic(llvm::Intrinsic::coro_end,
              {handle_, builder_.getFalse(), llvm::ConstantTokenNone::get(context_)});
    builder_.CreateRetVoid();
    function_.setPresplitCoroutine();
  }

  void collect(llvm::Instruction &instruction) {
    if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(&instruction))
      returns_.push_back(end);
    if (may_end_a_wait(instruction))
      writes_.push_back(&instruction);
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        update && update->hasMetadata(batched_update_metadata))
      updates_.push_back(update);
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getCalledFunction())
      return;
    auto primitive = called_primitive(*call);
    if (primitive == Primitive::seen || primitive == Primitive::ends_with ||
        primitive == Primitive::before_lock || primitive == Primitive::suspend ||
        primitive == Primitive::watched ||
        call->getCalledFunction()->getName() == "lockstep_address_space_of")
      calls_.push_back(call);
  }

  static bool is_seen_by_other_groups(const llvm::Value *pointer) {
    return !is_private(pointer) && !is_local(pointer);
  }

  // True for a write that may end a wait of another group.
  static bool may_end_a_wait(const llvm::Instruction &instruction) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!(store ? !store->isSimple() || is_beside_fence(*store)
                : llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)))
      return false;
    return is_seen_by_other_groups(*written_by(instruction));
  }

  // OpenCL 1.x programs set a flag this way: a fence orders the flag behind the data, or publishes
  // it.
  static bool is_beside_fence(const llvm::StoreInst &store) {
    auto finds_fence = [](const llvm::Instruction *at, auto step) {
      for (at = step(at); at; at = step(at)) {
        if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(at))
          return llvm::isReleaseOrStronger(fence->getOrdering());
        auto *other = llvm::dyn_cast<llvm::StoreInst>(at);
        if (other && is_seen_by_other_groups(other->getPointerOperand()))
          return false;
      }
      return false;
    };
    return finds_fence(&store, [](auto *at) { return at->getNextNode(); }) ||
           finds_fence(&store, [](auto *at) { return at->getPrevNode(); });
  }

  llvm::CallInst *intrinsic(ID id, llvm::ArrayRef<llvm::Value *> arguments,
                            llvm::ArrayRef<llvm::Type *> types = {}) {
    auto *function = llvm::Intrinsic::getOrInsertDeclaration(function_.getParent(), id, types);
    return builder_.CreateCall(function, arguments);
  }

  void begin() {
    llvm::BasicBlock &entry = function_.getEntryBlock();
    builder_.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    auto *promise =
        builder_.CreateAlloca(llvm::ArrayType::get(builder_.getInt64Ty(), promise_size / 8));
    promise->setAlignment(llvm::Align(8));
    promise->setName("promise");
    llvm::Value *null = llvm::ConstantPointerNull::get(builder_.getPtrTy());
    llvm::CallInst *id =
        intrinsic(llvm::Intrinsic::coro_id, {builder_.getInt32(16), promise, null, null});
    handle_ = intrinsic(llvm::Intrinsic::coro_begin, {id, function_.getArg(2)});
    llvm::Type *word = builder_.getInt64Ty();
    size_ = intrinsic(llvm::Intrinsic::coro_size, {}, {word});
    record_frame_facts(builder_, size_, intrinsic(llvm::Intrinsic::coro_align, {}, {word}));
  }

  void put(uint64_t offset, llvm::Value *value) {
    builder_.CreateAlignedStore(
        value, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), handle_, offset),
        llvm::commonAlignment(llvm::Align(8), offset));
  }

  void put_step_done() {
    put(offsetof(SubGroupFrame, step), builder_.getInt32(static_cast<uint32_t>(Step::done)));
  }

  void finish(llvm::ReturnInst &end) {
    builder_.SetInsertPoint(&end);
    put_step_done();
    builder_.CreateBr(end_);
    end.eraseFromParent();
  }

  void lower(llvm::CallInst &call) {
    builder_.SetInsertPoint(&call);
    builder_.SetCurrentDebugLocation(call.getDebugLoc());
    if (called_primitive(call) == Primitive::suspend)
      lower_suspend(call);
    else if (called_primitive(call) == Primitive::seen)
      lower_seen(call);
    else if (called_primitive(call) == Primitive::ends_with)
      lower_ends_with(call);
    else if (called_primitive(call) == Primitive::before_lock)
      lower_before_lock(call);
    else if (called_primitive(call) == Primitive::watched)
      call.replaceAllUsesWith(builder_.CreateIsNotNull(load_listener(), "watched"));
    else
      return lower_address_space_of(call);
    call.eraseFromParent();
  }

  void lower_seen(llvm::CallInst &call) {
    constexpr uint64_t record = offsetof(SubGroupFrame, wait);
    put(record + offsetof(WaitRecord, address),
        builder_.CreateAddrSpaceCast(call.getArgOperand(0), builder_.getPtrTy()));
    put(record + offsetof(WaitRecord, seen), call.getArgOperand(1));
    put(record + offsetof(WaitRecord, which), call.getArgOperand(2));
    if (!call.hasFnAttr(wait_record_is_complete))
      record_wait(call);
  }

  void lower_ends_with(llvm::CallInst &call) {
    constexpr uint64_t record = offsetof(SubGroupFrame, wait);
    put(record + offsetof(WaitRecord, wanted), call.getArgOperand(0));
    put(record + offsetof(WaitRecord, which), call.getArgOperand(1));
  }

  llvm::Value *load_pointer(uint64_t offset, const llvm::Twine &name) {
    llvm::Value *place = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), handle_, offset);
    return builder_.CreateAlignedLoad(builder_.getPtrTy(), place, llvm::Align(8), name);
  }

  llvm::Value *load_listener() { return load_pointer(offsetof(SubGroupFrame, on_seen), "on.seen"); }

  // Reports every value that is read to the listener, which is set during a search for deadlocks.
  // Otherwise only the last value is recorded.
  void record_wait(llvm::CallInst &call) {
    llvm::Type *pointer = builder_.getPtrTy();
    llvm::Value *listener = load_listener();
    llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(
        builder_.CreateIsNotNull(listener), call.getIterator(), /*Unreachable=*/false,
        llvm::MDBuilder(context_).createUnlikelyBranchWeights());
    builder_.SetInsertPoint(then);
    builder_.SetCurrentDebugLocation(call.getDebugLoc());
    auto *type = llvm::FunctionType::get(
        builder_.getVoidTy(), {pointer, pointer, builder_.getInt64Ty(), builder_.getInt32Ty()},
        /*isVarArg=*/false);
    llvm::Value *address = builder_.CreateAddrSpaceCast(call.getArgOperand(0), pointer);
    builder_
        .CreateCall(type, listener,
                    {handle_, address, call.getArgOperand(1), call.getArgOperand(2)})
        ->setDoesNotThrow();
  }

  void record_address_of(llvm::Instruction &write) {
    builder_.SetInsertPoint(write.getNextNode());
    builder_.SetCurrentDebugLocation(write.getDebugLoc());
    constexpr uint64_t wrote = offsetof(SubGroupFrame, wrote);
    llvm::Value *pointer = builder_.CreateAddrSpaceCast(
        const_cast<llvm::Value *>(*written_by(write)), builder_.getPtrTy());
    if (!write.use_empty()) {
      llvm::Value *before = load_pointer(wrote, "wrote");
      pointer = builder_.CreateSelect(builder_.CreateIsNull(before), pointer, before);
    }
    put(wrote, pointer);
  }

  void lower_suspend(llvm::CallInst &call) {
    put(offsetof(SubGroupFrame, step), call.getArgOperand(0));
    put(offsetof(SubGroupFrame, site), call.getArgOperand(1));
    auto *step = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0));
    if (step->getZExtValue() == static_cast<uint64_t>(Step::waiting))
      put(offsetof(SubGroupFrame, wait) + offsetof(WaitRecord, changed),
          builder_.CreateZExt(call.getArgOperand(2), builder_.getInt32Ty()));
    if (on_stack_) {
      builder_.CreateCall(function_.getParent()->getOrInsertFunction(
                              "lockstep_leave_stack", builder_.getVoidTy(), builder_.getPtrTy()),
                          {handle_});
      return;
    }
    suspend_before(call);
  }

  void suspend_before(llvm::Instruction &next) {
    llvm::BasicBlock *block = next.getParent();
    llvm::BasicBlock *resumed = block->splitBasicBlock(next.getIterator(), "resumed");
    block->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(block);
    llvm::CallInst *how = intrinsic(llvm::Intrinsic::coro_suspend,
                                    {llvm::ConstantTokenNone::get(context_), builder_.getFalse()});
    auto *choice = builder_.CreateSwitch(how, end_, 2);
    choice->addCase(builder_.getInt8(0), resumed);
    choice->addCase(builder_.getInt8(1), never_);
  }

  llvm::Value *place_in_request(uint64_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), handle_,
                                               offsetof(SubGroupFrame, update) + offset);
  }

  llvm::Value *may_request() {
    llvm::Value *state = builder_.CreateAlignedLoad(
        builder_.getInt32Ty(), place_in_request(offsetof(UpdateRequest, state)), llvm::Align(4));
    return builder_.CreateICmpEQ(state, builder_.getInt32(UpdateRequest::may_request),
                                 "may.request");
  }

  // The launch decides with each start whether the group stops here.
  void lower_before_lock(llvm::CallInst &call) {
    if (on_stack_)
      return;
    function_.addFnAttr(stops_before_locks);
    llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(may_request(), call.getIterator(),
                                                              /*Unreachable=*/false);
    builder_.SetInsertPoint(then);
    builder_.SetCurrentDebugLocation(call.getDebugLoc());
    put(offsetof(SubGroupFrame, update) + offsetof(UpdateRequest, address),
        builder_.CreateAddrSpaceCast(call.getArgOperand(0), builder_.getPtrTy()));
    put(offsetof(SubGroupFrame, step), builder_.getInt32(static_cast<uint32_t>(Step::before_lock)));
    suspend_before(*then);
  }

  // The launch decides with each start whether the group requests its addition. The address has been
  // recorded already, as that of any write.
  void request(llvm::AtomicRMWInst &update) {
    builder_.SetInsertPoint(&update);
    builder_.SetCurrentDebugLocation(update.getDebugLoc());
    llvm::Value *may = may_request();
    llvm::Instruction *then = nullptr, *otherwise = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(may, &update, &then, &otherwise);
    llvm::Instruction *after = update.getNextNode();
    update.moveBefore(otherwise->getIterator());
    builder_.SetInsertPoint(then);
    put_request(update);
    put(offsetof(SubGroupFrame, step), builder_.getInt32(static_cast<uint32_t>(Step::updates)));
    suspend_before(*then);
    builder_.SetInsertPoint(then);
    builder_.SetCurrentDebugLocation(update.getDebugLoc());
    llvm::Value *before =
        builder_.CreateTrunc(builder_.CreateAlignedLoad(
                                 builder_.getInt64Ty(),
                                 place_in_request(offsetof(UpdateRequest, value)), llvm::Align(8)),
                             update.getType());
    builder_.SetInsertPoint(after);
    llvm::PHINode *result = builder_.CreatePHI(update.getType(), 2, "old");
    update.replaceAllUsesWith(result);
    result->addIncoming(before, then->getParent());
    result->addIncoming(&update, otherwise->getParent());
  }

  // The launch finds it when the group is done or waits.
  void leave_to_launch(llvm::AtomicRMWInst &addition) {
    builder_.SetInsertPoint(&addition);
    builder_.SetCurrentDebugLocation(addition.getDebugLoc());
    put_request(addition);
    put(offsetof(SubGroupFrame, update) + offsetof(UpdateRequest, state),
        builder_.getInt32(UpdateRequest::left));
    addition.eraseFromParent();
  }

  // What is added, and where.
  void put_request(llvm::AtomicRMWInst &update) {
    constexpr uint64_t record = offsetof(SubGroupFrame, update);
    llvm::Value *operand = update.getValOperand();
    if (update.getOperation() == llvm::AtomicRMWInst::Sub)
      operand = builder_.CreateNeg(operand);
    put(record + offsetof(UpdateRequest, address),
        builder_.CreateAddrSpaceCast(update.getPointerOperand(), builder_.getPtrTy()));
    put(record + offsetof(UpdateRequest, size),
        builder_.getInt32(update.getType()->getIntegerBitWidth() / 8));
    put(record + offsetof(UpdateRequest, value),
        builder_.CreateZExt(operand, builder_.getInt64Ty()));
  }

  // Private (0) if the pointer is into the frame, else the host's answer.
  void lower_address_space_of(llvm::CallInst &call) {
    if (on_stack_)
      return; // the frame is no private memory
    llvm::Value *distance =
        builder_.CreateSub(builder_.CreatePtrToInt(call.getArgOperand(0), builder_.getInt64Ty()),
                           builder_.CreatePtrToInt(handle_, builder_.getInt64Ty()));
    llvm::Value *in_frame = builder_.CreateICmpULT(distance, size_, "in.frame");
    builder_.SetInsertPoint(call.getNextNode());
    llvm::Value *space = llvm::Constant::getNullValue(call.getType());
    auto *result = llvm::cast<llvm::Instruction>(builder_.CreateSelect(in_frame, space, space));
    call.replaceAllUsesWith(result);
    result->setOperand(2, &call);
  }

  llvm::Function &function_;
  llvm::LLVMContext &context_;
  llvm::IRBuilder<llvm::NoFolder> builder_;
  llvm::SmallVector<llvm::CallInst *> calls_;
  llvm::SmallVector<llvm::ReturnInst *> returns_;
  llvm::SmallVector<llvm::Instruction *> writes_;
  llvm::SmallVector<llvm::AtomicRMWInst *> updates_;
  const llvm::ArrayRef<llvm::AtomicRMWInst *> last_additions_;
  llvm::Value *handle_ = nullptr, *size_ = nullptr;
  llvm::BasicBlock *end_ = nullptr, *never_ = nullptr;
  const bool on_stack_;
};

llvm::PreservedAnalyses make(llvm::Module &module, bool on_stack, bool leaves_additions) {
  llvm::Function *function = module.getFunction(sub_group_symbol);
  if (!function)
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::AtomicRMWInst *, 4> last;
  if (leaves_additions && is_resumable_by_group(*function))
    last = last_additions(*function);
  Maker(*function, on_stack, last).run();
  return llvm::PreservedAnalyses::none();
}

} // namespace

llvm::PreservedAnalyses MakeCoroutinePass::run(llvm::Module &module,
                                               llvm::ModuleAnalysisManager &) {
  return make(module, /*on_stack=*/false, leaves_additions_);
}

llvm::PreservedAnalyses MakeCoroutineOnStackPass::run(llvm::Module &module,
                                                      llvm::ModuleAnalysisManager &) {
  return make(module, /*on_stack=*/true, /*leaves_additions=*/false);
}

} // namespace lockstep::compiler
