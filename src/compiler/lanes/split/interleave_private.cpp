// Gives each lane its own copy of a private variable, interleaved over the lanes where possible.
//
// Input:  the kernel after lane-ids; allocas (in the entry block) belong to one work-item.
// Output: allocas belong to the sub-group (metadata "lockstep.sub.group.variable"); addresses
//         contain `__lockstep_lane`.
//
// An array that is only loaded and stored in elements of one size is interleaved: element e of lane
// l is at index e * W + l. An access with a uniform index is then one vector load. If elements have
// different sizes, or the address escapes (printf), each lane's copy remains in one piece and
// accesses are gathers. For variables passed to out-of-line functions, and for parameters of these,
// vector-variants decides and marks the variable.
//
// Runs before linearize, because the address arithmetic is ordinary per-lane code.
#include "compiler/lanes/split/passes.h"

#include "compiler/lanes/split/address_flow.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

class Privatizer {
public:
  Privatizer(llvm::Function &function)
      : function_(function), layout_(function.getParent()->getDataLayout()),
        width_(sub_group_size(function)), builder_(function.getContext()) {}

  void run() {
    llvm::SmallVector<llvm::AllocaInst *> variables;
    llvm::SmallVector<llvm::Instruction *> parameters; // marked by vector-variants
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function_))) {
      if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
          alloca && !alloca->hasMetadata(sub_group_variable))
        variables.push_back(alloca);
      else if (!alloca && instruction.hasMetadata(interleaved_memory))
        parameters.push_back(&instruction);
      if (llvm::isa<llvm::LifetimeIntrinsic>(instruction))
        instruction.eraseFromParent();
    }
    for (llvm::AllocaInst *variable : variables) {
      AddressFlow flow(*variable, layout_);
      if (can_interleave(*variable, flow))
        interleave(*variable, flow);
      else
        replicate(*variable);
    }
    for (llvm::Instruction *parameter : parameters)
      scale_addresses(AddressFlow(*parameter, layout_), interleaved_element_size(*parameter));
    for (llvm::Instruction *instruction : dead_)
      if (instruction->use_empty())
        instruction->eraseFromParent();
  }

private:
  // A variable that is passed to functions has the layout that they expect.
  bool can_interleave(llvm::AllocaInst &variable, AddressFlow &flow) const {
    if (const uint64_t size = interleaved_element_size(variable)) {
      flow.element_size = size; // possibly only functions access it
      return true;
    }
    return !flow.gets_away && flow.passed_on.empty() && flow.element_size != 0 &&
           is_of_elements(variable, flow.element_size, layout_) &&
           steps_by_elements(flow, flow.element_size, layout_);
  }

  // Inserts directly after the lane number, and thus before all uses of the variable.
  llvm::Value *lane() {
    if (!lane_) {
      builder_.SetInsertPoint(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
      lane_ = emit_lane(builder_);
    }
    builder_.SetInsertPoint(lane_->getNextNode());
    return lane_;
  }

  llvm::AllocaInst *allocate(const llvm::AllocaInst &old, llvm::Type *type, llvm::Align alignment) {
    auto *variable =
        new llvm::AllocaInst(type, old.getAddressSpace(), nullptr, alignment,
                             old.getName() + ".of.lanes", function_.getEntryBlock().begin());
    variable->setMetadata(sub_group_variable, llvm::MDNode::get(function_.getContext(), {}));
    return variable;
  }

  uint64_t size_of(const llvm::AllocaInst &variable) const {
    return variable.getAllocationSize(layout_)->getFixedValue();
  }

  void interleave(llvm::AllocaInst &old, AddressFlow &flow) {
    uint64_t row = flow.element_size * width_;
    auto *element = llvm::Type::getIntNTy(function_.getContext(), flow.element_size * 8);
    auto *type = llvm::ArrayType::get(element, size_of(old) / flow.element_size * width_);
    auto *memory =
        allocate(old, type, std::max(old.getAlign(), llvm::Align(std::min<uint64_t>(64, row))));
    scale_addresses(flow, flow.element_size);
    llvm::Value *first = builder_.CreatePtrAdd(
        memory, builder_.CreateMul(lane(), builder_.getInt64(flow.element_size)), old.getName());
    old.replaceAllUsesWith(first);
    dead_.push_back(&old);
  }

  // Scales distances between elements to distances between rows.
  void scale_addresses(const AddressFlow &flow, uint64_t element_size) {
    const auto derived = flow.addresses.getArrayRef().drop_front();
    for (llvm::Value *address : derived) {
      auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
      if (!gep)
        continue;
      llvm::IRBuilder<> builder(gep);
      llvm::Value *offset =
          builder.CreateMul(llvm::emitGEPOffset(&builder, layout_, gep), builder.getInt64(width_));
      llvm::Value *scaled = builder.CreatePtrAdd(gep->getPointerOperand(), offset, gep->getName());
      gep->replaceAllUsesWith(scaled);
    }
    // The first element of a vector loses the vector's alignment: the same element of the next lane
    // is adjacent to it.
    for (llvm::Instruction *access : flow.accesses)
      set_alignment(*access, llvm::Align(element_size));
    for (llvm::Value *address : llvm::reverse(derived))
      dead_.push_back(llvm::cast<llvm::Instruction>(address));
  }

  static void set_alignment(llvm::Instruction &access, llvm::Align alignment) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&access))
      load->setAlignment(alignment);
    else
      llvm::cast<llvm::StoreInst>(access).setAlignment(alignment);
  }

  void replicate(llvm::AllocaInst &old) {
    uint64_t size = llvm::alignTo(size_of(old), old.getAlign());
    auto *type = llvm::ArrayType::get(builder_.getInt8Ty(), size * width_);
    auto *memory = allocate(old, type, old.getAlign());
    old.replaceAllUsesWith(builder_.CreatePtrAdd(
        memory, builder_.CreateMul(lane(), builder_.getInt64(size)), old.getName()));
    dead_.push_back(&old);
  }

  llvm::Function &function_;
  const llvm::DataLayout &layout_;
  uint32_t width_;
  llvm::IRBuilder<> builder_;
  llvm::Instruction *lane_ = nullptr;
  llvm::SmallVector<llvm::Instruction *> dead_; // users before their operands
};

} // namespace

llvm::PreservedAnalyses InterleavePrivatePass::run_in_lanes(llvm::Function &function,
                                                            llvm::FunctionAnalysisManager &) {
  Privatizer(function).run();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
