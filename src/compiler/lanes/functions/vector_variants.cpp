// Makes vector variants of out-of-line functions: versions that run for a whole sub-group.
//
// Requires: the module after lane-ids. Out-of-line functions have plain signatures.
// Ensures: for each called function f, a function f.lanes, which an attribute of f names. The rest
// of the lanes stage applies to it as to the kernel. Calls of f are unchanged; packetize replaces
// them.
//
// The first parameter of f.lanes is the active lanes, one bit each (lane 0 the lowest). A parameter
// is a scalar if all calls agree that it is uniform, or that it is the address of each lane's
// element in interleaved memory (then lane 0's address). Any other parameter is a vector, and so is
// the result.
//
// A lane's element of a vector is `extractelement` by __lockstep_lane; the returned vector is
// `insertelement` by it. Passes before packetize see ordinary code of one work-item. Private
// variables that are interleaved although their addresses are passed (private_layouts.h) are marked
// for interleave-private, as are the values that replace such addresses in f.lanes.
//
// Callers are processed before callees, since uniformity in a caller decides parameters of its
// callees. Functions that never return, that have instructions of find_unsupported, or in which
// lanes are slower (choose/switch_cost.h) get no variant.
#include "compiler/lanes/functions/passes.h"

#include "compiler/analysis/uniformity.h"
#include "compiler/lanes/choose/choose_sub_group_size.h"
#include "compiler/lanes/choose/switch_cost.h"
#include "compiler/lanes/ids/passes.h"
#include "compiler/lanes/split/passes.h"
#include "compiler/lanes/split/private_layouts.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/specialization_attributes.h"

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

// Returns a copy without explicit vector types. A work-item's own vectors must be split before
// vectors over the lanes appear, since later passes could not tell the two apart.
Function &copy_of(Function &original, unsigned width, llvm::FunctionAnalysisManager &analyses) {
  llvm::ValueToValueMapTy map;
  Function *copy = llvm::CloneFunction(&original, map);
  set_sub_group_size(*copy, width);
  llvm::FunctionPassManager passes;
  passes.addPass(ExpandCopiesPass());
  passes.addPass(SplitAggregatesPass());
  passes.addPass(SplitVectorsPass());
  passes.addPass(SimplifyIndicesPass());
  passes.run(*copy, analyses);
  analyses.clear(*copy, copy->getName());
  return *copy;
}

// The property of an argument on which all callers agree.
enum class Agreement : uint8_t {
  same, // uniform over the lanes
  // Each lane's address of its own element, with the same index into interleaved memory.
  own_element,
  none
};

// The distance in bytes from lane 0's element to this lane's.
llvm::Value *distance_of_lane(llvm::IRBuilder<> &builder, llvm::Value *lane, int64_t element_size) {
  return builder.CreateMul(lane, llvm::ConstantInt::getSigned(builder.getInt64Ty(), element_size));
}

// Gives a copy of a function of one work-item the signature of a vector variant.
class Maker {
public:
  Maker(PrivateLayouts::Copy function, unsigned width, llvm::ArrayRef<Agreement> agreements,
        const PrivateLayouts &layouts)
      : original_(*function.original), context_(original_.getContext()), width_(width),
        agreements_(agreements), layouts_(layouts), copy_(*function.copy) {}

  Function &make() {
    declare(copy_);
    made_->splice(made_->begin(), &copy_);
    take_arguments(copy_);
    return_lanes();
    copy_.eraseFromParent();
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

  // Drops parameter attributes of parameters that are not uniform: the attributes describe scalars,
  // and pointers may become vectors. Memory effects on "argument memory" are generalized for the
  // same reason.
  void declare(Function &copy) {
    llvm::SmallVector<llvm::Type *> types = {llvm::Type::getIntNTy(context_, width_)};
    llvm::SmallVector<llvm::AttributeSet> parameters = {{}};
    for (llvm::Argument &argument : copy.args()) {
      const Agreement agreement = agreements_[argument.getArgNo()];
      types.push_back(agreement == Agreement::none ? lanes_of(argument.getType())
                                                   : argument.getType());
      parameters.push_back(agreement == Agreement::same
                               ? copy.getAttributes().getParamAttrs(argument.getArgNo())
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
      const Agreement agreement = agreements_[argument.getArgNo()];
      if (agreement == Agreement::same) {
        argument.replaceAllUsesWith(now);
        continue;
      }
      if (!lane)
        lane = emit_lane(builder);
      const uint64_t size = layouts_.element_size(argument);
      llvm::Value *value =
          agreement == Agreement::own_element
              ? builder.CreatePtrAdd(now, distance_of_lane(builder, lane, int64_t(size)),
                                     argument.getName() + ".of.lane")
              : builder.CreateExtractElement(now, lane, argument.getName() + ".of.lane");
      if (size != 0)
        mark_interleaved(*llvm::cast<llvm::Instruction>(value), size);
      argument.replaceAllUsesWith(value);
    }
  }

  // Makes a single return block. Its values are those of all lanes, whichever return each lane
  // took.
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
  llvm::ArrayRef<Agreement> agreements_;
  const PrivateLayouts &layouts_;
  Function &copy_;
  Function *made_ = nullptr;
};

// Returns the variable or parameter, marked as interleaved, that `address` points into at the same
// constant index in all lanes; null if there is none. A variable index could be another iteration's
// after a loop that lanes leave at different times.
llvm::Instruction *whole_row(llvm::Value *address) {
  while (true) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(address);
    if (!instruction)
      return nullptr;
    if (instruction->hasMetadata(interleaved_memory))
      return llvm::isa<llvm::AllocaInst, llvm::GetElementPtrInst>(instruction) ? instruction
                                                                               : nullptr;
    auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction);
    if (!gep || !gep->hasAllConstantIndices())
      return nullptr;
    address = gep->getPointerOperand();
  }
}

