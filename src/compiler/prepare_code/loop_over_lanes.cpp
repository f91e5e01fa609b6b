// Strip-mines arithmetic on very wide vectors into loops over register-sized slices.
//
// A vector of 64 doubles is 32 registers on a processor that has 16. The code generator emits each
// operation 32 times and spills what is live between two operations. A kernel of 16,000
// instructions became 800,000, more than half of them moves; its instruction selection and register
// allocation took half a minute. Kernels whose sub-group size is free get fewer lanes instead
// (compile.cpp). This pass handles those with a required size.
//
// Requires: any function of vector code. The pass changes only kernels that must keep their lanes,
// and only functions whose arithmetic costs more than `limits::code_in_seconds` by LLVM's cost model.
// Ensures: groups of elementwise operations of a block become a loop over slices of as many lanes
// as a register holds floats. Their inputs and outputs are in memory, where they would have been
// spilled. Memory accesses and operations across lanes do not move; an elementwise operation may
// move down to the user of its result.
//
// Position: after the passes that match patterns in straight code; before outline-lane-code, which
// counts what is left.
#include "compiler/prepare_code/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <map>

namespace lockstep::compiler {

namespace {

using llvm::Instruction;
using llvm::Type;
using llvm::Value;

unsigned lanes_of(const Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 0;
}

class Loops {
public:
  Loops(llvm::Function &function, const llvm::TargetTransformInfo &costs)
      : function_(function), layout_(function.getDataLayout()), costs_(costs),
        register_bits_(std::max<unsigned>(
            128, costs.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector)
                     .getFixedValue())),
        at_once_(register_bits_ / 32) {}

  unsigned lanes_at_once() const { return at_once_; }

  uint64_t cost() const {
    uint64_t sum = 0;
    for (const Instruction &instruction : llvm::instructions(function_))
      if (is_elementwise(instruction))
        sum += cost(instruction);
    return sum;
  }

  // Returns the number of loops made.
  unsigned make() {
    // An alloca of a block that is not the entry block would not be static.
    llvm::BasicBlock &entry = function_.getEntryBlock();
    for (Instruction &instruction : llvm::make_early_inc_range(entry))
      if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
          variable && variable->isStaticAlloca())
        variable->moveBefore(entry.getFirstInsertionPt());
    llvm::SmallVector<llvm::BasicBlock *> blocks;
    for (llvm::BasicBlock &block : function_)
      blocks.push_back(&block);
    for (llvm::BasicBlock *block : blocks)
      visit(*block);
    for (Instruction *load : reloads_)
      if (load->use_empty())
        load->eraseFromParent();
    return made_;
  }

private:
  using Slice = llvm::SmallVector<Instruction *>;

  // Whether elements come from bit-fields: a slice of such a vector need not begin at a byte.
  static bool has_odd_elements(const Type *type) {
    auto *integer = llvm::dyn_cast<llvm::IntegerType>(type->getScalarType());
    return integer && integer->getBitWidth() != 1 && integer->getBitWidth() % 8 != 0;
  }

  // Whether each lane of the result depends only on the same lane of the operands, or on scalars.
  bool is_elementwise(const Instruction &instruction) const {
    const unsigned lanes = lanes_of(instruction.getType());
    auto fits = [&](const Value *operand) {
      const unsigned count = lanes_of(operand->getType());
      return count == 0 || (count == lanes && !has_odd_elements(operand->getType()));
    };
    if (lanes < limits::lanes_in_line || lanes <= at_once_ || lanes % at_once_ != 0 ||
        !fits(&instruction))
      return false;
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      return llvm::isTriviallyVectorizable(call->getIntrinsicID()) &&
             !call->mayReadOrWriteMemory() && llvm::all_of(call->args(), fits);
    return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst,
                     llvm::SelectInst, llvm::FreezeInst, llvm::GetElementPtrInst>(instruction) &&
           llvm::all_of(instruction.operands(), fits) &&
           (!llvm::isa<llvm::CastInst>(instruction) ||
            lanes_of(instruction.getOperand(0)->getType()) == lanes);
  }

