// Marks functions that may wait for other work-groups, and loops that wait for other work-items.
//
// Requires: kernel IR after the shared stages, as mark-waits does on the CPU.
// Ensures: a function has the attribute "lockstep-groups-wait" if a loop of it waits
// (waits/analysis/waits.h) for memory that other work-groups may write, or also writes global memory.
// Locks count: the holder may be in any work-group that has begun. The back edge of a loop that waits
// for other work-items, for an unlimited time, has the metadata "lockstep.wait".
//
// After note-wait-sites, each of these loops also has calls for make-persistent:
// lockstep_nvidia_wait_begins(site) in front of it, lockstep_nvidia_wait(site, address, value,
// bytes) at its end, and lockstep_nvidia_wait_ends(site) behind it. The address is 0 if there are
// several. `bytes` is 0 unless the loop can only end when the value at the address has changed, and
// always_changes if each iteration counts as progress: it writes, and nothing compares what. If it
// writes local memory only, and counts nothing, that is compared, and the module has the metadata
// "lockstep.waits_write_local". The sites are those of suspension_sites.h.
//
// Position: before retarget, while accesses are those of kernel IR.
#include "back_ends/nvidia/passes/passes.h"

#include "abi/address_spaces.h"
#include "compiler/waits/analysis/waits.h"
#include "compiler/waits/suspension/suspension_sites.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace lockstep::compiler {

namespace {

llvm::Value *address_of(llvm::Instruction &access) {
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    return swap->getPointerOperand();
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    return update->getPointerOperand();
  return llvm::getLoadStorePointerOperand(&access);
}

bool is_in_local_memory(llvm::Instruction &access) {
  const llvm::Value *address = address_of(access);
  return address && address->getType()->getPointerAddressSpace() == local_space;
}

// What the memory held when the access read it; null: not a number of 1, 2, 4 or 8 bytes.
llvm::Value *value_read(llvm::IRBuilderBase &builder, llvm::Instruction &access) {
  llvm::Value *value = &access;
  if (llvm::isa<llvm::AtomicCmpXchgInst>(access))
    value = builder.CreateExtractValue(value, 0);
  llvm::Type *const type = value->getType();
  if (type->isPointerTy())
    return builder.CreatePtrToInt(value, builder.getInt64Ty());
  const unsigned bits = unsigned(type->getPrimitiveSizeInBits());
  if (type->isVectorTy() || !llvm::is_contained({8u, 16u, 32u, 64u}, bits))
    return nullptr;
  return builder.CreateZExt(builder.CreateBitCast(value, builder.getIntNTy(bits)),
                            builder.getInt64Ty());
}

// A call of this pass, in an inner loop.
bool is_record(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && llvm::is_contained({wait_function, wait_begins_function, wait_ends_function},
                                      callee->getName());
}

enum class Writes { nothing, local, more };

// What the loop writes but by the access that waits, which repeats its write. The scratch memory of
// collectives has the same contents in each iteration that reads the same.
Writes writes_of(const llvm::Loop &loop, const llvm::Instruction *access) {
  Writes writes = Writes::nothing;
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &instruction : *block) {
      if (!instruction.mayWriteToMemory() || &instruction == access ||
          llvm::isa<llvm::FenceInst, llvm::LoadInst>(instruction) ||
          is_group_operation(instruction) || is_record(instruction))
        continue;
      if (!is_in_local_memory(instruction))
        return Writes::more;
      if (!llvm::getUnderlyingObject(address_of(instruction))->getName().starts_with("lockstep."))
        writes = Writes::local;
    }
  return writes;
}

// Whether the loop counts: it computes a value from the value of the iteration before. A write may
// depend on it, so the loop may write something else after many iterations that wrote the same.
bool counts(const llvm::Loop &loop) {
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  for (const llvm::PHINode &start : loop.getHeader()->phis()) {
    llvm::SmallVector<const llvm::Instruction *> open;
    llvm::SmallPtrSet<const llvm::Instruction *, 16> seen;
    bool computes = false;
    const auto follow = [&](const llvm::Value *value) {
      auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
      if (instruction && loop.contains(instruction) && !instruction->mayReadFromMemory() &&
          seen.insert(instruction).second)
        open.push_back(instruction);
    };
    follow(start.getIncomingValueForBlock(latch));
    while (!open.empty()) {
      const llvm::Instruction *next = open.pop_back_val();
      computes |= !llvm::isa<llvm::PHINode, llvm::SelectInst>(next);
      for (const llvm::Value *operand : next->operands())
        follow(operand);
    }
    if (computes && seen.contains(&start))
      return true;
  }
  return false;
}

