#include "compiler/ir_to_workgroup/vectorize/serialise_loops.h"

#include "compiler/ir_to_workgroup/analyze/lane_shapes.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

// In instructions that one lane of a gather or scatter is worth (measured on Zen 5: two to three
// cycles for an element of a gather, four instructions in a cycle of scalar code).
constexpr unsigned gathered_element = 4;

// What decides.
struct LoopWork {
  unsigned instructions = 0;
  unsigned gathers = 0;    // and scatters
  unsigned contiguous = 0; // accesses that lanes do well
  bool can_move = true;

  LoopWork(const llvm::Loop &loop, const LaneShapes &shapes) {
    for (const llvm::BasicBlock *block : loop.blocks())
      for (const llvm::Instruction &instruction : *block)
        add(instruction, shapes);
  }

private:
  void add(const llvm::Instruction &instruction, const LaneShapes &shapes) {
    if (llvm::isa<llvm::PHINode>(instruction) || instruction.isDebugOrPseudoInst())
      return;
    ++instructions;
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      can_move &= llvm::isa<llvm::IntrinsicInst>(call) && call->doesNotAccessMemory() &&
                  !call->isConvergent();
      instructions += 4; // not all are one machine instruction
      return;
    }
    if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction)) {
      can_move &= !instruction.isAtomic() && !instruction.isVolatile();
      const LaneShape &shape = shapes.of(*pointer);
      if (!shape.has_distances())
        ++gathers;
      else if (!shape.is_uniform())
        ++contiguous;
      return;
    }
    can_move &= !instruction.mayReadOrWriteMemory();
  }
};

// Does the value depend on something that the loop loads?
bool depends_on_load(llvm::Value *value, const llvm::Loop &loop) {
  llvm::SetVector<llvm::Value *> open;
  open.insert(value);
  for (unsigned index = 0; index != open.size(); ++index) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(open[index]);
    if (!instruction || !loop.contains(instruction))
      continue;
    if (llvm::isa<llvm::LoadInst>(instruction))
      return true;
    for (llvm::Use &use : instruction->operands())
      open.insert(use);
  }
  return false;
}

bool is_better_alone(const llvm::Loop &loop, const LaneShapes &shapes) {
  if (!loop.isInnermost() || !loop.getLoopPreheader() || !loop.getUniqueExitBlock() ||
      !loop.hasDedicatedExits())
    return false;
  LoopWork work(loop, shapes);
  if (!work.can_move || work.gathers == 0 || work.contiguous * 2 > work.gathers)
    return false;
  llvm::SmallVector<llvm::BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  bool lanes_wait = false; // for the one with most iterations: half of the work, typically
  for (llvm::BasicBlock *block : exiting) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || depends_on_load(branch->getCondition(), loop))
      return false;
    lanes_wait |= !shapes.of(*branch->getCondition()).is_uniform();
  }
  return work.instructions < work.gathers * gathered_element * (lanes_wait ? 2 : 1);
}

// Moves one loop into a function.
class Outliner {
public:
  explicit Outliner(llvm::Loop &loop)
      : loop_(loop), kernel_(*loop.getHeader()->getParent()), exit_(*loop.getUniqueExitBlock()) {}

  void run() {
    collect();
    llvm::CallInst *call = call_in_preheader(make_function());
    for (unsigned index = 0; index != results_.size(); ++index) {
      llvm::IRBuilder<> builder(loop_.getLoopPreheader()->getTerminator());
      llvm::Value *value = results_.size() == 1 ? static_cast<llvm::Value *>(call)
                                                : builder.CreateExtractValue(call, index);
      results_[index]->replaceAllUsesWith(value);
      results_[index]->eraseFromParent();
    }
    llvm::BasicBlock *preheader = loop_.getLoopPreheader();
    preheader->getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(&exit_, preheader);
    llvm::SmallVector<llvm::BasicBlock *> blocks(loop_.blocks());
    llvm::DeleteDeadBlocks(blocks);
  }

private:
  void collect() {
    for (llvm::PHINode &phi : exit_.phis())
      results_.push_back(&phi);
    auto add = [&](llvm::Value *value) {
      auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
      if ((instruction && !loop_.contains(instruction)) || llvm::isa<llvm::Argument>(value))
        inputs_.insert(value);
    };
    for (llvm::BasicBlock *block : loop_.blocks())
      for (llvm::Instruction &instruction : *block)
        for (llvm::Use &use : instruction.operands())
          add(use);
    for (llvm::PHINode *phi : results_)
      for (llvm::Use &use : phi->incoming_values())
        add(use);
  }