  uint64_t cost(const Instruction &instruction) const {
    const llvm::InstructionCost cost =
        costs_.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_RecipThroughput);
    return cost.isValid() ? uint64_t(cost.getValue()) : 1;
  }

  uint64_t registers(const Value &value) const {
    return llvm::divideCeil(layout_.getTypeSizeInBits(value.getType()), register_bits_);
  }

  // Elementwise operations wait in `open_` until an instruction that is not elementwise uses one of
  // their results.
  void visit(llvm::BasicBlock &block) {
    llvm::SmallVector<Instruction *> all;
    for (Instruction &instruction : block)
      all.push_back(&instruction);
    head_ = &block;
    of_block_.clear();
    of_block_.insert(all.begin(), all.end());
    open_.clear();
    for (Instruction *instruction : all) {
      if (llvm::isa<llvm::PHINode>(instruction))
        continue;
      if (instruction->isTerminator())
        place(Slice(open_.begin(), open_.end()), *instruction);
      else if (is_elementwise(*instruction))
        open_.insert(instruction);
      else
        place(needed_for(*instruction), *instruction);
    }
    end_lives();
  }

  // Returns the waiting operations that `user` needs, in order.
  Slice needed_for(const Instruction &user) const {
    llvm::SmallPtrSet<const Value *, 16> needed;
    llvm::SmallVector<const Instruction *> todo{&user};
    while (!todo.empty())
      for (const Value *operand : todo.pop_back_val()->operands()) {
        auto *instruction = llvm::dyn_cast<Instruction>(operand);
        if (instruction && open_.contains(const_cast<Instruction *>(instruction)) &&
            needed.insert(instruction).second)
          todo.push_back(instruction);
      }
    Slice slice;
    if (!needed.empty())
      llvm::copy_if(open_, std::back_inserter(slice),
                    [&](const Instruction *instruction) { return needed.contains(instruction); });
    return slice;
  }

  // Moves the slice before `at`. If all its vectors have the same number of lanes and it pays,
  // makes a loop of it. Operations that precede the slice may have moved, so all of the slice
  // moves.
  void place(const Slice &slice, Instruction &at) {
    if (slice.empty())
      return;
    for (Instruction *instruction : slice) {
      open_.remove(instruction);
      instruction->moveBefore(at.getIterator());
    }
    std::map<unsigned, Slice> by_lanes;
    for (Instruction *instruction : slice)
      by_lanes[lanes_of(instruction->getType())].push_back(instruction);
    if (by_lanes.size() == 1 && is_worth_it(slice))
      make_loop(slice, at);
  }

  struct Border {
    llvm::SetVector<Value *> inputs;
    Slice outputs;
  };

  static bool is_splat(const Value *value) { return llvm::getSplatValue(value) != nullptr; }

  static Border border_of(const Slice &slice) {
    llvm::SmallPtrSet<const Value *, 16> inside(slice.begin(), slice.end());
    Border border;
    for (Instruction *instruction : slice) {
      for (Value *operand : instruction->operands())
        if (lanes_of(operand->getType()) && !inside.contains(operand) && !is_splat(operand))
          border.inputs.insert(operand);
      if (llvm::any_of(instruction->users(),
                       [&](const llvm::User *user) { return !inside.contains(user); }))
        border.outputs.push_back(instruction);
    }
    return border;
  }

  bool is_worth_it(const Slice &slice) const {
    uint64_t work = 0, moves = 0;
    for (const Instruction *instruction : slice)
      work += cost(*instruction);
    const Border border = border_of(slice);
    for (const Value *input : border.inputs)
      moves += places_.contains(input) ? 0 : registers(*input);
    for (const Instruction *output : border.outputs)
      moves += registers(*output);
    return slice.size() >= 3 && work > moves;
  }

  // ---- inputs and outputs

  struct Place {
    llvm::AllocaInst *variable = nullptr;
    Instruction *end = nullptr; // not read from here on
  };

  // In a vector of i1, elements share bytes; in memory each needs its own.
  static Type *memory_type(Type *type) {
    return type->getScalarType()->isIntegerTy(1)
               ? type->getWithNewType(Type::getInt8Ty(type->getContext()))
               : type;
  }

  Place make_place(Type *type, Instruction &begin) {
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    llvm::AllocaInst *variable = builder.CreateAlloca(memory_type(type), nullptr, "lanes");
    variable->setAlignment(llvm::Align(64));
    builder.SetInsertPoint(&begin);
    builder.CreateLifetimeStart(variable);
    return {variable, &begin};
  }

  static void store_all(llvm::IRBuilder<> &builder, Value *value, llvm::AllocaInst *variable) {
    if (value->getType()->getScalarType()->isIntegerTy(1))
      value = builder.CreateZExt(value, memory_type(value->getType()));
    builder.CreateAlignedStore(value, variable, variable->getAlign());
  }

  // Stores the input right after its definition, so that no register holds it until the loop.
  Place &place_of_input(Value *value) {
    Place &place = places_[value];
    if (place.variable)
      return place;
    auto *instruction = llvm::dyn_cast<Instruction>(value);
    const bool is_here = instruction && of_block_.contains(instruction);
    Instruction *after = is_here && !llvm::isa<llvm::PHINode>(instruction)
                             ? instruction->getNextNode()
                             : &*head_->getFirstNonPHIOrDbgOrAlloca();
    place = make_place(value->getType(), *after);
    llvm::IRBuilder<> builder(after);
    store_all(builder, value, place.variable);
    return place;
  }

  void end_lives() {
    for (auto &[value, place] : places_)
      llvm::IRBuilder<>(place.end).CreateLifetimeEnd(place.variable);
    places_.clear();
  }

  // ---- the loop

  Type *part_of(Type *type) const {
    return llvm::FixedVectorType::get(type->getScalarType(), at_once_);
  }

  Value *address_of_part(llvm::IRBuilder<> &builder, llvm::AllocaInst *variable, Value *iteration) {
    const uint64_t bits = layout_.getTypeSizeInBits(variable->getAllocatedType()->getScalarType());
    return builder.CreateInBoundsGEP(
        builder.getInt8Ty(), variable,
        builder.CreateMul(iteration, builder.getInt64(bits * at_once_ / 8)));
  }

  llvm::Align alignment_of_part(llvm::AllocaInst *variable) const {
    const uint64_t bits = layout_.getTypeSizeInBits(variable->getAllocatedType()->getScalarType());
    return llvm::commonAlignment(variable->getAlign(), bits * at_once_ / 8);
  }

  Value *part_of_input(llvm::IRBuilder<> &builder, Value *value, Value *iteration) {
    if (Value *scalar = llvm::getSplatValue(value))
      return builder.CreateVectorSplat(at_once_, scalar);
    llvm::AllocaInst *variable = place_of_input(value).variable;
    Type *type = part_of(value->getType());
    Value *part =
        builder.CreateAlignedLoad(memory_type(type), address_of_part(builder, variable, iteration),
                                  alignment_of_part(variable));
    return type == memory_type(type) ? part : builder.CreateTrunc(part, type);
  }

  Value *part_of_operation(llvm::IRBuilder<> &builder, Instruction &instruction,
                           llvm::ArrayRef<Value *> operands) const {
    Type *type = part_of(instruction.getType());
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      return builder.CreateIntrinsic(type, call->getIntrinsicID(), operands,
                                     llvm::isa<llvm::FPMathOperator>(call) ? call : nullptr);
    Instruction *copy = instruction.clone();
    copy->mutateType(type);
    for (unsigned i = 0; i != operands.size(); ++i)
      copy->setOperand(i, operands[i]);
    return builder.Insert(copy);
  }

  void make_loop(const Slice &slice, Instruction &at) {
    const Border border = border_of(slice);
    Instruction *first = slice.front();
    const unsigned lanes = lanes_of(first->getType());
    llvm::BasicBlock *before = first->getParent();
    // Code placed before `first` stays in the first part.
    llvm::BasicBlock *loop = llvm::SplitBlock(before, first->getIterator());
    llvm::BasicBlock *after = llvm::SplitBlock(loop, at.getIterator());
    loop->setName("lanes");
    for (Value *input : border.inputs)
      place_of_input(input).end = &at;
    for (Instruction *output : border.outputs) {
      Place &place = places_[output];
      place = make_place(output->getType(), *before->getTerminator());
      place.end = &at;
    }
    llvm::IRBuilder<> builder(loop, loop->getFirstInsertionPt());
    builder.SetCurrentDebugLocation(first->getDebugLoc());
    llvm::PHINode *iteration = builder.CreatePHI(builder.getInt64Ty(), 2);
    llvm::DenseMap<Value *, Value *> parts;
    for (Instruction *instruction : slice) {
      llvm::SmallVector<Value *> operands;
      builder.SetCurrentDebugLocation(instruction->getDebugLoc());
      for (Value *operand : operands_of(*instruction)) {
        if (lanes_of(operand->getType())) {
          Value *&part = parts[operand];
          if (!part)
            part = part_of_input(builder, operand, iteration);
          operand = part;
        }
        operands.push_back(operand);
      }
      Value *part = part_of_operation(builder, *instruction, operands);
      parts[instruction] = part;
      if (llvm::is_contained(border.outputs, instruction)) {
        llvm::AllocaInst *variable = places_[instruction].variable;
        if (part->getType() != memory_type(part->getType()))
          part = builder.CreateZExt(part, memory_type(part->getType()));
        builder.CreateAlignedStore(part, address_of_part(builder, variable, iteration),
                                   alignment_of_part(variable));
      }
    }
    Value *next = builder.CreateAdd(iteration, builder.getInt64(1));
    iteration->addIncoming(builder.getInt64(0), before);
    iteration->addIncoming(next, loop);
    builder.CreateCondBr(builder.CreateICmpEQ(next, builder.getInt64(lanes / at_once_)), after,
                         loop);
    loop->getTerminator()->eraseFromParent();
    for (Instruction *output : border.outputs)
      reload(*output, at);
    for (Instruction *instruction : llvm::reverse(slice))
      instruction->eraseFromParent();
    ++made_;
  }

  static llvm::iterator_range<llvm::User::op_iterator> operands_of(Instruction &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call ? call->args() : instruction.operands();
  }

  void reload(Instruction &output, Instruction &at) {
    llvm::IRBuilder<> builder(&at);
    const Place place = places_[&output];
    Instruction *load = builder.CreateAlignedLoad(memory_type(output.getType()), place.variable,
                                                  place.variable->getAlign());
    reloads_.push_back(load);
    if (load->getType() != output.getType()) {
      load = llvm::cast<Instruction>(builder.CreateTrunc(load, output.getType()));
      reloads_.insert(reloads_.end() - 1, load); // before the load that it uses
    }
    load->takeName(&output);
    output.replaceAllUsesWith(load);
    places_.erase(&output);
    places_[load] = place;
    of_block_.insert(load);
  }

  llvm::Function &function_;
  const llvm::DataLayout &layout_;
  const llvm::TargetTransformInfo &costs_;
  const unsigned register_bits_, at_once_;
  // The state of the current block and of the blocks split off from it.
  llvm::BasicBlock *head_ = nullptr;
  llvm::SmallPtrSet<const Instruction *, 32> of_block_;
  llvm::SetVector<Instruction *> open_;
  llvm::MapVector<const Value *, Place> places_;
  llvm::SmallVector<Instruction *> reloads_;
  unsigned made_ = 0;
};

bool loop_over_lanes(llvm::Function &function, const llvm::TargetTransformInfo &costs) {
  Loops loops(function, costs);
  const uint64_t cost = loops.cost();
  if (cost <= limits::code_in_seconds)
    return false;
  const Instruction &first = *function.getEntryBlock().getTerminator();
  const unsigned made = loops.make();
  remark(first, llvm::Twine(cost) + " instructions of arithmetic: " + llvm::Twine(made) +
                    " loops over " + llvm::Twine(loops.lanes_at_once()) + " lanes at a time");
  return made != 0;
}

} // namespace

llvm::PreservedAnalyses LoopOverLanesPass::run(llvm::Module &module,
                                               llvm::ModuleAnalysisManager &analyses) {
  if (llvm::any_of(module, [](const llvm::Function &function) {
        return function.hasFnAttribute(size_is_free);
      }))
    return llvm::PreservedAnalyses::all();
  auto &of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      changed |=
          loop_over_lanes(function, of_functions.getResult<llvm::TargetIRAnalysis>(function));
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
