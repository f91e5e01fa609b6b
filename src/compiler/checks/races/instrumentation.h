// Implementation of instrument-accesses for one kernel, divided over several files.
#pragma once

#include "abi/address_spaces.h"
#include "abi/check_abi.h"
#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/checks/common/check_sites.h"
#include "compiler/checks/races/disjoint_accesses.h"
#include "compiler/checks/races/find_updates.h"
#include "compiler/checks/races/footprint_marks.h"
#include "compiler/checks/races/instrument_accesses.h"
#include "compiler/checks/races/must_accesses.h"
#include "compiler/checks/races/record_scopes.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/check_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"

#include <optional>
#include <string>
#include <vector>

namespace lockstep::compiler {

inline bool is_shared(unsigned address_space) {
  return address_space == global_space || address_space == local_space ||
         address_space == generic_space;
}
// Pointers into the ring buffer of a pipe. Its atomics belong to the device library, which reports
// packets itself (device_lib/pipes.cl).
bool is_of_pipe(const llvm::Value &pointer);
bool is_atomic_of_pipe(const llvm::Instruction &instruction);
// Inserted by lower-undefined.
inline bool is_of_checker(const llvm::Instruction &instruction) {
  return instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize);
}

CheckOrder order_of(llvm::AtomicOrdering order);
// The loaded value is used only by a compare-and-swap of the same word: as the expected value, and
// to compute the new one.
bool is_guess_of_swap(const llvm::LoadInst &load);

bool enqueues_kernels(const llvm::Function &function);

class Instrumentation {
public:
  Instrumentation(llvm::Function &function, const Uniformity &lanes, const Uniformity &group)
      : function_(function), module_(*function.getParent()), lanes_(lanes), group_(group),
        notes_(module_), sites_(module_), builder_(module_.getContext()), marks_(function),
        enqueues_(enqueues_kernels(function)), members_(function) {}

  void run(const DisjointAccesses::Analyses &analyses, uint64_t failed, CheckedKinds wanted);

private:
  llvm::Value *intervals() { return builder_.CreateLoad(builder_.getInt64Ty(), passed_); }
  // Volatile accesses of the program count as relaxed atomics, except in strict mode.
  bool is_relaxed_at_least(const llvm::Instruction &access) const {
    return access.isAtomic() || atomic_multiply(access) ||
           (access.isVolatile() && !notes_.are_strict() &&
            !access.hasMetadata(plain_wait_metadata));
  }
  llvm::Value *generic(llvm::Value *pointer) {
    return builder_.CreateAddrSpaceCast(pointer, builder_.getPtrTy(generic_space));
  }

  // instrument_accesses.cpp

  // True for memory that other work-items can access and that may be written.
  bool is_wanted(const llvm::Value &pointer) const;
  llvm::Value *site(const llvm::Instruction &access, const llvm::Value *pointer, CheckSite site);
  SameValue same_value(const llvm::Value &value) const;
  void visit(llvm::Instruction &instruction);
  void visit_plain(llvm::Instruction &access, llvm::Value *pointer, uint64_t size, AccessKind kind,
                   SameValue same_value);
  void report_plain(llvm::Instruction &access, llvm::Value *pointer, uint64_t size, AccessKind kind,
                    SameValue same_value, bool is_marked = false);
  FootprintKind footprint_kind(AccessKind kind, bool orders_others) const;
  FootprintKind footprint_kind(AccessKind kind) const {
    return footprint_kind(kind, orders_others_);
  }
  bool mark(llvm::Instruction &access, llvm::Value *pointer, uint64_t size, AccessKind kind);
  // Commands are compared by their footprints, whether or not an access conflicts within its
  // launch.
  bool is_for_commands(const llvm::Value &pointer) const {
    return wanted_.commands && pointer.getType()->getPointerAddressSpace() != local_space;
  }
  llvm::StoreInst *write_that_reports(llvm::LoadInst &load) const;
  void visit_load(llvm::LoadInst &load);
  void visit_store(llvm::StoreInst &store);
  void visit_copy(llvm::MemIntrinsic &copy);

