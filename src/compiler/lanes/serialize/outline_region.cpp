#include "compiler/lanes/serialize/outline_region.h"

#include "compiler/lanes/serialize/serialize_loops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

class Outliner {
public:
  Outliner(llvm::BasicBlock &before, llvm::ArrayRef<llvm::BasicBlock *> blocks,
           llvm::BasicBlock &after)
      : before_(before), blocks_(blocks), after_(after), kernel_(*before.getParent()) {
    inside_.insert_range(blocks);
  }

  void run(llvm::StringRef reason) {
    collect();
    llvm::DebugLoc place = place_of_code();
    llvm::Function *made = make_function();
    made->addFnAttr(serial_loop, reason);
    llvm::IRBuilder<> builder(before_.getTerminator());
    builder.SetCurrentDebugLocation(place);
    llvm::CallInst *call = builder.CreateCall(made, inputs_.getArrayRef());
    for (unsigned index = 0; index != results_.size(); ++index) {
      llvm::Value *value = results_.size() == 1 ? static_cast<llvm::Value *>(call)
                                                : builder.CreateExtractValue(call, index);
      results_[index]->replaceUsesWithIf(
          value, [&](llvm::Use &use) { return !is_inside(*use.getUser()); });
    }
    before_.getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(&after_, &before_);
    after_.replacePhiUsesWith(after_.getUniquePredecessor(), &before_);
    llvm::DeleteDeadBlocks(blocks_);
  }

private:
  bool is_inside(const llvm::Value &value) const {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    return instruction && inside_.contains(instruction->getParent());
  }

  void collect() {
    for (llvm::BasicBlock *block : blocks_)
      for (llvm::Instruction &instruction : *block) {
        for (llvm::Value *value : instruction.operands())
          if (llvm::isa<llvm::Argument>(value) ||
              (llvm::isa<llvm::Instruction>(value) && !is_inside(*value)))
            inputs_.insert(value);
        if (llvm::any_of(instruction.users(), [&](llvm::User *it) { return !is_inside(*it); }))
          results_.push_back(&instruction);
      }
  }

  llvm::DebugLoc place_of_code() const {
    for (llvm::BasicBlock *block : blocks_)
      for (llvm::Instruction &instruction : *block)
        if (instruction.getDebugLoc() && !llvm::isa<llvm::PHINode>(instruction))
          return instruction.getDebugLoc();
    return {};
  }

  llvm::Type *result_type() const {
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Instruction *result : results_)
      types.push_back(result->getType());
    if (types.empty())
      return llvm::Type::getVoidTy(kernel_.getContext());
    return types.size() == 1 ? types[0] : llvm::StructType::get(kernel_.getContext(), types);
  }

  llvm::Function *declare() const {
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *input : inputs_)
      types.push_back(input->getType());
    auto *made = llvm::Function::Create(
        llvm::FunctionType::get(result_type(), types, false), llvm::GlobalValue::InternalLinkage,
        "serial." + blocks_.front()->getName(), kernel_.getParent());
    made->addFnAttr(llvm::Attribute::NoUnwind);
    return made;
  }

  llvm::Function *make_function() {
    llvm::Function *made = declare();
    llvm::ValueToValueMapTy map;
    for (unsigned index = 0; index != inputs_.size(); ++index)
      map[inputs_[index]] = made->getArg(index);
    auto *entry = llvm::BasicBlock::Create(kernel_.getContext(), "entry", made);
    map[&before_] = entry;
    llvm::SmallVector<llvm::BasicBlock *> clones;
    for (llvm::BasicBlock *block : blocks_) {
      clones.push_back(llvm::CloneBasicBlock(block, map, "", made));
      map[block] = clones.back();
    }
    auto *end = llvm::BasicBlock::Create(kernel_.getContext(), "end", made);
    map[&after_] = end;
    for (llvm::BasicBlock *clone : clones)
      for (llvm::Instruction &instruction : *clone) {
        instruction.dropDbgRecords();
        instruction.setDebugLoc({});
        llvm::RemapInstruction(&instruction, map,
                               llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      }
    llvm::BranchInst::Create(llvm::cast<llvm::BasicBlock>(map[blocks_.front()]), entry);
    llvm::IRBuilder<> builder(end);
    llvm::Value *result = results_.size() > 1 ? llvm::PoisonValue::get(result_type()) : nullptr;
    for (unsigned index = 0; index != results_.size(); ++index) {
      llvm::Value *value = map[results_[index]];
      result = result ? builder.CreateInsertValue(result, value, index) : value;
    }
    result ? builder.CreateRet(result) : builder.CreateRetVoid();
    return made;
  }

  llvm::BasicBlock &before_;
  llvm::ArrayRef<llvm::BasicBlock *> blocks_;
  llvm::BasicBlock &after_;
  llvm::Function &kernel_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> inside_;
  llvm::SetVector<llvm::Value *> inputs_;
  llvm::SmallVector<llvm::Instruction *> results_;
};

} // namespace

void outline_region(llvm::BasicBlock &before, llvm::ArrayRef<llvm::BasicBlock *> blocks,
                    llvm::BasicBlock &after, llvm::StringRef reason) {
  Outliner(before, blocks, after).run(reason);
}

} // namespace lockstep::compiler
