#include "compiler/ir_to_workgroup/vectorize/lane_functions.h"

#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/kernel_function.h"
#include "compiler/ir_to_workgroup/lane_primitives.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"
#include "compiler/ir_to_workgroup/vectorize/choose_sub_group_size.h"
#include "compiler/ir_to_workgroup/vectorize/expand_copies.h"
#include "compiler/ir_to_workgroup/vectorize/restore_casts.h"
#include "compiler/ir_to_workgroup/vectorize/split_aggregates.h"
#include "compiler/ir_to_workgroup/vectorize/split_vectors.h"
#include "compiler/kernel_ir/kept_function.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace lockstep::compiler {

namespace {

using llvm::FixedVectorType;
using llvm::Function;

bool can_have_lanes(const Function &function) {
  return !find_unsupported(function) && llvm::any_of(function, [](const llvm::BasicBlock &block) {
    return llvm::isa<llvm::ReturnInst>(block.getTerminator());
  });
}

// A copy of a function of one work-item, on its way to its signature.
class Maker {
public:
  Maker(Function &original, unsigned width, llvm::ArrayRef<bool> is_uniform)
      : original_(original), context_(original.getContext()), width_(width),
        is_uniform_(is_uniform) {}

  Function &make(llvm::FunctionAnalysisManager &analyses) {
    llvm::ValueToValueMapTy map;
    Function *copy = llvm::CloneFunction(&original_, map);
    set_sub_group_size(*copy, width_);
    // Vectors of one work-item are no vectors of lanes; from now on there are both.
    llvm::FunctionPassManager passes;
    passes.addPass(ExpandCopiesPass());
    passes.addPass(SplitAggregatesPass());
    passes.addPass(SplitVectorsPass());
    passes.addPass(RestoreCastsPass());
    passes.run(*copy, analyses);
    analyses.clear(*copy, copy->getName());
    declare(*copy);
    made_->splice(made_->begin(), copy);
    take_arguments(*copy);
    return_lanes();
    copy->eraseFromParent();
    original_.addFnAttr(lane_function_name, made_->getName());
    return *made_;
  }

private:
  llvm::Type *lanes_of(llvm::Type *type) const {
    auto *structure = llvm::dyn_cast<llvm::StructType>(type);
    if (!structure)
      return type->isVoidTy() ? type : FixedVectorType::get(type, width_);
    llvm::SmallVector<llvm::Type *> fields;
    for (llvm::Type *field : structure->elements())
      fields.push_back(lanes_of(field));
    return llvm::StructType::get(context_, fields);
  }

  // Attributes of parameters speak of pointers, of which there may be vectors now; what the function does with memory,
  // of pointers that are parameters.
  void declare(Function &copy) {
    llvm::SmallVector<llvm::Type *> types = {llvm::Type::getIntNTy(context_, width_)};
    llvm::SmallVector<llvm::AttributeSet> parameters = {{}};
    for (llvm::Argument &argument : copy.args()) {
      bool uniform = is_uniform_[argument.getArgNo()];
      types.push_back(uniform ? argument.getType() : lanes_of(argument.getType()));
      parameters.push_back(uniform ? copy.getAttributes().getParamAttrs(argument.getArgNo())
                                   : llvm::AttributeSet());
    }
    made_ = Function::Create(llvm::FunctionType::get(lanes_of(copy.getReturnType()), types, false),
                             copy.getLinkage(), original_.getName() + ".lanes", copy.getParent());
    made_->setDSOLocal(true);
    made_->setAttributes(
        llvm::AttributeList::get(context_, copy.getAttributes().getFnAttrs(), {}, parameters));
    made_->setMemoryEffects(llvm::MemoryEffects(copy.getMemoryEffects().getModRef()));
    made_->addFnAttr(lane_function);
    made_->copyMetadata(&copy, 0);
    made_->getArg(0)->setName("active.bits");
  }