  // instrument_atomics.cpp
  CheckScope scope_of(const llvm::Instruction &access) const;
  bool synchronizes() const;
  bool has_weak_stores(llvm::ArrayRef<llvm::Instruction *> accesses) const;
  void record_synchronization(llvm::ArrayRef<llvm::Instruction *> accesses);
  void visit_atomic(llvm::Instruction &access, llvm::Value *pointer, llvm::Type *type,
                    CheckSite what);
  void make_atomic(llvm::Instruction &access, llvm::Value *pointer, llvm::Type *type,
                   llvm::Value *place);
  llvm::Value *as_word(llvm::Value *value);
  llvm::Value *from_word(llvm::Value *word, llvm::Type *type);
  void visit_fence(llvm::FenceInst &fence);
  bool is_barrier_of_lanes(const llvm::Instruction &fence) const;
  void visit_sub_group_barrier(llvm::Instruction &barrier);

  // instrument_group_operations.cpp
  std::string barriers_text(llvm::ArrayRef<llvm::CallInst *> operations,
                            llvm::ArrayRef<llvm::Instruction *> accesses) const;
  bool waits_for_copies(const llvm::Instruction &operation) const;
  bool are_all_awaited(llvm::ArrayRef<llvm::CallInst *> operations,
                       llvm::ArrayRef<llvm::CallInst *> notes) const;
  void count_intervals(llvm::ArrayRef<llvm::CallInst *> operations);
  llvm::Value *step_of_barrier(llvm::CallInst &barrier);
  llvm::Value *after_step(llvm::Value *before, llvm::Value *step);
  void promote_intervals();
  void mark_copies(llvm::ArrayRef<llvm::CallInst *> operations);
  void visit_group_copy(llvm::CallInst &copy);
  void report_arrival(llvm::Instruction &operation, AccessKind kind, llvm::Value *condition);
  void report_value(llvm::Instruction &note, llvm::Value *value, AccessKind kind,
                    llvm::StringRef name);
  void record_packets(llvm::CallInst &note);
  void report_records(llvm::ArrayRef<llvm::CallInst *> notes);

  // shared_accesses.cpp: accesses that cannot conflict
  DisjointAccesses::Kernel shared_accesses(const llvm::LoopInfo &loops, uint64_t failed) const;
  void add_shared(DisjointAccesses::Kernel &kernel, llvm::Instruction &access, llvm::Value *pointer,
                  uint64_t size, bool writes) const;
  const llvm::Value *object_of(const llvm::Value &pointer) const;
  void record_assumptions();

  llvm::Function &function_;
  llvm::Module &module_;
  const Uniformity &lanes_, &group_;
  SynchronizationNotes notes_;
  CheckSites sites_;
  llvm::IRBuilder<> builder_;
  bool orders_others_ = false, synchronizes_ = false, has_sub_group_barriers_ = false;
  CheckScope narrowest_ = CheckScope::device; // narrowest scope of atomics and fences
  // has_fences_ includes barriers that act as fences
  bool has_fences_ = false, has_weak_stores_ = false;
  CheckedKinds wanted_;
  bool reports_accesses_ = false; // reports accesses by calls for all lanes
  FootprintMarks marks_;
  // The kernel enqueues kernels. Their order is checked by the source locations of accesses
  // (runtime/check/commands/enqueue_order.h), which marks do not have.
  const bool enqueues_;
  std::optional<MustAccessSet> must_accesses_; // set if commands are compared
  const ArgumentMembers members_;
  std::optional<DisjointAccesses> disjoint_;
  // The code shows that no copy conflicts with an access and that each is awaited by all
  // work-items. Then copies and waits are not reported.
  bool are_copies_proven_ = false;
  // Sides of copies whose footprint is known, or marked. The side is an operand of the call.
  llvm::DenseSet<std::pair<const llvm::CallInst *, unsigned>> marked_copies_;
  UpdateKinds updates_;                                      // of plain accesses
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> loops_; // outermost loop of each block
  llvm::Value *item_ = nullptr;                              // linear local id
  llvm::AllocaInst *passed_ = nullptr;                       // Intervals of this work-item
  std::vector<llvm::WeakTrackingVH> steps_;                  // instructions that compute them
  llvm::SmallVector<llvm::Instruction *> dead_;
  // also report a read of the same bytes just before
  llvm::SmallPtrSet<llvm::StoreInst *, 8> reported_reads_;
};

} // namespace lockstep::compiler