// The arguments that callers pass to out-of-line functions.
class Calls {
public:
  void look_at(Function &caller) {
    llvm::DominatorTree dominators(caller);
    Uniformity uniformity(caller, dominators, UniformityLevel::sub_group);
    for (llvm::Instruction &instruction : llvm::instructions(caller)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !is_out_of_line(*callee))
        continue;
      const bool is_first = !known_.contains(callee);
      Known &known = known_[callee];
      known.agreements.resize(call->arg_size(), Agreement::same);
      known.calls.push_back(call);
      for (llvm::Use &argument : call->args()) {
        Agreement &all = known.agreements[call->getArgOperandNo(&argument)];
        const Agreement here =
            uniformity.is_uniform(*argument) && uniformity.is_uniform_use(argument)
                ? Agreement::same
            : whole_row(argument) ? Agreement::own_element
                                  : Agreement::none;
        all = is_first || all == here ? here : Agreement::none;
      }
    }
  }

  const llvm::SmallVector<Agreement> *agreements(Function &callee) const {
    auto found = known_.find(&callee);
    return found == known_.end() ? nullptr : &found->second.agreements;
  }

  // Passes lane 0's address for parameters that are each lane's own element.
  void pass_first_elements(Function &callee, const PrivateLayouts &layouts, const Function &copy) {
    const Known &known = known_[&callee];
    for (llvm::CallInst *call : known.calls)
      for (llvm::Use &argument : call->args()) {
        const unsigned number = call->getArgOperandNo(&argument);
        if (known.agreements[number] != Agreement::own_element)
          continue;
        llvm::IRBuilder<> builder(call);
        const auto size = int64_t(layouts.element_size(*copy.getArg(number)));
        auto *first = llvm::cast<llvm::Instruction>(
            builder.CreatePtrAdd(argument, distance_of_lane(builder, emit_lane(builder), -size)));
        first->setMetadata(address_of_first_lane, llvm::MDNode::get(call->getContext(), {}));
        argument.set(first);
      }
  }

private:
  struct Known {
    llvm::SmallVector<Agreement> agreements;
    llvm::SmallVector<llvm::CallInst *> calls;
  };
  llvm::DenseMap<Function *, Known> known_;
};

} // namespace

llvm::PreservedAnalyses VectorVariantsPass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &analyses) {
  Function &kernel = *kernel_function(module);
  unsigned width = sub_group_size(kernel);
  llvm::SmallVector<Function *> kept = out_of_line_functions_of(module);
  if (width == 1 || kept.empty())
    return llvm::PreservedAnalyses::all();
  auto &of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  llvm::SmallVector<PrivateLayouts::Copy> copies; // callers before callees
  for (Function *function : llvm::reverse(kept))
    if (can_have_lanes(*function) && !lanes_lose_in_switches(*function, width, of_functions))
      copies.push_back({function, &copy_of(*function, width, of_functions)});
  const PrivateLayouts layouts(kernel, copies);
  Calls calls;
  calls.look_at(kernel);
  for (const PrivateLayouts::Copy &function : copies) {
    const auto *agreements = calls.agreements(*function.original);
    if (!agreements) {
      function.copy->eraseFromParent();
      continue;
    }
    calls.pass_first_elements(*function.original, layouts, *function.copy);
    calls.look_at(Maker(function, width, *agreements, layouts).make());
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