  void take_arguments(Function &copy) {
    llvm::IRBuilder<> builder(&*made_->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    llvm::Value *lane = nullptr;
    for (llvm::Argument &argument : copy.args()) {
      llvm::Argument *now = made_->getArg(argument.getArgNo() + 1);
      now->setName(argument.getName());
      llvm::Value *value = now;
      if (!is_uniform_[argument.getArgNo()]) {
        if (!lane)
          lane = emit_lane(builder);
        value = builder.CreateExtractElement(now, lane, argument.getName() + ".of.lane");
      }
      argument.replaceAllUsesWith(value);
    }
  }

  // One block, whose values are those of all lanes wherever each returned.
  void return_lanes() {
    llvm::Type *type = original_.getReturnType();
    if (type->isVoidTy())
      return;
    auto *structure = llvm::dyn_cast<llvm::StructType>(type);
    llvm::SmallVector<llvm::ReturnInst *> returns;
    for (llvm::BasicBlock &block : *made_)
      if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
        returns.push_back(end);
    auto *end = llvm::BasicBlock::Create(context_, "return", made_);
    llvm::IRBuilder<> builder(end);
    llvm::SmallVector<llvm::PHINode *> values;
    for (unsigned field = 0; field != (structure ? structure->getNumElements() : 1); ++field)
      values.push_back(builder.CreatePHI(structure ? structure->getElementType(field) : type,
                                         returns.size(), "result"));
    llvm::Value *lane = emit_lane(builder);
    llvm::Value *result = llvm::PoisonValue::get(made_->getReturnType());
    for (unsigned field = 0; field != values.size(); ++field) {
      llvm::Value *lanes = builder.CreateInsertElement(
          llvm::PoisonValue::get(lanes_of(values[field]->getType())), values[field], lane);
      result = structure ? builder.CreateInsertValue(result, lanes, field) : lanes;
    }
    builder.CreateRet(result);
    for (llvm::ReturnInst *old : returns) {
      builder.SetInsertPoint(old);
      for (unsigned field = 0; field != values.size(); ++field)
        values[field]->addIncoming(structure
                                       ? builder.CreateExtractValue(old->getReturnValue(), field)
                                       : old->getReturnValue(),
                                   old->getParent());
      builder.CreateBr(end);
      old->eraseFromParent();
    }
  }

  Function &original_;
  llvm::LLVMContext &context_;
  unsigned width_;
  llvm::ArrayRef<bool> is_uniform_;
  Function *made_ = nullptr;
};

// What callers pass: a parameter is uniform as long as it is in all of them.
class Calls {
public:
  void look_at(Function &caller) {
    llvm::DominatorTree dominators(caller);
    Uniformity uniformity(caller, dominators, UniformityLevel::sub_group);
    for (llvm::Instruction &instruction : llvm::instructions(caller)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !is_kept(*callee))
        continue;
      auto &uniform = uniform_[callee];
      uniform.resize(call->arg_size(), true);
      for (llvm::Use &argument : call->args())
        uniform[call->getArgOperandNo(&argument)] &=
            uniformity.is_uniform(*argument) && uniformity.is_uniform_use(argument);
    }
  }

  const llvm::SmallVector<bool> *uniform(Function &callee) const {
    auto found = uniform_.find(&callee);
    return found == uniform_.end() ? nullptr : &found->second;
  }

private:
  llvm::DenseMap<Function *, llvm::SmallVector<bool>> uniform_;
};

} // namespace

llvm::PreservedAnalyses LaneFunctionsPass::run(llvm::Module &module,
                                               llvm::ModuleAnalysisManager &analyses) {
  Function &kernel = *kernel_function(module);
  unsigned width = sub_group_size(kernel);
  llvm::SmallVector<Function *> kept = kept_functions(module);
  if (width == 1 || kept.empty())
    return llvm::PreservedAnalyses::all();
  auto &of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  Calls calls;
  calls.look_at(kernel);
  for (Function *function : llvm::reverse(kept))
    if (auto *uniform = calls.uniform(*function); uniform && can_have_lanes(*function))
      calls.look_at(Maker(*function, width, *uniform).make(of_functions));
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
