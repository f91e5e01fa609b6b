// What the pass instrument-accesses does to one kernel; its parts are files of their own.
#pragma once

#include "compiler/check_abi.h"
#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/check/apart_accesses.h"
#include "compiler/ir_to_workgroup/check/argument_members.h"
#include "compiler/ir_to_workgroup/check/certain_touches.h"
#include "compiler/ir_to_workgroup/check/check_sites.h"
#include "compiler/ir_to_workgroup/check/hold_plain_waits.h"
#include "compiler/ir_to_workgroup/check/instrument_accesses.h"
#include "compiler/ir_to_workgroup/check/note_scopes.h"
#include "compiler/ir_to_workgroup/check/touch_marks.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"

#include <optional>
#include <string>
#include <vector>

namespace lockstep::compiler {

inline constexpr unsigned global_space = 1, constant_space = 2, local_space = 3, generic_space = 4;

inline bool is_shared(unsigned address_space) {
  return address_space == global_space || address_space == local_space ||
         address_space == generic_space;
}
// In the ring of a pipe. Its atomics are the device library's own, which tells of packets (device_lib/pipes.cl).
bool is_of_pipe(const llvm::Value &pointer);
bool is_atomic_of_pipe(const llvm::Instruction &instruction);
// What lower-undefined has put there.
inline bool is_of_checker(const llvm::Instruction &instruction) {
  return instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize);
}

CheckOrder order_of(llvm::AtomicOrdering order);
// All that the value is for, is a swap of the same word: what it expects there, and what it would make of that.
bool is_guess_of_swap(const llvm::LoadInst &load);

bool enqueues_kernels(const llvm::Function &function);

class Instrumentation {
public:
  Instrumentation(llvm::Function &function, const Uniformity &lanes, const Uniformity &group)
      : function_(function), module_(*function.getParent()), lanes_(lanes), group_(group),
        notes_(module_), sites_(module_), builder_(module_.getContext()), marks_(function),
        enqueues_(enqueues_kernels(function)), members_(function) {}

  void run(const ApartAccesses::Analyses &analyses, uint64_t refused, CheckedKinds wanted);

private:
  llvm::Value *intervals() { return builder_.CreateLoad(builder_.getInt64Ty(), passed_); }
  // Volatile accesses count as relaxed atomics, if the program has made them so.
  bool is_relaxed_at_least(const llvm::Instruction &access) const {
    return access.isAtomic() || (access.isVolatile() && !notes_.are_strict() &&
                                 !access.hasMetadata(plain_wait_metadata));
  }
  llvm::Value *generic(llvm::Value *pointer) {
    return builder_.CreateAddrSpaceCast(pointer, builder_.getPtrTy(generic_space));
  }

  // instrument_accesses.cpp
  // True if it is of memory that others may see and could be written.
  bool is_wanted(const llvm::Value &pointer) const;
  llvm::Value *site(const llvm::Instruction &access, const llvm::Value *pointer, CheckSite site);
  SameValue same_value(const llvm::Value &value) const;
  void visit(llvm::Instruction &instruction);
  void visit_plain(llvm::Instruction &access, llvm::Value *pointer, uint64_t size, AccessKind kind,
                   SameValue same_value);
  void tell_plain(llvm::Instruction &access, llvm::Value *pointer, uint64_t size, AccessKind kind,
                  SameValue same_value, bool is_marked = false);
  TouchWay touch_way(AccessKind kind, bool orders_others) const;
  TouchWay touch_way(AccessKind kind) const { return touch_way(kind, orders_others_); }
  bool mark(llvm::Instruction &access, llvm::Value *pointer, uint64_t size, AccessKind kind);
  // Commands are compared by what is touched, whether or not it meets another of the launch.
  bool is_for_commands(const llvm::Value &pointer) const {
    return wanted_.commands && pointer.getType()->getPointerAddressSpace() != local_space;
  }
  llvm::StoreInst *write_that_tells(llvm::LoadInst &load) const;
  void visit_load(llvm::LoadInst &load);
  void visit_store(llvm::StoreInst &store);
  void visit_copy(llvm::MemIntrinsic &copy);

  // instrument_atomics.cpp
  CheckScope scope_of(const llvm::Instruction &access) const;
  bool synchronises() const;
  bool has_weak_stores(llvm::ArrayRef<llvm::Instruction *> accesses) const;
  void note_what_synchronises(llvm::ArrayRef<llvm::Instruction *> accesses);
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
  void count_intervals(llvm::ArrayRef<llvm::CallInst *> operations);
  llvm::Value *step_of_barrier(llvm::CallInst &barrier);
  llvm::Value *after_step(llvm::Value *before, llvm::Value *step);
  void promote_intervals();
  void visit_group_copy(llvm::CallInst &copy);
  void tell_of_meeting(llvm::Instruction &operation, AccessKind kind, llvm::Value *condition);
  void tell_value(llvm::Instruction &note, llvm::Value *value, AccessKind kind,
                  llvm::StringRef name);
  void tell_packets(llvm::CallInst &note);
  void tell_notes(llvm::ArrayRef<llvm::CallInst *> notes);

  // shared_accesses.cpp: what cannot meet others
  ApartAccesses::Kernel shared_accesses(uint64_t refused) const;
  void add_shared(ApartAccesses::Kernel &kernel, llvm::Instruction &access, llvm::Value *pointer,
                  uint64_t size, bool writes) const;
  const llvm::Value *object_of(const llvm::Value &pointer) const;
  void say_what_is_supposed();

  llvm::Function &function_;
  llvm::Module &module_;
  const Uniformity &lanes_, &group_;
  SynchronisationNotes notes_;
  CheckSites sites_;
  llvm::IRBuilder<> builder_;
  bool orders_others_ = false, synchronises_ = false, has_sub_group_barriers_ = false;
  CheckScope narrowest_ = CheckScope::device;         // of atomics and fences
  bool has_fences_ = false, has_weak_stores_ = false; // or barriers that are some
  CheckedKinds wanted_;
  bool tells_accesses_ = false; // by calls for all lanes
  TouchMarks marks_;
  // It enqueues kernels, which are told of by the places of its accesses (runtime/check/enqueue_order.h): marks have none.
  const bool enqueues_;
  std::optional<CertainTouches> certain_; // if commands are looked at
  const ArgumentMembers members_;
  std::optional<ApartAccesses> apart_;
  llvm::Value *item_ = nullptr;             // linear local id
  llvm::AllocaInst *passed_ = nullptr;      // Intervals of this work-item
  std::vector<llvm::WeakTrackingVH> steps_; // what computes them
  llvm::SmallVector<llvm::Instruction *> dead_;
  llvm::SmallPtrSet<llvm::StoreInst *, 8> tell_of_reads_; // of the same bytes, just before
};

} // namespace lockstep::compiler