  llvm::Type *result_type() const {
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::PHINode *phi : results_)
      types.push_back(phi->getType());
    if (types.empty())
      return llvm::Type::getVoidTy(kernel_.getContext());
    return types.size() == 1 ? types[0] : llvm::StructType::get(kernel_.getContext(), types);
  }

  llvm::Function *make_function() {
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *input : inputs_)
      types.push_back(input->getType());
    auto *made = llvm::Function::Create(
        llvm::FunctionType::get(result_type(), types, false), llvm::GlobalValue::InternalLinkage,
        "serial." + loop_.getHeader()->getName(), kernel_.getParent());
    made->addFnAttr(serial_loop);
    made->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::ValueToValueMapTy map;
    for (unsigned index = 0; index != inputs_.size(); ++index)
      map[inputs_[index]] = made->getArg(index);
    auto *entry = llvm::BasicBlock::Create(kernel_.getContext(), "entry", made);
    map[loop_.getLoopPreheader()] = entry;
    llvm::SmallVector<llvm::BasicBlock *> clones;
    for (llvm::BasicBlock *block : loop_.blocks()) {
      clones.push_back(llvm::CloneBasicBlock(block, map, "", made));
      map[block] = clones.back();
    }
    auto *end = llvm::BasicBlock::Create(kernel_.getContext(), "end", made);
    map[&exit_] = end;
    llvm::IRBuilder<> builder(end);
    llvm::Value *result = results_.size() > 1 ? llvm::PoisonValue::get(result_type()) : nullptr;
    llvm::SmallVector<llvm::Value *> values;
    for (llvm::PHINode *phi : results_)
      values.push_back(builder.Insert(phi->clone()));
    for (unsigned index = 0; index != values.size(); ++index)
      result = result ? builder.CreateInsertValue(result, values[index], index) : values[index];
    result ? builder.CreateRet(result) : builder.CreateRetVoid();
    clones.push_back(end);
    for (llvm::BasicBlock *clone : clones)
      for (llvm::Instruction &instruction : *clone) {
        instruction.dropDbgRecords();
        instruction.setDebugLoc({});
        llvm::RemapInstruction(&instruction, map,
                               llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      }
    llvm::BranchInst::Create(llvm::cast<llvm::BasicBlock>(map[loop_.getHeader()]), entry);
    return made;
  }

  llvm::CallInst *call_in_preheader(llvm::Function *function) {
    llvm::IRBuilder<> builder(loop_.getLoopPreheader()->getTerminator());
    builder.SetCurrentDebugLocation(loop_.getStartLoc());
    return builder.CreateCall(function, inputs_.getArrayRef());
  }

  llvm::Loop &loop_;
  llvm::Function &kernel_;
  llvm::BasicBlock &exit_;
  llvm::SetVector<llvm::Value *> inputs_;
  llvm::SmallVector<llvm::PHINode *> results_;
};

} // namespace

llvm::PreservedAnalyses SerialiseLoopsPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  unsigned lanes = sub_group_size(function);
  if (lanes == 1)
    return llvm::PreservedAnalyses::all();
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty())
    return llvm::PreservedAnalyses::all();
  LaneShapes shapes(function, lanes);
  llvm::SmallVector<llvm::Loop *> chosen;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (is_better_alone(*loop, shapes))
      chosen.push_back(loop);
  for (llvm::Loop *loop : chosen)
    Outliner(*loop).run();
  return chosen.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses InlineSerialLoopsPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> calls;
  llvm::SetVector<llvm::Function *> called;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      if (llvm::Function *callee = call->getCalledFunction();
          callee && callee->hasFnAttribute(serial_loop)) {
        calls.push_back(call);
        called.insert(callee);
      }
  for (llvm::CallInst *call : calls) {
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info);
  }
  for (llvm::Function *callee : called)
    callee->eraseFromParent();
  return calls.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