// The call is on the back edge: behind the test that ends the loop.
void record_site(const Wait &wait, llvm::DominatorTree &dominators, llvm::LoopInfo &loops) {
  llvm::Instruction &latch =
      *llvm::SplitEdge(wait.loop->getLoopLatch(), wait.loop->getHeader(), &dominators, &loops)
           ->getTerminator();
  llvm::Module &module = *latch.getModule();
  llvm::IRBuilder<> builder(&latch);
  llvm::Instruction *const access = wait.accesses.size() == 1 ? wait.accesses.front() : nullptr;
  const llvm::DebugLoc &place = access ? access->getDebugLoc() : wait.loop->getStartLoc();
  llvm::Value *const site = builder.getInt32(
      add_suspension_site(module, SuspensionSite::Kind::wait, place, /*is_pure=*/false));
  llvm::Value *address = builder.getInt64(0), *value = builder.getInt64(0);
  uint32_t bytes = 0;
  llvm::Value *const pointer =
      access && dominators.dominates(access, &latch) && !is_in_local_memory(*access)
          ? address_of(*access)
          : nullptr;
  if (llvm::Value *read = pointer ? value_read(builder, *access) : nullptr) {
    address = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
    value = read;
    if (wait.state.empty() && wait.loop->isLoopInvariant(pointer))
      bytes = uint32_t(module.getDataLayout().getTypeStoreSize(
          llvm::isa<llvm::AtomicCmpXchgInst>(access) ? access->getType()->getStructElementType(0)
                                                     : access->getType()));
  }
  Writes writes = writes_of(*wait.loop, access);
  if (writes == Writes::local && counts(*wait.loop))
    writes = Writes::more;
  if (writes == Writes::local) {
    bytes = 0;
    module.getOrInsertNamedMetadata(waits_write_local_metadata);
  } else if (writes == Writes::more) {
    bytes = always_changes;
  }
  const auto declare = [&](const char *name, llvm::ArrayRef<llvm::Value *> arguments,
                           llvm::Instruction &before) {
    llvm::SmallVector<llvm::Type *> types;
    for (const llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    auto function = module.getOrInsertFunction(
        name, llvm::FunctionType::get(builder.getVoidTy(), types, false));
    builder.SetInsertPoint(&before);
    llvm::CallInst *call = builder.CreateCall(function, arguments);
    call->setConvergent();
  };
  declare(wait_function, {site, address, value, builder.getInt32(bytes)}, latch);
  declare(wait_begins_function, {site}, *wait.loop->getLoopPreheader()->getTerminator());
  llvm::SmallVector<llvm::BasicBlock *> exits;
  wait.loop->getUniqueExitBlocks(exits);
  for (llvm::BasicBlock *exit : exits)
    declare(wait_ends_function, {site}, *exit->getFirstInsertionPt());
}

llvm::PreservedAnalyses note_waits(llvm::Function &function,
                                   llvm::FunctionAnalysisManager &analyses, bool records_sites) {
  if (!may_wait(function))
    return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::LoopSimplifyPass().run(function, analyses));
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const std::vector<Wait> waits = find_waits(
      function, {loops, dominators, analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                 analyses.getResult<llvm::AAManager>(function)});
  for (const Wait &wait : waits) {
    if (!wait.is_limited) {
      if (records_sites)
        record_site(wait, dominators, loops);
      wait.loop->getLoopLatch()->getTerminator()->setMetadata(
          wait_metadata, llvm::MDNode::get(function.getContext(), {}));
    }
    // Only persistent code is fair to the work-items of a group that take turns at a lock.
    if ((!wait.is_limited && writes_of(*wait.loop, nullptr) == Writes::more) ||
        !llvm::all_of(wait.accesses,
                      [](llvm::Instruction *access) { return is_in_local_memory(*access); }))
      function.addFnAttr(groups_wait_attribute);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace

llvm::PreservedAnalyses NoteGroupWaitsPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  return note_waits(function, analyses, /*records_sites=*/false);
}

llvm::PreservedAnalyses NoteWaitSitesPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  return note_waits(function, analyses, /*records_sites=*/true);
}

} // namespace lockstep::compiler
