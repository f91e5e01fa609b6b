#include "compiler/ir_to_workgroup/vectorize/interleave_private.h"

#include "compiler/ir_to_workgroup/lane_primitives.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// The instructions through which the address of one variable flows.
struct AddressFlow {
  llvm::SetVector<llvm::Instruction *> addresses;  // the variable and what is derived from it
  llvm::SmallVector<llvm::Instruction *> accesses; // loads and stores
  uint64_t element_size = 0;                       // of all loads and stores
  bool gets_away = false;                          // or is accessed in sizes that differ

  AddressFlow(llvm::AllocaInst &variable, const llvm::DataLayout &layout) : layout_(layout) {
    addresses.insert(&variable);
    for (unsigned index = 0; index != addresses.size() && !gets_away; ++index)
      for (llvm::Use &use : addresses[index]->uses())
        follow(use);
    if (element_size == 0 ||
        layout.getTypeAllocSize(variable.getAllocatedType()) % element_size != 0)
      gets_away = true;
  }

private:
  void follow(llvm::Use &use) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    if (llvm::isa<llvm::GetElementPtrInst>(user)) {
      addresses.insert(user);
      return;
    }
    if (llvm::isa<llvm::AddrSpaceCastInst, llvm::BitCastInst>(user)) {
      addresses.insert(user);
    } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      access(*load);
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
               store && use.getOperandNo() == 1) {
      access(*store);
    } else {
      gets_away = true;
    }
  }

  void access(llvm::Instruction &instruction) {
    accesses.push_back(&instruction);
    llvm::Type *type = llvm::getLoadStoreType(&instruction);
    uint64_t size = layout_.getTypeStoreSize(type);
    if (!type->isSingleValueType() || type->isVectorTy() ||
        (element_size != 0 && size != element_size) || !llvm::isPowerOf2_64(size))
      gets_away = true;
    element_size = size;
  }

  const llvm::DataLayout &layout_;
};

// Each address must be a whole number of elements away from the variable's start, whatever the
// indices are.
bool steps_by_elements(const AddressFlow &flow, const llvm::DataLayout &layout) {
  for (llvm::Instruction *address : flow.addresses) {
    auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
    if (!gep)
      continue;
    llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> scales;
    llvm::APInt constant(64, 0);
    if (!gep->collectOffset(layout, 64, scales, constant) || constant.urem(flow.element_size) != 0)
      return false;
    for (auto &[index, scale] : scales)
      if (scale.urem(flow.element_size) != 0)
        return false;
  }
  return true;
}

class Privatiser {
public:
  Privatiser(llvm::Function &function)
      : function_(function), layout_(function.getParent()->getDataLayout()),
        width_(sub_group_size(function)), builder_(function.getContext()) {}

  void run() {
    llvm::SmallVector<llvm::AllocaInst *> variables;
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function_))) {
      if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
          alloca && !alloca->hasMetadata(sub_group_variable))
        variables.push_back(alloca);
      if (llvm::isa<llvm::LifetimeIntrinsic>(instruction))
        instruction.eraseFromParent();
    }
    for (llvm::AllocaInst *variable : variables) {
      AddressFlow flow(*variable, layout_);
      if (!flow.gets_away && steps_by_elements(flow, layout_))
        interleave(*variable, flow);
      else
        replicate(*variable);
    }
    for (llvm::Instruction *instruction : dead_)
      if (instruction->use_empty())
        instruction->eraseFromParent();
  }

private:
  // Just behind the lane's number, so before all that may use the variable.
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
    for (llvm::Instruction *address : flow.addresses) {
      auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
      if (!gep)
        continue;
      llvm::IRBuilder<> builder(gep);
      llvm::Value *offset =
          builder.CreateMul(llvm::emitGEPOffset(&builder, layout_, gep), builder.getInt64(width_));
      llvm::Value *scaled = builder.CreatePtrAdd(gep->getPointerOperand(), offset, gep->getName());
      gep->replaceAllUsesWith(scaled);
    }
    llvm::Value *first = builder_.CreatePtrAdd(
        memory, builder_.CreateMul(lane(), builder_.getInt64(flow.element_size)), old.getName());
    old.replaceAllUsesWith(first);
    // An element that began a vector is not aligned like one any more: its neighbour is the same
    // element of the next lane.
    for (llvm::Instruction *access : flow.accesses)
      set_alignment(*access, llvm::Align(flow.element_size));
    dead_.append(flow.addresses.rbegin(), flow.addresses.rend());
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
  llvm::SmallVector<llvm::Instruction *> dead_; // users before what they use
};

} // namespace

llvm::PreservedAnalyses InterleavePrivatePass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  if (sub_group_size(function) == 1)
    return llvm::PreservedAnalyses::all();
  Privatiser(function).run();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
